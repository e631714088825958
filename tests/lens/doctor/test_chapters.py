import re
from pathlib import Path

from lens.doctor import chapters
from lens.doctor.rules import FAMILIES, rules

LESSONS = Path(__file__).resolve().parents[3] / "course" / "chapters"


def test_every_section_is_in_its_lesson_in_both_languages():
    for chapter, *headings in chapters.SECTIONS.values():
        text = (LESSONS / chapter / "lesson.py").read_text(encoding="utf-8")
        found = set(re.findall(r"^# #+ (.*)$", text, re.MULTILINE))
        assert set(headings) <= found


def test_every_section_belongs_to_a_rule_that_is_there():
    known = {(r.family, r.name) for r in rules()} | {(family, "") for family in FAMILIES}
    assert set(chapters.SECTIONS) <= known


def test_the_link_is_an_anchor_of_the_notebook_in_its_language(language):
    wanted = {"en": "From-array-to-model", "zh": "从数组到模型"}[language]
    link = chapters.link("operand-dtype", "different")
    assert link == f"course/{language}/02_creation.ipynb#{wanted}"


def test_what_no_chapter_teaches_has_no_link():
    assert chapters.link("matmul-shapes", "inner-sizes") == ""
