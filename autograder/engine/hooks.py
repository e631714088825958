"""Where code can hang itself into a kernel: hooks of IPython, of its replies, of Python itself.

What the kernel's own start has put there is noted first; libraries may add to it, learners' code
is what counts as a sign. Code is a library's when its globals are those of an imported module that
lies in this Python: a name or a file name is easily made up.
"""

import builtins
import gc
import operator
import os
import signal
import sys
import threading
import types
from collections.abc import Callable, Iterator

__builtins__ = dict(vars(builtins))  # replacing Python's own changes nothing for the functions here

ROOTS = tuple({os.path.join(os.path.realpath(root), "") for root in (sys.prefix, sys.base_prefix)})
HEAP_TYPE = 1 << 9  # a class that was made by Python code
# Objects of the kernel, as paths from the shell.
PARTS = (
    *("kernel", "kernel.session", "kernel.iopub_socket", "kernel.iopub_thread", "display_pub"),
    *("displayhook", "display_trap", "display_trap.hook", "builtin_trap", "events", "compile"),
    *("input_transformer_manager", "display_formatter", "payload_manager", "history_manager"),
)
LISTS = (
    *("ast_transformers", "input_transformers_post", "custom_exceptions"),
    *("input_transformer_manager.cleanup_transforms", "input_transformer_manager.line_transforms"),
    "input_transformer_manager.token_transformers",
)
# A library that renders tracebacks its own way replaces these on the shell.
RENDERING = {"showtraceback", "_showtraceback", "showsyntaxerror", "showindentationerror"}
RENDERING |= {"CustomTB", "InteractiveTB", "SyntaxTB", "set_next_input", "enable_gui", "system"}
# Builtins that nobody shadows by mistake with a function of the same name.
SHADOWED = ("isinstance", "issubclass", "callable", "hasattr", "getattr", "setattr", "type")
SHADOWED += ("AssertionError", "Exception", "BaseException", "__import__", "globals", "locals")
SPEAKING = ("lens.en", "lens.zh")  # imported by notebooks: the names of `lens`, in a language
ALIASES = ("torch", "np", "numpy", "math", "lens")


def public(module: types.ModuleType | None) -> dict[str, object]:
    """What `from module import *` brings; nothing for None."""
    if module is None:
        return {}
    names = getattr(module, "__all__", None) or [n for n in vars(module) if n[0] != "_"]
    return {name: vars(module)[name] for name in names if name in vars(module)}


def reach(start: object, path: str) -> object:
    """The object at `path` from `start`; None where there is none."""
    for name in path.split("."):
        start = getattr(start, name, None)
    return start


def is_librarys(code: object) -> bool:
    """Whether a callable, or the class of a thing, comes from a library of this Python."""
    code = getattr(code, "func", None) or code  # a partial
    code = getattr(code, "__func__", None) or code  # a method
    if isinstance(code, types.BuiltinFunctionType):
        return True
    space = getattr(code, "__globals__", None)
    if space is not None:
        module = sys.modules.get(space.get("__name__"))
        return module is not None and vars(module) is space and _lies_in_python(module)
    kind = code if isinstance(code, type) else type(code)
    if not kind.__flags__ & HEAP_TYPE:
        return True
    module = sys.modules.get(kind.__module__)
    found = module is not None and reach(module, kind.__qualname__) is kind
    return found and _lies_in_python(module)


def _lies_in_python(module: types.ModuleType) -> bool:
    file = getattr(module, "__file__", None)
    if file is None:
        return module.__name__ in sys.builtin_module_names
    return module.__name__.partition(".")[0] in ("lens", "autograder") or os.path.realpath(
        file
    ).startswith(ROOTS)


