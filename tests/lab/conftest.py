"""A learner's and an instructor's JupyterLab, each in its own copy of the course; one browser."""

import os
import shutil
from pathlib import Path

import pytest

from autograder.classroom import copy_code
from tests.lab.labkit import Lab, serve

ROOT = Path(__file__).resolve().parents[2]
SCREENSHOTS = ROOT / "tests" / "screenshots"
CHROMIUM = Path(os.environ.get("CHROMIUM", "/usr/bin/chromium"))
CHROMIUM_OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


def unavailable(reason: str):
    """Skip and say so; on a build machine, where everything must be there, fail."""
    if os.environ.get("CI"):
        pytest.fail(f"{reason} (CI is set, so this is not skipped)")
    pytest.skip(reason)


@pytest.fixture(scope="session")
def chromium():
    if not CHROMIUM.exists():
        unavailable(f"no browser at {CHROMIUM}: install Debian's chromium, or set CHROMIUM")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        unavailable("playwright is not installed: run make env")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=str(CHROMIUM), headless=True, args=CHROMIUM_OPTIONS
        )
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def top(tmp_path_factory):
    """The folder of everything that the servers read and write."""
    if not list((ROOT / "course" / "en").glob("*.ipynb")):
        unavailable("no notebooks in course/en: run make notebooks")
    return tmp_path_factory.mktemp("lab")


@pytest.fixture(scope="session")
def exchange(top):
    folder = top / "exchange"
    folder.mkdir()
    folder.chmod(0o777)
    return folder


@pytest.fixture(scope="session")
def whole_course(top):
    """An instructor's copy of the project."""
    root = top / "instructor"
    copy_code(root)
    for name in ("course/en", "course/zh", "exercises", "solutions"):
        shutil.copytree(ROOT / name, root / name)
    return root


@pytest.fixture(scope="session")
def learners_copy(top):
    """What a learner needs of the project, and no more."""
    root = top / "learner"
    for name in ("course/en", "course/zh", "course/jupyter", "exercises"):
        shutil.copytree(ROOT / name, root / name)
    return root


@pytest.fixture(scope="session")
def settings(top, exchange):
    """The environment of every server; one font cache, since each has a new home."""
    return {"COURSE_EXCHANGE": str(exchange), "MPLCONFIGDIR": str(top / "matplotlib")}


@pytest.fixture(scope="session")
def instructor_server(top, whole_course, settings):
    with serve(whole_course, top / "home-instructor", "--teach", **settings) as server:
        yield server


@pytest.fixture(scope="session")
def learner_server(top, learners_copy, settings):
    with serve(learners_copy, top / "home-learner", **settings) as server:
        yield server


@pytest.fixture
def open_lab(chromium, request):
    """open_lab(server) -> a Lab in a new browser context; a failed test leaves its screenshots."""
    opened = []

    def open_one(server) -> Lab:
        context = chromium.new_context(viewport={"width": 1400, "height": 900})
        context.set_default_timeout(60_000)
        opened.append(Lab(context, server))
        return opened[-1]

    yield open_one
    report = getattr(request.node, "report_of_call", None)
    for number, lab in enumerate(opened):
        if report and report.failed:
            SCREENSHOTS.mkdir(exist_ok=True)
            lab.page.screenshot(path=str(SCREENSHOTS / f"{request.node.name}-{number}.png"))
        lab.page.context.close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if report.when == "call":
        item.report_of_call = report
    return report
