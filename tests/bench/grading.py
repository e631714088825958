"""Grading an invented class with this project, with stock nbgrader and with otter-grader.

    python -m tests.bench.grading [--sizes 40 200] [--all] [--without-otter]

Everything runs in one go on one machine, the systems in turn, and the table prints ratios. Stock
nbgrader and otter-grader take the same time for every submission, so each grades a sample of the
class in several turns (`--all`: the whole class). What stock nbgrader takes to start is measured by
a run with one submission, and counted once for the class. The floor is what nobody can do without:
the same cells by `exec` in one process that has imported torch before, notebooks read and written.
"""

import argparse
import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tests.bench.classes import make_class
from tests.bench.otter import Otter
from tests.bench.systems import Cost, Floor, Ours, Stock, measure

SAMPLE, TURNS = 3, 3
OTTERS = 2  # submissions a turn: it takes longest


@dataclass
class Measured:
    """What one system took, all turns together."""

    name: str
    submissions: int = 0
    costs: list[Cost] = field(default_factory=list)

    @property
    def wall(self) -> float:
        """Seconds a submission."""
        return sum(cost.wall for cost in self.costs) / self.submissions

    @property
    def cpu(self) -> float:
        """CPU seconds a submission."""
        return sum(cost.cpu for cost in self.costs) / self.submissions

    def add(self, cost: Cost, submissions: int) -> None:
        self.costs.append(cost)
        self.submissions += submissions

    def of_class(self, size: int, alone: Cost) -> "Measured":
        """What a class takes, where one submission `alone` and these samples are known."""
        runs, rest = len(self.costs), self.submissions - len(self.costs)
        more = [
            (sum(getattr(cost, kind) for cost in self.costs) - runs * getattr(alone, kind)) / rest
            for kind in ("wall", "cpu")
        ]
        wall, cpu = (
            one + (size - 1) * each for one, each in zip((alone.wall, alone.cpu), more, strict=True)
        )
        return Measured(f"{self.name}, from {self.submissions}", size, [Cost(wall, cpu)])


def turns(students: Sequence[str], everyone: bool) -> list[Sequence[str]]:
    """The class in turns: all of it, or an even sample."""
    chosen = students if everyone else students[:: max(1, len(students) // (SAMPLE * TURNS))]
    size = -(-len(chosen) // TURNS)
    return [chosen[start : start + size] for start in range(0, len(chosen), size)]


def run_class(scratch: Path, size: int, options, tell: Callable[[str], None]) -> list[Measured]:
    """Every system on one class, in turn."""
    course, students = make_class(scratch / f"class{size}", size)
    ours, floor, stock = Ours(course), Floor(course), Stock(course)
    bare = Ours(course, sandbox="none")
    otter = None if options.without_otter else Otter(course)
    results = {name: Measured(name) for name in ("ours", "ours, no sandbox", "stock", "floor")}
    if otter:
        results["otter"] = Measured("otter")
    for part in turns(students, options.all):
        tell(f"{size}: stock nbgrader on {len(part)}")
        results["stock"].add(measure(stock, part), len(part))
        if otter:
            few = part if options.all else part[:OTTERS]
            tell(f"{size}: otter-grader on {len(few)}")
            results["otter"].add(measure(otter, few), len(few))
    for _ in range(2 if size < 100 else 1):
        for name, system in (("ours", ours), ("ours, no sandbox", bare), ("floor", floor)):
            tell(f"{size}: {name} on {size}")
            results[name].add(measure(system, students), len(students))
    if not options.all:
        tell(f"{size}: stock nbgrader on 1")
        results["stock"] = results["stock"].of_class(size, measure(stock, students[:1]))
    return list(results.values())


def table(size: int, results: Sequence[Measured]) -> Table:
    """Seconds a submission and the ratios to stock nbgrader and to the floor."""
    by_name = {each.name.partition(",")[0]: each for each in reversed(results)}
    stock, floor = by_name["stock"], by_name["floor"]
    made = Table(title=f"A class of {size}, {os.cpu_count()} cores")
    made.add_column("system")
    for column in ("graded", "wall s", "CPU s", "wall ÷ stock", "CPU ÷ stock", "CPU ÷ floor"):
        made.add_column(column, justify="right")
    for each in results:
        made.add_row(
            each.name,
            str(each.submissions),
            f"{each.wall:.3f}",
            f"{each.cpu:.3f}",
            f"{each.wall / stock.wall:.3f}",
            f"{each.cpu / stock.cpu:.3f}",
            f"{each.cpu / floor.cpu:.2f}",
        )
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[40, 200])
    parser.add_argument("--all", action="store_true", help="no samples: hours for a large class")
    parser.add_argument("--without-otter", action="store_true")
    options = parser.parse_args()
    console = Console()
    tables = []
    with tempfile.TemporaryDirectory(prefix="tensor-course-bench-") as scratch:
        for size in options.sizes:
            results = run_class(Path(scratch), size, options, lambda step: console.print("·", step))
            tables.append(table(size, results))
    for each in tables:
        console.print(each)


if __name__ == "__main__":
    main()
