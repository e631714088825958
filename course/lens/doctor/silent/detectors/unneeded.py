"""Evaluation outside `torch.no_grad()`: graphs for a backward pass that never comes."""

from __future__ import annotations

import re
import weakref

import torch

from lens.doctor.silent.places import own_frame
from lens.doctor.silent.signals import at

EVALUATES = re.compile(
    r"(^|_)(val|valid|validate|validation|eval|evaluate|evaluation|predict|infer|inference)(_|\d|$)"
)
MOST = 500


class _Probe:
    """Hangs on a node of the graph: dies with it, and knows whether a backward pass came by."""

    def __init__(self, record: dict):
        self.record = record

    def __call__(self, grads) -> None:
        self.record["used"] = True


@at("after_forward")
def remember_forward(session, module, args, result) -> None:
    """The result of the outermost module, where it looks like evaluation."""
    if len(session.running) != 1 or not isinstance(result, torch.Tensor) or result.grad_fn is None:
        return
    frame = own_frame(2)
    if frame is None:
        return
    file, line = frame.f_code.co_filename, frame.f_lineno
    source = session.source(file)
    names = [frame.f_code.co_name, source.function_at(line), *source.assigned_at(line)]
    named = any(EVALUATES.search(name.lower()) for name in names)
    looped = not module.training and source.loop_at(line) is not None
    records = session.memo["forwards"].setdefault("all", [])
    if not (named or looped) or len(records) >= MOST:
        return
    record = {"place": (file, line), "named": named, "looped": looped, "used": False}
    probe = _Probe(record)
    record["handle"] = result.grad_fn.register_prehook(probe)
    record["probe"] = weakref.ref(probe)
    record["shape"] = tuple(result.shape)
    records.append(record)


@at("end")
def graph_unneeded(session) -> None:
    """No backward pass came, and the graph is still held, or it was built again and again."""
    records = session.memo["forwards"].get("all", [])
    for record in records:
        record["alive"] = record["probe"]() is not None
        record["handle"].remove()
    for place in dict.fromkeys(record["place"] for record in records):
        mine = [record for record in records if record["place"] == place]
        if any(record["used"] for record in mine):
            continue
        held = any(r["named"] and r["alive"] for r in mine)
        if held or len([r for r in mine if r["looped"]]) >= 2:
            session.report(
                "graph-unneeded", *place, blanks={"code": session.source(place[0]).text(place[1])}
            )
