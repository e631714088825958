"""`%%watch`: run a cell under the watch."""

from __future__ import annotations

import ast

from lens.doctor.watch import watch


def register(shell) -> None:
    """Give an IPython shell the cell magic `%%watch`."""

    def run_watched(line: str, cell: str) -> object:
        """Run the cell; print what the watch found; the cell's error passes through."""
        return run_cell(shell, cell)

    shell.register_magic_function(run_watched, "cell", "watch")


def unregister(shell) -> None:
    """Take `%%watch` away again."""
    shell.magics_manager.magics["cell"].pop("watch", None)


def run_cell(shell, cell: str) -> object:
    """Run a cell in the shell's names under the watch; the value of its last expression."""
    source = shell.transform_cell(cell)
    filename = shell.compile.cache(source)
    tree = shell.transform_ast(ast.parse(source, filename))
    last = tree.body.pop() if _ends_in_value(tree, source) else None
    names = shell.user_ns
    with watch(source, filename):
        exec(compile(tree, filename, "exec"), names)
        if last is not None:
            return eval(compile(ast.Expression(last.value), filename, "eval"), names)
    return None


def _ends_in_value(tree: ast.Module, source: str) -> bool:
    """Whether the last statement is an expression to be shown: none that ends in a semicolon."""
    shown = bool(tree.body) and isinstance(tree.body[-1], ast.Expr)
    return shown and not source.rstrip().endswith(";")
