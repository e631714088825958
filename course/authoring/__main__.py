"""python -m authoring build | check | prove | new"""

import sys
from typing import Annotated

import typer
from rich.console import Console

from authoring.chapters import find_root
from authoring.problems import SourceError

app = typer.Typer(help=__doc__, no_args_is_help=True, pretty_exceptions_enable=False)
console = Console(soft_wrap=True, highlight=False)
Chosen = Annotated[str | None, typer.Argument(help="a chapter's number or name; all without it")]


@app.command()
def build(
    chapter: Chosen = None,
    rerun: Annotated[bool, typer.Option(help="run the unchanged ones too")] = False,
) -> None:
    """Write the notebooks of the chapters; those whose code changed are run."""
    from authoring.build import build as make

    make(find_root(), chapter, rerun, console.print)


@app.command()
def check() -> None:
    """Say what is stale, missing, stray or wrong, and which command mends it."""
    from authoring.check import check as find_problems

    problems = find_problems(find_root())
    if problems:
        raise SourceError(problems)
    console.print("check: sources and notebooks agree, nothing is missing or stray")


@app.command()
def prove(chapter: Chosen = None) -> None:
    """Judge every reference, stub, right and wrong answer as a learner's would be."""
    from authoring.prove import prove as judge

    raise typer.Exit(judge(find_root(), chapter, console))


@app.command()
def new(name: Annotated[str, typer.Argument(help="NN_topic, for example 03_views")]) -> None:
    """Make the skeleton of a chapter, and its notebooks."""
    from authoring.build import build as make
    from authoring.skeleton import write_skeleton

    root = find_root()
    for path in write_skeleton(root, name):
        console.print(f"written   {path.relative_to(root)}")
    make(root, name, False, console.print)


def main() -> None:
    """The command; problems of the sources are printed, one below the other."""
    try:
        app()
    except SourceError as error:
        for problem in error.problems:
            console.print(str(problem), markup=False)
        sys.exit(f"{len(error.problems)} problem(s)")


if __name__ == "__main__":
    main()
