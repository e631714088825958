"""Signs of tampering that stand in the sources of a submission, before anything runs.

A check inside the process cannot see what was put back before it looked, nor an answer that reads
the test which calls it. But such code names what it reaches for: frames, code objects, the shell,
the lens's insides. An answer needs none of these. What is named here is a reason for a person to
look and no proof; and code that hides its words well is not found.
"""

import ast
import builtins
import functools
import re
from collections.abc import Iterable, Iterator

from nbformat import NotebookNode
from nbgrader.utils import is_solution

MOST = 6  # names in a sentence
LONGEST = 200_000  # characters of a cell that are looked at

# Modules for changing or watching a running program, and the insides of what tests rely on.
MODULES = {
    *("ast", "bdb", "builtins", "bytecode", "cffi", "code", "codeop", "ctypes", "dis", "gc"),
    *("imp", "importlib", "linecache", "marshal", "mmap", "mock", "pickle", "runpy", "site"),
    *("trace", "unittest", "_ctypes", "_thread", "IPython", "ipykernel", "jupyter_client", "zmq"),
    *("autograder", "authoring", "lens", "nbclient", "nbconvert", "nbgrader", "torch._C"),
    *("torch._ops", "torch.library", "torch.overrides", "torch.utils._python_dispatch"),
}
HARMLESS = {"IPython.display", "lens.en", "lens.zh"}
NAMES = {
    *("globals", "locals", "vars", "eval", "exec", "compile", "breakpoint", "delattr"),
    *("__import__", "__builtins__", "__loader__", "__spec__", "get_ipython", "In", "_ih"),
}
ATTRIBUTES = {
    *("f_back", "f_builtins", "f_code", "f_globals", "f_lineno", "f_locals", "f_trace"),
    *("tb_frame", "tb_next", "__traceback__", "gi_frame", "cr_frame", "ag_frame", "gi_yieldfrom"),
    *("__globals__", "__code__", "__closure__", "__defaults__", "__kwdefaults__", "__builtins__"),
    *("__subclasses__", "__getattribute__", "__dict__", "__mro__", "__bases__", "__wrapped__"),
    *("__torch_function__", "__torch_dispatch__", "_render_traceback_", "__instancecheck__"),
    *("_getframe", "_current_frames", "currentframe", "getouterframes", "settrace", "setprofile"),
    *("addaudithook", "meta_path", "path_hooks", "excepthook", "displayhook", "user_ns"),
    *("ast_transformers", "run_cell", "set_custom_exc", "input_transformers_cleanup", "orig_argv"),
    *("input_transformers_post", "_C", "_ops", "attrgetter", "methodcaller"),
}
TRUSTED = {"torch", "np", "numpy", "lens", "math", "builtins", "sys"}  # names of modules
SETTINGS = {"backends"}  # torch.backends.cudnn.deterministic = True
REACHING = ("getattr", "setattr", "hasattr")
SPECIAL = {"__class__", "__torch_function__", "__torch_dispatch__", "__getattribute__"}
SPECIAL |= {"__instancecheck__", "__subclasscheck__", "_render_traceback_"}
MAGIC = {"run_line_magic", "run_cell_magic", "system", "getoutput"}
IN_TEXTS = re.compile(
    rf"\b(?:{'|'.join(map(re.escape, sorted(ATTRIBUTES | {'__import__', 'get_ipython'})))})\b"
    r"|sys\.modules|/proc/self/mem|(?<![\w.])(?:globals|eval|exec)(?=\()"
)


def signs_in_sources(notebook: NotebookNode) -> list[str]:
    """At most one sentence, on all that the learner's cells of a rebuilt notebook reach for."""
    found: dict[str, None] = {}
    for cell in notebook.cells:
        if cell.cell_type == "code" and (is_solution(cell) or "extra" in cell.metadata):
            found |= dict.fromkeys(reached(cell.source))
    if not found:
        return []
    names = list(found)
    more = f" and {len(names) - MOST} more" if len(names) > MOST else ""
    named = ", ".join(f"`{name}`" for name in names[:MOST])
    return [f"The code reaches for what an answer does not need: {named}{more}."]


