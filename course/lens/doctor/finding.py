"""What the doctor has found: one record for an error explained and for a silent fault seen."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import asdict, dataclass

from lens.language import say

WIDE = r"[\u2e80-\u9fff\uff00-\uffef\u3000-\u303f]"
ENDS = "[，。：；！？、）》”]*"
PIECES = re.compile(  # what is not broken: code, a word, a Chinese character with its punctuation
    rf"[（《“]*`[^`]*`[.,;:)]*{ENDS}|\s+|[（《“]+[^\s`]?{ENDS}|{WIDE}{ENDS}"
    rf"|[^\s`]+?(?={WIDE}|\s|`|$){ENDS}|."
)


@dataclass(frozen=True)
class Operand:
    """One value of the expression; `value` describes what is not a tensor, and is empty for one."""

    name: str
    shape: tuple[int, ...]
    dtype: str
    device: str
    stride: tuple[int, ...] | None
    requires_grad: bool
    is_leaf: bool
    version: int | None
    value: str = ""


@dataclass(frozen=True)
class Finding:
    """An error explained (`kind` "error") or a silent fault (`kind` "warning"), in one language."""

    kind: str
    family: str
    line: int
    expression: str
    operands: tuple[Operand, ...]
    cause: str
    fix: str
    file: str = ""
    link: str = ""
    layer: str = ""

    def to_json(self) -> dict:
        """A dict of plain values, ready for `json.dumps`."""
        record = asdict(self)
        record["operands"] = [
            {**asdict(o), "shape": list(o.shape), "stride": o.stride and list(o.stride)}
            for o in self.operands
        ]
        return record


def operand_of(name: str, tensor) -> Operand:
    """Read a tensor's facts without running anything of the learner's."""
    import torch

    strided = tensor.layout == torch.strided
    return Operand(
        name=name,
        shape=tuple(tensor.shape),
        dtype=str(tensor.dtype).removeprefix("torch."),
        device=str(tensor.device),
        stride=tensor.stride() if strided else None,
        requires_grad=tensor.requires_grad,
        is_leaf=tensor.is_leaf,
        version=None if tensor.is_inference() else tensor._version,
    )


def render(finding: Finding) -> list[str]:
    """The lines of a finding for a terminal or a notebook, in the language of the lens."""
    where = say(f"line {finding.line}: ", f"第 {finding.line} 行：") if finding.line else ""
    lines = [where + finding.expression]
    if finding.layer:
        lines.append(say("Layer: ", "出错的层：") + finding.layer)
    lines += table(finding.operands)
    lines += wrap(say("Cause: ", "原因：") + finding.cause)
    if finding.fix:
        lines.append(say("Try:", "试试："))
        lines += ["    " + line for line in finding.fix.splitlines()]
    if finding.link:
        lines.append(say("Read: ", "参阅：") + finding.link)
    return lines


def wrap(text: str, width: int = 96) -> list[str]:
    """Lines of at most so many columns: broken at blanks, in Chinese anywhere."""
    lines, line = [], ""
    for piece in PIECES.findall(text):
        if _width(line + piece.rstrip()) > width and line.strip():
            lines.append(line.rstrip())
            line = "  "
            piece = piece.lstrip()
        line += piece
    return [*lines, line.rstrip()]


def table(operands: tuple[Operand, ...]) -> list[str]:
    """The operands as an aligned table, one a line; a column that says nothing new is left out."""
    tensors = [o for o in operands if not o.value]
    if not operands:
        return []
    head = ["", "shape", "dtype", "device", "stride", "requires_grad", "is_leaf", "version"]
    rows = [_row(o) for o in operands]
    if not tensors:
        return [f"  {o.name} = {o.value}" for o in operands]
    widths = [max(map(_width, column)) for column in zip(head, *rows, strict=True)]
    for i, operand in enumerate(operands):
        if operand.value:
            rows[i] = [operand.name, operand.value]
    return [
        "  " + "  ".join(_pad(cell, n) for cell, n in zip(row, widths, strict=False)).rstrip()
        for row in [head, *rows]
    ]


def _row(o: Operand) -> list[str]:
    if o.value:
        return [o.name] + [""] * 7
    stride = "-" if o.stride is None else _tuple(o.stride)
    version = "-" if o.version is None else str(o.version)
    return [
        o.name,
        _tuple(o.shape),
        o.dtype,
        o.device,
        stride,
        str(o.requires_grad),
        str(o.is_leaf),
        version,
    ]


def _tuple(sizes: tuple[int, ...]) -> str:
    return str(tuple(sizes))


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def _pad(text: str, width: int) -> str:
    return text + " " * (width - _width(text))
