"""A learner and an instructor, each in a real browser, from the first page to the score."""

import re
from pathlib import Path

import nbformat
import pytest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
ASSIGNMENT = "02_creation"
NOTEBOOK = f"{ASSIGNMENT}/{ASSIGNMENT}.ipynb"


def grading(cell) -> dict:
    return cell["metadata"].get("nbgrader", {})


def reference_answers(course: Path) -> dict[str, str]:
    """Grade id -> the reference answer, without its markers."""
    cells = nbformat.read(course / "solutions" / "en" / NOTEBOOK, as_version=4).cells
    return {
        grading(cell)["grade_id"]: re.sub(r"(?m)^\s*### (BEGIN|END) SOLUTION\n?", "", cell.source)
        for cell in cells
        if grading(cell).get("solution")
    }


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
        from playwright.sync_api import expect

        self.frame.locator("tbody tr", has_text=row).locator(f"td.{action} a").first.click()
        box = self.frame.locator(".modal.in")
        expect(box.locator(".modal-title")).to_have_text("Success", timeout=180_000)
        box.locator(".modal-footer button").click()
        expect(self.frame.locator(".modal-backdrop")).to_have_count(0)


def test_from_the_first_page_to_the_score(
    open_lab, instructor_server, learner_server, whole_course, learners_copy
):
    from playwright.sync_api import expect

    instructor = open_lab(instructor_server)
    instructor.open("/lab?reset")
    formgrader = Formgrader(instructor)
    formgrader.act(ASSIGNMENT, "assign")
    formgrader.act(ASSIGNMENT, "release")

    # The learner reads the first page, and the lesson behind its first link.
    learner = open_lab(learner_server)
    page = learner.page
    learner.open("/?reset")
    assert "/lab/tree/course/en/index.md" in page.url
    first_page = page.locator(".jp-MarkdownViewer:visible")
    expect(first_page.locator("h1")).to_be_visible()
    expect(page.get_by_text("Would you like to get notified")).to_have_count(0)
    first_page.locator(f'a[href*="{ASSIGNMENT}.ipynb"]').first.click()
    page.wait_for_selector(".jp-NotebookPanel:visible .jp-Cell")
    learner.wait_for_kernel()

    # What is stored is seen before anything ran, though the notebook is not trusted.
    stored = [o for cell in learner.cells() for o in cell.get("outputs", [])]
    assert any("image/png" in output.get("data", {}) for output in stored)
    picture = page.locator(".jp-NotebookPanel:visible .jp-OutputArea-output img").first
    picture.scroll_into_view_if_needed()
    expect(picture).to_be_visible()

    # Running shows the same pictures and the quizzes.
    cells = learner.run_all()
    assert unexpected_errors(cells) == []
    expect(page.locator(".jp-NotebookPanel:visible .Quiz").first).to_be_attached()
    expect(picture).to_be_visible()

    # The exercises: one is solved, by typing.
    page.locator(".lm-TabBar-tabLabel", has_text="index.md").click()
    page.locator(f'.jp-MarkdownViewer:visible a[href*="exercises/en/{NOTEBOOK}"]').click()
    page.wait_for_function(
        "path => window.jupyterapp.shell.currentWidget?.context?.path === path",
        arg=f"exercises/en/{NOTEBOOK}",
    )
    learner.wait_for_kernel()
    cells = learner.cells()
    graded = [cell for cell in cells if grading(cell).get("grade")]
    tests = [cell for cell in graded if cell["cell_type"] == "code"]
    assert all(test["metadata"]["jupyter"]["source_hidden"] for test in tests)
    index, answer = next((i, cell) for i, cell in enumerate(cells) if grading(cell).get("solution"))
    name = grading(answer)["grade_id"]
    learner.type_into(index, reference_answers(whole_course)[name])
    points = {grading(test)["grade_id"]: grading(test)["points"] for test in tests}[f"test_{name}"]

    # Validating tells that the others are not solved, the one in words included.
    learner.execute("docmanager:save")
    page.locator(".validate-button:visible").first.click()
    box = page.locator(".jp-Dialog")
    failed = box.get_by_text("The following cell failed:")
    expect(failed).to_have_count(len(graded) - 1, timeout=180_000)
    box.locator("button.jp-mod-accept").click()

    # The exercises of a learner's copy count as fetched, and are submitted from where they are.
    learner.execute("nbgrader:open-assignment-list")
    mine = page.locator("#fetched_assignments_list .list_item", has_text=ASSIGNMENT).first
    mine.get_by_role("button", name="Submit").click()
    expect(
        page.locator("#submitted_assignments_list .list_item", has_text=ASSIGNMENT).first
    ).to_be_visible()

    # The instructor collects and grades.
    formgrader.act(ASSIGNMENT, "collect")
    frame = formgrader.frame
    frame.locator("tbody tr", has_text=ASSIGNMENT).locator("td.num-submissions a").click()
    formgrader.act("needs autograding", "autograde")
    total = sum(grading(cell)["points"] for cell in graded)
    expect(frame.locator("tbody tr").first).to_contain_text(f"{points:g} / {total:g}")

    # The page on which a person grades shows the answer, and formulas without another machine.
    frame.get_by_role("link", name="Manual Grading").click()
    frame.get_by_role("link", name=ASSIGNMENT).click()
    frame.locator("tbody tr a", has_text=ASSIGNMENT).first.click()
    frame.locator("tbody tr a", has_text="Submission #1").click()
    expect(frame.locator(".nbgrader_cell", has_text=f"def {name}").first).to_be_visible()
    expect(frame.locator(f"#test_{name}")).to_have_attribute("placeholder", f"{points:g}")
    expect(frame.locator("script[src*='jupyter_server_mathjax']").first).to_be_attached()

    assert any("/static/jupyter_server_mathjax/" in url for url in instructor.requests)
    assert learner.outside_requests() == []
    assert instructor.outside_requests() == []
