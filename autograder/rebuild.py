"""The notebook that runs: the instructor's, with the learner's sources in it.

Cells, order, ids, points and metadata are the instructor's. The learner's are the texts of the
answers, and extra cells, which stay between the same neighbours.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from nbformat import NotebookNode, from_dict

from autograder.matching import Match, match
from autograder.truth import Truth, grade_id


@dataclass(frozen=True)
class Rebuilt:
    """A notebook to run. `untouched`: the answers, by grade id, that are as they were handed out.

    `notes` tell the instructor, in English, what had to be found out or left out.
    """

    notebook: NotebookNode
    untouched: frozenset[str]
    notes: tuple[str, ...]


def rebuild(truth: NotebookNode, submitted: NotebookNode) -> Rebuilt:
    """The truth with the submission's answers; `submitted` comes from `read_notebook`.

    Extra cells have the metadata {"extra": True} and nothing else. Where an answer has several
    cells, the last that was written and stands above its check is taken; the others are extra.
    A missing answer is the stub. Changed checks, and copies of them, are left out.
    """
    found = match(Truth(truth.cells), submitted.cells)
    notebook = from_dict(truth)
    untouched = frozenset(
        name for answer, name in found.truth.answers.items() if found.is_untouched(answer)
    )
    for answer, parts in found.chosen.items():
        if found.truth.answers[answer] not in untouched:
            _fill_in(notebook.cells[answer], [submitted.cells[part] for part in parts])
    kept, copies = _own_cells(found)
    notebook.cells = list(_weave(notebook.cells, kept, submitted.cells))
    notes = (*submitted.metadata.get("notes", ()), *_notes(found, copies))
    return Rebuilt(notebook, untouched, notes)


def _fill_in(cell: NotebookNode, parts: list[NotebookNode]) -> None:
    cell["source"] = "\n\n".join(part.source for part in parts)
    pictures = {name: each for part in parts for name, each in part.get("attachments", {}).items()}
    if pictures and cell.cell_type == "markdown":
        cell["attachments"] = from_dict(pictures)


def _own_cells(found: Match) -> tuple[dict[int, list[int]], int]:
    """The learner's own cells by the cell of the truth that they follow (-1: the beginning).

    Also the number of those that copy a check, which are left out; and so are copies of stubs,
    which would put the answers out of force.
    """
    spots, where = found.spots(), found.where()
    stubs = set(found.truth.stubs.values())
    kept: dict[int, list[int]] = {}
    copies, before = 0, -1
    free = set(found.free())
    for submitted, cell in enumerate(found.cells):
        before = spots.get(submitted, before)
        if submitted not in free or found.texts[submitted] in stubs:
            continue
        if cell.cell_type == "code" and found.truth.copies_a_check(cell.source):
            copies += 1
        else:
            kept.setdefault(_after(found.truth, where, before), []).append(submitted)
    return kept, copies


def _after(truth: Truth, where: dict[int, int], before: int) -> int:
    """Behind the plain cells that the learner changed or deleted: theirs come last."""
    following = before + 1
    while following < len(truth.cells) and following not in where:
        if following in truth.answers or following in truth.locked:
            break
        following += 1
    return following - 1


def _weave(
    cells: list[NotebookNode], kept: dict[int, list[int]], submitted: list[NotebookNode]
) -> Iterator[NotebookNode]:
    """The cells of the truth with the learner's own between them."""
    taken = {cell.id for cell in cells}
    for index in range(-1, len(cells)):
        if index >= 0:
            yield cells[index]
        for each in kept.get(index, ()):
            cell_id = f"extra-{each}"
            while cell_id in taken:
                cell_id += "x"
            yield _own_cell(submitted[each], cell_id)


def _own_cell(cell: NotebookNode, cell_id: str) -> NotebookNode:
    """Code stays code; all else becomes markdown, since pages take raw cells as they are."""
    code = cell.cell_type == "code"
    made = NotebookNode(
        cell_type="code" if code else "markdown",
        id=cell_id,
        metadata=NotebookNode(extra=True),
        source=cell.source,
    )
    if code:
        made["outputs"], made["execution_count"] = [], None
    elif "attachments" in cell:
        made["attachments"] = from_dict(cell.attachments)
    return made


def _notes(found: Match, copies: int) -> Iterator[str]:
    answers, locked = found.truth.answers, found.truth.locked
    if found.lost and not any(grade_id(cell) for cell in found.cells):
        yield (
            "nbgrader's metadata was lost, as some editors do; the answers were found by their "
            "content and order."
        )
    else:
        for answer in sorted(found.lost):
            yield f"{answers[answer]}: its cell has lost its id; it was found by content and place."
    for answer, name in answers.items():
        parts = found.chosen.get(answer, [])
        if not parts:
            yield f"{name}: its cell is missing; it counts as not attempted."
        code = found.truth.cells[answer].cell_type == "code"
        if any((found.cells[part].cell_type == "code") != code for part in parts):
            yield f"{name}: its cell had become one of another type; it was read as what it was."
        if answer in found.beside:
            yield f"{name}: its cell was left as it was; the words beside it were taken."
        if answer in found.rivals:
            yield (
                f"{name}: there are {found.rivals[answer]} different answers; the last one above "
                "its check was taken, the others stay as extra cells."
            )
    for index in sorted(found.changed):
        yield f"{locked[index]}: this cell was changed; the instructor's was used."
    if copies:
        yield f"Cells that copy a check were left out: {copies}."
