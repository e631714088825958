"""What a test relies on in its process, and must find as the fork server left it.

Callables, classes and constants by identity, functions also by their code and defaults, classes by
their bases. Names that are added later, as lazy imports do, are no change.
"""

import builtins
import contextlib
import gc
import importlib
import sys
import types
from collections.abc import Iterator
from functools import partial

from autograder.engine.words import OF_CELL, OF_CLASS, OF_FUNCTION, OF_MRO, Words

__builtins__ = dict(vars(builtins))  # replacing Python's own changes nothing for the functions here

# "name.*" is a package with everything in it; the rest are single modules.
MODULES = (
    *("builtins", "math", "inspect", "json", "json.decoder", "json.encoder", "functools"),
    *("torch", "torch._tensor", "torch.functional", "torch.overrides", "torch.autograd"),
    *("torch.autograd.function", "torch.autograd.grad_mode", "torch.random", "torch.linalg"),
    *("torch.testing.*", "torch.nn", "torch.nn.functional", "torch.nn.init", "torch.nn.modules.*"),
    *("torch.nn.parameter", "torch.optim.*", "torch.utils.data"),
    *("numpy", "numpy.linalg", "numpy.testing", "numpy.testing._private.utils"),
    "lens.*",
    *("IPython.core.interactiveshell", "IPython.core.displayhook", "IPython.core.displaypub"),
    *("IPython.core.events", "IPython.core.inputtransformer2", "IPython.core.compilerop"),
    *("ipykernel.kernelbase", "ipykernel.ipkernel", "ipykernel.zmqshell", "ipykernel.iostream"),
    *("ipykernel.displayhook", "jupyter_client.session", "autograder.engine.output"),
)
# Classes whose entries are watched though they are not found in those modules as their own.
CLASSES = (
    *(int, float, complex, bool, str, bytes, list, tuple, dict, set, frozenset, slice, range),
    *(object, type, BaseException, Exception, AssertionError, NotImplementedError),
    *(types.FunctionType, types.ModuleType, types.MethodType),
)
OWN = ("torch", "numpy", "lens", "IPython", "ipykernel", "jupyter_client", "json", "autograder")
CONSTANTS = ("lens.", "torch.testing._comparison")  # modules whose capitals are watched too
SYS = ("_getframe", "settrace", "setprofile", "gettrace", "getprofile", "exit", "intern")
SYS += ("getrefcount", "exc_info", "_current_frames", "getsizeof")
HARMLESS = {"__slotnames__", "__abstractmethods__", "__annotations__", "__doc__", "__weakref__"}
# The shell puts its own into these while a cell runs.
NOT_OURS = {"builtins.exit", "builtins.quit", "builtins.input", "builtins.display"}
NOT_OURS |= {"torch.Storage"}  # `torch.set_default_dtype` sets it
WRAPPERS = ("torch._dynamo.", "torch.optim.optimizer")


def import_all() -> None:
    """Import those of MODULES whose library is there: what comes later cannot be watched."""
    for name in MODULES:
        name = name.removesuffix(".*")
        if name.partition(".")[0] in sys.modules:
            with contextlib.suppress(ImportError):
                importlib.import_module(name)


def is_own_wrapper(now: object, before: object) -> bool:
    """Whether torch has wrapped its own function, as optimizers and `torch.compile` do."""
    inner = unwrap(now)
    return inner is not now and inner is unwrap(before)


def unwrap(function: object) -> object:
    """The function inside wrappers that torch puts around its own."""
    while type(function) is types.FunctionType:
        space = function.__globals__
        module = sys.modules.get(space.get("__name__"))
        if module is None or vars(module) is not space:
            break
        if not module.__name__.startswith(WRAPPERS):
            break
        held = [_held(cell) for cell in function.__closure__ or ()]
        inner = [each for each in held if type(each) is types.FunctionType]
        if not inner:
            break
        function = inner[0]
    return function


def _held(cell: types.CellType) -> object:
    """What a closure's cell holds; None for an empty one."""
    try:
        return cell.cell_contents
    except ValueError:
        return None


def modules() -> Iterator[types.ModuleType]:
    """Those of MODULES that are imported."""
    for pattern in MODULES:
        package = pattern.removesuffix(".*")
        inside = f"{package}." if pattern != package else None
        for name, module in list(sys.modules.items()):
            within = name == package or (inside and name.startswith(inside))
            if within and isinstance(module, types.ModuleType):
                yield module


