"""Changes of shape that may be what was meant, each tried on shadows before it is proposed."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from lens.doctor.names import Reader
from lens.doctor.rewriting import rewrite, runnable, statement_with
from lens.doctor.scene import Scene, Seen
from lens.doctor.shadows import Unclear, shadow

WORDS = {
    "turned": "Transposed, `{code}` fits. || 转置成 `{code}` 就对得上了。",
    "swapped": "The other way round, `{code}`, it fits. || 交换次序写成 `{code}` 就对得上了。",
    "added": "With one more dimension of size 1, `{code}` fits."
    " || 给它补一个长度为 1 的维度，写成 `{code}` 就对得上了。",
    "added_more": "With more dimensions of size 1, `{code}` fits."
    " || 给它补上长度为 1 的维度，写成 `{code}` 就对得上了。",
    "dropped": "Without its dimension of size 1, `{code}` fits."
    " || 去掉长度为 1 的那一维，写成 `{code}` 就对得上了。",
    "flat": "All dimensions but the first merged into one, `{code}` fits."
    " || 第 0 维保留，其余展平成一维，`{code}` 就对得上了。",
    "row": "All its elements in one row, `{code}` fits."
    " || 全部元素展平成一行，`{code}` 就对得上了。",
    "moved": "With its dimensions in another order, `{code}` fits."
    " || 调整维度顺序，写成 `{code}` 就对得上了。",
    "reshaped": "It has as many elements as are needed: `{code}` fits, if the order of the"
    " elements is right. || 元素个数正好够：如果元素的排列顺序没问题，`{code}` 就对得上。",
    "cut": "To fit, one of them must be cut to the length of the other, as in `{code}`;"
    " better look why the lengths differ."
    " || 要对上，就得把长的截短，例如 `{code}`；不过最好先查清长度为什么不同。",
    "padded": "Filled up with zeros at the ends, `{code}` fits."
    " || 末尾补零，写成 `{code}` 就对得上了。",
    "joined": "Joined along the other dimension, `{code}` fits."
    " || 换一个维度拼接，写成 `{code}` 就对得上了。",
    "resized": "Resized to the same height and width, `{code}` fits."
    " || 缩放到同样的高和宽，`{code}` 就对得上了。",
}


@dataclass(frozen=True)
class Repair:
    """One operand replaced by `code`; `kind` is the key of its sentence in WORDS."""

    kind: str
    seen: Seen
    code: str

    @property
    def says(self) -> str:
        return WORDS[self.kind].replace("{code}", self.code)


def turned(seen: Seen) -> Iterator[Repair]:
    """Rows become columns; of a batch, in each of its matrices."""
    if len(seen.shape) == 2:
        yield Repair("turned", seen, f"{seen.atom}.T")
    elif len(seen.shape) > 2:
        yield Repair("turned", seen, f"{seen.atom}.mT")


def added(seen: Seen, upto: int = 0) -> Iterator[Repair]:
    """A dimension of size 1, the last place first; at the end as many as `upto` dimensions need."""
    n = len(seen.shape)
    for i in range(n, -1, -1):
        code = f"{seen.atom}[{':, ' * i}None]" if n <= 2 else f"{seen.atom}.unsqueeze({i})"
        yield Repair("added", seen, code)
    for i in range(n + 1 if upto > n + 1 else 0):
        more = [":"] * i + ["None"] * (upto - n) + [":"] * (n - i)
        yield Repair("added_more", seen, f"{seen.atom}[{', '.join(more[: i + upto - n])}]")


def dropped(seen: Seen) -> Iterator[Repair]:
    """A dimension of size 1 away, the last first."""
    for i in reversed(range(len(seen.shape))):
        if seen.shape[i] == 1:
            yield Repair("dropped", seen, f"{seen.atom}.squeeze({i})")


def flat(seen: Seen) -> Iterator[Repair]:
    """One row for each sample; all in one row where it looks like a single picture."""
    shape = seen.shape
    if len(shape) > 2:
        yield Repair("flat", seen, f"{seen.atom}.flatten(1)")
    square = len(shape) == 2 and shape[0] == shape[1]
    if square or (len(shape) == 3 and shape[0] in (1, 3)):
        yield Repair("row", seen, f"{seen.atom}.flatten()")


def moved(seen: Seen) -> Iterator[Repair]:
    """The usual orders first: channels last to channels first, back, two dimensions swapped."""
    n = len(seen.shape)
    usual = {3: [(2, 0, 1), (1, 2, 0), (1, 0, 2)], 4: [(0, 3, 1, 2), (0, 2, 3, 1)]}.get(n, [])
    orders = itertools.permutations(range(n)) if 3 <= n <= 4 else []
    for order in dict.fromkeys([*usual, *orders]):
        if order != tuple(range(n)):
            yield Repair("moved", seen, f"{seen.atom}.permute{order}")


def reshaped(seen: Seen, other: Seen) -> Iterator[Repair]:
    """The shape of the other operand, where the elements are as many."""
    if seen.value.numel() == other.value.numel() and seen.value.numel() > 1:
        yield Repair("reshaped", seen, f"{seen.atom}.reshape({', '.join(map(str, other.shape))})")


def cut(seen: Seen, other: Seen) -> Iterator[Repair]:
    """The longer of two that differ in one dimension, cut to the shorter."""
    if len(seen.shape) == len(other.shape):
        for i, (n, m) in enumerate(zip(seen.shape, other.shape, strict=True)):
            if n > m > 1:
                index = f"..., :{m}" if i and i == len(seen.shape) - 1 else ":, " * i + f":{m}"
                yield Repair("cut", seen, f"{seen.atom}[{index}]")


def outcome(scene: Scene, edits: dict[ast.AST, str]) -> object:
    """What the failing expression would give with these replacements: a shadow of the result.

    False where it still fails, None where it cannot be told.
    """
    text = _expression_with(scene, edits)
    if text is None:
        return None
    try:
        reader = Reader(scene.frame, scene.known)
        result = shadow(reader, ast.parse(text, mode="eval").body)
    except Unclear:
        return None
    except Exception:
        return False
    if isinstance(scene.node, ast.AugAssign):
        target = scene.look_at(scene.node.target)
        same = not target or tuple(result.shape) == target[0].shape
        return result if same else False
    return result


def works(scene: Scene, edits: dict[ast.AST, str]) -> bool:
    """Whether the failing expression is known to work with these replacements."""
    result = outcome(scene, edits)
    return result is not None and result is not False


def shadow_of_code(scene: Scene, code: str, known: dict | None = None) -> object:
    """What this code would give in the learner's names; None where it fails or cannot be told."""
    try:
        reader = Reader(scene.frame, {**scene.known, **(known or {})})
        return shadow(reader, ast.parse(code, mode="eval").body)
    except Exception:
        return None


