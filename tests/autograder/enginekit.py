"""The engine's place taken: cells run by exec in this process, jobs are done where they come."""

import contextlib
import io
import traceback
from concurrent.futures import Future

from nbformat.v4 import new_output

from autograder import judge as judging
from autograder.engine.run import Ran


def run_here(notebook, files, limits, level):
    """In place of run_notebook: the cells by exec in this process."""
    space, ends = {}, []
    for cell in notebook.cells:
        ends.append("ok" if cell.cell_type == "code" else "")
        if cell.cell_type != "code":
            continue
        said = io.StringIO()
        cell.execution_count, cell.outputs = 1, []
        try:
            with contextlib.redirect_stdout(said):
                exec(cell.source, space)
        except Exception as error:
            ends[-1], name = "error", type(error).__name__
            lines = traceback.format_exc().splitlines()
            cell.outputs.append(new_output("error", ename=name, evalue="", traceback=lines))
        if said.getvalue():
            cell.outputs.append(new_output("stream", name="stdout", text=said.getvalue()))
    return Ran(notebook, tuple(ends), (), 0.5)


class InlinePool:
    """In place of autograder.pool's; counts the jobs that it was given."""

    width = 1

    def __init__(self, *given):
        self.jobs = 0

    def open(self):
        return self

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass

    def submit(self, job):
        self.jobs += 1
        future = Future()
        future.set_result(judging.judge(job.to_json()))
        return future

    def is_loss(self, error):
        return False

    def mend(self):
        pass
