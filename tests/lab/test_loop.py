"""A learner and an instructor, each in a real browser, from the first page to the score."""

import re
from pathlib import Path

import nbformat
import pytest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
ASSIGNMENT = "02_creation"
NOTEBOOK = f"{ASSIGNMENT}/{ASSIGNMENT}.ipynb"
LONG = 180_000  # milliseconds; for steps that start a kernel and import torch, on a busy machine


def expect(locator):
    """Playwright's, imported late: where it is missing, the fixtures say so."""
    from playwright.sync_api import expect

    return expect(locator)


def grading(cell) -> dict:
    return cell["metadata"].get("nbgrader", {})


def reference_answer(course: Path, name: str) -> str:
    """The reference answer of an exercise, without its markers."""
    cells = nbformat.read(course / "solutions" / "en" / NOTEBOOK, as_version=4).cells
    source = next(cell.source for cell in cells if grading(cell).get("grade_id") == name)
    return re.sub(r"(?m)^\s*### (BEGIN|END) SOLUTION\n?", "", source)


def unexpected_errors(cells: list[dict]) -> list[str]:
    return [
        f"{output['ename']}: {output['evalue']}"
        for cell in cells
        if "raises-exception" not in cell["metadata"].get("tags", [])
        for output in cell.get("outputs", [])
        if output["output_type"] == "error"
    ]


class Formgrader:
    """nbgrader's panel in an instructor's JupyterLab."""

    def __init__(self, lab):
        lab.execute("nbgrader:open-formgrader")
        self.frame = lab.page.frame_locator("iframe")

    def act(self, row: str, action: str) -> None:
        """Click a row's button and dismiss the box that reports success."""
        self.frame.locator("tbody tr", has_text=row).locator(f"td.{action} a").first.click()
        box = self.frame.locator(".modal.in")
        expect(box.locator(".modal-title")).to_have_text("Success", timeout=LONG)
        box.locator(".modal-footer button").click()
        expect(self.frame.locator(".modal-backdrop")).to_have_count(0)


def open_first_page(learner) -> None:
    """It comes up rendered, and nothing asks to be dismissed."""
    learner.open("/?reset")
    assert "/lab/tree/course/en/index.md" in learner.page.url
    expect(learner.page.locator(".jp-MarkdownViewer:visible h1")).to_be_visible()
    expect(learner.page.get_by_text("Would you like to get notified")).to_have_count(0)


def follow_link(learner, target: str) -> list[dict]:
    """From the first page to a notebook; its cells."""
    page = learner.page
    page.locator(".lm-TabBar-tabLabel", has_text="index.md").click()
    page.locator(f'.jp-MarkdownViewer:visible a[href*="{target}"]').first.click()
    page.wait_for_function(
        "path => window.jupyterapp.shell.currentWidget?.context?.path.endsWith(path)", arg=target
    )
    page.wait_for_selector(".jp-NotebookPanel:visible .jp-Cell")
    learner.wait_for_kernel()
    return learner.cells()


def read_lesson(learner) -> None:
    """Stored pictures are seen before anything ran; running shows them again, and the quizzes."""
    cells = follow_link(learner, f"{ASSIGNMENT}.ipynb")
    stored = [output for cell in cells for output in cell.get("outputs", [])]
    assert any("image/png" in output.get("data", {}) for output in stored)
    panel = learner.page.locator(".jp-NotebookPanel:visible")
    picture = panel.locator(".jp-OutputArea-output img").first
    picture.scroll_into_view_if_needed()
    expect(picture).to_be_visible()
    assert unexpected_errors(learner.run_all()) == []
    expect(panel.locator(".Quiz").first).to_be_attached()
    expect(picture).to_be_visible()


def solve_first_exercise(learner, course: Path) -> tuple[str, float, list[dict]]:
    """By typing. Its name, its points, and all graded cells."""
    cells = follow_link(learner, f"exercises/en/{NOTEBOOK}")
    graded = [cell for cell in cells if grading(cell).get("grade")]
    tests = {grading(cell)["grade_id"]: cell for cell in graded if cell["cell_type"] == "code"}
    assert all(test["metadata"]["jupyter"]["source_hidden"] for test in tests.values())
    index, answer = next((i, cell) for i, cell in enumerate(cells) if grading(cell).get("solution"))
    name = grading(answer)["grade_id"]
    learner.type_into(index, reference_answer(course, name))
    learner.execute("docmanager:save")
    return name, grading(tests[f"test_{name}"])["points"], graded


def validate(learner, failures: int) -> None:
    """nbgrader's Validate button names this many cells that fail."""
    learner.page.locator(".validate-button:visible").first.click()
    box = learner.page.locator(".jp-Dialog")
    expect(box.get_by_text("The following cell failed:")).to_have_count(failures, timeout=LONG)
    box.locator("button.jp-mod-accept").click()


def submit(learner) -> None:
    """The exercises of a learner's copy count as fetched, and are submitted from where they are."""
    learner.execute("nbgrader:open-assignment-list")
    row = "#{}_assignments_list .list_item"
    mine = learner.page.locator(row.format("fetched"), has_text=ASSIGNMENT).first
    mine.get_by_role("button", name="Submit").click()
    sent = learner.page.locator(row.format("submitted"), has_text=ASSIGNMENT).first
    expect(sent).to_be_visible()


def grade(formgrader: Formgrader, score: str) -> None:
    formgrader.act(ASSIGNMENT, "collect")
    frame = formgrader.frame
    frame.locator("tbody tr", has_text=ASSIGNMENT).locator("td.num-submissions a").click()
    formgrader.act("needs autograding", "autograde")
    expect(frame.locator("tbody tr").first).to_contain_text(score)


def look_at_submission(formgrader: Formgrader, name: str, points: float) -> None:
    """The page on which a person grades shows the answer and its points."""
    frame = formgrader.frame
    frame.get_by_role("link", name="Manual Grading").click()
    frame.get_by_role("link", name=ASSIGNMENT).click()
    frame.locator("tbody tr a", has_text=ASSIGNMENT).first.click()
    frame.locator("tbody tr a", has_text="Submission #1").click()
    expect(frame.locator(".nbgrader_cell", has_text=f"def {name}").first).to_be_visible()
    expect(frame.locator(f"#test_{name}")).to_have_attribute("placeholder", f"{points:g}")
    expect(frame.locator("script[src*='jupyter_server_mathjax']").first).to_be_attached()


def test_from_the_first_page_to_the_score(
    open_lab, instructor_server, learner_server, whole_course
):
    instructor = open_lab(instructor_server)
    instructor.open("/lab?reset")
    formgrader = Formgrader(instructor)
    formgrader.act(ASSIGNMENT, "assign")
    formgrader.act(ASSIGNMENT, "release")

    learner = open_lab(learner_server)
    open_first_page(learner)
    read_lesson(learner)
    name, points, graded = solve_first_exercise(learner, whole_course)
    validate(learner, failures=len(graded) - 1)
    submit(learner)

    total = sum(grading(cell)["points"] for cell in graded)
    grade(formgrader, f"{points:g} / {total:g}")
    look_at_submission(formgrader, name, points)

    assert any("/static/jupyter_server_mathjax/" in url for url in instructor.requests)
    assert learner.outside_requests() == []
    assert instructor.outside_requests() == []