class Hooks:
    """The hooks of one kernel as they were when it started."""

    def __init__(self, shell):
        self.shell = shell
        self.parts = {path: reach(shell, path) for path in PARTS}
        self.parts[""] = shell
        self.lists = {path: tuple(reach(shell, path) or ()) for path in LISTS}
        self.own = {path: dict(_own_code(part)) for path, part in self.parts.items()}
        self.classes = {path: type(part) for path, part in self.parts.items()}
        self.handlers = dict(shell.kernel.shell_handlers)
        self.displayhook = sys.displayhook
        self.importers = (*sys.meta_path, *sys.path_hooks, *gc.callbacks)
        self.tracing = (threading.gettrace(), threading.getprofile())
        self.threads = set(sys._current_frames())
        self.tools = _tools()
        self.alarm = signal.getsignal(signal.SIGALRM)
        self.lens = public(sys.modules.get("lens"))

    def changed(self) -> Iterator[str]:
        """Sentences on what was hung in; to be called in any thread."""
        yield from self._parts_changed()
        yield from self._lists_changed()
        yield from self._interpreter_changed()
        yield from self._lens_changed()
        yield from self._namespace_changed()
        yield from self._threads_running()

    def _parts_changed(self) -> Iterator[str]:
        for path, part in self.parts.items():
            label = f"IPython's `shell{'.' if path else ''}{path}`"
            if path and reach(self.shell, path) is not part:
                yield f"{label} was replaced."
            if type(part) is not self.classes[path]:
                yield f"The class of {label} was replaced."
            before = self.own[path]
            for name, code in _own_code(part):
                lenient = not path and name in RENDERING and is_librarys(code)
                if not lenient and not _same(before.get(name), code):
                    yield f"{label} got another `{name}`."
        handlers = self.shell.kernel.shell_handlers
        for name, handler in self.handlers.items():
            if not _same(handlers.get(name), handler):
                yield f"The kernel got another handler of `{name}`."
        if sys.displayhook is not self.displayhook:
            yield "`sys.displayhook` was replaced."

    def _lists_changed(self) -> Iterator[str]:
        for path, before in self.lists.items():
            now = tuple(reach(self.shell, path) or ())
            if len(now) != len(before) or not all(map(_same, now, before)):
                yield f"IPython's `shell.{path}` was changed."
        for event, callbacks in self.shell.events.callbacks.items():
            for callback in tuple(callbacks):
                if not is_librarys(callback):
                    yield f"A function was registered for IPython's event `{event}`."

    def _interpreter_changed(self) -> Iterator[str]:
        for thing in (*sys.meta_path, *sys.path_hooks, *gc.callbacks):
            known = any(thing is each for each in self.importers)
            if not known and not is_librarys(thing):
                yield "A hook into imports or garbage collection was registered."
        tracing = (threading.gettrace(), threading.getprofile())
        if not all(map(operator.is_, tracing, self.tracing)):
            yield "A function that traces new threads was set."
        if _tools() != self.tools:
            yield "A tool of `sys.monitoring` was registered."
        if signal.getsignal(signal.SIGALRM) is not self.alarm and any(
            signal.getitimer(signal.ITIMER_REAL)
        ):
            yield "A timer was left running that interrupts other cells."

    def _lens_changed(self) -> Iterator[str]:
        for name in SPEAKING:
            module = sys.modules.get(name)
            if module is None:
                continue
            if type(module) is not types.ModuleType:
                yield f"`{name}` is no module."
                continue
            for key, value in self.lens.items():
                if vars(module).get(key) is not value:
                    yield f"`{name}.{key}` was replaced."

    def _namespace_changed(self) -> Iterator[str]:
        names = self.shell.user_ns
        for name in SHADOWED:
            code = names.get(name)
            if callable(code) and not is_librarys(code):
                yield f"`{name}` was redefined in the notebook."
        for name in ALIASES:
            if not _is_honest(names.get(name)):
                yield f"`{name}` is an imitation of the module."

    def _threads_running(self) -> Iterator[str]:
        names = self.shell.user_ns
        for thread, frame in sys._current_frames().items():
            if thread in self.threads:
                continue
            while frame is not None:
                if frame.f_globals is names:
                    yield "A thread was left running code of the notebook."
                    break
                frame = frame.f_back

    def changed_in_main(self) -> Iterator[str]:
        """Sentences on what only the main thread sees of itself."""
        if sys.gettrace() is not None or sys.getprofile() is not None:
            yield "A function that traces every line or call was set."
        if getattr(self.shell.display_pub, "_hooks", None):
            yield "A hook into displayed output was registered."
        torch = sys.modules.get("torch")
        for mode in _torch_modes(torch) if torch else ():
            if not is_librarys(type(mode)):
                yield f"A mode that changes torch's functions was left on: `{type(mode).__name__}`."


def _own_code(part: object) -> Iterator[tuple[str, Callable]]:
    """What an object has of its own in place of a method of its class."""
    kind = type(part)
    for name, value in tuple(getattr(part, "__dict__", {}).items()):
        if callable(value) and callable(getattr(kind, name, None)):
            yield name, value


def _same(one: object, other: object) -> bool:
    """Whether these are one object, or one method of one object."""
    if one is other:
        return True
    function = getattr(one, "__func__", None)
    return (
        function is not None
        and function is getattr(other, "__func__", None)
        and one.__self__ is other.__self__
    )


def _is_honest(value: object) -> bool:
    """Whether a value is a module that was imported, or something that cannot pass for one."""
    if isinstance(value, types.ModuleType):
        return sys.modules.get(value.__name__) is value and _lies_in_python(value)
    return is_librarys(type(value)) and not isinstance(value, types.SimpleNamespace)


def _torch_modes(torch) -> list:
    core = torch._C
    modes = [core._get_function_stack_at(n) for n in range(core._len_torch_function_stack())]
    return modes + [core._get_dispatch_stack_at(n) for n in range(core._len_torch_dispatch_stack())]


def _tools() -> tuple:
    monitoring = getattr(sys, "monitoring", None)  # from Python 3.12
    return tuple(monitoring.get_tool(number) for number in range(6)) if monitoring else ()
