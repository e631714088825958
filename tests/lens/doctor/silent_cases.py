"""Programs with one silent fault each: `silent_cases.txt`."""

from __future__ import annotations

from pathlib import Path

from lens.doctor.silent.fault import HEAD

TEXT = Path(__file__).with_suffix(".txt")


def cases() -> list[tuple[str, int, str]]:
    """(family, line of the fault, source).

    A line `# %% family` begins each program, `# <-` marks its line, and the usual imports stand
    before it.
    """
    found = []
    for part in TEXT.read_text(encoding="utf-8").split("# %% ")[1:]:
        family, _, code = part.partition("\n")
        lines = (HEAD + code).splitlines()
        found.append((family, next(i for i, t in enumerate(lines, 1) if "# <-" in t), HEAD + code))
    return found
