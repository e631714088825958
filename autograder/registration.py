"""Whether the gradebook knows an assignment's cells as they are now; where not, it is told."""

from collections.abc import Iterable

from nbformat import NotebookNode
from nbgrader.api import MissingEntry
from nbgrader.converters import BaseConverter
from nbgrader.preprocessors import SaveCells

from autograder.assignment import Assignment
from autograder.ledger import GradebookError, Ledger, lent

KINDS = ("grade_cells", "solution_cells", "task_cells", "source_cells")
OWN = ("name", "notebook", "assignment")  # what nbgrader leaves out of a cell's record


class CompareCells(SaveCells):
    """nbgrader's step, looking only: `differs` says whether it would change the gradebook."""

    differs = False

    def _create_notebook(self, nb: NotebookNode) -> None:
        try:
            known = self.gradebook.find_notebook(self.notebook_id, self.assignment_id)
        except MissingEntry:
            self.differs = True
            return
        for kind in KINDS:
            recorded = {cell.name: without_own(cell.to_dict()) for cell in getattr(known, kind)}
            self.differs |= recorded != getattr(self, f"new_{kind}")


def without_own(record: dict) -> dict:
    return {key: value for key, value in record.items() if key not in OWN}


def register(converter: BaseConverter, ledger: Ledger, assignment: Assignment) -> list[str]:
    """The notebooks that the gradebook did not know as they are. Raises GradebookError where
    submissions stand in the way of a change."""
    removed = _notebooks_no_longer_there(ledger, assignment)
    changed = [
        name
        for name, truth in assignment.notebooks.items()
        if _step(CompareCells, converter, ledger, assignment.name, name, truth).differs
    ]
    if not changed and not removed:
        return []
    try:
        ledger.update_or_create_assignment(assignment.name)
        for name in removed:
            ledger.remove_notebook(name, assignment.name)
        for name in changed:
            _step(SaveCells, converter, ledger, assignment.name, name, assignment.notebooks[name])
    except RuntimeError as error:  # nbgrader's, where there are submissions
        raise GradebookError(_in_the_way(assignment.name)) from error
    ledger.settle()
    return [*changed, *removed]


def _notebooks_no_longer_there(ledger: Ledger, assignment: Assignment) -> list[str]:
    try:
        known = ledger.find_assignment(assignment.name)
    except MissingEntry:
        return []
    gone = [each.name for each in known.notebooks if each.name not in assignment.notebooks]
    if gone and known.submissions:
        raise GradebookError(_in_the_way(assignment.name))
    return gone


def _step(kind, converter, ledger, assignment: str, name: str, truth: NotebookNode) -> SaveCells:
    step = kind(parent=converter)
    about = {"assignment": assignment, "notebook": name, "db_url": converter.coursedir.db_url}
    with lent(ledger, [step]):
        step.preprocess(truth, {"nbgrader": about})
    return step


def _in_the_way(assignment: str) -> str:
    return (
        f"{assignment}: graded cells or notebooks were added or removed since it was released, and "
        "the gradebook already holds submissions. Put the cells back, or start it anew, which "
        f"forgets all its scores: nbgrader db assignment remove {assignment} --force"
    )


def describe(changed: Iterable[str]) -> str:
    """One line on what was recorded; "" where nothing was."""
    names = ", ".join(changed)
    return f"The gradebook did not know these notebooks as they are now: {names}. Recorded." * bool(
        names
    )
