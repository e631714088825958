import copy
import gc
import inspect
import weakref

import pytest

from .notebook import STUB, Notebook, answer

TEST = "f = lens.attempt('f')\ny = f(torch.ones(3))"
NAMES = {"en": "○ f: not attempted. ", "zh": "○ f：未作答。"}


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("keeps_source", [True, False], ids=["source", "no source"])
def test_an_untouched_stub_is_not_attempted(language, keeps_source):
    notebook = Notebook(language, keeps_source)
    says = notebook.says(STUB, "lens.attempt('f')")
    assert says.startswith("NotAttempted " + NAMES[language])
    assert "Error:" not in says


@pytest.mark.parametrize(
    "stub",
    [
        "def f(x):\n    raise NotImplementedError",
        "def f(x):\n    raise NotImplementedError('write me')",
        "@torch.no_grad()\ndef f(x):\n    'doc'\n    raise NotImplementedError()",
        "class f(nn.Module):\n    def __init__(self):\n        raise NotImplementedError()",
    ],
)
@pytest.mark.parametrize("keeps_source", [True, False], ids=["source", "no source"])
def test_other_forms_of_the_stub_are_not_attempted_either(stub, keeps_source):
    assert Notebook("en", keeps_source).says(stub, "lens.attempt('f')").startswith("NotAttempted")


def test_a_class_with_a_stub_method_is_not_attempted_and_the_method_named():
    says = Notebook().says(
        "class f:\n    def __init__(self):\n        self.a = 1\n"
        "    def go(self):\n        raise NotImplementedError()",
        "lens.attempt('f')",
    )
    assert says.startswith("NotAttempted ○ f: not attempted. Still to be written: `f.go`")


def test_a_helper_that_is_still_a_stub_is_not_attempted():
    says = Notebook().says(
        "def helper(x):\n    raise NotImplementedError()", answer("return helper(x)"), TEST
    )
    assert says.startswith("NotAttempted ○ f: not attempted. Still to be written: `helper`")


@pytest.mark.parametrize(
    "body",
    [
        "y = 2 * x\nraise NotImplementedError()",
        "raise NotImplementedError()\nreturn 2 * x",  # the compiler drops what comes after
    ],
)
def test_a_raise_left_behind_is_raised_and_says_delete_that_line(body):
    says = Notebook().says(answer(body), TEST)
    assert says.startswith("AnswerRaised ⚠ f: raised an error. `raise NotImplementedError()` is")
    assert "Next: Delete that line" in says


def test_an_operation_that_torch_does_not_implement_is_an_ordinary_error():
    says = Notebook().says(answer("return x.to_sparse().view(3, 1)"), TEST)
    assert "Error: NotImplementedError: Could not run 'aten::view'" in says
    assert says.startswith("AnswerRaised") and "Delete that line" not in says
    body = "class Empty(nn.Module):\n    pass\nreturn Empty()(x)"  # raised by a line of torch's
    says = Notebook().says(answer(body), TEST)
    assert "Error: NotImplementedError: Module" in says and "Delete that line" not in says


def test_an_error_shows_the_call_the_error_and_the_learner_s_own_line():
    says = Notebook().says(answer("y = x + 1\nreturn y.view(2, 2)"), TEST)
    assert says.splitlines() == [
        "AnswerRaised ⚠ f: raised an error.",
        "  Call: f(tensor([1., 1., 1.]))",
        "  Error: RuntimeError: shape '[2, 2]' is invalid for input of size 3",
        "  Your line: line 3 of its cell: `return y.view(2, 2)`",
        "  Next: Call your function on a small input of your own in a new cell, and print `shape`"
        " and `dtype` of what stands on that line.",
    ]


def test_a_module_that_was_not_imported_is_told_from_a_misspelt_name():
    assert "write `import math`" in Notebook().says(answer("return math.sqrt(2)"), TEST)
    assert "Check the spelling" in Notebook().says(answer("return mth.sqrt(2)"), TEST)


def test_an_argument_of_the_wrong_kind_points_to_types():
    assert "print the `type`" in Notebook().says(answer("return torch.zeros(x, x)"), TEST)


def test_the_line_shown_is_the_learner_s_and_not_the_library_s():
    says = Notebook().says(
        "def helper(x):\n    return torch.nn.functional.cross_entropy(x, x.long())",
        answer("return helper(x[:, None])"),
        TEST,
    )
    assert "Your line: line 2 of its cell in `helper`: `return torch.nn.functional" in says
    assert "functional.py" not in says


