"""What was replaced is noticed, and memory that was freed is not read."""

import sys
import types

import pytest

from autograder.engine import words
from autograder.engine.words import Words


def replaced(change, *, judge=None):
    """What is noticed after `change` was made to a module's entries."""
    entries = vars(types.ModuleType("module"))
    entries |= {"first": print, "second": len, "number": 3}
    watching = Words()
    watching.add_entries(entries, ("first", "second"), ("first", "second"), judge)
    watching.seal()
    assert watching.changed() == []
    change(entries)
    return watching.changed()


def grow(entries, prefix="more"):
    entries.update({f"{prefix}{number}": number for number in range(5000)})


def both(*changes):
    return lambda entries: [change(entries) for change in changes]


def replace_first(entries):
    entries["first"] = max


CHANGES = {
    "replaced": (replace_first, ["first"]),
    "deleted": (lambda entries: entries.pop("second"), ["second"]),
    "replaced, then grown": (both(replace_first, grow), ["first"]),
    "grown, then replaced": (both(grow, replace_first), ["first"]),
    "grown": (grow, []),
    "other entries changed": (lambda entries: entries.update(number=4, name=print), []),
    "emptied": (dict.clear, ["first", "second"]),
}


@pytest.mark.parametrize("change", CHANGES)
def test_replaced_entries_are_noticed_and_others_are_not(change):
    made, noticed = CHANGES[change]
    assert replaced(made) == noticed


@pytest.mark.parametrize("change", CHANGES)
def test_the_plain_comparison_notices_the_same(change, monkeypatch):
    monkeypatch.setattr(words, "OF_TABLE", None)
    made, noticed = CHANGES[change]
    assert replaced(made) == noticed


@pytest.mark.parametrize("add", [lambda entries: entries.update(new=1), grow])
def test_new_entries_are_judged_however_many_there_are(add):
    asked = []

    def judge(new):
        asked.append("new" in new or "more7" in new)
        return ["a sign"]

    assert replaced(add, judge=judge) == ["a sign"] and asked == [True]


def test_nothing_is_looked_up_in_memory_that_was_freed():
    entries = {f"name{number}": print for number in range(10_000)}
    watching = Words()
    watching.add_entries(entries, entries, entries)
    watching.seal()
    for _ in range(3):
        grow(entries)
        entries.clear()
        assert len(watching.changed()) == 10_000


@pytest.mark.skipif(sys.implementation.name != "cpython", reason="the words are CPython's")
def test_the_words_of_this_python_are_found():
    assert None not in (words.OF_TABLE, words.OF_COUNT, words.OF_CELL, words.OF_MRO, words.OF_CLASS)
    assert None not in words.OF_FUNCTION and len(set(words.OF_FUNCTION)) == 3
