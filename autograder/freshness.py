"""Which submissions need no grading: those whose verdict was earned by these very bytes, tests and
environment, and whose scores stand in the gradebook.

A verdict lies in autograder/verdicts/<assignment>/<student>.json, written after everything else.
"""

import contextlib
import fcntl
import functools
import hashlib
import importlib.metadata
import importlib.util
import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from autograder.errors import Told
from autograder.limits import Limits
from autograder.verdicts import Verdict

PACKAGES = ("torch", "numpy", "matplotlib", "nbgrader", "nbclient", "ipykernel", "ipython")


def submission_key(
    notebooks: Mapping[str, bytes], assignment: str, limits: Limits, level: str
) -> str:
    """What a verdict depends on, as a hash; `assignment` is the text of Assignment.to_json()."""
    digest = hashlib.sha256(environment().encode())
    settings = json.dumps([limits.to_json(), level, sorted(notebooks)])
    for part in (settings.encode(), assignment.encode(), *map(notebooks.get, sorted(notebooks))):
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()


@functools.cache
def environment() -> str:
    """The versions that may change a score: Python, packages, the code of grading and of lens."""
    found = {"python": sys.version}
    for name in PACKAGES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = ""
    for name in ("autograder", "lens"):
        found[f"{name} code"] = _code_hash(name)
    return json.dumps(found, sort_keys=True)


def _code_hash(package: str) -> str:
    spec = importlib.util.find_spec(package)
    digest = hashlib.sha256()
    for folder in spec.submodule_search_locations if spec else ():
        for path in sorted(Path(folder).rglob("*.py")):
            if "jupyter" not in path.relative_to(folder).parts:
                digest.update(f"{path.relative_to(folder)}\0".encode() + path.read_bytes())
    return digest.hexdigest()


@dataclass(frozen=True)
class VerdictStore:
    """The verdicts of one assignment, each with the key that it was earned by."""

    folder: Path

    def _path(self, student: str) -> Path:
        return self.folder / f"{student}.json"

    @contextlib.contextmanager
    def one_writer(self) -> Iterator[None]:
        """While this lasts no other process grades the assignment. Raises Told where one does."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / ".lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise Told(
                    f"{self.folder.name} is being graded by another program, a Formgrader perhaps. "
                    "Wait for its end, then run the same command again."
                ) from None
            yield

    def read(self, student: str, key: str) -> Verdict | None:
        """The verdict where it was earned by this key; None too where the file is damaged."""
        try:
            stored = json.loads(self._path(student).read_bytes())
            if stored["key"] != key or stored["digest"] != _digest(stored["verdict"]):
                return None
            return Verdict.from_json(stored["verdict"])
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None

    def write(self, student: str, key: str, verdict: Verdict) -> None:
        """Raises OSError; the file is whole or as it was."""
        self.folder.mkdir(parents=True, exist_ok=True)
        values = verdict.to_json()
        text = json.dumps({"key": key, "digest": _digest(values), "verdict": values})
        temporary = self.folder / f".{student}.new"
        temporary.write_text(text)
        temporary.replace(self._path(student))

    def forget(self, student: str) -> None:
        self._path(student).unlink(missing_ok=True)


def _digest(values: dict) -> str:
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()
