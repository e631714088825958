"""What is wrong, where, and what to do: the one form of every message to an author."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Place:
    """A line of a file; line 0 is the file as a whole."""

    file: Path
    line: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else str(self.file)


@dataclass(frozen=True)
class Problem:
    """One fault of a source or of a generated file."""

    place: Place
    wrong: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.place}: {self.wrong}\n    → {self.remedy}"


class SourceError(Exception):
    """A source that cannot be built, with every problem found in it."""

    def __init__(self, problems: list[Problem]):
        self.problems = problems
        super().__init__("\n".join(map(str, problems)))
