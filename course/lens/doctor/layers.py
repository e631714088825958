"""The layer that failed: read from the frames of torch's modules in the traceback."""

from __future__ import annotations

from dataclasses import dataclass
from types import FrameType

from torch import nn

from lens.doctor.names import is_plain_tensor
from lens.language import say


@dataclass(frozen=True)
class Layer:
    """A module inside the learner's model: `path` "encoder.0", `root` the name of the model."""

    module: nn.Module
    path: str
    root: str
    model: nn.Module
    given: object = None

    @property
    def code(self) -> str:
        """The layer as the learner would write it: `net.encoder[0]`."""
        text = self.root
        for part in filter(None, self.path.split(".")):
            text += f"[{part}]" if part.isdigit() else f".{part}"
        return text

    @property
    def title(self) -> str:
        """A short name: where it stands in the model, or its class."""
        return type(self.module).__name__ if "(" in self.code or not self.code else self.code

    def describe(self) -> str:
        """Name in the model, repr, and the shape that came in."""
        shape = tuple(self.given.shape) if is_plain_tensor(self.given) else None
        came = say(f", input {shape}", f"，输入 {shape}") if shape is not None else ""
        name = "" if self.title == type(self.module).__name__ else f"{self.title}: "
        return f"{name}{short_repr(self.module)}{came}"


def short_repr(module: nn.Module) -> str:
    """The repr of one of torch's own layers; the class name of a learner's module."""
    own = not type(module).__module__.startswith("torch.")
    if own or module._modules:
        return type(module).__name__
    return repr(module)


def failing_layer(frames: tuple[FrameType, ...], callees, called: str) -> Layer | None:
    """The innermost module whose forward was running, named within the outermost one."""
    running = [f for f in frames if f.f_code.co_name == "forward"]
    modules = [f for f in running if isinstance(f.f_locals.get("self"), nn.Module)]
    if not modules:
        return None
    last, first = modules[-1], modules[0].f_locals["self"]
    module = last.f_locals["self"]
    path = path_of(first, module)
    if path is None:
        first, path = module, ""
    given = _first_input(last)
    root = called if _calls(callees, first) else _name_of(frames, first)
    return Layer(module, path, root, first, given)


def path_of(root: nn.Module, module: nn.Module) -> str | None:
    """The qualified name of a module inside another, "" for itself, None where it is not inside."""
    waiting: list[tuple[str, nn.Module]] = [("", root)]
    done: set[int] = set()
    while waiting:
        path, each = waiting.pop(0)
        if each is module:
            return path
        done.add(id(each))
        for name, child in each._modules.items():
            if child is not None and id(child) not in done:
                waiting.append((f"{path}.{name}".lstrip("."), child))
    return None


def _first_input(frame: FrameType) -> object:
    names = frame.f_code.co_varnames[1 : frame.f_code.co_argcount]
    return frame.f_locals.get(names[0]) if names else None


def _calls(callees: tuple[FrameType, ...], module: nn.Module) -> bool:
    return bool(callees) and callees[0].f_locals.get("self") is module


def _name_of(frames: tuple[FrameType, ...], module: nn.Module) -> str:
    for frame in frames:
        for name, value in frame.f_locals.items():
            if value is module and not name.startswith("_") and name != "self":
                return name
    return "self" if any(f.f_locals.get("self") is module for f in frames) else ""
