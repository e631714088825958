"""The proof of the exercises: what is demanded of each judged answer, and the table of it."""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from authoring.chapters import find_chapters
from authoring.judge import Judged, judge_chapter
from authoring.problems import Problem
from autograder.engine.servers import find_server
from autograder.pool import FORKS_KERNELS
from autograder.sandbox import best_level
from autograder.settings import LANGUAGES


def prove(root: Path, chosen: str | None, console: Console) -> int:
    """Judge the chosen chapters in every language and print what came; 1 where a fault is found."""
    failed = 0
    if FORKS_KERNELS:
        find_server(best_level())  # one for both languages
    for chapter in find_chapters(root, chosen):
        with ThreadPoolExecutor(max_workers=2) as pool:
            results = pool.map(partial(judge_chapter, chapter), LANGUAGES)
            judged = dict(zip(LANGUAGES, results, strict=True))
        console.print(table(chapter.name, judged))
        console.print(summary(judged))
        for language, of_language in judged.items():
            for fault in faults(of_language, language):
                failed = 1
                console.print(str(fault), markup=False)
    return failed


def faults(results: Sequence[Judged], language: str) -> Iterator[Problem]:
    """Every answer that was not judged as it must be."""
    for result in results:
        wrong = _fault(result, results)
        if wrong:
            kind, name = result.answer.kind, result.answer.exercise
            message = f"\n{result.message}" if result.message else ""
            yield Problem(
                result.answer.where,
                f"[{language}] {name}, {kind}: {wrong}{message}",
                "mend the answer, or the tests of the exercise",
            )
    for name in _names(results):
        kinds = {result.answer.kind for result in _of(results, name)}
        missing = {"right", "wrong"} - kinds
        if missing:
            where = _of(results, name)[0].answer.where
            lacking = " and no ".join(sorted(missing))
            yield Problem(where, f"{name} has no {lacking} answer", "add one to answers.py")


def _fault(result: Judged, results: Sequence[Judged]) -> str:
    kind = result.answer.kind
    if kind in ("reference", "right"):
        if result.points != result.max_points or result.outcome != "passed":
            return f"expected full points, got {result.points:g} ({result.outcome})"
        return f"passes the grader's tests and not the learner's: {result.seen}" * bool(result.seen)
    if result.points != 0 and result.max_points > 0:
        return f"expected 0 points, got {result.points:g}"
    if kind == "stub":
        if result.outcome != "NotAttempted" or "Traceback" in result.message:
            return f"expected NotAttempted without a traceback, got {result.outcome}"
        return ""
    if result.outcome not in ("CheckFailed", "AnswerRaised"):
        return f"expected CheckFailed or AnswerRaised, got {result.outcome}"
    return "" if is_own(result, results) else f"its message is not its own: {result.answer.says!r}"


def is_own(result: Judged, results: Sequence[Judged]) -> bool:
    """A wrong answer got the words that name its mistake, and no other mistake gets them."""
    says = result.answer.says
    others = (
        other.message
        for other in _of(results, result.answer.exercise)
        if other.answer.kind == "wrong" and other is not result
    )
    return says in result.message and not any(says in message for message in others)


CAPTION = (
    "reference and stub: points, then the outcome · right: other right answers with full points · "
    "caught, own: wrong answers without points, with a message of their own · "
    "seen: wrong answers that the learner's own tests catch"
)
SIGNS = {"passed": "✓", "CheckFailed": "✗", "AnswerRaised": "⚠", "NotAttempted": "○"}


def table(chapter: str, judged: Mapping[str, Sequence[Judged]]) -> Table:
    """One row an exercise and language."""
    made = Table(title=chapter, caption=CAPTION, box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    made.add_column("exercise", no_wrap=True)
    made.add_column("", no_wrap=True)
    for column in ("points", "reference", "stub", "right", "caught", "own", "seen"):
        made.add_column(column, justify="right", no_wrap=True)
    for name in _names(next(iter(judged.values()))):
        for language, results in judged.items():
            made.add_row(name, language, *_row(_of(results, name)))
    return made


def _row(results: Sequence[Judged]) -> list[str]:
    by_kind = {
        kind: [result for result in results if result.answer.kind == kind]
        for kind in ("reference", "stub", "right", "wrong")
    }
    reference, stub = by_kind["reference"][0], by_kind["stub"][0]
    wrong = by_kind["wrong"]
    right = [result for result in by_kind["right"] if result.points == result.max_points]
    return [
        f"{reference.max_points:g}",
        *(f"{each.points:g} {SIGNS.get(each.outcome, each.outcome)}" for each in (reference, stub)),
        f"{len(right)}/{len(by_kind['right'])}",
        f"{sum(result.outcome != 'passed' for result in wrong)}/{len(wrong)}",
        f"{sum(is_own(result, results) for result in wrong)}/{len(wrong)}",
        f"{sum(bool(result.seen) for result in wrong)}/{len(wrong)}",
    ]


def summary(judged: Mapping[str, Sequence[Judged]]) -> str:
    """The share of wrong answers that were caught, and that got their own message."""
    lines = []
    for language, results in judged.items():
        wrong = [result for result in results if result.answer.kind == "wrong"]
        caught = sum(result.outcome != "passed" for result in wrong)
        own = sum(is_own(result, results) for result in wrong)
        lines.append(
            f"{language}: {caught} of {len(wrong)} wrong answers caught, "
            f"{own} with their own message ({own / max(len(wrong), 1):.0%})"
        )
    return "\n".join(lines)


def _names(results: Sequence[Judged]) -> list[str]:
    return list(dict.fromkeys(result.answer.exercise for result in results))


def _of(results: Sequence[Judged], name: str) -> list[Judged]:
    return [result for result in results if result.answer.exercise == name]
