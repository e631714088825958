"""Judge every answer that we can think of as a learner's would be.

One kernel a language runs the set-up and then, for each answer, the very cells that learners and
graders run: the answer cell, the test cell of the release, the test cell of the solution. Points
come from nbgrader's own rule.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from nbconvert.filters import strip_ansi
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook
from nbgrader.utils import determine_grade

from authoring.chapters import Chapter
from authoring.notebooks import solution_notebook
from authoring.problems import Place, Problem, SourceError
from authoring.release import release
from authoring.source import ANSWER_OPTIONS, EXERCISE_OPTIONS, Cell, read_cells
from autograder.engine.run import run_notebook
from autograder.limits import MIB, Limits
from autograder.sandbox import best_level
from autograder.settings import LANGUAGES


@dataclass(frozen=True)
class Answer:
    """One answer to one exercise, and what must become of it."""

    exercise: str
    kind: str  # "reference", "stub", "right" or "wrong"
    source: str
    says: str = ""  # words that the message of a wrong answer must contain
    where: Place | None = None


@dataclass(frozen=True)
class Judged:
    """What the learner's and the grader's test cell made of an answer."""

    answer: Answer
    points: float
    max_points: float
    outcome: str  # the name of the exception, "passed" where there was none
    message: str  # what the grader's test cell said
    seen: str  # what the learner's test cell said, "" where it passed


def judge_chapter(chapter: Chapter, language: str) -> list[Judged]:
    """Every answer of a chapter, judged in one kernel."""
    cells = read_cells(chapter.exercises, EXERCISE_OPTIONS)
    solution = solution_notebook(cells, chapter.name, language)
    learner = {cell.id: cell for cell in release(solution, language).cells}
    grader = {cell.id: cell for cell in solution.cells}
    answers = list(_answers(chapter, cells, language, learner))
    ready = [cell.source for cell in solution.cells if _is_set_up(cell)]
    trials = [
        part
        for answer in answers
        for part in (
            f"globals().pop({answer.exercise!r}, None)",
            answer.source,
            learner[f"test_{answer.exercise}"].source,
            grader[f"test_{answer.exercise}"].source,
        )
    ]
    ran = _run([*ready, *trials])[len(ready) :]
    quads = zip(*[iter(ran)] * 4, strict=True)
    return [
        _judged(answer, seen, graded, grader[f"test_{answer.exercise}"])
        for answer, (_, _, seen, graded) in zip(answers, quads, strict=True)
    ]


def _is_set_up(cell: NotebookNode) -> bool:
    """Ordinary code that answers may lean on: neither graded nor a quiz."""
    special = "nbgrader" in cell.metadata or "quiz" in cell.metadata.get("tags", [])
    return cell.cell_type == "code" and not special


def _answers(
    chapter: Chapter, cells: Sequence[Cell], language: str, learner: dict[str, NotebookNode]
) -> Iterator[Answer]:
    names = [cell.options["answer"] for cell in cells if "answer" in cell.options]
    for cell in cells:
        if "answer" in cell.options:
            name = cell.options["answer"]
            yield Answer(name, "reference", cell.sources[language], where=cell.where)
            yield Answer(name, "stub", learner[name].source, where=cell.where)
    for cell in read_cells(chapter.answers, ANSWER_OPTIONS):
        kind = "right" if "right" in cell.options else "wrong"
        name = cell.options.get(kind)
        if name not in names:
            raise SourceError([Problem(cell.where, f"no exercise {name!r}", f"one of {names}")])
        says = ""
        if kind == "wrong":
            halves = [part.strip() for part in cell.options.get("says", "").split("||")]
            if len(halves) != 2 or not all(halves):
                raise SourceError([Problem(cell.where, "no says=", 'says="English || 中文"')])
            says = halves[LANGUAGES.index(language)]
        yield Answer(name, kind, cell.sources[language], says, cell.where)


def _run(sources: Sequence[str]) -> list[NotebookNode]:
    notebook = new_notebook(cells=[new_code_cell(source) for source in sources])
    many = len(sources)
    limits = Limits(cpu=many * Limits.cell_cpu, wall=many * Limits.cell_wall, output=many * MIB)
    return run_notebook(notebook, {}, limits, best_level()).notebook.cells


def _judged(answer: Answer, seen: NotebookNode, graded: NotebookNode, test: NotebookNode) -> Judged:
    graded.metadata = test.metadata
    points, max_points = determine_grade(graded)
    outcome, message = _said(graded)
    return Judged(answer, points, max_points, outcome, message, _said(seen)[1])


def _said(cell: NotebookNode) -> tuple[str, str]:
    for output in cell.outputs:
        if output.output_type == "error":
            return output.ename, strip_ansi("\n".join(output.traceback))
    return "passed", ""
