"""A scratch course in which submissions are graded, with canaries around it.

What is outside the sandbox and was read, changed, called or left behind shows in `breaches()`.
"""

import contextlib
import hashlib
import json
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from autograder.classroom import Course, copy_course
from autograder.limits import MIB, Limits
from tests.hostile.honest import VICTIM
from tests.hostile.kit import ASSIGNMENT, ROOT, Attack, Material, Prey, material
from tests.hostile.listeners import Listeners

# Small, so that a class of loops ends; far more than an honest answer needs.
LIMITS = Limits(
    cell_cpu=2.0,
    cell_wall=8.0,
    cpu=12.0,
    wall=40.0,
    memory=1024 * MIB,
    disk=64 * MIB,
)
GRADE = """
import json, sys
from pathlib import Path
sys.path.insert(0, {root!r})
import typer
from autograder.class_command import grade_class
from autograder.commands import run
from autograder.limits import Limits
options = json.loads(sys.argv[1])
limits = Limits.from_json(options["limits"])
json_file = Path(options["json"]) if options["json"] else None
try:
    run(lambda: grade_class({assignment!r}, options["students"], options["workers"], json_file,
                            options["force"], options["sandbox"], limits))
except typer.Exit as done:
    sys.exit(done.exit_code)
"""
LENS = ROOT / "course" / "lens"  # what tests rely on
LEFT_NAMES = ("left", "answers-for-you")
PUBLIC = ("/tmp", "/var/tmp", "/dev/shm", "/run")


@dataclass(frozen=True)
class Run:
    """What one run of `autograder grade` came to."""

    code: int
    out: str
    err: str
    students: Mapping[str, dict]  # the JSON's verdicts


@dataclass
class Arena:
    """A course, what is hunted in it, and what it was like before anybody was graded."""

    course: Course
    prey: Prey
    tokens: Mapping[str, str]  # place -> the token that stands there
    listeners: Listeners
    before: dict[str, str] = field(default_factory=dict)

    @property
    def root(self) -> Path:
        return self.course.root

    @property
    def submitted(self) -> Path:
        return self.root / "autograder" / "submitted"

    @property
    def material(self) -> Material:
        return material(self.course.language, self.prey)

    def plant(self, attacks: Iterable[Attack]) -> None:
        self.submitted.mkdir(parents=True, exist_ok=True)
        for attack in attacks:
            attack.plant(self.submitted, self.material)
        self._mark_other()
        self.before = self.snapshot()

    def _mark_other(self) -> None:
        """The token in the notebook that other students are after."""
        path = Path(self.prey.other)
        if path.exists():
            text = path.read_text(encoding="utf-8")
            mark = "Looking back"
            assert mark in text
            path.write_text(text.replace(mark, f"{mark} {self.tokens['other']}", 1), "utf-8")

    def command(self, **options) -> list[str]:
        """The command line of a run; see GRADE for the options."""
        given = {
            "students": [],
            "workers": 2,
            "json": str(self.root.parent / "verdicts.json"),
            "force": False,
            "sandbox": None,
            "limits": asdict(LIMITS),
        } | options
        code = GRADE.format(root=str(self.root), assignment=ASSIGNMENT)
        return [sys.executable, "-c", code, json.dumps(given)]

    def environment(self, **variables: str) -> dict[str, str]:
        """That of an instructor with a token in it; temporary files go to a folder of their own."""
        mine = ("COURSE_", "AUTOGRADER_", "JUPYTER", "PYTHON", "IPYTHON")
        clean = {name: value for name, value in os.environ.items() if not name.startswith(mine)}
        return clean | {
            self.prey.variable: self.tokens["environment"],
            "MARKER": self.prey.marker,
            "HOME": str(self.root.parent / "home"),
            "TMPDIR": str(self.temporary),
            "COURSE_LANGUAGE": self.course.language,
            **variables,
        }

    @property
    def temporary(self) -> Path:
        return self.root.parent / "tmp"

    def grade(self, variables: Mapping[str, str] | None = None, **options) -> Run:
        """One run to its end."""
        done = subprocess.run(
            self.command(**options),
            cwd=self.root,
            env=self.environment(**(variables or {})),
            capture_output=True,
            text=True,
            errors="replace",
        )
        return Run(done.returncode, done.stdout, done.stderr, self.verdicts())

    def verdicts(self) -> dict[str, dict]:
        path = self.root.parent / "verdicts.json"
        if not path.exists():
            return {}
        return json.loads(path.read_text(encoding="utf-8"))["students"]

    def snapshot(self) -> dict[str, str]:
        """Path -> what it is: all that grading must leave as it is."""
        results = {"autograded", "verdicts", "feedback", "gradebook.db", "__pycache__"}
        seen = {}
        for top in (self.root, Path(self.prey.secret).parent, LENS):
            for folder, folders, names in os.walk(top):
                folders[:] = [name for name in folders if name not in results and top != LENS]
                for name in names:
                    if not name.startswith("gradebook.db"):
                        path = os.path.join(folder, name)
                        seen[path] = describe(path)
        return seen

    def breaches(self) -> list[str]:
        """What was read, changed, called or left behind outside the sandbox."""
        after = self.snapshot()
        paths = sorted(self.before.keys() | after.keys())
        changed = [path for path in paths if self.before.get(path) != after.get(path)]
        found = [f"changed: {path!r}" for path in changed]
        found += [f"connected: {call}" for call in self.listeners.calls]
        found += [f"left running: {each}" for each in processes_of(self.prey.marker)]
        found += [f"left: {path}" for path in self.leavings()]
        found += [f"a token of {place} is in {path}" for place, path in self.leaks()]
        return found

    def leavings(self) -> Iterator[str]:
        """Files that outlive the run: temporary ones, and those that attacks try to make."""
        yield from (str(path) for path in self.temporary.rglob("*"))
        for folder in PUBLIC:
            yield from (f"{folder}/{n}" for n in LEFT_NAMES if os.path.lexists(f"{folder}/{n}"))
        segments = Path("/proc/sysvipc/shm")
        if segments.exists() and any(
            line.split()[0] == str(0x4853) for line in segments.read_text().splitlines()
        ):
            yield "a shared memory segment"
        if Path(f"{self.prey.secret}.pwned").exists():
            yield "a file that a submission's configuration made"

    def leaks(self) -> Iterator[tuple[str, Path]]:
        """Tokens in what grading wrote. A student's own may stand in that student's pages."""
        own = Path(self.prey.other).relative_to(self.submitted).parts[0]
        grades = self.root / "autograder"
        written = [self.root.parent / "verdicts.json", *grades.glob("gradebook.db*")]
        for name in ("autograded", "verdicts", "feedback"):
            written += [path for path in (grades / name).rglob("*") if path.is_file()]
        for path in written:
            content = path.read_bytes() if path.exists() else b""
            for place, token in self.tokens.items():
                mine = place == "other" and (own in path.parts or path.stem == own)
                if token.encode() in content and not mine:
                    yield place, path


