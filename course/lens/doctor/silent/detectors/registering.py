"""Parameters that nobody registers or steps: in plain lists, made in `forward`, left out."""

from __future__ import annotations

import ast
import sys
import weakref

import torch
from torch import nn

from lens.doctor.silent.places import is_own, locals_of, own_frame
from lens.doctor.silent.signals import at
from lens.doctor.silent.source import Source, calls
from lens.doctor.silent.walks import history

LAYERS = ("Linear", "Conv1d", "Conv2d", "Conv3d", "Parameter", "Embedding", "LSTM", "GRU")
KEEPERS = {"ModuleList", "Sequential", "ParameterList", "ModuleDict", "ParameterDict", "setattr"}
KEEPERS |= {"add_module", "register_parameter", "register_module"}


@at("registered")
def remember_owner(session, module, name, parameter) -> None:
    """A layer is being made: within which learner's module, and in its `forward` or not."""
    frame = sys._getframe(2)
    while frame is not None:
        owner = locals_of(frame).get("self")
        own = is_own(frame.f_code.co_filename)
        if own and isinstance(owner, nn.Module) and owner is not module:
            if frame.f_code.co_name == "forward":
                _made_in_forward(session, module, frame)
            else:
                session.memo["owners"][id(owner)] = weakref.ref(owner)
            return
        frame = frame.f_back


def _made_in_forward(session, module: nn.Module, frame) -> None:
    place = frame.f_code.co_filename, frame.f_lineno
    made = session.memo["in forward"].setdefault(place, {})
    if not any(ref() is module for ref in made.values()):
        made[len(made)] = weakref.ref(module)
    statements = session.source(place[0]).statements_at(place[1])
    kept = any("self." in ast.unparse(t) for s in statements for t in getattr(s, "targets", ()))
    called_at_once = any(isinstance(c.func, ast.Call) for s in statements for c, _ in calls(s))
    if not kept and (len(made) >= 2 or called_at_once):
        blanks = {"layer": type(module).__name__}
        session.report("layer-in-forward", *place, blanks=blanks)


@at("after_forward")
def remember_module(session, module, args, result) -> None:
    """Modules of the learner's own that ran."""
    if not type(module).__module__.startswith("torch."):
        session.memo["owners"].setdefault(id(module), weakref.ref(module))
    if len(session.running) == 1:
        session.memo["roots run"].setdefault(id(module), weakref.ref(module))


@at("end")
def unregistered(session) -> None:
    """Trainable tensors of the modules that were made or ran, which these do not list."""
    for value in list(session.spaces.get(session.main, {}).values()):
        if isinstance(value, nn.Module) and not type(value).__module__.startswith("torch."):
            session.memo["owners"].setdefault(id(value), weakref.ref(value))
    modules = [m for ref in session.memo["owners"].values() if (m := ref()) is not None]
    registered = {id(p) for m in modules for p in m.parameters()}
    stepped = session.memo["optimized"]
    for module in modules:
        for name, value in list(vars(module).items()):
            if name.startswith("_"):
                continue
            lost = [p for p in _parameters_in(value, registered) if id(p) not in stepped]
            if lost:
                _tell(session, module, name, lost)
    _from_source(session)


def _parameters_in(value: object, registered: set[int], depth: int = 0) -> list[torch.Tensor]:
    """Trainable tensors in a plain attribute that no module registers."""
    if isinstance(value, nn.Module):
        found = [] if depth == 0 else list(value.parameters())
    elif isinstance(value, torch.Tensor):
        found = [] if not value.requires_grad else [value if value.is_leaf else _leaf_of(value)]
    elif isinstance(value, dict):
        found = [p for v in value.values() for p in _parameters_in(v, registered, depth + 1)]
    elif type(value) in (list, tuple):
        found = [p for v in value for p in _parameters_in(v, registered, depth + 1)]
    else:
        found = []
    return [p for p in found if p is not None and p.requires_grad and id(p) not in registered]


def _leaf_of(value: torch.Tensor) -> torch.Tensor | None:
    """The parameter behind `nn.Parameter(…).to(…)` or `nn.Parameter(…) * 0.1`."""
    node = history(value)
    near = [n for n, _ in node.next_functions if n is not None] if node is not None else []
    only = near[0] if len(near) == 1 else None
    found = only is not None and only.name().endswith("AccumulateGrad")
    return only.variable if found and isinstance(only.variable, nn.Parameter) else None


def _tell(session, module: nn.Module, name: str, lost: list[torch.Tensor]) -> None:
    place = _assignment(session, type(module), name)
    if place is not None:
        session.report(
            "unregistered-attribute",
            *place,
            blanks={
                "name": name,
                "count": len(lost),
                "cls": type(module).__name__,
                "kind": type(vars(module)[name]).__name__,
                "code": _registered(session.source(place[0]), place[1], vars(module)[name], name),
            },
        )


