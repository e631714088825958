"""Steps of `nbgrader autograde` that keep one notebook from harming its score or the class.

`autograder/jupyter/nbgrader_config.py` puts them among nbgrader's own, for commands and Formgrader.
"""

import copy

from nbclient.exceptions import CellTimeoutError, DeadKernelError
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_output
from nbgrader.nbgraderformat import SchemaTooNewError, SchemaTooOldError, ValidationError
from nbgrader.preprocessors import CheckCellMetadata, Execute, NbGraderPreprocessor
from nbgrader.utils import has_failed, is_grade, is_solution
from traitlets import default

from autograder.settings import course_language

# A learner reads these in the feedback, in the class's language.
REASONS = {
    "CellTimeoutError": {
        "en": "this cell did not finish in time and was stopped; it gives no points. "
        "Look for a loop that never ends.",
        "zh": "这个单元格没有在时限内运行完，已被停止，不得分。请找一找有没有停不下来的循环。",
    },
    "DeadKernelError": {
        "en": "this cell ended the Python process; it gives no points. "
        "Look for a call that exits, or for very large tensors.",
        "zh": "这个单元格使 Python 进程退出，不得分。请找一找有没有退出程序的调用，或过大的张量。",
    },
    "CellNotRun": {
        "en": "this cell was not run; it gives no points.",
        "zh": "这个单元格没有运行，不得分。",
    },
}


def error_output(name: str) -> NotebookNode:
    """An error as a cell's output: nbgrader gives 0 points for it and the feedback shows it."""
    reason = REASONS[name][course_language()]
    return new_output("error", ename=name, evalue=reason, traceback=[f"{name}: {reason}"])


class RunEveryCell(Execute):
    """Run the notebook to its end: a cell that hangs or kills its kernel costs only its own points.

    A fresh kernel then runs the cells before it again, without those that hung or died, so that
    the cells after it find what they need. Where that fails too, the rest is not run.
    """

    @default("error_on_timeout")
    def _error_on_timeout_default(self):
        error = error_output("CellTimeoutError")
        return {key: error[key] for key in ("ename", "evalue", "traceback")}

    def preprocess(self, nb, resources=None, km=None):
        self.culprits: set[int] = set()
        self.gave_up = False
        for cell in nb.cells:
            # Tags are the learner's to set, and one of them (skip-execution) skips a cell.
            cell.metadata.pop("tags", None)
        return super().preprocess(nb, resources, km)

    def preprocess_cell(self, cell, resources, index):
        if self.gave_up:
            return cell, resources
        try:
            return super().preprocess_cell(cell, resources, index)
        except (CellTimeoutError, DeadKernelError) as error:
            cell.outputs.append(error_output(type(error).__name__))
            self.culprits.add(index)
            self.restore(index)
            return cell, resources

    def restore(self, index: int) -> None:
        """A fresh kernel in the state that it would have had before the cell at `index`."""
        self._cleanup_kernel()
        self.create_kernel_manager()
        self.start_new_kernel()
        self.start_new_kernel_client()
        first_run = list(self.nb.cells)
        try:
            for earlier, cell in enumerate(first_run[:index]):
                if earlier not in self.culprits:
                    self.execute_cell(copy.deepcopy(cell), earlier)
        except (CellTimeoutError, DeadKernelError):
            self.gave_up = True
        finally:
            self.nb.cells[:] = first_run  # the verdicts earned before stand


class ForgiveStderr(NbGraderPreprocessor):
    """Show what went to stderr as ordinary output: nbgrader takes stderr for a failure.

    A right answer may warn. An error is an output of its own kind and still gives no points.
    """

    def preprocess_cell(self, cell, resources, index):
        for output in cell.get("outputs", []):
            if output.output_type == "stream":
                output.name = "stdout"
        return cell, resources


class FailWhatDidNotRun(NbGraderPreprocessor):
    """A test that never ran gives no points: nbgrader takes a cell without output for a pass."""

    def preprocess_cell(self, cell, resources, index):
        is_test = cell.cell_type == "code" and is_grade(cell) and not is_solution(cell)
        if is_test and cell.execution_count is None and not has_failed(cell):
            cell.outputs.append(error_output("CellNotRun"))
        return cell, resources


class CheckMetadata(CheckCellMetadata):
    """nbgrader's check, made harmless for the others: a false schema version would end the run."""

    def preprocess(self, nb, resources):
        try:
            return super().preprocess(nb, resources)
        except (SchemaTooNewError, SchemaTooOldError) as error:
            raise ValidationError(f"nbgrader's metadata was changed: {error}") from error
