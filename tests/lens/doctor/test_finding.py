import json
from dataclasses import replace

from lens.doctor.finding import Finding, Operand, render, table, wrap

X = Operand("x", (2, 3), "float32", "cpu", (3, 1), False, True, 0)
LONG = replace(X, name="一个张量", shape=(1,), stride=None, version=None)


def test_json_has_the_keys_of_the_contract():
    finding = Finding("error", "index", 3, "x[4]", (X, LONG), "cause", "fix")
    record = json.loads(json.dumps(finding.to_json()))
    assert {"kind", "family", "line", "expression", "operands", "cause", "fix"} <= set(record)
    wanted = {"name", "shape", "dtype", "device", "stride", "requires_grad", "is_leaf"}
    assert wanted <= set(record["operands"][0])
    assert record["operands"][0]["shape"] == [2, 3]
    assert record["operands"][1]["stride"] is None


def test_columns_line_up_also_under_chinese_names():
    head, first, second = table((X, LONG))
    assert head.index("shape") == first.index("(2, 3)")
    assert first.index("(2, 3)") == second.index("(1,)") + 4  # four characters, eight columns


def test_what_is_no_tensor_is_described():
    rows = table((X, Operand("a", (), "", "", None, False, False, None, "list of 2")))
    assert rows[-1].split() == ["a", "list", "of", "2"]
    assert table((Operand("a", (), "", "", None, False, False, None, "None"),)) == ["  a = None"]


def test_long_causes_are_broken_and_code_is_not():
    lines = wrap("word " * 30 + "`a_call(of, several, arguments)` end", 40)
    assert all(len(line) <= 40 for line in lines)
    assert any("`a_call(of, several, arguments)`" in line for line in lines)
    assert "".join(wrap("张量" * 60, 40)).replace(" ", "") == "张量" * 60


def test_a_finding_is_rendered_in_the_language_of_the_lens(language):
    lines = render(Finding("error", "index", 3, "x[4]", (X,), "cause", "x[0]", link="there"))
    labels = {
        "en": ["line 3: x[4]", "Try:", "Read: there"],
        "zh": ["第 3 行：x[4]", "试试：", "参阅：there"],
    }
    assert set(labels[language]) <= set(lines)
