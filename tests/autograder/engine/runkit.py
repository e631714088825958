"""Notebooks for the tests of running, and code that lies to whoever runs it."""

from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from autograder.engine.run import Ran, run_notebook
from autograder.limits import Limits

SMALL = Limits(cell_cpu=2, cell_wall=6, cpu=20, wall=40)

# Defines `forge`, which answers for the running cell in the kernel's name.
FORGE = """
import os, time
def forge(status="ok", reply=True, idle=True):
    kernel = get_ipython().kernel
    parent, session = kernel.get_parent(), kernel.session
    count = get_ipython().execution_count - 1
    content = {"status": status, "execution_count": count, "user_expressions": {}, "payload": []}
    if reply:
        ident = kernel._get_shell_context_var(kernel._shell_parent_ident)
        shell = kernel.shell_channel_thread.manager.get_subshell_to_shell_channel_socket(None)
        session.send(shell, "execute_reply", content, parent, ident=ident)
    if idle:
        session.send(kernel.iopub_socket, "status", {"execution_state": "idle"}, parent)
"""


def test_cell(source: str):
    """A cell with the marks of a test."""
    marks = {"grade": True, "solution": False, "grade_id": "test"}
    return new_code_cell(source, metadata={"nbgrader": marks})


test_cell.__test__ = False


def notebook_of(*cells):
    """A notebook of code cells: sources, or cells."""
    made = [new_code_cell(cell) if isinstance(cell, str) else cell for cell in cells]
    return new_notebook(cells=[new_markdown_cell("Some prose."), *made])


def run(*cells, files=None, limits=SMALL, level="none", kernel=None) -> Ran:
    return run_notebook(notebook_of(*cells), files or {}, limits, level, kernel)


def shown(ran: Ran, index: int) -> str:
    """All that a code cell shows; the first is 1, after the prose."""
    texts = []
    for output in ran.notebook.cells[index].outputs:
        if output.output_type == "stream":
            texts.append(output.text)
        elif output.output_type == "error":
            texts.append(f"{output.ename}: {output.evalue}")
        else:
            texts.append(output.data.get("text/plain", ""))
    return "\n".join(texts)
