"""tensor-sensor on the programs that the doctor is measured on: does it name what failed?

It needs `tensor-sensor` and `graphviz` (pip), which the course does not install:
`pip install --no-deps --target DIR tensor-sensor graphviz`, then
`PYTHONPATH=DIR python -m tests.lens.doctor.beside_tensor_sensor`.
"""

from __future__ import annotations

import contextlib
import io
import re
import runpy
import tempfile
import warnings
from pathlib import Path

import torch

from tests.lens.doctor.measure import Case, fresh, measure, reported


def said_by_tensor_sensor(program: str, folder: Path) -> str:
    """What it adds to the message of the error."""
    import tsensor

    path = folder / "program.py"
    path.write_text(program, encoding="utf-8")
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        try:
            with tsensor.clarify(show=None):
                runpy.run_path(str(path), run_name="__main__")
        except Exception as error:
            return str(error).partition("Cause: ")[2]
        finally:
            torch.use_deterministic_algorithms(False)
    return ""


def named(text: str, case: Case) -> bool:
    """Whether it names the operands that matter, by the names at their beginning."""
    bases = {re.match(r"[\w.]+", name)[0] for name in case.operands if re.match(r"[\w.]+", name)}
    return bool(text) and all(re.search(rf"\b{re.escape(base)}\b", text) for base in bases)


def main() -> None:
    """Print one row for each tool and list of programs."""
    print(f"{'':40}{'programs':>10}{'says more':>11}{'operands':>10}{'fix runs':>10}")
    for title, cases in (("after public reports", reported()), ("fresh", fresh())):
        with tempfile.TemporaryDirectory() as folder:
            said = {c.name: said_by_tensor_sensor(c.program, Path(folder)) for c in cases}
        right = sum(named(said[case.name], case) for case in cases)
        row = f"{len(cases):>10}{sum(map(bool, said.values())):>11}{right:>10}{0:>10}"
        print(f"{'tensor-sensor, ' + title:40}{row}")
        missed = measure(cases)
        counts = [len(cases) - len(missed[what]) for what in ("family", "operands", "fix")]
        row = "".join(f"{n:>{w}}" for n, w in zip(counts, (11, 10, 10), strict=True))
        print(f"{'tensor doctor, ' + title:40}{len(cases):>10}{row}")


if __name__ == "__main__":
    main()