def test_without_source_the_line_number_remains():
    says = Notebook(keeps_source=False).says(answer("return 1 / 0"), TEST)
    assert "Your line: line 2 of its cell\n" in says


def test_a_changed_signature_is_told_apart():
    says = Notebook().says("def f():\n    return 1", TEST)
    assert "TypeError: f() takes 0 positional arguments but 1 was given" in says
    assert "keep the `def` line" in says
    says = Notebook().says(answer("return x()"), TEST)
    assert "TypeError" in says and "keep the `def` line" not in says
    says = Notebook().says("f = torch.linalg.inv", TEST)
    assert "RuntimeError" in says and "keep the `def` line" not in says


def test_errors_of_a_known_kind_have_their_next_step():
    assert "Check the spelling" in Notebook().says(answer("return torhc.ones(1)"), TEST)
    assert "calls itself without end" in Notebook().says(answer("return f(x)"), TEST)


def test_the_line_of_a_comprehension_has_no_strange_name():
    says = Notebook().says(answer("return [1 / 0 for i in x]"), TEST)
    assert "Your line: line 2 of its cell: `return [1 / 0" in says


def test_an_answer_from_another_module_shows_its_line_too():
    home, test = Notebook(), Notebook()
    test.names["f"] = home.run("y = 1\ndef f(x):\n    return x / 0").names["f"]
    assert "Your line: line 3 of its cell: `return x / 0`" in test.says("lens.attempt('f')(1)")
    test.names["C"] = home.run("class C:\n    def __init__(self):\n        1 / 0").names["C"]
    assert "line 3 of its cell in `__init__`: `1 / 0`" in test.says("lens.attempt('C')()")


def test_a_missing_name_sends_to_the_cell_above():
    says = Notebook().says("lens.attempt('f')")
    assert says.startswith("AnswerRaised ⚠ f: raised an error. `f` is not defined here: run")
    assert "Did you mean" not in says
    says = Notebook().says("def make_gird():\n    pass", "lens.attempt('make_grid')")
    assert "`make_gird` is defined; the test asks for `make_grid`." in says
    says = Notebook().says("class MyLinaer:\n    pass", "lens.attempt('MyLinear')")
    assert "`MyLinaer` is defined" in says


def test_a_name_given_to_a_value_is_told_apart():
    says = Notebook().says("f = torch.ones(3)", "lens.attempt('f')")
    assert "`f` is not a function here but a value of type `Tensor`" in says


def test_exit_is_an_error_of_the_answer_and_an_interrupt_is_not():
    assert "Use `return` in place of `exit`" in Notebook().says(answer("raise SystemExit"), TEST)
    with pytest.raises(KeyboardInterrupt):
        Notebook().run(answer("raise KeyboardInterrupt"), TEST)
    notebook = Notebook()
    with pytest.raises(KeyboardInterrupt):
        notebook.run(answer("raise KeyboardInterrupt"), TEST)
    assert "1 / 0" in notebook.says(answer("return 1 / 0"), TEST)  # errors are still caught


def test_an_outcome_raised_inside_is_not_hidden():
    says = Notebook().says(answer("lens.expect_shape(x, (9,))"), TEST)
    assert says.startswith("CheckFailed")


def test_a_test_cell_can_run_again_and_again():
    notebook = Notebook().run(answer("return 2 * x"), TEST, TEST)
    f = notebook.names["f"]
    assert f.target is inspect.unwrap(f)
    assert copy.copy(f)(3) == 6
    assert repr(f) == repr(f.target) and f.__name__ == "f"


def test_the_answer_may_call_itself_and_catch_its_own_errors():
    body = (
        "if x == 0:\n    raise ValueError\n"
        "try:\n    return f(x - 1)\nexcept ValueError:\n    return x"
    )
    notebook = Notebook().run(answer(body), "f = lens.attempt('f')\nassert f(3) == 1")
    assert type(notebook.names["f"]).__name__ == "Answer"


def test_another_answer_called_inside_raises_its_own_error():
    notebook = Notebook().run("def g(x):\n    raise ValueError", "g = lens.attempt('g')")
    body = "try:\n    return g(x)\nexcept ValueError:\n    return 7"
    notebook.run(answer(body), "f = lens.attempt('f')\nassert f(3) == 7")


