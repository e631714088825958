"""What the fork server does once, before its first fork: slow imports, and what else is paid once.

It stays single-threaded and runs no code of a learner's. A forked process inherits memory but only
the thread that forked: a lock that another thread held would stay locked in it for ever.
"""

import contextlib
import importlib
import io
import linecache
import os
import sys
import tempfile
from collections.abc import Iterable

INLINE = "module://matplotlib_inline.backend_inline"
# Importing one of these sets up the shell of its process, or chooses the lens's language.
ONLY_IN_KERNELS = ("matplotlib_inline.backend_inline", "lens.en", "lens.zh")

# Cells that a throw-away kernel runs, to find out what each preloaded module imports late.
PROBES = {
    "": """
x = [1, 2]; x
1 / 0
import asyncio; await asyncio.sleep(0)
""",
    "matplotlib.pyplot": """
import matplotlib.pyplot as plt; plt.plot([1, 2], label="x"); plt.legend(); plt.show()
""",
    "torch": """
import torch; torch.set_num_threads(1)
net = torch.nn.Linear(2, 1); optimizer = torch.optim.Adam(net.parameters()); net
net(torch.zeros(3, 2)).sum().backward(); optimizer.step()
torch.testing.assert_close(net.weight, net.weight)
next(iter(torch.utils.data.DataLoader(torch.zeros(4, 2))))
torch.compile(lambda x: x + 1, backend="eager")(torch.zeros(2))
torch.zeros(2) + torch.zeros(3)
""",
    "lens": """
import lens.en as lens
lens.expect_close(torch.zeros(2), torch.ones(2))
torch.zeros(2) + torch.zeros(3)
lens.passed("")
""",
}

# A fault whose traceback is rendered once here: the first costs 75 ms.
FAULTY = "def f(x):\n    y = x / 0  # comment\n    return 'text %d' % y\nf(1)\n"


class UnsafeFork(RuntimeError):
    """The server is in a state in which a forked kernel could hang or misbehave."""


def warm_up(modules: Iterable[str]) -> int:
    """Import what kernels need and pay what is paid once a process.

    Returns the number of threads that torch would use in an ordinary process. Raises UnsafeFork.
    """
    os.environ["MPLBACKEND"] = INLINE  # matplotlib reads it when it is imported
    with _hidden("debugpy"):  # it costs memory, and nobody debugs a kernel that grades
        import ipykernel.debugger
        import ipykernel.kernelapp  # noqa: F401
    from autograder.engine import tracebacks

    for name in modules:
        importlib.import_module(name)
    threads = 1
    if torch := sys.modules.get("torch"):
        threads = torch.get_num_threads()
        torch.set_num_threads(1)  # a pool of threads would not survive a fork
    for name in _learn_late_imports():
        with contextlib.suppress(Exception):  # some modules import only where they are wanted
            importlib.import_module(name)
    for name in ONLY_IN_KERNELS:
        sys.modules.pop(name, None)
    tracebacks.render_fast()
    _render_a_traceback()
    if "matplotlib.pyplot" in sys.modules:
        _draw()
    check_safe()
    return threads


def check_safe() -> None:
    """Raise UnsafeFork unless this process may fork kernels now."""
    if not sys.platform.startswith("linux"):
        raise UnsafeFork(
            f"expected Linux, got {sys.platform}: kernels are forked on Linux only. "
            "Use the kernel python3, or grade in a container."
        )
    threads = len(os.listdir("/proc/self/task"))
    if threads != 1:
        raise UnsafeFork(
            f"expected one native thread before a fork, got {threads}. One of the preloaded "
            "modules starts threads when it is imported: leave it out of `preload`."
        )
    torch = sys.modules.get("torch")
    if torch and (torch.cuda.is_initialized() or torch.cuda._is_in_bad_fork()):
        raise UnsafeFork(
            "expected CUDA not to be initialised before a fork: kernels could not use it. One of "
            "the preloaded modules calls CUDA when it is imported: leave it out of `preload`."
        )


@contextlib.contextmanager
def _hidden(name: str):
    """Let imports of a module fail meanwhile."""
    sys.modules[name] = None
    try:
        yield
    finally:
        del sys.modules[name]


def _learn_late_imports() -> list[str]:
    """The modules that a kernel imports only while it runs cells, told by a throw-away one."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reading)
            _tell_late_imports(writing)
        finally:
            os._exit(0)
    os.close(writing)
    with open(reading) as told:
        names = told.read().split()
    os.waitpid(child, 0)
    if not names:
        raise UnsafeFork("a forked kernel did not get through its first cells; see above for why")
    return [name for name in names if name not in sys.modules and name not in ONLY_IN_KERNELS]


def _tell_late_imports(writing: int) -> None:
    """In the throw-away kernel: run the probe, write the names of all modules."""
    from ipykernel.kernelapp import IPKernelApp

    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1):
        os.dup2(null, stream)
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"IPYTHONDIR": folder, "NBGRADER_EXECUTION": "autograde"}
        app = IPKernelApp.instance(
            parent_handle=0, log_level=50, transport="ipc", ip=f"{folder}/s", connection_file=""
        )
        app.connection_dir = folder
        app.initialize(["--HistoryManager.enabled=False"])
        for module, cells in PROBES.items():
            if not module or module in sys.modules:
                for cell in cells.strip().splitlines():
                    app.shell.run_cell(cell)
    torch = sys.modules.get("torch")
    if not (torch and torch.cuda._is_in_bad_fork()):
        os.write(writing, "\n".join(sys.modules).encode())


def _render_a_traceback() -> None:
    """Make the first traceback of every kernel as cheap as the later ones."""
    from IPython.core.ultratb import AutoFormattedTB

    renderer = AutoFormattedTB(mode="Context", theme_name="linux", tb_offset=1)
    linecache.cache["<warm>"] = (len(FAULTY), None, FAULTY.splitlines(True), "<warm>")
    try:
        exec(compile(FAULTY, "<warm>", "exec"), {})
    except ZeroDivisionError:
        renderer.structured_traceback(*sys.exc_info())
    del linecache.cache["<warm>"]


def _draw() -> None:
    """Load the fonts, which the first picture of every kernel would have to do."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure()
    canvas = FigureCanvasAgg(figure)
    figure.subplots().plot([1, 2], label="text")
    figure.axes[0].legend()
    canvas.print_png(io.BytesIO())
