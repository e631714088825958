"""Train and eval mode: forgotten, left on, or switched while nobody was looking."""

from __future__ import annotations

import ast
import weakref

import torch
from torch import nn

from lens.doctor.silent.event import Event
from lens.doctor.silent.places import names_of, own_frame
from lens.doctor.silent.signals import after, at, before
from lens.doctor.silent.source import Source, calls

NORMS = (nn.modules.batchnorm._BatchNorm,)
DROPS = (nn.modules.dropout._DropoutNd,)


def _moody(module: nn.Module, training: bool = True) -> list[nn.Module]:
    """The layers inside that behave differently in the two modes, and are in this one."""
    return [
        m
        for m in module.modules()
        if m.training is training
        and (isinstance(m, DROPS) and m.p > 0 or isinstance(m, NORMS) and m.track_running_stats)
    ]


@at("after_forward")
def follow_modes(session, module, args, result) -> None:
    """What each outermost module did, and in which mode."""
    if len(session.running) != 1 or not isinstance(result, torch.Tensor):
        return
    frame = own_frame(2)
    if frame is None or not any(isinstance(m, NORMS + DROPS) for m in module.modules()):
        return
    place = frame.f_code.co_filename, frame.f_lineno
    history = session.memo["modes"].setdefault(id(module), [])
    name = (names_of(frame, module) or ["net"])[0]
    entry = {
        "training": bool(_moody(module)),
        "place": place,
        "name": name,
        "module": weakref.ref(module),
        "grad": result.requires_grad,
        "layers": sorted({type(m).__name__ for m in _moody(module)}),
        "input": id(args[0]) if args else 0,
    }
    history.append(entry)
    del history[:-64]
    fact = session.facts.of(result)
    if fact is not None:
        fact.tags["forward"] = entry
    if entry["training"]:
        _drop_in_silence(session, module, entry)
    else:
        _probed_in_between(session, history)


def _drop_in_silence(session, module: nn.Module, entry: dict) -> None:
    """In train mode under `no_grad`: evaluation that forgot `eval()`, once its result is used."""
    learns = any(p.requires_grad for p in module.parameters())
    if entry["grad"] or not learns or _meant_training(session.source(entry["place"][0]), entry):
        return
    entry["suspect"] = True


def _meant_training(source: Source, entry: dict) -> bool:
    """`net.train()` stands before it with no `backward()` in between: dropout is wanted."""
    line = entry["place"][1]
    statement = next(iter(source.statements_at(line)), None)
    scope = source.scope(statement) if statement is not None else source.tree
    last = ""
    for call, name in sorted(calls(scope), key=lambda pair: pair[0].lineno):
        if call.lineno <= line and name in ("train", "backward", "eval"):
            last = name
    return last == "train" or not source.lines


@after("item", "tolist", "repr", "format", "eq", "argmax", "sum", "mean", "max", "equal", "float")
def result_used(event: Event) -> None:
    """The numbers of a suspect forward pass are read."""
    for x in event.tensors[:2]:
        fact = event.fact(x)
        while fact is not None:
            entry = fact.tags.get("forward")
            if entry and entry.get("suspect"):
                _tell_forgotten(event.session, entry)
            fact = fact.parents[0] if fact.parents else None


def _tell_forgotten(session, entry: dict) -> None:
    blanks = {"net": entry["name"], "layers": ", ".join(entry["layers"])}
    session.report("eval-forgotten", *entry["place"], blanks=blanks)


@after("equal", "allclose", "eq", "sub")
def outputs_compared(event: Event) -> None:
    """Two outputs of one module for one input, in train mode, compared with each other."""
    if len(event.tensors) != 2:
        return
    one, two = (f.tags.get("forward") if f else None for f in map(event.fact, event.tensors))
    if not one or not two or one is two or one["module"]() is not two["module"]():
        return
    if one["training"] and two["training"] and one["input"] == two["input"]:
        drops = any(isinstance(m, DROPS) for m in _moody(one["module"]() or nn.Identity()))
        if drops and not _meant_training(event.source, two):
            _tell_forgotten(event.session, one)


