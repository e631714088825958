"""Steps of a training loop: old gradients under new ones, or cleared early; runaway losses."""

from __future__ import annotations

import ast
import math
import weakref

import torch

from lens.doctor.silent.event import Event
from lens.doctor.silent.places import names_of
from lens.doctor.silent.signals import after, at, before
from lens.doctor.silent.walks import leaves_of

SAMPLE = 8  # parameters of an optimizer that are looked at
BY_HAND = ("sub_", "add_", "copy_", "set:data", "addcdiv_")


@at("before_backward")
def look_for_old_gradients(session, event: Event, root: torch.Tensor) -> None:
    """A parameter that stepped and whose gradient was cleared since is clean again."""
    stepped = session.memo["stepped"]
    for key, (ref, grad, _) in list(stepped.items()):
        p = ref()
        if p is None or p.grad is None or p.grad is not grad() or not bool(p.grad.any()):
            del stepped[key]
            session.memo["dirty"].pop(key, None)
    if root.grad_fn is not None:
        session.memo["loop"]["leaves"] = [weakref.ref(p) for p in leaves_of(root.grad_fn)[:512]]


@at("after_backward")
def remember_fresh(session, event: Event, root: torch.Tensor, ok: bool) -> None:
    """Which parameters got a gradient in this pass."""
    loop = session.memo["loop"]
    loop["backwards"] = loop.get("backwards", 0) + 1
    loop["place"] = event.place
    had, dirty = session.memo["had"], session.memo["dirty"]
    for ref in loop.get("leaves", ()):
        p = ref()
        if p is not None and p.grad is not None:
            had[id(p)] = ref
            if id(p) in session.memo["stepped"]:
                dirty[id(p)] = event.place
    losses = session.memo["losses"].setdefault(event.place, [])
    if root.numel() == 1:
        losses.append(root.detach().double().item())
        _diverging(session, event, losses)


@at("before_step")
def judge_step(session, optimizer, frame) -> None:
    """At a step: no gradient left that was there, or old gradients under the new."""
    if frame is None or frame.f_code.co_filename == "":
        return
    place = frame.f_code.co_filename, frame.f_lineno
    params = [p for group in optimizer.param_groups for p in group["params"]][:512]
    had = session.memo["had"]
    fresh = [p for p in params if id(p) in had and had[id(p)]() is p]
    name = (names_of(frame, optimizer) or ["optimizer"])[0]
    if fresh and all(p.grad is None or not bool(p.grad.any()) for p in params):
        if any(id(p) in session.memo["cleared"] for p in fresh):
            cleared = next(iter(session.memo["cleared"].values()))
            session.report("zero-grad-misplaced", *cleared, blanks={"opt": name, "line": place[1]})
    elif any(id(p) in session.memo["dirty"] for p in params[:SAMPLE]):
        session.report("zero-grad-missing", *place, blanks={"opt": name})


@at("after_step")
def remember_step(session, optimizer, frame) -> None:
    """These gradients are spent: whatever is added to them from now on is added to old ones."""
    loop = session.memo["loop"]
    params = [p for group in optimizer.param_groups for p in group["params"]]
    for p in params:
        session.memo["had"].pop(id(p), None)
        session.memo["dirty"].pop(id(p), None)
        session.memo["cleared"].pop(id(p), None)
    rate = f"lr={optimizer.param_groups[0].get('lr', 0):g}"
    for p in params[:SAMPLE]:
        if p.grad is not None:
            session.memo["stepped"][id(p)] = (weakref.ref(p), weakref.ref(p.grad), rate)
    loop["steps"] = loop.get("steps", 0) + 1
    loop["backwards"] = 0
    session.memo["cuts"].clear()


