"""otter-grader on the same class: its tests run the same test cells."""

import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import nbformat

from autograder.classroom import Course
from tests.bench.systems import plain_environment

VERSION = "7.0.0"
HOME = Path(__file__).resolve().parents[2] / ".bench" / "otter"
TEST = """
from otter.test_files import test_case
OK_FORMAT = False
name = {name!r}
points = {points}

@test_case(points={points})
def test_all(env):
    exec({source!r}, env)
"""


def make_environment() -> Path:
    """otter-grader in an environment of its own, made once; torch comes from this one."""
    python = HOME / "bin" / "python"
    if not (HOME / "bin" / "otter").exists():
        shutil.rmtree(HOME, ignore_errors=True)
        venv.create(HOME, with_pip=True)
        site = next((HOME / "lib").glob("python*/site-packages"))
        (site / "zz_ours.pth").write_text(sysconfig.get_path("purelib"))
        command = [str(python), "-m", "pip", "install", "-q", f"otter-grader=={VERSION}"]
        subprocess.run(command, check=True)
    return HOME / "bin" / "otter"


class Otter:
    """`otter run`, once a submission, as its documentation does without containers."""

    def __init__(self, course: Course):
        self.course, self.otter = course, make_environment()
        self.folder = course.root.with_name(course.root.name + "-otter")
        tests = self.folder / "tests"
        tests.mkdir(parents=True)
        (self.folder / "results").mkdir()
        for cell in nbformat.read(course.solution, as_version=4).cells:
            graded = cell.metadata.get("nbgrader", {})
            if graded.get("points") and not graded.get("solution"):
                text = TEST.format(
                    name=graded["grade_id"], points=graded["points"], source=cell.source
                )
                (tests / f"{graded['grade_id']}.py").write_text(text, encoding="utf-8")
        made = ["generate", "-t", str(tests), "-o", str(self.folder / "tests.zip")]
        subprocess.run(
            [str(self.otter), *made, "--no-environment"],
            cwd=self.folder,
            env=self.environment(),
            check=True,
            capture_output=True,
        )

    def prepare(self, students):
        for student in students:
            notebook = nbformat.read(self.course.submitted(student), as_version=4)
            notebook.cells = [
                cell
                for cell in notebook.cells
                if not cell.metadata.get("nbgrader", {}).get("grade")
            ]
            nbformat.write(notebook, self.folder / f"{student}.ipynb")

    def command(self, students):
        run = (
            "import subprocess, sys\n"
            "for student in sys.argv[2:]:\n"
            "    command = [sys.argv[1], 'run', '-a', 'tests.zip', '-o', 'results', '--no-logo']\n"
            "    subprocess.run([*command, student + '.ipynb'], check=True)\n"
        )
        return [sys.executable, "-c", run, str(self.otter), *students]

    def environment(self):
        return plain_environment(self.course)
