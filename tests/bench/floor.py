"""Run the code cells of notebooks by exec, one notebook after the other, in this one process."""

import contextlib
import io
import json
import os
import sys
import tempfile
import time

os.environ["OMP_NUM_THREADS"] = "1"
import matplotlib.pyplot  # noqa: E402, F401
import nbformat  # noqa: E402
import numpy  # noqa: E402, F401
import torch  # noqa: E402, F401


def run(path: str) -> None:
    notebook = nbformat.read(path, as_version=4)
    names = {"__name__": "__main__"}
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        output = io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.suppress(Exception):
            exec(compile(cell.source, "cell", "exec"), names)
        cell.outputs = [nbformat.v4.new_output("stream", text=output.getvalue())]
    with tempfile.TemporaryFile("w") as file:
        nbformat.write(notebook, file)


start = time.perf_counter(), time.process_time()
for each in sys.argv[1:]:
    run(each)
wall, cpu = time.perf_counter() - start[0], time.process_time() - start[1]
print(json.dumps({"wall": wall, "cpu": cpu}))
