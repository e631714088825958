"""Which environment variables reach a fork server and a confined kernel; the rest may be tokens."""

from collections.abc import Mapping

KEPT = {
    *("PATH", "LANG", "LANGUAGE", "TZ", "TERM", "COURSE_LANGUAGE", "MPLBACKEND"),
    "NBGRADER_EXECUTION",  # tells code in a notebook that it is graded
    *("OMP_NUM_THREADS", "MKL_NUM_THREADS", "VIRTUAL_ENV", "CONDA_PREFIX", "LD_LIBRARY_PATH"),
}
PREFIXES = ("LC_", "CUDA_", "NVIDIA_")
# Beside those: where a server finds packages, their caches and folders.
KEPT_BY_SERVERS = {"HOME", "XDG_CACHE_HOME", "MPLCONFIGDIR", "TMPDIR"}


def for_kernel(environ: Mapping[str, str]) -> dict[str, str]:
    """What a confined kernel keeps of its client's environment."""
    return {
        name: value for name, value in environ.items() if name in KEPT or name.startswith(PREFIXES)
    }


def for_server(environ: Mapping[str, str]) -> dict[str, str]:
    """What a fork server gets. Its kernels may find it in the memory that they inherit."""
    kept = {
        name: value
        for name, value in environ.items()
        if name in KEPT_BY_SERVERS or name.startswith("PYTHON")
    }
    # A pool of threads would not survive a fork.
    return for_kernel(environ) | kept | {"OPENBLAS_NUM_THREADS": "1"}
