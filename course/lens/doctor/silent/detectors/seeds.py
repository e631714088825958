"""Random numbers that repeat, or that do not: generators copied into workers, a seed set once."""

from __future__ import annotations

import ast
import random
import sys

import numpy as np
import torch

from lens.doctor.silent.event import Event
from lens.doctor.silent.facts import Fact
from lens.doctor.silent.places import locals_of
from lens.doctor.silent.signals import after, at, before, words
from lens.doctor.silent.source import Source, calls, targets

GENERATORS = (np.random.Generator, np.random.RandomState, random.Random, torch.Generator)
DRAWS = ("rand", "randn", "randint", "randperm", "rand_like", "randn_like", "normal", "bernoulli")
DRAWS += ("normal_", "uniform_", "kaiming_uniform_", "xavier_uniform_", "multinomial")
EXACT = frozenset(words("view reshape getitem clone detach to get:data float"))


@before("random_")
def worker_generator(event: Event) -> None:
    """A loader with workers starts, and its dataset draws from a generator of its own."""
    loader = _loader()
    if loader is None or loader.num_workers == 0 or loader.worker_init_fn is not None:
        return
    name, generator = _generator_in(loader.dataset)
    if generator is None:
        return
    file, line = event.place
    made = _made_at(event.source, name)
    event.session.report(
        "worker-generator",
        file,
        made or line,
        blanks={
            "name": name,
            "workers": loader.num_workers,
            "line": line,
            "kind": type(generator).__name__,
        },
    )


def _loader() -> object:
    """The DataLoader whose iterator is being made."""
    frame = sys._getframe(1)
    for _ in range(12):
        if frame is None:
            return None
        if frame.f_code.co_filename.endswith("dataloader.py"):
            names = locals_of(frame)
            for found in (names.get("loader"), names.get("self")):
                if isinstance(found, torch.utils.data.DataLoader):
                    return found
        frame = frame.f_back
    return None


def _generator_in(dataset: object, depth: int = 0) -> tuple[str, object]:
    """A generator among a dataset's attributes, or the globals that its `__getitem__` names."""
    for name, value in list(getattr(dataset, "__dict__", {}).items()):
        if isinstance(value, GENERATORS):
            return f"self.{name}", value
        if depth < 2 and hasattr(value, "__dict__") and not isinstance(value, (type, torch.Tensor)):
            found = _generator_in(value, depth + 1)
            if found[1] is not None:
                return found
    code = getattr(getattr(type(dataset), "__getitem__", None), "__code__", None)
    space = getattr(getattr(type(dataset), "__getitem__", None), "__globals__", {})
    for name in code.co_names if code else ():
        if isinstance(space.get(name), GENERATORS):
            return name, space[name]
    return "", None


def _made_at(source: Source, name: str) -> int | None:
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Assign) and name in map(ast.unparse, node.targets):
            return node.lineno
    return None


@after(*(name for name in DRAWS if name.endswith("_")))
def remember_draw(event: Event) -> None:
    """Numbers drawn into a tensor that was there before."""
    if event.x is not None:
        shape = tuple(event.x.shape)
        event.session.facts.put(event.x, Fact(event.name, *event.place, (), shape))


@after("equal", "allclose", "eq")
def seed_once(event: Event) -> None:
    """Two draws after one seed, compared as if they had to agree."""
    if len(event.tensors) != 2 or not _alone(event):
        return
    one, two = map(event.fact, event.tensors)
    one = one.origin(*DRAWS, through=EXACT) if one else None
    two = two.origin(*DRAWS, through=EXACT) if two else None
    if one is None or two is None or one is two or one.op != two.op or one.shape != two.shape:
        return
    seeds = _seeds(event.source)
    if not seeds or bool(torch.equal(*event.tensors)):
        return
    between = [s for s in seeds if one.line < s <= two.line or two.line < s <= one.line]
    if not between:
        event.session.report(
            "seed-once",
            event.place[0],
            seeds[0],
            blanks={"a": one.line, "b": two.line, "line": event.place[1]},
        )


@after(*DRAWS)
def remember_function(event: Event) -> None:
    """The learner's function in which a number was drawn."""
    if event.frame is not None:
        event.session.memo["draws"][event.frame.f_code.co_name] = True
        frame = event.frame.f_back
        while frame is not None and frame.f_code.co_filename == event.place[0]:
            event.session.memo["draws"][frame.f_code.co_name] = True
            frame = frame.f_back


@at("end")
def called_twice(session) -> None:
    """`run() == run()`, where run draws from the one stream that was seeded once."""
    source = session.source(session.main)
    seeds = _seeds(source)
    for node in ast.walk(source.tree) if seeds else ():
        if not isinstance(node, ast.Compare) or not isinstance(node.ops[0], (ast.Eq, ast.NotEq)):
            continue
        sides = [_call_behind(source, side) for side in (node.left, node.comparators[0])]
        if None in sides or ast.unparse(sides[0]) != ast.unparse(sides[1]) or sides[0] is sides[1]:
            continue
        drawn = ast.unparse(sides[0].func) in session.memo["draws"]
        between = [s for s in seeds if sides[0].lineno < s <= sides[1].lineno]
        if drawn and not between and session.watched(session.main, seeds[0]):
            blanks = {"a": sides[0].lineno, "b": sides[1].lineno, "line": node.lineno}
            session.report("seed-once", session.main, seeds[0], blanks=blanks)


def _call_behind(source: Source, node: ast.AST) -> ast.Call | None:
    """The call that an expression is, or that its name was assigned from."""
    while isinstance(node, ast.Call) and getattr(node.func, "attr", "") in ("item", "tolist"):
        node = node.func.value
    if isinstance(node, ast.Name):
        made = [
            each.value
            for each in ast.walk(source.tree)
            if isinstance(each, ast.Assign) and targets(each) == [node.id]
        ]
        node = made[0] if len(made) == 1 else None
    return node if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else None


def _alone(event: Event) -> bool:
    """Drawn from the one global stream: a generator of its own was not given."""
    return "generator=" not in "".join(event.source.lines)


def _seeds(source: Source) -> list[int]:
    """Lines that seed torch's global generator, where no function hides them."""
    found = [
        c for c, n in calls(source.tree) if n in ("manual_seed", "seed_everything", "seed_all")
    ]
    top = [c.lineno for c in found if isinstance(source.scope(c), ast.Module)]
    return sorted(top) if len(top) == len(found) else []
