"""An instructor's nbgrader, for its commands and its panels in JupyterLab alike."""

import os
import sys
from pathlib import Path

import nbgrader

c = get_config()
HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
if str(ROOT) not in sys.path:
    sys.path.append(str(ROOT))  # nbgrader may run from anywhere, the package be not installed

from autograder.bridge import install  # noqa: E402
from autograder.settings import (  # noqa: E402
    CODE_STUB,
    TEXT_STUB,
    course_language,
    local_timezone,
    release_directory,
    source_directory,
    why_unreachable,
)

try:
    language = course_language()
except ValueError as error:
    # An exception would only be logged, and nbgrader would go on in the wrong folders.
    sys.exit(str(error))

load_subconfig(str(ROOT / "course" / "jupyter" / "nbgrader_config.py"))

# nbgrader calls `alembic` by its name when it makes a gradebook.
if str(Path(sys.executable).parent) not in os.environ["PATH"].split(os.pathsep):
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"

c.CourseDirectory.root = str(ROOT)
c.CourseDirectory.source_directory = source_directory(language)
c.CourseDirectory.release_directory = release_directory(language)
for step in ("submitted", "autograded", "feedback", "solution", "source_with_tests"):
    c.CourseDirectory[f"{step}_directory"] = f"autograder/{step}"
gradebook = os.environ.get("AUTOGRADER_DB")
if gradebook and (unreachable := why_unreachable(gradebook)):
    # nbgrader would find out half way, after it removed what it was to replace.
    sys.exit(unreachable)
c.CourseDirectory.db_url = gradebook or f"sqlite:///{ROOT / 'autograder' / 'gradebook.db'}"

# A clone brings its exercises, and nbgrader would leave them alone, unknown to the gradebook.
c.GenerateAssignment.force = True
c.ClearSolutions.code_stub = {"python": CODE_STUB[language]}
c.ClearSolutions.text_stub = TEXT_STUB[language]

# The engine runs what learners wrote, for nbgrader's command and for the Formgrader's button too
# (autograder/bridge.py); these steps follow, on the instructor's own cells.
install()
c.Autograde.autograde_preprocessors = [
    "autograder.feedback.ClearQuizzes",
    "nbgrader.preprocessors.LimitOutput",
    "nbgrader.preprocessors.SaveAutoGrades",
    "nbgrader.preprocessors.AssignLatePenalties",
]
c.ExchangeFactory.collect = "autograder.collect.SafeCollect"
c.GenerateFeedback.force = True  # a score given by hand afterwards must reach the page
c.GenerateFeedback.preprocessors = [
    "nbgrader.preprocessors.GetGrades",
    "autograder.feedback.HideTests",
    "nbconvert.preprocessors.CSSHTMLHeaderPreprocessor",
]

# A learner's HTML and scripts must not run in the instructor's browser or in a feedback file. The
# templates keep both offline: stock ones fetch MathJax from another machine.
c.HTMLExporter.sanitize_html = True
c.HTMLExporter.filters = {"markdown2html": "autograder.pages.safe_markdown"}
c.HTMLExporter.extra_template_basedirs = [
    str(HERE / "templates"),
    str(Path(nbgrader.__file__).parent / "server_extensions" / "formgrader" / "templates"),
]

c.NbGraderAPI.timezone = local_timezone()  # shown only; the exchange records UTC
c.FormgradeExtension.debug = False