@contextlib.contextmanager
def arena(language: str = "en") -> Iterator[Arena]:
    """A course in a folder that is gone afterwards: it holds files that nobody should open.

    The folder's path is short, as those of sockets in it must be.
    """
    folder = Path(tempfile.mkdtemp(prefix="arena-", dir="/tmp"))
    places = ("secret", "environment", "other", "solution")
    tokens = {place: f"token-{secrets.token_hex(12)}" for place in places}
    root = folder / "course"
    marker = f"hostile-{secrets.token_hex(6)}"
    for name in ("home", "tmp", "secrets"):
        (folder / name).mkdir(parents=True)
    with set_language(language):
        course = copy_course(root, ASSIGNMENT)
    secret = folder / "secrets" / "secret.txt"
    secret.write_text(f"{tokens['secret']}\n")
    mark_solution(course.solution, tokens["solution"])
    with Listeners(marker, Path(f"{secret}.sock")) as listeners:
        prey = Prey(
            secret=str(secret),
            course=str(root),
            other=str(course.submitted(VICTIM)),
            port=listeners.port,
            socket=marker,
            variable="CANARY_TOKEN",
            marker=marker,
        )
        made = Arena(course, prey, tokens, listeners)
        try:
            yield made
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def mark_solution(path: Path, token: str) -> None:
    """The token in each reference answer: whoever shows it has read the solution."""
    text = path.read_text(encoding="utf-8")
    begin = '"    ### BEGIN SOLUTION\\n",'
    assert begin in text
    path.write_text(text.replace(begin, f'{begin}\n    "    # {token}\\n",'), encoding="utf-8")


@contextlib.contextmanager
def set_language(language: str) -> Iterator[None]:
    before = os.environ.get("COURSE_LANGUAGE")
    os.environ["COURSE_LANGUAGE"] = language
    try:
        yield
    finally:
        if before is None:
            del os.environ["COURSE_LANGUAGE"]
        else:
            os.environ["COURSE_LANGUAGE"] = before


def describe(path: str) -> str:
    """What a file is, without opening what could block or is large."""
    status = os.lstat(path)
    plain = f"{status.st_mode:o} {status.st_size} {status.st_mtime_ns}"
    if not os.path.isfile(path) or os.path.islink(path) or status.st_size > MIB:
        return plain
    with open(path, "rb") as file:
        return f"{plain} {hashlib.sha256(file.read()).hexdigest()}"


def processes_of(marker: str) -> list[str]:
    """The processes that have the marker among their arguments or in their environment."""
    found = []
    for entry in os.scandir("/proc"):
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        with contextlib.suppress(OSError):
            folder = Path(entry.path)
            command = (folder / "cmdline").read_bytes()
            if marker.encode() in command + (folder / "environ").read_bytes():
                found.append(f"{entry.name} {command.replace(bytes(1), b' ')[:200]!r}")
    return found