def watch_all() -> Words:
    """Note how everything is now; ask the result what has `changed`."""
    import_all()
    words = Words(excuse=is_own_wrapper)
    seen: set[int] = set()
    found = list(dict.fromkeys(modules()))
    named = [name for name, module in sys.modules.items() if module in found]
    words.add_entries(sys.modules, named, [f"sys.modules[{name!r}]" for name in named])
    words.add_entries(vars(sys), SYS, [f"sys.{name}" for name in SYS])
    for module in found:
        _watch_module(words, module, seen)
    for each in (*CLASSES, *_classes_of_tensors()):
        _watch_class(words, each, each.__qualname__, seen)
    words.seal()
    return words


def _classes_of_tensors() -> list[type]:
    torch = sys.modules.get("torch")
    return [torch.Tensor, torch._C.TensorBase, torch.nn.Module] if torch else []


def _watch_module(words: Words, module: types.ModuleType, seen: set[int]) -> None:
    name, entries = module.__name__, vars(module)
    words.add(module, OF_CLASS, name)
    constants = name.startswith(CONSTANTS)
    keys = [
        key
        for key, value in entries.items()
        if f"{name}.{key}" not in NOT_OURS
        and (_is_code(value) or (constants and key.lstrip("_").isupper()))
    ]
    judge = partial(_before_builtins, name) if name != "builtins" else None
    words.add_entries(entries, keys, [f"{name}.{key}" for key in keys], judge)
    for key in keys:
        value, label = entries[key], f"{name}.{key}"
        if isinstance(value, dict):
            words.add_entries(value, value, [f"{label}[{each!r}]" for each in value])
        elif not isinstance(value, type):
            _watch_code(words, value, label, seen)
        elif (value.__module__ or "").partition(".")[0] in OWN:
            _watch_class(words, value, label, seen)


def _watch_class(words: Words, watched: type, label: str, seen: set[int]) -> None:
    if id(watched) in seen:
        return
    seen.add(id(watched))
    words.add(watched, OF_CLASS, f"the class of {label}")
    words.add(watched, OF_MRO, f"the bases of {label}")
    entries = _entries_of(watched)
    keys = [key for key, value in entries.items() if isinstance(key, str) and _is_code(value)]
    judge = partial(_before_bases, watched, label)
    words.add_entries(entries, keys, [f"{label}.{key}" for key in keys], judge)
    for key in keys:
        if not isinstance(entries[key], type):
            _watch_code(words, entries[key], f"{label}.{key}", seen)


def _before_builtins(module: str, new: set) -> list[str]:
    """Names that a module now has of its own, so that it no longer sees Python's."""
    return [f"{module}.{key}" for key in new if key in vars(builtins)]


def _before_bases(watched: type, label: str, new: set) -> list[str]:
    """Names that a class now has of its own, so that it no longer sees those of its bases."""
    signs = []
    for key in new - HARMLESS:
        value = watched.__dict__.get(key)
        held = [base.__dict__[key] for base in watched.__mro__[1:] if key in base.__dict__]
        hides = held or key.startswith("__")
        if hides and _is_code(value) and not (held and is_own_wrapper(value, held[0])):
            signs.append(f"{label}.{key}")
    return signs


def _entries_of(watched: type) -> dict:
    """The dict behind a class's `__dict__`, which shows itself as a proxy only."""
    (entries,) = gc.get_referents(watched.__dict__)
    return entries


def _is_code(value: object) -> bool:
    return callable(value) or isinstance(value, property | staticmethod | classmethod)


def _watch_code(words: Words, value: object, label: str, seen: set[int]) -> None:
    """The functions inside a function, method, property or wrapper: their code and defaults."""
    inner = [getattr(value, name, None) for name in ("__func__", "fget", "fset", "func")]
    inner.append(getattr(value, "__wrapped__", None))
    for function in (value, *inner):
        if not isinstance(function, types.FunctionType) or id(function) in seen:
            continue
        seen.add(id(function))
        for offset in OF_FUNCTION:
            words.add(function, offset, label)
        if kwdefaults := function.__kwdefaults__:
            words.add_entries(kwdefaults, kwdefaults, [label] * len(kwdefaults))
        for cell in function.__closure__ or ():
            _watch_cell(words, cell, label, seen)
        _watch_code(words, function, label, seen)


def _watch_cell(words: Words, cell: types.CellType, label: str, seen: set[int]) -> None:
    """A function that a wrapper calls."""
    held = _held(cell)
    if isinstance(held, types.FunctionType | types.BuiltinFunctionType | type):
        words.add(cell, OF_CELL, label)
        _watch_code(words, held, label, seen)
