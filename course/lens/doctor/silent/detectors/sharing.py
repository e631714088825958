"""Memory under two names: an in-place write that shows where a copy was meant."""

from __future__ import annotations

import ast

import numpy as np
import torch

from lens.doctor.silent.event import Event
from lens.doctor.silent.places import locals_of
from lens.doctor.silent.signals import after, at, words
from lens.doctor.silent.source import Source, called, targets

ALIASES = ("numpy", "from_numpy", "as_tensor", "asarray", "detach", "state_dict", "__array__")
IN_PLACE = words(
    "add_ sub_ mul_ div_ pow_ zero_ fill_ copy_ clamp_ masked_fill_ index_fill_ normal_ uniform_ "
    "random_ neg_ abs_ exp_ sqrt_ round_ relu_ scatter_ scatter_add_ index_add_ index_copy_ "
    "setitem"
)


@after(*IN_PLACE)
def write_to_shared(event: Event) -> None:
    """A tensor is changed; a NumPy array or a snapshot over the same memory is read afterwards."""
    x = event.args[0] if event.args else None
    if not isinstance(x, torch.Tensor) or x.is_meta or event.frame is None or not x.numel():
        return
    file, line = event.place
    done = event.session.memo["writes"]
    if (file, line) in done or not event.source.lines:
        return
    first, last = _extent(x)
    for name, value in _names(event.frame):
        if isinstance(value, torch.Tensor):
            snapshot = value is not x and not value.requires_grad and x.requires_grad
            if snapshot and _holds(value, {first}, []):
                writer = event.call_it(x, "x")
                _tell_shared(event.session, event.source, file, line, name, writer)
        elif isinstance(value, np.ndarray) and value.size and _inside(value, first, last):
            if not value.flags.writeable and value.base is not x:
                done[file, line] = True
                _tell_read_only(event, name, x)
            elif _tell_shared(event.session, event.source, file, line, name, event.call_it(x)):
                done[file, line] = True


def _names(frame) -> list[tuple[str, object]]:
    spaces = {**frame.f_globals, **locals_of(frame)}
    return [(name, value) for name, value in spaces.items() if not name.startswith("_")]


def _extent(x: torch.Tensor) -> tuple[int, int]:
    storage = x.untyped_storage()
    return storage.data_ptr(), storage.data_ptr() + storage.nbytes()


def _inside(array: np.ndarray, first: int, last: int) -> bool:
    start, end = np.lib.array_utils.byte_bounds(array)
    return start < last and first < end


def _tell_read_only(event: Event, name: str, x: torch.Tensor) -> None:
    made = _aliasing(event.source, event.call_it(x, "x"), event.place[1])
    line = made.lineno if made else event.place[1]
    event.session.report(
        "read-only-array",
        event.place[0],
        line,
        named=[(event.call_it(x, "x"), x)],
        blanks={"array": name, "x": event.call_it(x, "x"), "line": event.place[1]},
    )


def _tell_shared(session, source: Source, file: str, line: int, name: str, writer: str) -> bool:
    """Report the line that made the alias, when the other name is read after the write."""
    made = _aliasing(source, name, line) or _aliasing(source, writer, line, name)
    if made is None:
        return False
    scope = source.scope(made)
    read = source.read_after(name, line, scope)
    if read is None or not _straight(source, made, line) or _view_on_purpose(source, read):
        return False
    session.report(
        "shared-memory",
        file,
        made.lineno,
        ast.unparse(made),
        blanks={
            "alias": name,
            "x": writer,
            "line": line,
            "read": read,
            "code": _copying(made),
        },
    )
    return True


def _view_on_purpose(source: Source, line: int) -> bool:
    """Read only to look at the memory itself."""
    text = source.text(line)
    return any(word in text for word in ("show_storage", "shares_memory", "may_share", "data_ptr"))


def _aliasing(source: Source, name: str, before: int, mentions: str = "") -> ast.stmt | None:
    """The last assignment of a name before a line, if what it assigns shares memory."""
    found = None
    for node in ast.walk(source.tree):
        binds = isinstance(node, ast.Assign) and name in targets(node) and node.lineno < before
        if binds and (found is None or node.lineno >= found.lineno):
            found = node
    if found is None or not _shares(found.value):
        return None
    used = {n.id for n in ast.walk(found.value) if isinstance(n, ast.Name)}
    return found if not mentions or mentions in used else None


