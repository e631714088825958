"""What each room of the course offers: learners, an instructor, a Chinese class."""

import json
import re

import pytest

from tests.lab.labkit import serve

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
ASSIGNMENT_LIST = "@jupyter/nbgrader:assignment-list"
FORMGRADER = "@jupyter/nbgrader:formgrader"


def page_settings(server) -> dict:
    """What the server tells JupyterLab in the browser."""
    found = re.search(r'(?s)id="jupyter-config-data"[^>]*>(.*?)</script>', server.read("/lab"))
    return json.loads(found[1])


def answers(server, path: str) -> int:
    """The status of a page."""
    from urllib.error import HTTPError

    try:
        server.read(path)
    except HTTPError as error:
        with error:
            return error.code
    return 200


def test_a_learner_has_the_assignment_list_and_no_instructors_panel(learner_server):
    settings = page_settings(learner_server)
    assert ASSIGNMENT_LIST not in settings["disabledExtensions"]
    assert FORMGRADER in settings["disabledExtensions"]
    assert answers(learner_server, "/formgrader") == 404
    assert "extensionmanager" in " ".join(settings["disabledExtensions"])
    assert settings["news"] == {"disabled": True}


def test_an_instructor_has_the_formgrader(instructor_server):
    settings = page_settings(instructor_server)
    assert FORMGRADER not in settings["disabledExtensions"]
    assert answers(instructor_server, "/formgrader") == 200


def test_a_chinese_class_has_chinese_menus_and_no_list_where_nothing_is_exchanged(
    open_lab, top, learners_copy
):
    from playwright.sync_api import expect

    with serve(learners_copy, top / "home-zh", COURSE_LANGUAGE="zh") as server:
        assert ASSIGNMENT_LIST in page_settings(server)["disabledExtensions"]
        lab = open_lab(server)
        lab.open("/?reset")
        assert "/lab/tree/course/zh/index.md" in lab.page.url
        expect(lab.page.locator("#jp-MainMenu")).to_contain_text("文件")
        expect(lab.page.locator("#jp-MainMenu")).not_to_contain_text("Nbgrader")
        expect(lab.page.locator(".jp-MarkdownViewer:visible h1")).to_contain_text("张量")
        assert lab.outside_requests() == []
