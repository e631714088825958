"""The commands of grading: grade, selfcheck, doctor."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from autograder.errors import Told
from autograder.imports import import_quickly
from autograder.limits import MIB, Limits

app = typer.Typer(
    help="Grading of the course's assignments.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
INTERRUPTED = 130
DEFAULT = Limits()

JsonFile = Annotated[Path | None, typer.Option("--json", help="Also write the verdicts here.")]
Sandbox = Annotated[
    str | None,
    typer.Option(
        envvar="AUTOGRADER_SANDBOX",
        help="Accept this level of protection: namespaces, landlock, rlimits or none.",
    ),
]
CellSeconds = Annotated[float, typer.Option(help="CPU seconds of one cell.", min=0.1)]
Seconds = Annotated[float, typer.Option(help="CPU seconds of one submission.", min=0.1)]
Memory = Annotated[int, typer.Option(help="MiB of memory of one submission.", min=64)]


def run(work: Callable[[], int]) -> None:
    """Exit with what `work` returns; what it raises on purpose becomes a sentence."""
    import_quickly()
    try:
        status = work()
    except KeyboardInterrupt:
        complain("Stopped. What was graded is kept; the same command goes on from there.")
        status = INTERRUPTED
    except Told as error:
        status = complain(str(error))
    except OSError as error:
        status = complain(f"{error}. Mend it, then run the same command again: it goes on.")
    raise typer.Exit(status)


def complain(message: str) -> int:
    Console(stderr=True).print(Text(message), soft_wrap=True)
    return 1


def limits_of(cell_seconds: float, seconds: float, memory: int) -> Limits:
    """The wall limits keep their distance from those of CPU time."""
    return Limits(
        cell_cpu=cell_seconds,
        cell_wall=max(DEFAULT.cell_wall, 3 * cell_seconds),
        cpu=seconds,
        wall=max(DEFAULT.wall, 3 * seconds),
        memory=memory * MIB,
    )


@app.command()
def grade(
    assignment: Annotated[str, typer.Argument(help="Its name, such as 02_creation.")],
    student: Annotated[list[str] | None, typer.Option(help="Only this one; repeatable.")] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes; default: cores.")] = None,
    json_file: JsonFile = None,
    force: Annotated[bool, typer.Option(help="Grade again what was graded before.")] = False,
    sandbox: Sandbox = None,
    cell_seconds: CellSeconds = DEFAULT.cell_cpu,
    seconds: Seconds = DEFAULT.cpu,
    memory: Memory = DEFAULT.memory // MIB,
) -> None:
    """Grade what lies in autograder/submitted/*/ASSIGNMENT; goes on where it was interrupted."""
    from autograder.class_command import grade_class

    limits = limits_of(cell_seconds, seconds, memory)
    run(lambda: grade_class(assignment, student or [], workers, json_file, force, sandbox, limits))


@app.command()
def selfcheck(
    notebook: Annotated[Path, typer.Argument(help="Your notebook of exercises.")],
    json_file: JsonFile = None,
) -> None:
    """Grade one notebook on this machine, as the grader would; no gradebook, nothing is sent."""
    from autograder.selfcheck import check_notebook

    run(lambda: check_notebook(notebook, json_file))


@app.command()
def doctor() -> None:
    """What this machine offers: how well submissions are shut in, and what is missing."""
    from autograder.doctor import examine

    run(examine)
