"""Make the course's own environment, then open JupyterLab on the course.

Runs under any Python from 3.11 to 3.13 with nothing installed; `make env`, `make start` and
`make teach` call it. Where there is no make (Windows): `py course\\jupyter\\start.py`.
Arguments that are not its own go to JupyterLab: `start.py --no-browser --port=8899`.
"""

from __future__ import annotations  # too old a Python must get as far as being told so

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
STAMP = VENV / "installed.sha256"
LANGUAGES = ("en", "zh")
OLDEST, NEWEST = (3, 11), (3, 13)


def environment_hash() -> str:
    """What the environment is made from: Python, this folder, the pins and the distribution."""
    import tomllib  # not in Pythons that are too old, which are told so first

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    pins = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    setup = (ROOT / "setup.py").read_text(encoding="utf-8")
    distribution = [project["project"], project["build-system"], setup]
    made_from = json.dumps([sys.version.split()[0], str(ROOT), pins, distribution])
    return hashlib.sha256(made_from.encode()).hexdigest()


def is_current() -> bool:
    """The environment is there and was made from these very files: nothing to install."""
    return STAMP.exists() and STAMP.read_text() == environment_hash()


def can_be_reused() -> bool:
    """The environment is of this Python and at this place: installing into it is enough."""
    notes = VENV / "pyvenv.cfg"
    written = notes.read_text() if notes.exists() else ""
    version = ".".join(map(str, sys.version_info[:3]))
    return f"version = {version}\n" in written and str(VENV) in written


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
    if Path(sys.prefix).resolve() != VENV.resolve():  # never from under the running Python
        if VENV.exists() and not can_be_reused():
            shutil.rmtree(VENV)
        run(sys.executable, "-m", "venv", VENV)
    index = os.environ.get("TORCH_INDEX")
    if index:  # another build of torch, for example the one without CUDA
        pinned = (ROOT / "requirements.lock").read_text().splitlines()
        torch = next(line for line in pinned if line.startswith("torch=="))
        run(BIN / "python", "-m", "pip", "install", "-q", torch, "--index-url", index)
    run(BIN / "python", "-m", "pip", "install", "-q", "-r", ROOT / "requirements.lock")
    itself = ("--no-deps", "--no-build-isolation", "-e", ROOT)
    run(BIN / "python", "-m", "pip", "install", "-q", *itself)
    STAMP.write_text(environment_hash())


def run(*command) -> None:
    """Run a command in the project's folder; end with its message where it fails."""
    environment = {**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    done = subprocess.run([str(part) for part in command], cwd=ROOT, env=environment)
    if done.returncode:
        sys.exit(f"This failed: {' '.join(map(str, command))}\nMend the cause, then run it again.")


def settings_folders(teach: bool, environ: Mapping[str, str]) -> list[Path]:
    """The folders of JupyterLab's settings, the stronger ones first."""
    learner = ROOT / "course" / "jupyter"
    instructor = ROOT / "autograder" / "jupyter"
    if teach and not instructor.exists():
        sys.exit(
            f"--teach needs {instructor.relative_to(ROOT)}, which a learner's copy of the course "
            "leaves out.\nUse the whole project, or start without --teach."
        )
    language = environ.get("COURSE_LANGUAGE") or "en"
    if language not in LANGUAGES:
        sys.exit(
            f"COURSE_LANGUAGE: expected {' or '.join(LANGUAGES)}, got {language!r}.\n"
            "Set it to one of them, or unset it for English."
        )
    exchange = Path(environ.get("COURSE_EXCHANGE") or ROOT / "autograder" / "exchange")
    folders = [instructor] if teach else []
    if not teach and not exchange.exists():
        folders.append(learner / "no_exchange")  # nbgrader's Assignment List would show only errors
    if language == "zh":
        folders.append(learner / "zh")
    return [*folders, learner]


def open_lab(python: Path, teach: bool, arguments: list[str]) -> None:
    """Turn into this Python's JupyterLab with the course's settings; it prints its address."""
    folders = [str(folder) for folder in settings_folders(teach, os.environ)]
    before = os.environ.get("JUPYTER_CONFIG_PATH")
    environment = {
        **os.environ,
        "JUPYTER_CONFIG_PATH": os.pathsep.join(folders + ([before] if before else [])),
        # nbgrader calls a program of the environment by its name.
        "PATH": os.pathsep.join([str(python.parent), os.environ.get("PATH", "")]),
    }
    os.chdir(ROOT)
    print("Starting JupyterLab. It opens in the browser, or at the address below; Ctrl-C ends it.")
    if teach:
        print("For an instructor: menu Nbgrader, then Formgrader.")
    sys.stdout.flush()
    command = [str(python), "-m", "jupyterlab", *arguments]
    if os.name == "nt":  # Windows cannot replace a running program
        sys.exit(subprocess.call(command, env=environment))
    os.execve(command[0], command, environment)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument("--env", action="store_true", help="make the environment and stop")
    parser.add_argument("--teach", action="store_true", help="open it for an instructor")
    parser.add_argument("--here", action="store_true", help="use this Python's own packages")
    options, arguments = parser.parse_known_args()
    settings_folders(options.teach, os.environ)  # refuses nonsense before minutes have passed
    if not options.here:
        make_environment()
    if not options.env:
        python = Path(sys.executable) if options.here else BIN / "python"
        open_lab(python, options.teach, arguments)


if __name__ == "__main__":
    main()