def reached(source: str) -> Iterator[str]:
    """The names in a cell that an answer does not need; none where it is no Python."""
    try:
        first, _, body = source[:LONGEST].lstrip().partition("\n")
        if first.startswith("%%"):  # a magic may run the rest as Python, or write it to a file
            yield from reached(body)
        tree = ast.parse(_transformer().transform_cell(source[:LONGEST]))
        magic = {id(node.func.value.func) for node in ast.walk(tree) if _is_magic(node)}
        for node in ast.walk(tree):
            if id(node) not in magic:
                yield from _reached_by(node)
    except (SyntaxError, ValueError):
        return  # it cannot run either
    except (RecursionError, MemoryError):
        yield "code nested too deeply to be read"


@functools.cache
def _transformer():
    from IPython.core.inputtransformer2 import TransformerManager

    return TransformerManager()


def _is_magic(node: ast.AST) -> bool:
    """Whether this is what IPython makes of a line that begins with %."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name("get_ipython")), attr=attr)):
            return attr in MAGIC
    return False


def _reached_by(node: ast.AST) -> Iterable[str]:
    match node:
        case ast.Import(names=names):
            return [each.name for each in names if _is_special(each.name)]
        case ast.ImportFrom(module=module, names=names):
            whole = [f"{module}.{each.name}" for each in names]
            return [each for each in whole if _is_special(each) or _last(each) in ATTRIBUTES]
        case ast.Name(id=name):
            return _by_name(node, name)
        case ast.Attribute():
            return _by_attribute(node)
        case ast.Call(func=ast.Name(id=name), args=args) if name in REACHING:
            return [] if _is_plain(args) else [name]
        case ast.Global(names=names):
            return [f"global {name}" for name in names if _stands_for_more(name)]
        case ast.FunctionDef(name=name) if name in SPECIAL or name in TRUSTED:
            return [name]
        case ast.Constant(value=str(text)):
            return IN_TEXTS.findall(text)
    return []


def _is_special(module: str) -> bool:
    """Whether a module, or one that it lies in, is among MODULES."""
    parts = module.split(".")
    paths = {".".join(parts[: length + 1]) for length in range(len(parts))}
    return not paths & HARMLESS and bool(paths & MODULES)


def _by_name(node: ast.Name, name: str) -> list[str]:
    if isinstance(node.ctx, ast.Load):
        return [name] if name in NAMES else []
    return [f"{name} = …"] if name in ("lens", "torch", "np", "__class__") else []


def _by_attribute(node: ast.Attribute) -> list[str]:
    if node.attr in ATTRIBUTES:
        return [node.attr]
    root, path = node.value, [node.attr]
    while isinstance(root, ast.Attribute):
        path.append(root.attr)
        root = root.value
    path = [root.id if isinstance(root, ast.Name) else "", *reversed(path)]
    whole = ".".join(path)
    if path[-2:] == ["sys", "modules"]:
        return [whole]
    if path[0] not in TRUSTED:
        return []
    if not isinstance(node.ctx, ast.Load) and not SETTINGS & {*path}:
        return [f"{whole} = …"]
    inside = path[0] != "lens" and (_is_special(whole) or not MODULES.isdisjoint(path[1:]))
    return [whole] if inside else []


def _is_plain(arguments: list[ast.expr]) -> bool:
    """Whether getattr or setattr names its attribute, and does not set one of a module."""
    name = arguments[1] if len(arguments) > 1 else None
    named = isinstance(name, ast.Constant) and isinstance(name.value, str)
    of_module = isinstance(arguments[0], ast.Name) and arguments[0].id in TRUSTED
    return named and not (len(arguments) > 2 and of_module)


def _stands_for_more(name: str) -> bool:
    """Whether a global of this name would stand in the way of a module or of Python's own."""
    return name in TRUSTED or hasattr(builtins, name)


def _last(path: str) -> str:
    return path.rpartition(".")[2]
