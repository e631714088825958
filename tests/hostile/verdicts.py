"""Whether a verdict is the one that an entry of the corpus expects; the table of all."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import nbformat
from rich.table import Table

from autograder.folders import shown
from tests.hostile.kit import ASSIGNMENT, ROOT, Attack


def points_of_answers(language: str = "en") -> dict[str, float]:
    """Answer -> the points that its test gives."""
    path = ROOT / "solutions" / language / ASSIGNMENT / f"{ASSIGNMENT}.ipynb"
    data = [cell.metadata.get("nbgrader", {}) for cell in nbformat.read(path, 4).cells]
    tests = [each for each in data if each.get("grade") and not each.get("solution")]
    return {each["grade_id"].removeprefix("test_"): float(each["points"]) for each in tests}


def key_of(attack: Attack) -> str:
    """The student's name in the verdicts."""
    name = attack.folder or attack.name
    return name if name.isprintable() and len(name) <= 60 else shown(name)


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    attack: Attack
    verdict: Mapping | None
    problems: tuple[str, ...]

    def cells(self) -> tuple[str, str, str, str, str]:
        verdict = self.verdict or {}
        score = f"{verdict.get('score', 0):g} / {verdict.get('max_score', 0):g}"
        status = verdict.get("status", "none")
        flagged = "look" if verdict.get("look") else ""
        return self.attack.kind, self.attack.name, status, score, flagged


def check(
    attack: Attack, verdict: Mapping | None, points: Mapping[str, float], language: str = "en"
) -> tuple[str, ...]:
    """What is not as the entry says; empty where all is. Its words are looked for in English."""
    expect = attack.expect
    if verdict is None:
        return () if expect.status == "ignored" else ("no verdict",)
    problems = []
    if expect.status not in ("either", verdict["status"]):
        problems.append(f"{verdict['status']} in place of {expect.status}: {verdict['reason']}")
    if verdict["status"] == "rejected" and (not verdict["reason"] or verdict["score"]):
        problems.append("rejected without a reason, or with points")
    if verdict["status"] == "graded":
        problems += _check_points(attack, verdict, points)
    if expect.flagged and not verdict["look"]:
        problems.append("nobody is told to look")
    if attack.kind == "honest" and verdict["look"]:
        problems.append(f"an honest one is suspected: {verdict['look']}")
    said = " ".join([verdict["reason"], *verdict["look"], *verdict["notes"]])
    said += " ".join(question["message"] for question in verdict["questions"].values())
    if language == "en" and verdict["status"] != "graded":
        problems += [f"no word of {word!r}" for word in expect.words if word not in said]
    return tuple(problems)


def _check_points(attack: Attack, verdict: Mapping, points: Mapping[str, float]) -> list[str]:
    expect, problems = attack.expect, []
    for name, worth in points.items():
        question = verdict["questions"].get(f"test_{name}")
        if question is None or question["max_points"] != worth:
            problems.append(f"test_{name}: expected {worth} points at most, got {question}")
            continue
        due = worth if name in expect.earns else 0.0
        got = question["points"]
        if got != due and not expect.flagged and not (name in expect.may_earn and got <= worth):
            problems.append(f"test_{name}: {got:g} points in place of {due:g}")
            problems.append(f"   {question['status']}: {question['message'][:200]}")
    extra = set(verdict["questions"]) - {f"test_{name}" for name in points} - {"in_words"}
    problems += [f"a question that nobody asked: {name}" for name in sorted(extra)]
    for name, status in expect.statuses.items():
        got = verdict["questions"][name]["status"]
        if got != status:
            problems.append(f"{name}: status {got} in place of {status}")
    return problems


def rows(
    attacks: Collection[Attack], verdicts: Mapping[str, dict], language: str = "en"
) -> list[Row]:
    points = points_of_answers(language)
    found = [(attack, verdicts.get(key_of(attack))) for attack in attacks]
    return [
        Row(attack, verdict, check(attack, verdict, points, language)) for attack, verdict in found
    ]


def table(made: Collection[Row]) -> Table:
    """Kind, name, what it does, verdict, points, whether a person is told to look."""
    shape = Table("kind", "name", "does", "verdict", "points", "look", box=None)
    for row in made:
        kind, name, status, score, look = row.cells()
        shape.add_row(kind, name, row.attack.does, status, score, look)
    return shape


def markdown(made: Collection[Row]) -> str:
    """The same as a table in Markdown."""
    lines = ["| kind | name | does | verdict | points | look |", "|---|---|---|---|---|---|"]
    for row in made:
        kind, name, status, score, look = row.cells()
        does = row.attack.does.replace("|", "\\|")
        lines.append(f"| {kind} | {name} | {does} | {status} | {score} | {look} |")
    return "\n".join(lines)
