"""Make the course's own environment, then open JupyterLab on the course.

Runs under any Python from 3.11 to 3.13 with nothing installed; `make env`, `make start` and
`make teach` call it. Where there is no make (Windows): `py course\\jupyter\\start.py`.
"""

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
STAMP = VENV / "installed.sha256"
OLDEST, NEWEST = (3, 11), (3, 13)


def environment_hash() -> str:
    """What the environment is made from: Python's version, the pinned versions and the project."""
    made_from = [sys.version.split()[0].encode(), str(ROOT).encode()]
    made_from += [(ROOT / name).read_bytes() for name in ("requirements.lock", "pyproject.toml")]
    return hashlib.sha256(b"\0".join(made_from)).hexdigest()


def is_current() -> bool:
    """The environment is there and was made from these very files: nothing to install."""
    return STAMP.exists() and STAMP.read_text() == environment_hash()


def make_environment() -> None:
    """Create .venv and install the pinned packages; does nothing where that was done before."""
    if not OLDEST <= sys.version_info[:2] <= NEWEST:
        sys.exit(
            f"Tensor Course needs Python 3.11, 3.12 or 3.13; this is {sys.version.split()[0]}.\n"
            "Install one of them, or name it: make start PYTHON=python3.12"
        )
    if is_current():
        return
    print("Making .venv and installing PyTorch, JupyterLab and nbgrader (once, a few minutes)…")
    if VENV.exists():
        shutil.rmtree(VENV)
    run(sys.executable, "-m", "venv", VENV)
    index = os.environ.get("TORCH_INDEX")
    if index:  # another build of torch, for example the one without CUDA
        pinned = (ROOT / "requirements.lock").read_text().splitlines()
        torch = next(line for line in pinned if line.startswith("torch=="))
        run(BIN / "python", "-m", "pip", "install", "-q", torch, "--index-url", index)
    run(BIN / "python", "-m", "pip", "install", "-q", "-r", ROOT / "requirements.lock")
    run(BIN / "python", "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation", "-e", ROOT)
    STAMP.write_text(environment_hash())


def run(*command) -> None:
    """Run a command in the project's folder; end with its message where it fails."""
    environment = {**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    done = subprocess.run([str(part) for part in command], cwd=ROOT, env=environment)
    if done.returncode:
        sys.exit(f"This failed: {' '.join(map(str, command))}\nMend the cause, then run it again.")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--env", action="store_true", help="make the environment and stop")
    options, _jupyter = parser.parse_known_args()
    make_environment()
    if options.env:
        return


if __name__ == "__main__":
    main()