def _expression_with(scene: Scene, edits: dict[ast.AST, str]) -> str | None:
    node = scene.node
    if isinstance(node, ast.AugAssign):
        new = [edits.get(n) or scene.text(n) for n in (node.target, node.value)]
        sign = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.MatMult: "@"}
        return f"({new[0]}) {sign.get(type(node.op), '+')} ({new[1]})"
    if is_store(scene):
        value = rewrite(scene.source, scene.statement.value, edits)
        inside = {n: t for n, t in edits.items() if n is not scene.statement.value}
        return f"({value}).expand(({rewrite(scene.source, node, inside)}).shape)"
    return rewrite(scene.source, node, edits) if isinstance(node, ast.expr) else None


def is_store(scene: Scene) -> bool:
    """Whether the failing expression is the left side of `x[...] = value`."""
    return isinstance(scene.node, ast.Subscript) and isinstance(scene.node.ctx, ast.Store)


def first_fit(scene: Scene, repairs: Iterable[Repair], like: tuple | None = None) -> Repair | None:
    """The first repair with which the expression works; `like` is the shape that it must give."""
    for repair in repairs:
        if repair.seen.node is None:
            continue
        result = outcome(scene, {repair.seen.node: repair.code})
        if result is None or result is False:
            continue
        if like is None or tuple(getattr(result, "shape", ())) == like:
            return repair
    return None


def fix_of(scene: Scene, repair: Repair) -> str:
    """The corrected statement, ready to be run."""
    return fix_with(scene, {repair.seen.node: repair.code})


def fix_with(scene: Scene, edits: dict[ast.AST, str]) -> str:
    """The failing statement with these replacements, ready to be run."""
    return runnable(scene, statement_with(scene, edits))
