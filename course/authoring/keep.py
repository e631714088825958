"""Answers written into an exercise notebook are kept before a build replaces it."""

from pathlib import Path

from nbformat import NotebookNode
from nbgrader.utils import compute_checksum, is_solution


def has_answers(notebook: NotebookNode) -> bool:
    """Whether an answer cell is not as it was released: nbgrader's checksum tells."""
    return any(
        cell.metadata.nbgrader.get("checksum") not in (None, compute_checksum(cell))
        for cell in notebook.cells
        if is_solution(cell)
    )


def keep_answers(path: Path, notebook: NotebookNode | None) -> Path | None:
    """Move an exercise notebook with answers out of the way; the new path, None where it had none.

    It goes beside the assignment's folder and not into it: nbgrader hands out all that lies there.
    """
    if notebook is None or not has_answers(notebook):
        return None
    number = 1
    while (kept := path.parent.parent / f"{path.stem}.mine-{number}.ipynb").exists():
        number += 1
    return path.rename(kept)
