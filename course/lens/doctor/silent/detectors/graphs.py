"""The graph cut or kept too long; gradients looked for in the wrong place."""

from __future__ import annotations

import ast
import weakref
from dataclasses import dataclass, field

import torch

from lens.doctor.silent.event import Event
from lens.doctor.silent.signals import after, at, before, words
from lens.doctor.silent.walks import count_nodes, history, leaves_of

CASTS = ("long", "int", "short", "byte", "char", "to", "type", "bool")
CUTS = words(
    "detach get:data item tolist numpy long int short byte char argmax tensor float to type round"
)


@after(*CASTS)
def remember_integer_cast(event: Event) -> None:
    """A cast to integers has no gradient."""
    x, fact = event.x, event.fact(event.result)
    made = event.result
    if fact is None or x is None or not x.requires_grad or made.requires_grad:
        return
    if made.dtype != torch.bool and isinstance(event.source.parents.get(event.node), ast.Assign):
        fact.tags["cast"] = (event.call_it(x, "x"), event.expression, str(made.dtype))


@after("get:requires_grad", "get:grad_fn", "requires_grad_", "set:requires_grad")
def integer_cast(event: Event) -> None:
    """The result of the cast is asked for its graph."""
    fact = event.fact(event.args[0])
    if fact is None or "cast" not in fact.tags or not event.direct:
        return
    x, expression, dtype = fact.tags["cast"]
    event.session.report(
        "graph-cut-by-cast",
        fact.file,
        fact.line,
        expression,
        blanks={"x": x, "dtype": dtype.removeprefix("torch."), "line": event.place[1]},
    )


@at("before_backward")
def backward_from_leaf(session, event: Event, root: torch.Tensor) -> None:
    """The loss has no history: it was wrapped anew, or told to require a gradient."""
    if root.grad_fn is not None or not root.requires_grad or isinstance(root, torch.nn.Parameter):
        return
    if any(event.argument(1, name) is not None for name in ("gradient", "grad_tensors")):
        return
    fact = session.facts.of(root)
    place = (fact.file, fact.line) if fact and fact.file == event.place[0] else event.place
    event.report(
        "backward-from-leaf",
        root,
        at=place,
        x=event.call_it(root, "loss"),
        line=event.place[1],
    )


@dataclass
class _Cut:
    op: str
    expression: str
    leaves: dict[int, weakref.ref] = field(default_factory=dict)


@before(*CUTS)
def remember_cut(event: Event) -> None:
    """Where a value left the graph, and which leaves lie behind it."""
    x = event.x
    if x is None or not x.requires_grad or x.grad_fn is None or not event.direct:
        return
    if event.name == "tensor" and event.kwargs.get("requires_grad"):
        blanks = {"op": "torch.tensor", "shape": tuple(x.shape)}
        event.session.report("graph-rewrapped", *event.place, event.expression, blanks=blanks)
        return
    if event.name in ("to", "type", "float") or event.place in event.session.memo["cuts"]:
        return
    if len(event.session.memo["cuts"]) < 64:
        leaves = {id(leaf): weakref.ref(leaf) for leaf in leaves_of(x.grad_fn)}
        event.session.memo["cuts"][event.place] = _Cut(event.name, event.expression, leaves)


def cut_behind(session, leaf: torch.Tensor) -> tuple[tuple[str, int], _Cut] | None:
    """The place at which the way from this leaf to the loss was cut, if one was seen."""
    for place, cut in session.memo["cuts"].items():
        ref = cut.leaves.get(id(leaf))
        if ref is not None and ref() is leaf:
            return place, cut
    return None


@at("before_step")
def step_without_gradient(session, optimizer, frame) -> None:
    """Parameters whose values reached the loss only past a cut: no gradient came to them."""
    if not session.memo["loop"].get("backwards"):
        return
    for group in optimizer.param_groups:
        for p in group["params"]:
            if p.grad is None and p.requires_grad and id(p) not in session.memo["had"]:
                _tell_cut(session, p)


def _tell_cut(session, leaf: torch.Tensor) -> None:
    found = cut_behind(session, leaf)
    if found is not None:
        (file, line), cut = found
        session.report(
            "graph-cut",
            file,
            line,
            cut.expression,
            blanks={"op": cut.op.removeprefix("get:"), "shape": tuple(leaf.shape)},
        )


@after("get:grad")
def grad_is_none(event: Event) -> None:
    """`.grad` is None: of a tensor that is no leaf, or of a leaf behind a cut."""
    x = event.args[0]
    if event.result is not None or not x.requires_grad or not event.direct:
        return
    if not x.is_leaf and not x.retains_grad:
        fact = event.fact(x)
        name = event.call_it(x, "x")
        event.report(
            "non-leaf-grad",
            x,
            at=(fact.file, fact.line) if fact and fact.file == event.place[0] else None,
            x=name,
            op=fact.op if fact else "…",
            line=event.place[1],
        )
    elif x.is_leaf and event.session.memo["loop"].get("backwards") and _is_printed(event):
        _tell_cut(event.session, x)


