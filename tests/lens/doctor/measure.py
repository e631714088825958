"""How many errors are explained: family, operands, a fix that runs.

`python -m tests.lens.doctor.measure` prints the table; `--all` prints every miss.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.lens.doctor.programs import SETUP, judge

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Case:
    """A program that fails, the family of its error, and the operands that matter."""

    name: str
    family: str
    operands: tuple[str, ...]
    program: str


def reported() -> list[Case]:
    """The raising cases after public reports."""
    marks = json.loads((HERE / "operands.json").read_text(encoding="utf-8"))
    lines = (HERE / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    cases = [c for c in map(json.loads, lines) if c["kind"] == "raises"]
    return [Case(c["id"], c["family"], tuple(marks[c["id"]]), c["code"]) for c in cases]


def fresh() -> list[Case]:
    """Programs that fail in ways that the reported cases do not have."""
    lines = (HERE / "fresh.jsonl").read_text(encoding="utf-8").splitlines()
    return [
        Case(c["id"], c["family"], tuple(c["operands"]), SETUP + c["code"])
        for c in map(json.loads, lines)
    ]


def measure(cases: list[Case]) -> dict[str, list[str]]:
    """The cases that are missed, by what is missed."""
    missed: dict[str, list[str]] = {"family": [], "operands": [], "fix": []}
    for case in cases:
        finding, wrong = judge(case.program)
        if finding is None or finding.family != case.family:
            missed["family"].append(f"{case.name}: {finding and finding.family}")
        shown = {o.name for o in finding.operands} if finding else set()
        if not set(case.operands) <= shown:
            missed["operands"].append(f"{case.name}: {set(case.operands) - shown}")
        if wrong:
            missed["fix"].append(f"{case.name}: {wrong}")
    return missed


def main() -> None:
    """Print the table."""
    print(f"{'':28}{'programs':>10}{'family':>10}{'operands':>10}{'fix runs':>10}")
    for title, cases in (("after public reports", reported()), ("fresh", fresh())):
        missed = measure(cases)
        right = [len(cases) - len(missed[what]) for what in ("family", "operands", "fix")]
        print(f"{title:28}{len(cases):>10}" + "".join(f"{n:>10}" for n in right))
        if "--all" in sys.argv:
            for what, names in missed.items():
                for name in names:
                    print(f"    {what}: {name}")


if __name__ == "__main__":
    main()
