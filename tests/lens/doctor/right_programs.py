"""Right programs, of which the watch must have nothing to say: `right_programs.txt`."""

from __future__ import annotations

from pathlib import Path

from lens.doctor.silent.fault import HEAD

TEXT = Path(__file__).with_suffix(".txt")


def programs() -> dict[str, str]:
    """Title → source; a line `# %% title` begins each, and the usual imports stand before it."""
    parts = TEXT.read_text(encoding="utf-8").split("# %% ")[1:]
    return {part.partition("\n")[0]: HEAD + part.partition("\n")[2] for part in parts}
