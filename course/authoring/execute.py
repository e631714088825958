"""Run a notebook once and keep outputs that every machine reproduces."""

import asyncio
import copy
import re
from pathlib import Path

from nbclient import NotebookClient
from nbconvert.filters import strip_ansi
from nbformat import NotebookNode
from traitlets.config import Config

CELL_SECONDS = 120
VEIL = "\u200b\n"
# Frames of libraries name this machine's folders; the frames of the notebook's own cells stay.
LIBRARY_FRAME = re.compile(r"^(File|.*\bFile) ")


def execute(notebook: NotebookNode, folder: Path) -> NotebookNode:
    """A copy of the notebook with the outputs of every cell; `folder` is where it runs.

    Raises nbclient's CellExecutionError where a cell fails that is not tagged raises-exception.
    """
    ran = copy.deepcopy(notebook)
    run(client(ran, folder, timeout=CELL_SECONDS))
    ran.metadata = notebook.metadata
    for cell in ran.cells:
        if cell.cell_type == "code":
            cell.outputs = [] if "quiz" in tags_of(cell) else [_portable(o) for o in cell.outputs]
            if cell.metadata.get("jupyter", {}).get("outputs_hidden"):
                _veil(cell.outputs)
    return ran


def client(notebook: NotebookNode, folder: Path, **options) -> NotebookClient:
    """nbclient for a notebook that runs in `folder`, with the course's settings."""
    return NotebookClient(
        notebook,
        kernel_name="python3",
        record_timing=False,
        coalesce_streams=True,
        resources={"metadata": {"path": str(folder)}},
        # Without this, ipykernel warns about plain text on the loopback interface at every start.
        config=Config({"KernelManager": {"transport_encryption": "auto"}}),
        **options,
    )


def run(ready: NotebookClient) -> None:
    """Execute in an event loop that is closed afterwards; nbclient's own way leaves one open."""
    asyncio.run(ready.async_execute())


def tags_of(cell: NotebookNode) -> list[str]:
    """The tags of a cell of a notebook."""
    return cell.metadata.get("tags", [])


def text_of(output: NotebookNode) -> str:
    """All that an output says in words."""
    if output.output_type == "stream":
        return output.text
    if output.output_type == "error":
        return strip_ansi("\n".join(output.traceback))
    return output.get("data", {}).get("text/plain", "")


def _portable(output: NotebookNode) -> NotebookNode:
    if output.output_type == "error":
        output.traceback = [
            frame for frame in output.traceback if not LIBRARY_FRAME.match(strip_ansi(frame))
        ]
    output.pop("transient", None)
    return output


def _veil(outputs: list[NotebookNode]) -> None:
    """Begin folded outputs with an invisible line: JupyterLab shows the first line of a fold.

    nbval takes it away before it compares (tests/nbval.cfg).
    """
    for output in outputs:
        if output.output_type == "stream":
            output.text = VEIL + output.text
        elif output.output_type == "error":
            output.traceback.insert(0, VEIL.strip("\n"))
        elif "text/plain" in output.get("data", {}):
            output.data["text/plain"] = VEIL + output.data["text/plain"]


def carry_outputs(new: NotebookNode, old: NotebookNode) -> bool:
    """Copy the outputs of `old` to `new` where the code of both is the same; True where it was.

    Prose may differ: it changes no output.
    """
    ours = [cell for cell in new.cells if cell.cell_type == "code"]
    theirs = [cell for cell in old.cells if cell.cell_type == "code"]
    if [_run_key(cell) for cell in ours] != [_run_key(cell) for cell in theirs]:
        return False
    if any(cell.execution_count is None for cell in theirs):
        return False
    for mine, other in zip(ours, theirs, strict=True):
        mine.execution_count = other.execution_count
        mine.outputs = other.outputs
    return True


def _run_key(cell: NotebookNode) -> tuple:
    return cell.source, tuple(tags_of(cell))