CLASS = """
class MyLinear(nn.Module):
    def __init__(self, size):
        super(MyLinear, self).__init__()
        self.weight = nn.Parameter(torch.zeros(size))
    def forward(self, x):
        return x @ self.missing
"""


def test_a_class_gives_its_own_instances():
    notebook = Notebook().run(CLASS, "own = MyLinear", "MyLinear = lens.attempt('MyLinear')")
    notebook.run(
        "layer = MyLinear(3)\n"
        "assert type(layer) is own\n"
        "assert isinstance(layer, MyLinear) and not isinstance(3, MyLinear)\n"
        "assert issubclass(own, MyLinear) and MyLinear.forward is own.forward\n"
        "class Deeper(MyLinear): pass\n"
        "assert Deeper.__mro__[1] is own"
    )


def test_an_error_in_the_constructor_is_raised_with_the_call():
    says = Notebook().says(CLASS, "MyLinear = lens.attempt('MyLinear')\nMyLinear('a')")
    assert says.startswith("AnswerRaised ⚠ MyLinear: raised an error.")
    assert "Call: MyLinear('a')" in says and "in `__init__`" in says


def test_later_calls_of_an_instance_can_be_guarded_too():
    says = Notebook().says(CLASS, "model = lens.attempt(MyLinear(3))\nmodel(torch.ones(3))")
    assert says.startswith("AnswerRaised ⚠ MyLinear: raised an error.")
    assert "AttributeError: 'MyLinear' object has no attribute 'missing'" in says
    assert "in `forward`: `return x @ self.missing`" in says


def test_an_error_in_a_generator_is_raised_too():
    says = Notebook().says(answer("yield 1\nyield 1 / 0"), "f = lens.attempt('f')\nlist(f(3))")
    assert "ZeroDivisionError" in says and "`yield 1 / 0`" in says
    Notebook().run(answer("yield 1\nyield 2"), "assert list(lens.attempt('f')(3)) == [1, 2]")


def test_a_failed_check_shows_the_call_that_made_the_value():
    notebook = Notebook().run(answer("return 2 * x"), "f = lens.attempt('f')")
    notebook.run("a, b = f(torch.tensor([1.0])), f(torch.tensor([5.0]))")
    assert "Call: f(tensor([1.]))" in notebook.says("lens.expect_shape(a, (2,))")
    assert "Call: f(tensor([5.]))" in notebook.says("lens.expect_shape(b, (2,))")
    assert "Call: f(tensor([1.]))" in notebook.says("lens.expect_type(a, float)")
    assert "Call: f(tensor([5.]))" in notebook.says("lens.expect_equal(3, 4)")
    assert "Call: f(tensor([5.]))" in notebook.says("lens.expect_equal((), 4)")
    notebook.run("def g(x):\n    return x + 1, x", "g = lens.attempt('g')")
    notebook.run("a, b = g(torch.tensor([1.0])), g(torch.tensor([5.0]))")
    assert "✗ g: failed" in notebook.says("lens.expect_equal(a, 4)")
    assert "Call: g(tensor([1.]))" in notebook.says("lens.expect_equal(a, 4)")


def test_the_call_is_written_down_before_the_answer_changes_its_input():
    says = Notebook().says(answer("x.zero_()"), TEST + "\nlens.expect_type(y)")
    assert "Call: f(tensor([1., 1., 1.]))" in says


def test_arguments_are_summarised():
    says = Notebook().says(
        "def f(*a, **k):\n    raise ValueError",
        "lens.attempt('f')(0.0, [1, 2], torch.ones(40, 5), np.ones((40, 5)), {'a': None}, 'x' * 99,"
        " nn.ReLU(), torch.sin, torch.Generator().manual_seed(3), size=torch.Size([1]))",
    )
    assert (
        "Call: f(0.0, [1, 2], tensor(shape=(40, 5), dtype=float32),"
        " array(shape=(40, 5), dtype=float64), {'a': None}, 'xxx" in says
    )
    assert "…, ReLU(…), sin, Generator(seed=3), size=(1,))" in says


def test_the_record_of_calls_keeps_no_result_alive():
    notebook = Notebook().run(answer("return 2 * x"), TEST)
    result = weakref.ref(notebook.names.pop("y"))
    gc.collect()
    assert result() is None
