"""The step that a worker process does: one submission in, one verdict and its notebooks out.

JSON text goes in and comes out, so that nothing made from a learner's file is unpickled anywhere,
and a worker may be on another machine. Needs no gradebook and writes no file of the course.
"""

import base64
import functools
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace

from nbformat import NotebookNode

from autograder.assignment import Assignment
from autograder.engine.run import EngineFault, run_notebook
from autograder.engine.servers import ADDRESS
from autograder.limits import Limits
from autograder.questions import mark_questions
from autograder.reader import Unreadable, read_notebook
from autograder.rebuild import rebuild
from autograder.sources import signs_in_sources
from autograder.verdicts import Question

LARGEST_RESULT = 48 << 20  # characters of JSON
SHORTENED = "[the output was too large to keep]\n"


@dataclass(frozen=True)
class Job:
    """One submission to judge."""

    assignment: str  # Assignment.to_json(), as text: workers read each only once
    notebooks: Mapping[str, bytes]  # by notebook id, as handed in
    limits: Limits
    level: str  # one of autograder.sandbox.Level
    language: str
    server: str = ""  # address of the fork server; "" for one of the worker's own

    def to_json(self) -> str:
        coded = {name: base64.b64encode(raw).decode() for name, raw in self.notebooks.items()}
        return json.dumps(vars(self) | {"notebooks": coded, "limits": self.limits.to_json()})

    @classmethod
    def from_json(cls, text: str) -> "Job":
        values = json.loads(text)
        raw = {name: base64.b64decode(coded) for name, coded in values["notebooks"].items()}
        limits = Limits.from_json(values["limits"])
        return cls(**values | {"notebooks": raw, "limits": limits})


@dataclass(frozen=True)
class Result:
    """What came of a job. Exactly one of `fault`, `rejected` and `questions` is filled."""

    fault: str = ""  # the engine failed, not the submission
    rejected: str = ""
    questions: Mapping[str, Question] = field(default_factory=dict)
    look: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    notebooks: Mapping[str, dict] = field(default_factory=dict)  # as they ran, by notebook id

    def to_json(self) -> str:
        questions = {name: asdict(question) for name, question in self.questions.items()}
        return json.dumps(vars(self) | {"questions": questions})

    @classmethod
    def from_json(cls, text: str) -> "Result":
        values = json.loads(text)
        questions = {name: Question(**each) for name, each in values["questions"].items()}
        lists = {name: tuple(values[name]) for name in ("look", "notes")}
        return cls(**values | lists | {"questions": questions})


def judge(job: str) -> str:
    """A Job's JSON -> a Result's JSON, at most LARGEST_RESULT characters. Never raises."""
    try:
        return _capped(judge_submission(Job.from_json(job))).to_json()
    except EngineFault as fault:
        return Result(fault=str(fault) or "the engine failed").to_json()
    except Exception as error:  # a fault of ours must cost neither the worker nor the class
        return Result(fault=f"{type(error).__name__}: {error}"[:1000]).to_json()


def judge_submission(job: Job) -> Result:
    """Rebuild, run and mark every notebook of the assignment. Raises EngineFault."""
    os.environ["COURSE_LANGUAGE"] = job.language  # of the sentences that learners read
    os.environ["NBGRADER_EXECUTION"] = "autograde"  # as nbgrader says it to notebooks
    if job.server:
        os.environ[ADDRESS] = job.server
    assignment = _assignment(job.assignment)
    submitted = {}
    for name, raw in job.notebooks.items():
        try:
            submitted[name] = read_notebook(raw)
        except Unreadable as error:
            return Result(rejected=str(error))
    marked = {}
    limits, result = job.limits, Result()
    for name, truth in assignment.notebooks.items():
        speaks = assignment.speaks.get(name, frozenset())
        if name not in submitted:
            marked[name] = absent(truth)
            result = replace(result, notes=(*result.notes, f"{name}.ipynb was not handed in"))
            continue
        rebuilt = rebuild(truth, submitted[name])
        ran = run_notebook(rebuilt.notebook, assignment.files, limits, job.level)
        limits = replace(limits, cpu=max(limits.cpu - ran.cpu, 1.0))
        marked[name] = mark_questions(ran.notebook, ran.ends, rebuilt.untouched, speaks)
        result = replace(
            result,
            look=(*result.look, *signs_in_sources(rebuilt.notebook), *ran.signs),
            notes=(*result.notes, *rebuilt.notes),
            notebooks={**result.notebooks, name: ran.notebook},
        )
    return replace(result, questions=one_table(marked))


def absent(truth: NotebookNode) -> dict[str, Question]:
    """The questions of a notebook that was not handed in: no points, nothing for a person to do."""
    found = {}
    for cell in truth.cells:
        data = cell.metadata.get("nbgrader", {})
        if data.get("grade") or data.get("task"):
            found[data["grade_id"]] = Question(0.0, float(data["points"]), "not_attempted", "")
    return found


def one_table(marked: Mapping[str, Mapping[str, Question]]) -> dict[str, Question]:
    """Questions by grade id; the notebook stands before an id that several notebooks use."""
    ids = [grade_id for questions in marked.values() for grade_id in questions]
    table = {}
    for notebook, questions in marked.items():
        for grade_id, question in questions.items():
            unique = ids.count(grade_id) == 1
            table[grade_id if unique else f"{notebook}/{grade_id}"] = question
    return table


@functools.lru_cache(maxsize=4)
def _assignment(text: str) -> Assignment:
    return Assignment.from_json(json.loads(text))


def _capped(result: Result) -> Result:
    """The result, with the outputs of notebooks shortened where it is too large to send."""
    if result.notebooks and len(result.to_json()) > LARGEST_RESULT:
        for notebook in result.notebooks.values():
            for cell in notebook["cells"]:
                if cell.get("outputs"):
                    cell["outputs"] = _short(cell["outputs"])
    return result


def _short(outputs: list[dict]) -> list[dict]:
    """Outputs that give the same points in little space."""
    for output in outputs:
        if output["output_type"] == "error":
            error = {key: str(output[key])[:1000] for key in ("ename", "evalue")}
            return [{"output_type": "error", "traceback": [SHORTENED], **error}]
        if output["output_type"] == "execute_result" and len(json.dumps(output)) < 1000:
            return [output]
    return [{"output_type": "stream", "name": "stdout", "text": SHORTENED}]
