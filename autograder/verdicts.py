"""What grading says of a submission: one verdict, and for each question its points and status."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

STATUSES = (
    "passed",
    "failed",  # the answer ran, and an expectation does not hold
    "raised",  # the answer ended with an error
    "not_attempted",  # the stub is as it was handed out
    "timeout",  # it used up its time and was stopped
    "not_run",
    "needs_manual",  # a person grades it
)


@dataclass(frozen=True)
class Question:
    """The outcome of one graded cell."""

    points: float
    max_points: float
    status: str  # one of STATUSES
    message: str  # what its test said; "" where it passed

    def __post_init__(self):
        if self.status not in STATUSES:
            raise ValueError(f"status: expected one of {STATUSES}, got {self.status!r}")


@dataclass(frozen=True)
class Verdict:
    """The one verdict of a submission; `status` is "graded" or "rejected"."""

    status: str
    reason: str = ""  # of a rejection: why, and what to do
    questions: Mapping[str, Question] = field(default_factory=dict)  # by grade id
    look: tuple[str, ...] = ()  # why a person should look at it: signs of tampering
    notes: tuple[str, ...] = ()  # what was mended or left out on the way

    @property
    def score(self) -> float:
        return sum(question.points for question in self.questions.values())

    @property
    def max_score(self) -> float:
        return sum(question.max_points for question in self.questions.values())

    def to_json(self) -> dict:
        made = asdict(self) | {"score": self.score, "max_score": self.max_score}
        return made | {"look": list(self.look), "notes": list(self.notes)}

    @classmethod
    def from_json(cls, values: dict) -> "Verdict":
        return cls(
            status=values["status"],
            reason=values["reason"],
            questions={name: Question(**each) for name, each in values["questions"].items()},
            look=tuple(values["look"]),
            notes=tuple(values["notes"]),
        )
