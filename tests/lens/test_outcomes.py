import pickle

import pytest

import lens
from lens.language import speak
from lens.outcomes import (
    AnswerRaised,
    CheckFailed,
    NotAttempted,
    Outcome,
    error_text,
    explained,
    pick,
)

from .notebook import STUB, Notebook, answer

OUTCOMES = [
    (NotAttempted, "not_attempted"),
    (CheckFailed, "failed"),
    (AnswerRaised, "raised"),
]


@pytest.mark.parametrize(("kind", "status"), OUTCOMES)
def test_the_class_and_the_status_tell_the_outcome(kind, status):
    assert issubclass(kind, Outcome)
    assert kind.status == status


@pytest.mark.parametrize(("kind", "status"), OUTCOMES)
def test_an_outcome_shows_its_message_and_no_traceback(kind, status):
    outcome = kind("one\n  two")
    assert outcome._render_traceback_() == ["one", "  two"]
    assert str(pickle.loads(pickle.dumps(outcome))) == "one\n  two"


def test_a_text_in_two_languages_is_read_in_the_one_in_use():
    assert pick("yes || 是") == "yes"
    speak("zh")
    assert pick("yes || 是") == "是"
    assert pick("a | b") == "a | b"


def test_an_explanation_joins_the_first_line():
    assert explained("head.\n  Error: x", "why") == "head. why\n  Error: x"
    assert explained("head.", "why") == "head. why"


def test_a_long_error_is_cut_after_eight_lines():
    assert error_text(ValueError("a\n\nb\nc")) == "ValueError: a\nb\nc"
    assert error_text(ValueError("\n".join("abcdefgh"))).endswith("g\nh")
    assert error_text(ValueError("\n".join("abcdefghi"))).endswith("g\nh\n…")


def test_an_explanation_takes_the_place_of_the_next_step():
    told = explained("⚠ f: raised an error.\n  Error: E\n  Next: look.\n    further", "It is so.")
    assert told == "⚠ f: raised an error. It is so.\n  Error: E"
    assert error_text(ValueError()) == "ValueError"


def test_passed_prints_the_tick_and_the_reason(capsys):
    Notebook().run(answer("return x"), "lens.attempt('f')", "lens.passed('Because. || 因为。')")
    assert capsys.readouterr().out == "✓ f: passed. Because.\n"
    Notebook("zh").run(answer("return x"), "lens.attempt('f')", "lens.passed('A. || 因为。')")
    assert capsys.readouterr().out == "✓ f：通过。因为。\n"


HIDDEN = """
f = lens.attempt("f")
with lens.hidden("works on halves || 对一半也有效"):
    {}
"""


def test_a_hidden_failure_names_the_property_and_no_value():
    test = HIDDEN.format("lens.expect_close(f(torch.full((3,), 1234.5)), torch.full((3,), 987.5))")
    message = Notebook().says(answer("return x"), test)
    assert message.startswith("CheckFailed ✗ f: failed. A hidden test does not hold.")
    assert "Property: works on halves" in message
    assert "1234" not in message and "987" not in message and "tensor" not in message
    message = Notebook("zh").says(answer("return x"), test)
    assert message.startswith("CheckFailed ✗ f：未通过。") and "性质：对一半也有效" in message


def test_a_hidden_error_keeps_its_type_text_and_line_but_not_the_inputs():
    notebook = Notebook()
    message = notebook.says(
        answer("y = x\nraise ValueError('no such size')"), HIDDEN.format("f(torch.tensor([77.0]))")
    )
    assert message.startswith("AnswerRaised ⚠ f: raised an error.")
    assert "Error: ValueError: no such size" in message
    assert "line 3 of its cell: `raise ValueError('no such size')`" in message
    assert "77" not in message


def test_an_error_in_a_hidden_test_itself_shows_no_hidden_line():
    outcome = Notebook().outcome(
        answer("return None"), HIDDEN.format("f(torch.tensor([77.0])).shape == (9876,)")
    )
    assert isinstance(outcome, AnswerRaised)
    assert "AttributeError: 'NoneType' object has no attribute 'shape'" in str(outcome)
    assert "77" not in str(outcome) and "9876" not in str(outcome)
    assert "Your line" not in str(outcome)


def test_an_error_in_a_method_called_by_a_hidden_test_shows_the_method_s_line():
    message = Notebook().says(
        "class f:\n    def go(self):\n        return 1 / 0", HIDDEN.format("f().go()")
    )
    assert "Error: ZeroDivisionError" in message
    assert "line 3 of its cell in `go`: `return 1 / 0`" in message


def test_a_plain_assertion_in_a_hidden_test_is_a_failure():
    message = Notebook().says(answer("return x"), HIDDEN.format("assert f(1) == 4321, '4321'"))
    assert message.startswith("CheckFailed") and "4321" not in message


def test_not_attempted_passes_through_hidden():
    test = "with lens.hidden('p'):\n    lens.attempt('f')"
    assert Notebook().says(STUB, test).startswith("NotAttempted ○ f: not attempted.")


def test_an_interrupt_passes_through_hidden():
    with pytest.raises(KeyboardInterrupt), lens.hidden("p"):
        raise KeyboardInterrupt
