"""What a gradebook holds of an assignment, question by question, and how two of them differ."""

from collections.abc import Mapping
from dataclasses import dataclass

from nbgrader.api import Gradebook

from tests.hostile.kit import ASSIGNMENT

Key = tuple[str, str]  # student, grade id


@dataclass(frozen=True)
class Entry:
    """One question of one submission, as nbgrader's Formgrader and export see it."""

    auto_score: float | None
    manual_score: float | None
    score: float
    max_score: float
    needs_manual_grade: bool
    comment: str | None


@dataclass(frozen=True)
class Book:
    """A gradebook's content for the assignment."""

    entries: Mapping[Key, Entry]
    totals: Mapping[str, tuple[float, float, float]]  # student -> score, max_score, late penalty


def read_book(url: str) -> Book:
    entries, totals = {}, {}
    with Gradebook(url) as gradebook:
        for submission in gradebook.assignment_submissions(ASSIGNMENT):
            student = submission.student.id
            penalty = sum(each.late_submission_penalty or 0 for each in submission.notebooks)
            totals[student] = submission.score, submission.max_score, penalty
            for notebook in submission.notebooks:
                comments = {each.name: each.auto_comment for each in notebook.comments}
                for grade in notebook.grades:
                    entries[student, grade.name] = Entry(
                        grade.auto_score,
                        grade.manual_score,
                        grade.score,
                        grade.max_score,
                        bool(grade.needs_manual_grade),
                        comments.get(grade.name),
                    )
    return Book(entries, totals)


def differences(one: Book, other: Book) -> dict[Key, tuple[Entry | None, Entry | None]]:
    """The questions that are not the same in both."""
    keys = sorted(one.entries.keys() | other.entries.keys())
    pairs = {key: (one.entries.get(key), other.entries.get(key)) for key in keys}
    return {key: pair for key, pair in pairs.items() if pair[0] != pair[1]}
