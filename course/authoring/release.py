"""The learner's notebook from the instructor's, by nbgrader's own steps."""

import copy

from nbformat import NotebookNode
from nbgrader.converters import GenerateAssignment
from nbgrader.preprocessors import SaveCells
from traitlets.config import Config

from autograder.settings import CODE_STUB, TEXT_STUB

# SaveCells writes the gradebook, which is the instructor's: `nbgrader generate_assignment` does it.
STEPS = [step for step in GenerateAssignment.preprocessors.default() if step is not SaveCells]


def release(solution: NotebookNode, language: str) -> NotebookNode:
    """The notebook that learners get: no solutions, hidden tests or outputs; checksums set."""
    config = Config()
    config.ClearSolutions.code_stub = {"python": CODE_STUB[language]}
    config.ClearSolutions.text_stub = TEXT_STUB[language]
    notebook, resources = copy.deepcopy(solution), {}
    for step in STEPS:
        notebook, resources = step(config=config).preprocess(notebook, resources)
    return notebook