def _shares(value: ast.expr) -> bool:
    """`x.numpy()`, `torch.from_numpy(a)`, `w.detach()`, `net.state_dict()`, `w.data`."""
    if isinstance(value, ast.Dict):
        return any(_shares(each) for each in value.values)
    while isinstance(value, (ast.Subscript, ast.Attribute)):
        if isinstance(value, ast.Attribute) and value.attr == "data":
            return True
        value = value.value
    if not isinstance(value, ast.Call):
        return False
    name = called(value)
    if name in ("view", "reshape", "squeeze", "transpose", "T"):
        return isinstance(value.func, ast.Attribute) and _shares(value.func.value)
    inner = value.func.value if isinstance(value.func, ast.Attribute) else None
    copied = isinstance(inner, ast.Call) and called(inner) in ("clone", "copy", "float", "deepcopy")
    given = value.args[0] if value.args else None
    copied |= isinstance(given, ast.Call) and called(given) in ("copy", "clone", "deepcopy")
    return name in ALIASES and not copied and len(value.args) < 2


def _straight(source: Source, made: ast.stmt, line: int) -> bool:
    """The alias and the write belong to one scope."""
    return any(source.scope(s) is source.scope(made) for s in source.statements_at(line))


def _copying(made: ast.stmt) -> str:
    """The assignment with a copy in it."""
    text = ast.unparse(made)
    for old, new in (
        (".detach().numpy()", ".detach().clone().numpy()"),
        (".numpy()", ".clone().numpy()"),
        (".detach()", ".detach().clone()"),
        (".data", ".detach().clone()"),
    ):
        if old in text:
            return text.replace(old, new, 1)
    for word in ("from_numpy(", "as_tensor(", "asarray("):
        if word in text:
            return text.replace(word, "tensor(")
    target, _, value = text.partition(" = ")
    return f"import copy\n{target} = copy.deepcopy({value})" if value else text


@at("after_step")
def step_changes_snapshot(session, optimizer, frame) -> None:
    """Parameters change in place; a `state_dict()` or `detach()` taken before is no snapshot."""
    if frame is None:
        return
    file, line = frame.f_code.co_filename, frame.f_lineno
    source = session.source(file)
    done = session.memo["snapshots"]
    if not source.lines or (file, line) in done:
        return
    done[file, line] = True
    params = [p for group in optimizer.param_groups for p in group["params"]]
    places = {p.untyped_storage().data_ptr() for p in params if p.numel()}
    for name, value in _names(frame):
        if _holds(value, places, params) and _snapshot_read(source, name, line):
            _tell_shared(session, source, file, line, name, "optimizer.step()")


def _holds(value: object, places: set[int], params: list) -> bool:
    if isinstance(value, dict) and type(value).__name__ in ("OrderedDict", "dict"):
        return any(_holds(v, places, params) for v in list(value.values())[:4])
    own = isinstance(value, torch.Tensor) and not any(value is p for p in params)
    return own and not value.is_meta and value.untyped_storage().data_ptr() in places


def _snapshot_read(source: Source, name: str, line: int) -> bool:
    return any(
        isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load) and n.lineno > line
        for n in ast.walk(source.tree)
    )


@at("end")
def array_written_under_tensor(session) -> None:
    """`t = torch.from_numpy(a)`, then `a[0] = …`, then t is read as if it were a copy."""
    frame = session.home
    if frame is None or not session.main:
        return
    source = session.source(session.main)
    first, last = session.span or (1, len(source.lines))
    for node in source.tree.body:
        if not isinstance(node, ast.Assign) or not first <= node.lineno <= last:
            continue
        names = targets(node)
        shares = isinstance(node.value, ast.Call) and _shares(node.value)
        if len(names) == 1 and shares and called(node.value) in ("from_numpy", "as_tensor"):
            _follow(session, source, node, names[0])


def _follow(session, source: Source, made: ast.Assign, name: str) -> None:
    array = made.value.args[0] if made.value.args else None
    space = session.spaces.get(session.main, {})
    one, two = space.get(name), space.get(getattr(array, "id", ""))
    if not (isinstance(one, torch.Tensor) and isinstance(two, np.ndarray) and two.size):
        return
    if not _inside(two, *_extent(one)):
        return
    for node in source.tree.body:
        if node.lineno > made.lineno and array.id in targets(node) and isinstance(node, ast.Assign):
            return
        if node.lineno > made.lineno and _writes(node, array.id):
            read = source.read_after(name, node.end_lineno)
            if read and not _view_on_purpose(source, read):
                session.report(
                    "shared-memory",
                    session.main,
                    made.lineno,
                    ast.unparse(made),
                    blanks={
                        "alias": name,
                        "x": array.id,
                        "line": node.lineno,
                        "read": read,
                        "code": _copying(made),
                    },
                )
            return


def _writes(node: ast.stmt, name: str) -> bool:
    target = None
    if isinstance(node, ast.Assign):
        target = node.targets[0] if isinstance(node.targets[0], ast.Subscript) else None
    elif isinstance(node, ast.AugAssign):
        target = node.target
    base = target.value if isinstance(target, ast.Subscript) else target
    return isinstance(base, ast.Name) and base.id == name