def _probed_in_between(session, history: list[dict]) -> None:
    """eval, train without a backward pass, eval again: the running statistics moved."""
    if len(history) < 3 or session.memo["loop"].get("backwards", 0):
        return
    *_, first, middle, last = history
    module = last["module"]()
    norms = module is not None and any(isinstance(m, NORMS) for m in module.modules())
    if norms and not first["training"] and middle["training"] and not middle.get("learned"):
        blanks = {"net": middle["name"]}
        session.report("statistics-moved", *middle["place"], blanks=blanks)


@at("before_backward")
def learned_in_eval(session, event: Event, root: torch.Tensor) -> None:
    """Training goes on in eval mode, after it began in train mode."""
    for history in session.memo["modes"].values():
        for entry in history:
            entry["learned"] = True
        module = history[-1]["module"]() if history else None
        if module is None or module.training or not history[-1]["grad"]:
            continue
        before_that = [e["training"] for e in history[:-1]]
        last = history[-1]
        here = last["place"][0] == event.place[0] and _steps_here(session, event)
        if True in before_that and last.get("fresh", True) and here:
            session.report("train-forgotten", *last["place"], blanks={"net": last["name"]})
    for history in session.memo["modes"].values():
        if history:
            history[-1]["fresh"] = False


def _steps_here(session, event: Event) -> bool:
    """An optimizer steps in the same loop."""
    loop = event.source.loop_at(event.place[1])
    return loop is not None and any(name == "step" for _, name in calls(loop))


@before("dropout")
def functional_dropout(event: Event) -> None:
    """`F.dropout(x)` drops in eval mode too: its `training` is True unless told otherwise."""
    training = event.argument(2, "training")
    node = event.node
    inner = event.session.running[-1] if event.session.running else None
    if inner is None or inner.training or training is False or not isinstance(node, ast.Call):
        return
    own = type(inner).__module__.startswith("torch.")
    given = len(node.args) > 2 or any(k.arg in ("training", None) for k in node.keywords)
    if not own and not given and event.argument(1, "p", default=0.5) != 0:
        event.report("functional-dropout", event.x, x=event.call_it(event.x, "x"))


@at("end")
def eval_left_on(session) -> None:
    """A training loop that evaluates, and switches back to train mode only sometimes."""
    source = session.source(session.main)
    evaluators = {
        f.name
        for f in ast.walk(source.tree)
        if isinstance(f, ast.FunctionDef) and _last_mode(f) == "eval"
    }
    trainers = {
        f.name
        for f in ast.walk(source.tree)
        if isinstance(f, ast.FunctionDef) and "train" in {n for _, n in calls(f)}
    }
    for loop in ast.walk(source.tree):
        if not isinstance(loop, (ast.For, ast.While)) or not _moody_ran(session):
            continue
        found = _left_on(source, loop, evaluators, trainers)
        if found is not None and session.watched(session.main, found.lineno):
            net = ast.unparse(found.func.value) if isinstance(found.func, ast.Attribute) else "net"
            session.report("train-forgotten", session.main, found.lineno, blanks={"net": net})


def _last_mode(function: ast.FunctionDef) -> str:
    modes = [(c.lineno, n) for c, n in calls(function) if n in ("eval", "train")]
    return max(modes)[1] if modes else ""


def _moody_ran(session) -> bool:
    return bool(session.memo["modes"])


def _left_on(source: Source, loop: ast.AST, evaluators: set, trainers: set) -> ast.Call | None:
    """The conditional `train()` of a loop that also evaluates; None where the loop is right."""
    evaluates, switched, conditional, learns = [], False, [], False
    for call, name in calls(loop):
        if name in evaluators or name == "eval":
            evaluates.append(call)
        if name == "train" or name in trainers:
            within = next((a for a in source.ancestors(call) if a is loop or _branches(a)), None)
            if within is loop:
                switched = True
            else:
                conditional.append(call)
        learns |= name == "backward"
    if not evaluates or switched:
        return None
    return conditional[0] if conditional else None


def _branches(node: ast.AST) -> bool:
    return isinstance(node, (ast.If, ast.IfExp))
