import pytest

from .notebook import Notebook, answer

LOOPS = {
    "for": "y = 0\nfor i in x:\n    y += i\nreturn y",
    "for in try": "try:\n    for i in x:\n        pass\nfinally:\n    y = 1\nreturn y",
    "while": "i = 0\nwhile i < 3:\n    i += 1\nreturn i",
    "list": "return [i for i in x]",
    "dict": "return {i: i for i in x}",
    "set": "return {i for i in x}",
    "generator": "return sum(i for i in x)",
    "inner function": "def g(t):\n    for i in t:\n        pass\nreturn g(x)",
}
DISGUISED = {
    "map": "return list(map(abs, x))",
    "vectorize": "return np.vectorize(abs)(x)",
    "apply_": "return x.apply_(abs)",
}
PLAIN = {
    "docstring": '"""for i in x: while True: [i for i in x]"""\nreturn x',
    "string": "y = 'for i in x'\nreturn x",
    "comment": "return x  # for i in x: ...",
    "try": "try:\n    return x\nexcept ValueError:\n    y = 1\nreturn y",
    "with": "with torch.no_grad():\n    y = x\nreturn y",
    "if": "if x is None:\n    return 1\nelse:\n    y = 2\nreturn y",
    "names": "format_, mapped = 1, 2\nreturn x.softmax(0)",
}
TEST = "lens.expect_no_loop('f')"


@pytest.mark.parametrize("body", (LOOPS | DISGUISED).values(), ids=LOOPS | DISGUISED)
def test_a_loop_is_found(body):
    says = Notebook().says(answer(body), TEST)
    assert says.startswith("CheckFailed ✗ failed. A rule of this exercise: no Python loop.")
    assert "of the cell of `" in says


@pytest.mark.parametrize("body", LOOPS.values(), ids=LOOPS)
def test_a_loop_is_found_without_source(body):
    says = Notebook(keeps_source=False).says(answer(body), TEST)
    assert says.startswith("CheckFailed") and "Got: line " in says


@pytest.mark.parametrize("body", PLAIN.values(), ids=PLAIN)
@pytest.mark.parametrize("keeps_source", [True, False], ids=["source", "no source"])
def test_what_only_looks_like_a_loop_is_none(body, keeps_source):
    assert Notebook("en", keeps_source).says(answer(body), TEST) == "passed"


def test_the_line_of_the_loop_is_shown():
    says = Notebook().says(answer("y = x\nfor i in x:\n    y = i\nreturn y"), TEST)
    assert "Got: line 3 of the cell of `f`: `for i in x:`" in says


def test_a_helper_in_the_notebook_is_looked_at_too_and_cycles_end():
    helper = "def helper(x):\n    while x:\n        x -= 1\n    return f(x)"
    assert "`helper`" in Notebook().says(helper, answer("return helper(x)"), TEST)
    tried = "helper = lens.attempt('helper')"
    assert "`helper`" in Notebook().says(helper, tried, answer("return helper(x)"), TEST)
    assert Notebook().says("def g(x):\n    return f(x)", answer("return g(x)"), TEST) == "passed"


def test_decorated_functions_lambdas_classes_and_attempts_are_read():
    loop = "    return [i for i in x]"
    assert Notebook().says(f"@torch.no_grad()\ndef f(x):\n{loop}", TEST) != "passed"
    assert Notebook().says("f = lambda x: [i for i in x]", TEST) != "passed"
    assert Notebook().says(f"class f:\n    def go(self, x):\n    {loop}", TEST) != "passed"
    assert (
        Notebook().says(f"def f(x):\n{loop}", "lens.expect_no_loop(lens.attempt('f'))") != "passed"
    )
    assert Notebook().says("f = torch.sum", TEST) == "passed"


def test_the_reason_can_be_given():
    test = "lens.expect_no_loop('f', 'A loop is slow. || 循环很慢。')"
    assert "Next: A loop is slow." in Notebook().says(answer(LOOPS["for"]), test)
    assert "下一步：循环很慢。" in Notebook("zh").says(answer(LOOPS["for"]), test)
