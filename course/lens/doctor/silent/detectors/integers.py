"""Integer results that do not fit: they wrap around, and nothing is raised."""

from __future__ import annotations

import ast

import torch

from lens.doctor.silent.event import Event, is_plain
from lens.doctor.silent.signals import after, before

SMALL = (torch.uint8, torch.int8, torch.int16, torch.int32)
WHOLE = (*SMALL, torch.int64)
BINARY = ("add", "sub", "mul", "rsub", "pow")
IN_PLACE = ("add_", "sub_", "mul_", "pow_")
UNARY = ("neg", "abs", "cumsum", "cumprod", "prod", "square", "matmul", "mm", "bmm", "dot", "sum")
CASTS = {
    "to": None,
    "type": None,
    "byte": torch.uint8,
    "char": torch.int8,
    "short": torch.int16,
    "int": torch.int32,
}
MOST = 10**6


@before(*IN_PLACE)
def keep_old(event: Event) -> None:
    """The numbers before an in-place operation."""
    x = event.x
    if x is not None and x.dtype in WHOLE and is_plain(x) and x.numel() <= MOST:
        event.memory["old"] = x.detach().clone()


@after(*BINARY, *IN_PLACE, *UNARY)
def integer_wrap(event: Event) -> None:
    """The same operation in wider numbers gives something else."""
    made = event.result
    if not isinstance(made, torch.Tensor) or made.dtype not in WHOLE or not is_plain(made):
        return
    if made.numel() == 0 or made.numel() > MOST or not event.plain or _wanted(event):
        return
    args = [event.memory["old"], *event.args[1:]] if "old" in event.memory else list(event.args)
    wide = torch.int64 if made.dtype in SMALL else torch.float64
    true = _again(event, args, wide)
    if true is None or true.shape != made.shape:
        return
    small = wide is torch.int64
    wrong = true != made.to(torch.int64) if small else (true - made.double()).abs() > 2.0**62
    if bool(wrong.any()):
        _tell(event, made, true, wrong)


def _again(event: Event, args: list, wide: torch.dtype) -> torch.Tensor | None:
    def widen(value: object) -> object:
        whole = isinstance(value, torch.Tensor) and not value.is_floating_point()
        return value.to(wide) if whole else value

    name = event.name.rstrip("_")
    kwargs = {k: widen(v) for k, v in event.kwargs.items() if k not in ("out", "dtype")}
    args = [widen(a) for a in args]
    if name == "rsub":
        return args[1] - args[0]
    function = getattr(torch, name)
    if name in ("matmul", "mm", "bmm", "dot") and sum(a.numel() for a in args) > 10**5:
        return None
    return function(*args, **kwargs)


def _tell(event: Event, made: torch.Tensor, true: torch.Tensor, wrong: torch.Tensor) -> None:
    dtype = str(made.dtype).removeprefix("torch.")
    info = torch.iinfo(made.dtype)
    name = event.call_it(event.x, "x")
    event.report(
        "integer-wrap",
        *event.tensors[:2],
        dtype=dtype,
        low=info.min,
        high=info.max,
        true=f"{true[wrong][0].item():g}" if true.is_floating_point() else true[wrong][0].item(),
        got=made[wrong][0].item(),
        count=int(wrong.sum()),
        x=name,
        wide=".float()" if made.dtype in (torch.uint8, torch.int64) else ".long()",
    )


def _wanted(event: Event) -> bool:
    """Wrapping on purpose: `& mask`, `% n` or a huge factor, as hashes have."""
    node = event.node
    if any(type(a) is int and abs(a) > 2**32 for a in event.args):
        return True
    while node is not None and isinstance(node, ast.expr):
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.BitAnd, ast.Mod, ast.BitXor)):
            return True
        node = event.source.parents.get(node)
    if isinstance(node, (ast.Assign, ast.AugAssign)):
        words = event.source.function_at(event.place[1]) + event.source.text(event.place[1])
        return any(word in words.lower() for word in ("hash", "lcg", "crc", "xorshift", "wrap"))
    return False


@after(*CASTS)
def cast_wrap(event: Event) -> None:
    """A cast to a small integer type of numbers that it cannot hold."""
    x, made = event.x, event.result
    if not isinstance(made, torch.Tensor) or made.dtype not in SMALL or made is x:
        return
    if not event.plain or made.numel() == 0 or x.dtype == torch.bool or x.numel() > MOST:
        return
    info = torch.iinfo(made.dtype)
    true = x.double()
    wrong = (true >= info.max + 1) | (true <= info.min - 1)
    wrong &= true.isfinite()
    if bool(wrong.any()):
        dtype = str(made.dtype).removeprefix("torch.")
        event.report(
            "cast-wrap",
            x,
            x=event.call_it(x, "x"),
            dtype=dtype,
            low=info.min,
            high=info.max,
            true=f"{true[wrong][0].item():g}",
            got=made[wrong][0].item(),
        )