def _registered(source: Source, line: int, value: object, name: str) -> str:
    """The assignment with a container that registers, or a Parameter, around its value."""
    values = [s.value for s in source.statements_at(line) if isinstance(s, ast.Assign)]
    text = ast.unparse(values[0]) if values else "…"
    if isinstance(value, torch.Tensor):
        plain = text.replace(", requires_grad=True", "").replace("nn.Parameter", "")
        return f"self.{name} = nn.Parameter({plain})"
    if isinstance(value, dict):
        return f"self.{name} = nn.ModuleDict({text})"
    inside = next(iter(value), None) if isinstance(value, (list, tuple)) else None
    kind = "ParameterList" if isinstance(inside, torch.Tensor) else "ModuleList"
    return f"self.{name} = nn.{kind}({text})"


def _assignment(session, cls: type, name: str) -> tuple[str, int] | None:
    """Where the class assigns or fills `self.name`."""
    init = next((vars(c).get("__init__") for c in cls.__mro__ if "__init__" in vars(c)), None)
    code = getattr(init, "__code__", None)
    if code is None or not is_own(code.co_filename):
        return None
    source = session.source(code.co_filename)
    for node in ast.walk(source.tree):
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.lineno >= code.co_firstlineno:
            parts = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(f"self.{name}" == ast.unparse(t) for t in parts):
                return code.co_filename, node.lineno
    return code.co_filename, code.co_firstlineno


def _from_source(session) -> None:
    """A class whose instances are gone: `self.layers = [nn.Linear(…), …]`, never registered."""
    source = session.source(session.main)
    for cls in ast.walk(source.tree):
        if isinstance(cls, ast.ClassDef) and _is_module_class(cls) and _used(source, cls):
            text = {name for _, name in calls(cls)}
            if text & KEEPERS:
                continue
            for node in ast.walk(cls):
                name = _plain_layers(node) or _filled_later(node, cls)
                if name and session.watched(session.main, node.lineno) and _gone(session, cls):
                    blanks = {"name": name, "count": "…", "cls": cls.name, "kind": "list"}
                    blanks["code"] = f"self.{name} = nn.ModuleList({ast.unparse(node.value)})"
                    session.report(
                        "unregistered-attribute", session.main, node.lineno, blanks=blanks
                    )


def _is_module_class(cls: ast.ClassDef) -> bool:
    return any(ast.unparse(base).endswith("Module") for base in cls.bases)


def _used(source: Source, cls: ast.ClassDef) -> bool:
    return any(name == cls.name for _, name in calls(source.tree))


def _gone(session, cls: ast.ClassDef) -> bool:
    """No instance was left to look at."""
    alive = [m for ref in session.memo["owners"].values() if (m := ref()) is not None]
    return not any(type(m).__name__ == cls.name for m in alive)


def _plain_layers(node: ast.AST) -> str | None:
    if not isinstance(node, ast.Assign) or not isinstance(node.value, (ast.List, ast.ListComp)):
        return None
    target = ast.unparse(node.targets[0])
    made = [ast.unparse(c.func) for c, _ in calls(node.value)]
    if target.startswith("self.") and any(m.rpartition(".")[2] in LAYERS for m in made):
        return target.removeprefix("self.")
    return None


def _filled_later(node: ast.AST, cls: ast.ClassDef) -> str | None:
    """`self.layers = []`, to which layers are appended."""
    if not (isinstance(node, ast.Assign) and ast.unparse(node.value) == "[]"):
        return None
    target = ast.unparse(node.targets[0])
    for call, name in calls(cls):
        given = call.args[0] if call.args else None
        layer = isinstance(given, ast.Call) and ast.unparse(given.func).endswith(LAYERS)
        if layer and name == "append" and ast.unparse(call.func) == f"{target}.append":
            return target.removeprefix("self.")
    return None


@at("before_step")
def left_out(session, optimizer, frame) -> None:
    """The optimizer holds parameters that no gradient reaches, and others get theirs unstepped."""
    optimized = session.memo["optimized"]
    params = [p for group in optimizer.param_groups for p in group["params"]]
    for p in params:
        optimized[id(p)] = weakref.ref(p)
    session.memo["reached"].update(session.memo["had"])
    frame = frame or own_frame(2)
    if frame is None or not session.memo["loop"].get("backwards"):
        return
    idle = [p for p in params if p.grad is None and id(p) not in session.memo["had"]]
    if idle:
        place = frame.f_code.co_filename, frame.f_lineno
        session.memo["idle"].setdefault(place, [weakref.ref(p) for p in idle])


@at("end")
def never_stepped(session) -> None:
    """Parameters with gradients in no optimizer, while an optimizer steps others without any."""
    optimized = session.memo["optimized"]
    if not session.memo["idle"]:
        return
    roots = [m for ref in session.memo["roots run"].values() if (m := ref()) is not None]
    listed = {id(p): p for m in roots for p in m.parameters()}
    forgotten = [
        p
        for key, ref in session.memo["reached"].items()
        if (p := ref()) is not None
        and key not in optimized
        and (key in listed or isinstance(p, nn.Parameter))
    ]
    for place, refs in session.memo["idle"].items():
        idle = [p for ref in refs if (p := ref()) is not None and id(p) not in listed]
        lost = [p for p in forgotten if p.grad is not None]
        if idle and lost:
            blanks = {"count": len(lost), "idle": len(idle), "shape": tuple(lost[0].shape)}
            session.report("left-out-of-optimizer", *place, blanks=blanks)
