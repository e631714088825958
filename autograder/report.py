"""What a person sees of a grading: the table, and the submissions that need a look."""

from collections import Counter
from collections.abc import Iterator, Mapping

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from autograder.verdicts import STATUSES, Question, Verdict

SIGNS = {
    "passed": ("✓", "green"),
    "failed": ("✗", "red"),
    "raised": ("⚠", "red"),
    "not_attempted": ("○", "dim"),
    "timeout": ("⏱", "yellow"),
    "not_run": ("–", "yellow"),
    "needs_manual": ("✎", "cyan"),
}
WORDS = {status: status.replace("_", " ") for status in STATUSES} | {
    "raised": "error",
    "needs_manual": "by hand",
}
LOOK = (
    "Open it in autograder/submitted, talk to the student, and enter the points by hand in the "
    "Formgrader, where it is listed for manual grading."
)


def show_class(console: Console, verdicts: Mapping[str, Verdict]) -> None:
    """One row a submission: its score and how many questions came out how."""
    if not verdicts:
        return
    counts = {
        student: Counter(q.status for q in each.questions.values())
        for student, each in verdicts.items()
    }
    shown = [status for status in STATUSES if any(count[status] for count in counts.values())]
    table = Table("student", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("score", justify="right")
    for status in shown:
        table.add_column(WORDS[status], justify="right")
    table.add_column("")
    for student, verdict in sorted(verdicts.items()):
        numbers = [str(counts[student][status] or "") for status in shown]
        table.add_row(Text(student), score(verdict), *numbers, remark(verdict))
    console.print(table)


def score(verdict: Verdict) -> str:
    if verdict.status == "rejected":
        return "–"
    return f"{verdict.score:g} / {verdict.max_score:g}"


def remark(verdict: Verdict) -> Text:
    if verdict.status == "rejected":
        return Text("not graded", style="red")
    return Text("needs a look", style="yellow") if verdict.look else Text("")


def attention(verdicts: Mapping[str, Verdict]) -> Iterator[str]:
    """One line for each submission that a person must do something about."""
    for student, verdict in sorted(verdicts.items()):
        if verdict.status == "rejected":
            yield f"{student}: {one_line(verdict.reason)}"
        elif verdict.look:
            yield f"{student}: {one_line(' '.join(verdict.look))} {LOOK}"


def one_line(text: str) -> str:
    """Without line ends and control characters, which a learner's file may have put there."""
    return "".join(each if each.isprintable() else " " for each in text).strip()


def show_attention(console: Console, verdicts: Mapping[str, Verdict]) -> None:
    lines = list(attention(verdicts))
    if lines:
        console.print(Text(f"{len(lines)} need a person:", style="bold"))
    for line in lines:
        console.print(Text(f"• {line}"), soft_wrap=True)


def show_notes(console: Console, verdicts: Mapping[str, Verdict]) -> None:
    """What was mended or left out on the way, for the curious."""
    for student, verdict in sorted(verdicts.items()):
        for note in verdict.notes:
            console.print(Text(f"{student}: {one_line(note)}", style="dim"), soft_wrap=True)


def totals(verdicts: Mapping[str, Verdict]) -> str:
    """The last line: how many were graded, the mean score."""
    graded = [verdict for verdict in verdicts.values() if verdict.status == "graded"]
    line = f"{len(graded)} graded"
    if rejected := len(verdicts) - len(graded):
        line += f", {rejected} not"
    if graded and graded[0].max_score:
        mean = sum(verdict.score for verdict in graded) / len(graded)
        line += f"; mean score {mean:.2f} of {graded[0].max_score:g}"
    return line


def show_questions(console: Console, questions: Mapping[str, Question]) -> None:
    """A learner's own notebook: each question with what its test said."""
    table = Table("", "question", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("points", justify="right")
    table.add_column("what its test said", overflow="fold")
    for name, question in questions.items():
        sign, style = SIGNS[question.status]
        said = Text(question.message or WORDS[question.status])
        points = f"{question.points:g} / {question.max_points:g}"
        table.add_row(Text(sign, style=style), Text(name), points, said)
    console.print(table)
