"""Sandboxes in interpreters of their own, for root and for an ordinary user."""

import json
import os
import shutil
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
DRIVER = Path(__file__).with_name("driver.py")
USER = 61999  # nobody's user id
_AS_USER = [f"--reuid={USER}", f"--regid={USER}", "--clear-groups"]
_PYTHONS = (sys.executable, "/usr/bin/python3", "/usr/local/bin/python3")
# setpriv starts programs that the user then cannot read.
_SUITS = (
    f"import sys; assert sys.version_info >= (3, 11); open(sys.executable); open({str(DRIVER)!r})"
)


def python_of_user() -> list[str] | None:
    """The command of a Python run by an ordinary user; None where none can read its files."""
    if os.geteuid() != 0:
        return [sys.executable]
    if not shutil.which("setpriv"):
        return None
    for python in _PYTHONS:
        command = ["setpriv", *_AS_USER, python]
        if subprocess.run([*command, "-I", "-c", _SUITS], capture_output=True, cwd="/").returncode:
            continue
        return command
    return None


@dataclass(frozen=True)
class Box:
    """Where the code of a test runs: at which level, by which Python."""

    level: str
    python: tuple[str, ...]
    is_root: bool
    top: str  # the folder of all boxes, which outlives those that are killed

    def asked(self, code: str, readable=(), mask_proc=False, **limits) -> str:
        """What the driver is to do, as JSON."""
        return json.dumps(
            {
                "packages": str(ROOT),
                "level": self.level,
                "readable": list(readable),
                "mask_proc": mask_proc,
                "limits": limits,
                "code": textwrap.dedent(code),
            }
        )

    def start(self, code: str, environment=None, **options) -> subprocess.Popen:
        """A running driver; its output is to be read by the caller."""
        process = subprocess.Popen(
            [*self.python, "-I", str(DRIVER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd="/",
            env={"PATH": os.environ["PATH"], "TMPDIR": self.top, **(environment or {})},
        )
        process.stdin.write(self.asked(code, **options))
        process.stdin.close()
        process.stdin = None
        return process

    def serve(self, code: str, **options) -> str:
        """What the driver prints while it runs `code` in the server."""
        process = self.start(code, **options)
        printed, complaints = process.communicate(timeout=120)
        assert process.returncode == 0, complaints
        return printed

    def run(self, code: str, files=None, **options) -> str:
        """What `code` prints inside a sandbox."""
        code = textwrap.dedent(code)
        return self.serve(
            f"pid = launch({code!r}, files={files!r})\n"
            "assert os.waitpid(pid, 0)[1] == 0, 'the confined code failed'",
            **options,
        )

    def answer(self, expression: str, imports: str = "", **options):
        """The value of an expression inside a sandbox, through JSON."""
        names = f", {imports}" if imports else ""
        return json.loads(
            self.run(f"import json{names}\nprint(json.dumps({expression}))", **options)
        )
