import pytest

from lens.stubs import untouched

from .notebook import Notebook

WORKED_ON = {
    "pass": "def f():\n    pass",
    "text": "def f():\n    'raise NotImplementedError()'",
    "before": "def f():\n    a = 1\n    raise NotImplementedError()",
    "after": "def f():\n    raise NotImplementedError()\n    return 1",
    "if": "def f(x=1):\n    if x:\n        raise NotImplementedError()",
    "other error": "def f():\n    raise ValueError()",
    "lambda": "f = lambda: NotImplementedError()",
    "print": "def f():\n    print(1)\n    raise NotImplementedError()",
    "class in a class": "class f:\n    class g:\n        pass",
    "computed error": "def f():\n    raise [NotImplementedError][0]",
    "not ours": "f = torch.sin",
    "partial": "import functools\nf = functools.partial(max, 1)",
}


@pytest.mark.parametrize("source", WORKED_ON.values(), ids=WORKED_ON)
def test_what_was_worked_on_is_no_stub(source):
    assert untouched(Notebook().run(source).names["f"]) == []


@pytest.mark.parametrize("case", [case for case in WORKED_ON if case != "after"])
def test_without_source_what_was_worked_on_is_no_stub_either(case):
    notebook = Notebook(keeps_source=False).run(WORKED_ON[case])
    assert untouched(notebook.names["f"]) == []


@pytest.mark.parametrize("keeps_source", [True, False], ids=["source", "no source"])
def test_methods_of_every_kind_are_looked_at(keeps_source):
    stub = "raise NotImplementedError()"
    notebook = Notebook("en", keeps_source).run(
        "class f:\n"
        f"    def a(self):\n        {stub}\n"
        f"    @staticmethod\n    def b():\n        {stub}\n"
        f"    @classmethod\n    def c(cls):\n        {stub}\n"
        f"    @property\n    def d(self):\n        {stub}\n"
        "    def e(self):\n        return 1\n"
    )
    assert untouched(notebook.names["f"]) == ["f.a", "f.b", "f.c", "f.d"]


def test_two_functions_of_one_name_are_told_apart_by_their_line():
    notebook = Notebook().run(
        "def f():\n    raise NotImplementedError()\nold = f\ndef f():\n    return 1"
    )
    assert untouched(notebook.names["f"]) == []
    assert untouched(notebook.names["old"]) == ["f"]
