"""Which section of the course teaches what lies behind a rule."""

from __future__ import annotations

from lens.language import say

# (family, rule) or (family, "") for all of a family: (chapter, heading, 标题)
SECTIONS: dict[tuple[str, str], tuple[str, str, str]] = {
    ("create-convert", "strides"): ("02_creation", "What cannot be shared", "共享不了的情形"),
    ("create-convert", "ragged"): (
        "02_creation",
        "1 Data in, tensor out: `torch.tensor`",
        "1 从数据到张量：`torch.tensor`",
    ),
    ("create-convert", "legacy"): (
        "02_creation",
        "2 A capital letter changes everything: `torch.Tensor`",
        "2 一个大写字母，两回事：`torch.Tensor`",
    ),
    ("operand-dtype", "different"): ("02_creation", "From array to model", "从数组到模型"),
    ("device", ""): (
        "02_creation",
        "6 Where it lives, and whether it learns",
        "6 放在哪里，需不需要梯度",
    ),
    ("dtype-unsupported", "gradient"): (
        "02_creation",
        "Does it learn: `requires_grad`",
        "需不需要梯度：`requires_grad`",
    ),
    ("inplace-autograd", "flag"): (
        "02_creation",
        "A value out of the graph: `detach`",
        "从计算图里取值：`detach`",
    ),
    ("backward", "numpy"): (
        "02_creation",
        "A value out of the graph: `detach`",
        "从计算图里取值：`detach`",
    ),
}


def link(family: str, rule: str = "") -> str:
    """The notebook and the section, "" where the course has none yet."""
    found = SECTIONS.get((family, rule)) or SECTIONS.get((family, ""))
    if found is None:
        return ""
    chapter, en, zh = found
    return f"course/{say('en', 'zh')}/{chapter}.ipynb#{anchor(say(en, zh))}"


def anchor(heading: str) -> str:
    """The anchor that Jupyter gives a heading."""
    return heading.replace("`", "").replace(" ", "-")
