"""Two names for one tensor: a plain assignment, a list multiplied, snapshots that are no copies."""

from __future__ import annotations

import ast

import numpy as np
import torch

from lens.doctor.silent.event import Event
from lens.doctor.silent.places import locals_of
from lens.doctor.silent.signals import after, at, words
from lens.doctor.silent.source import Source, calls, targets

WRITES = words("add_ sub_ mul_ div_ pow_ zero_ fill_ copy_ clamp_ masked_fill_ setitem neg_ abs_")
MADE = words("tensor zeros ones rand randn full empty arange zeros_like ones_like")


@after(*WRITES)
def write_through_second_name(event: Event) -> None:
    """`b = a`, then `b += 1`, then `a` is read."""
    x = event.args[0] if event.args else None
    if not isinstance(x, torch.Tensor) or event.frame is None or not event.source.lines:
        return
    done = event.session.memo["alias writes"]
    if event.place in done or not event.direct:
        return
    done[event.place] = True
    names = [n for n, v in locals_of(event.frame).items() if v is x and not n.startswith("_")]
    if len(names) < 2:
        return
    statements = event.source.statements_at(event.place[1])
    for made in _plain_copies(event.source, names, event.place[1]):
        pair = targets(made)[0], made.value.id
        scope = event.source.scope(made)
        if not any(event.source.scope(s) is scope for s in statements):
            continue
        writer = event.call_it(x, pair[0])
        alias = pair[0] if writer == pair[1] else pair[1]
        read = event.source.read_after(alias, event.place[1], scope)
        if read is not None:
            _tell(event.session, event.place, made, alias, writer, read)


def _plain_copies(source: Source, names: list[str], line: int) -> list[ast.Assign]:
    """Statements `b = a` above a line, where both names stand for the tensor."""
    return [
        node
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Assign)
        and node.lineno < line
        and isinstance(node.value, ast.Name)
        and len(targets(node)) == 1
        and {targets(node)[0], node.value.id} <= set(names)
    ]


def _tell(session, place, made: ast.stmt, alias: str, writer: str, read: int) -> None:
    target, _, value = ast.unparse(made).partition(" = ")
    blanks = {"alias": alias, "x": writer, "line": place[1], "read": read}
    blanks["code"] = f"{target} = {value}.clone()"
    session.report("shared-memory", place[0], made.lineno, ast.unparse(made), blanks=blanks)


@at("end")
def list_of_one_tensor(session) -> None:
    """`[torch.zeros(2)] * 3`, then a write into one of them: all three are the same tensor."""
    source, space = session.source(session.main), session.spaces.get(session.main, {})
    for node in ast.walk(source.tree):
        multiplied = isinstance(node, ast.Assign) and isinstance(node.value, ast.BinOp)
        if not multiplied or not isinstance(node.value.op, ast.Mult):
            continue
        parts = [p for p in (node.value.left, node.value.right) if isinstance(p, ast.List)]
        makes = parts and any(name in MADE for _, name in calls(parts[0]))
        value = space.get(next(iter(targets(node)), ""))
        if makes and isinstance(value, list) and _one_and_written(value):
            name = targets(node)[0]
            blanks = {"alias": f"{name}[1]", "x": f"{name}[0]", "line": node.lineno}
            blanks |= {"read": node.lineno, "name": name, "n": len(value)}
            blanks["code"] = (
                f"{name} = [{ast.unparse(parts[0].elts[0])} for _ in range({len(value)})]"
            )
            session.report("list-of-one", session.main, node.lineno, blanks=blanks)


def _one_and_written(value: list) -> bool:
    same = len(value) > 1 and all(each is value[0] for each in value)
    return same and isinstance(value[0], torch.Tensor) and value[0]._version > 0


@at("after_step")
def snapshots_in_a_list(session, optimizer, frame) -> None:
    """`history.append(w.detach())` in a loop of steps: every entry is the same memory."""
    params = [p for group in optimizer.param_groups for p in group["params"] if p.numel()]
    if frame is not None:
        _look_for_snapshots(session, frame, {p.data_ptr() for p in params})


@after("sub_", "add_")
def snapshots_by_hand(event: Event) -> None:
    """The same in a loop that updates its weights by hand."""
    x = event.args[0]
    if x._is_view() or not x.requires_grad:
        return
    if event.frame is not None and x.is_leaf and "grad" in event.expression:
        _look_for_snapshots(event.session, event.frame, {x.data_ptr()})


def _look_for_snapshots(session, frame, places: set[int]) -> None:
    source = session.source(frame.f_code.co_filename)
    if session.memo["lists"].get(frame.f_code, 0) > 8:
        return
    session.memo["lists"][frame.f_code] = session.memo["lists"].get(frame.f_code, 0) + 1
    for name, value in {**frame.f_globals, **locals_of(frame)}.items():
        if type(value) is list and len(value) > 1 and _all_at(value, places):
            for call, method in calls(source.tree):
                if method == "append" and ast.unparse(call.func) == f"{name}.append":
                    code = ast.unparse(call)
                    fixed = f"{name}.append({ast.unparse(call.args[0])}.clone())"
                    if "numpy()" in code:
                        fixed = fixed.replace(".clone()", ".copy()")
                    blanks = {"name": name, "code": fixed, "n": len(value)}
                    session.report(
                        "snapshots-of-one",
                        frame.f_code.co_filename,
                        call.lineno,
                        code,
                        blanks=blanks,
                    )


def _all_at(value: list, places: set[int]) -> bool:
    first = [_address(each) for each in value[:4]]
    return None not in first and len(set(first)) == 1 and first[0] in places


def _address(value: object) -> int | None:
    if isinstance(value, np.ndarray):
        return value.ctypes.data
    if isinstance(value, torch.Tensor) and not isinstance(value, torch.nn.Parameter):
        return value.data_ptr() if not value.is_meta and not value.requires_grad else None
    return None
