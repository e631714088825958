"""Each language speaks for itself: no English in Chinese messages, no Chinese in English ones."""

import ast
from pathlib import Path

import pytest

import lens

from .notebook import STUB, Notebook, answer, chinese_left, english_left

MODULES = sorted(Path(lens.__file__).parent.glob("*.py"))
CALL = "f = lens.attempt('f')\ny = f(torch.ones(3))\n"
MESSAGES = {
    "stub": [STUB, CALL],
    "stub method": ["class f:\n    def g(self):\n        raise NotImplementedError()", CALL],
    "left behind": [answer("y = 1\nraise NotImplementedError()"), CALL],
    "missing": [CALL],
    "missing, near": ["def ff(): pass", CALL],
    "overwritten": ["f = 3", CALL],
    "error": [answer("return x.view(2, 2)"), CALL],
    "error in a helper": ["def g(x):\n    return x.view(2, 2)", answer("return g(x)"), CALL],
    "name": [answer("return y_"), CALL],
    "signature": ["def f():\n    return 1", CALL],
    "none": [answer("x"), CALL + "lens.expect_type(y)"],
    "type": [answer("return [x]"), CALL + "lens.expect_type(y, (torch.Tensor, float))"],
    "shape": [answer("return x"), CALL + "lens.expect_shape(y, (3, 1))"],
    "dtype": [answer("return x.double()"), CALL + "lens.expect_close(y, torch.ones(3))"],
    "device": [answer("return x"), CALL + "lens.expect_device(y, 'cuda')"],
    "layout": [answer("return x.to_sparse()"), CALL + "lens.expect_close(y, torch.ones(3))"],
    "values": [answer("return x"), CALL + "lens.expect_close(y, torch.zeros(3))"],
    "many values": [
        answer("return torch.ones(99)"),
        CALL + "lens.expect_close(y, torch.eye(99)[0])",
    ],
    "path": [answer("return [x]"), CALL + "lens.expect_close(y, [torch.zeros(3)])"],
    "length": [answer("return [x]"), CALL + "lens.expect_close(y, [1, 2])"],
    "keys": [answer("return {'a': 1}"), CALL + "lens.expect_equal(y, {'b': 1})"],
    "plain": [answer("return 3"), CALL + "lens.expect_equal(y, 4)"],
    "grad": [answer("return x"), CALL + "lens.expect_grad(y, y)"],
    "requires_grad": [answer("return x"), CALL + "lens.expect_requires_grad(y)"],
    "view": [answer("return x"), CALL + "lens.expect_view_of(y, torch.ones(3))"],
    "copy": [answer("return x"), CALL + "lens.expect_copy(y, y)"],
    "unchanged": [answer("return x.zero_()"), CALL + "with lens.expect_unchanged(y): y += 1"],
    "seed": [answer("return x"), CALL + "with lens.expect_seed_untouched(): torch.rand(1)"],
    "loop": [answer("return [i for i in x]"), CALL + "lens.expect_no_loop(f)"],
    "forbid": [answer("return x"), CALL + "with lens.forbid('exp'): y.exp()"],
    "raises": [answer("return x"), CALL + "with lens.expect_raises(ValueError): pass"],
    "known": [answer("return x"), CALL + "lens.expect_not(y, y, 'no || 不')"],
    "hidden": [answer("return x"), CALL + "with lens.hidden('no || 不'): lens.expect_equal(1, 2)"],
    "hidden error": [answer("return x"), CALL + "with lens.hidden('no || 不'): f(1, 2)"],
}


@pytest.mark.parametrize("cells", MESSAGES.values(), ids=MESSAGES)
def test_a_message_speaks_one_language(cells):
    english, chinese = Notebook("en").outcome(*cells), Notebook("zh").outcome(*cells)
    assert type(english) is type(chinese) is not type(None)
    assert chinese_left(str(english)) == []
    assert english_left(str(chinese)) == []
    assert chinese_left(str(chinese)) != []
    assert str(english).count("\n") == str(chinese).count("\n")  # the same lines


def texts_said():
    """Every pair of texts given to `say`, f-string holes left out."""
    for module in MODULES:
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "say":
                texts = [_text(each) for each in node.args]
                if None not in texts:
                    yield pytest.param(*texts, id=f"{module.name}:{node.lineno}")


def _text(node: ast.expr) -> str | None:
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(p.value if isinstance(p, ast.Constant) else "0" for p in node.values)
    return None


@pytest.mark.parametrize(("english", "chinese"), list(texts_said()))
def test_a_text_stands_in_both_languages(english, chinese):
    assert chinese_left(english) == []
    assert english_left(chinese) == []


def test_the_search_for_english_finds_it():
    assert english_left("形状 is wrong 不对") == ["is wrong"]
    assert (
        english_left("用 `x.view` 和 NumPy，torch.float32 以及\n  错误：RuntimeError: no such")
        == []
    )