def _is_printed(event: Event) -> bool:
    """The gradient is used, not just tested for None."""
    parent = event.source.parents.get(event.node)
    return not isinstance(parent, (ast.Compare, ast.If, ast.BoolOp, ast.Assign))


@at("after_backward")
def remember_backward(session, event: Event, root: torch.Tensor, ok: bool) -> None:
    """This loss was used; it is worth nothing but its number from now on."""
    fact = session.facts.of(root)
    if fact is not None:
        fact.tags["used"] = True
    _early_sums(session, root)
    if root.grad_fn is not None:
        roots = session.memo["roots"].setdefault(event.place, [])
        roots[:] = [ref for ref in roots if ref() is not None][-8:]
        if len([ref for ref in roots if ref() is not root]) >= 2 and not event.kwargs.get("inputs"):
            _tell_kept(session, event, root)
        roots.append(weakref.ref(root))


def _tell_kept(session, event: Event, root: torch.Tensor) -> None:
    name = event.call_it(root, "loss")
    line, text = event.place[1], ""
    for node in ast.walk(event.source.loop_at(line) or ast.Pass()):
        adds = isinstance(node, ast.Call) and getattr(node.func, "attr", "") in ("append", "add")
        if adds and node.args and ast.unparse(node.args[0]) == name:
            line, text = node.lineno, ast.unparse(node)
        if isinstance(node, ast.AugAssign) and ast.unparse(node.value) == f"[{name}]":
            line, text = node.lineno, ast.unparse(node)
    if text:
        blanks = {
            "x": name,
            "code": text.replace(f"({name})", f"({name}.item())").replace(
                f"[{name}]", f"[{name}.item()]"
            ),
            "n": 3,
        }
        session.report("graph-kept-in-list", event.place[0], line, text, blanks=blanks)


@after("add", "add_")
def graph_kept(event: Event) -> None:
    """`running += loss`: the total keeps the graph of every step."""
    made = event.result
    if not isinstance(made, torch.Tensor) or not made.requires_grad or made.numel() != 1:
        return
    statement = next(iter(event.source.statements_at(event.place[1])), None)
    total = _total(statement, event)
    if total is None:
        return
    for t in event.tensors:
        fact = event.fact(t)
        used = fact and any(f.tags.get("used") for f in (fact, *fact.parents))
        if used and history(t) is not None:
            _tell_total(event.session, event.place, event.expression, total, event.call_it(t))
            return
    sums = event.session.memo["early"].setdefault("sums", [])
    named = [(weakref.ref(t), event.call_it(t)) for t in event.tensors if history(t)]
    sums.append((weakref.ref(made), named, event.place, event.expression, total))
    del sums[:-16]


def _total(statement: ast.stmt | None, event: Event) -> str | None:
    """The name that a statement adds to: `total += x`, `total = total + x`."""
    if isinstance(statement, ast.AugAssign):
        return ast.unparse(statement.target)
    if isinstance(statement, ast.Assign) and isinstance(event.node, ast.BinOp):
        name = ast.unparse(statement.targets[0])
        return name if name in map(ast.unparse, (event.node.left, event.node.right)) else None
    return None


def _tell_total(session, place, expression: str, total: str, name: str) -> None:
    blanks = {"total": total, "x": name}
    session.report("graph-kept-in-total", *place, expression, blanks=blanks)


def _early_sums(session, root: torch.Tensor) -> None:
    """The total was formed before `backward()` ran through its last part."""
    for made, named, place, expression, total in session.memo["early"].get("sums", []):
        if made() is not None and made() is not root:
            for ref, name in named:
                if ref() is root and session.source(place[0]).loop_at(place[1]) is not None:
                    _tell_total(session, place, expression, total, name)


@at("before_backward")
def growing_graph(session, event: Event, root: torch.Tensor) -> None:
    """`retain_graph=True` in a loop, and each backward goes through more than the one before."""
    if not event.argument(2, "retain_graph") or root.grad_fn is None:
        return
    sizes = session.memo["sizes"].setdefault(event.place, [])
    sizes.append(count_nodes(root.grad_fn))
    if len(sizes) >= 4 and all(a < b for a, b in zip(sizes[-4:], sizes[-3:], strict=False)):
        event.report("graph-grows", root, x=event.call_it(root, "loss"), a=sizes[-4], b=sizes[-1])