@before("set:grad", "zero_", "_foreach_zero_")
def remember_clearing(event: Event) -> None:
    """A gradient that was just computed is thrown away."""
    had, cleared = event.session.memo["had"], event.session.memo["cleared"]
    if event.name == "set:grad":
        p, value = event.args
        if value is None and id(p) in had and p.grad is not None and bool(p.grad.any()):
            cleared.setdefault(id(p), event.place)
        return
    gone = {id(t) for t in event.tensors}
    for key, ref in had.items():
        p = ref()
        if p is not None and p.grad is not None and id(p.grad) in gone and bool(p.grad.any()):
            cleared.setdefault(key, event.place)


@after(*BY_HAND)
def step_by_hand(event: Event) -> None:
    """`w -= lr * w.grad` without an optimizer is a step too."""
    x = event.args[0]
    p = _leaf_of(event, x)
    if p is None or p.grad is None or not _from_gradient(event, p):
        return
    session = event.session
    if id(p) in session.memo["dirty"]:
        name = event.call_it(x, "w")
        session.report("zero-grad-missing-by-hand", *event.place, blanks={"w": name})
    session.memo["had"].pop(id(p), None)
    session.memo["dirty"].pop(id(p), None)
    session.memo["stepped"][id(p)] = (weakref.ref(p), weakref.ref(p.grad), "")
    session.memo["loop"]["steps"] = session.memo["loop"].get("steps", 0) + 1


def _leaf_of(event: Event, x: torch.Tensor) -> torch.Tensor | None:
    """The leaf that an in-place update changes: x itself, or what `x.data` belongs to."""
    if not x._is_view() and x.requires_grad and x.is_leaf:
        return x
    for ref in list(event.session.memo["had"].values()):
        p = ref()
        if p is not None and p.data_ptr() == x.data_ptr() and p.shape == x.shape:
            return p
    return None


def _from_gradient(event: Event, p: torch.Tensor) -> bool:
    return any(t is p.grad for t in event.tensors) or "grad" in event.expression


def _diverging(session, event: Event, losses: list[float]) -> None:
    """The loss grows, step after step, by orders of magnitude."""
    del losses[:-64]
    if len(losses) < 3 or not session.memo["loop"].get("steps") and not session.memo["stepped"]:
        return
    finite = [v for v in losses if math.isfinite(v)]
    start = abs(finite[0]) if finite else 0
    tail = losses[-4:]
    rising = all(a < b for a, b in zip(tail, tail[1:], strict=False) if math.isfinite(b))
    grown = abs(finite[-1]) / start if start else 0
    gone = not math.isfinite(tail[-1]) and (grown > 1000 or (grown > 10 and len(finite) > 2))
    if gone or (
        rising and len(tail) == 4 and math.isfinite(tail[-1]) and tail[-1] > 1000 * max(start, 1e-6)
    ):
        rate = _rate(session)
        event.report(
            "diverging",
            x=event.call_it(event.x, "loss"),
            first=f"{finite[0]:.3g}",
            last=f"{tail[-1]:.3g}",
            n=len(losses),
            rate=rate,
            smaller=_smaller(rate),
        )


def _rate(session) -> str:
    rates = [rate for _, _, rate in session.memo["stepped"].values() if rate]
    return rates[0] if rates else "lr"


def _smaller(rate: str) -> str:
    value = rate.partition("=")[2]
    return f"lr={float(value) / 10:g}" if value else "lr = lr / 10"


@at("end")
def calls_without_parentheses(session) -> None:
    """`opt.step`, `loss.backward`, `net.eval` as statements of their own do nothing."""
    source = session.source(session.main)
    for node in ast.walk(source.tree):
        if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Attribute):
            continue
        if not session.watched(session.main, node.lineno) or _is_shown(source, node):
            continue
        fault = {
            "step": "not-called-zero-grad",
            "zero_grad": "not-called-zero-grad",
            "backward": "not-called-zero-grad",
            "eval": "not-called-mode",
            "train": "not-called-mode",
        }.get(node.value.attr)
        if fault:
            session.report(
                fault, session.main, node.lineno, blanks={"code": ast.unparse(node.value)}
            )


def _is_shown(source, node: ast.Expr) -> bool:
    """The last expression of a cell is displayed, not forgotten."""
    return bool(source.tree.body) and node is source.tree.body[-1]
