"""Where the first NaN or infinity came from, forward or backward."""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass

import torch

from lens.doctor.silent.event import Event, is_plain
from lens.doctor.silent.signals import after, at, every, words
from lens.doctor.silent.walks import history, nodes_of

UNTOUCHED = frozenset(
    words(
        "tensor full full_like zeros ones empty empty_like rand randn arange as_tensor setitem "
        "getitem view reshape transpose permute t squeeze unsqueeze get:T get:data get:grad "
        "detach clone expand masked_fill masked_fill_ where nan_to_num isnan isinf isfinite "
        "contiguous load stack cat to float double new_full fill_ linspace unbind split chunk "
        "get:grad_fn triu tril scatter"
    )
)
LOGS = ("log", "log2", "log10", "log1p", "xlogy", "logit")
MOST = 2 * 10**6


@dataclass(frozen=True)
class Birth:
    """The operation that made the first NaN or infinity out of numbers."""

    op: str
    place: tuple[str, int]
    expression: str
    what: str  # "nan" | "inf"
    log: bool = False


@every
def follow(event: Event) -> None:
    """Remember where NaN and infinity were born, and pass it on."""
    made = event.result
    if not isinstance(made, torch.Tensor):
        return
    if made.requires_grad:
        _remember_sequence(event, made)
    if not made.is_floating_point() or not is_plain(made) or not 0 < made.numel() <= MOST:
        return
    what = state(made)
    if what is None or any(made is t for t in event.tensors):
        return
    fact = event.fact(made)
    if fact is None:
        return
    known = [b for f in fact.parents if (b := f.tags.get("born"))]
    same = [b for b in known if b.what == what]
    if same:
        fact.tags["born"] = same[0]
    elif event.name not in UNTOUCHED and not any(_has(t, what) for t in event.tensors):
        log = event.name in LOGS or any(b.log for b in known)
        first = next((b for b in known if b.log), None)
        place, text = (first.place, first.expression) if first else (event.place, event.expression)
        fact.tags["born"] = Birth(event.name, place, text, what, log)


def state(x: torch.Tensor) -> str | None:
    """ "nan", "inf" or None for numbers only."""
    x = x.detach()
    total = x.sum() if x.dtype in (torch.float32, torch.float64) else x.double().sum()
    if math.isfinite(total.item()):
        return None
    if bool(x.isnan().any()):
        return "nan"
    return "inf" if bool(x.isinf().any()) else None


def _has(x: torch.Tensor, what: str) -> bool:
    if not x.is_floating_point() or not is_plain(x):
        return False
    return bool(x.isnan().any() if what == "nan" else x.isinf().any())


def _remember_sequence(event: Event, made: torch.Tensor) -> None:
    numbers = event.session.memo["sequence"]
    order, where = numbers.setdefault("order", []), numbers.setdefault("where", [])
    node = history(made)
    if node is None:
        return
    number = node._sequence_nr()
    if not order or number > order[-1]:
        order.append(number)
        where.append((event.place, event.name))
    if len(order) > 50_000:
        del order[:25_000], where[:25_000]


@after("item", "tolist", "repr", "format", "numpy", "float")
def not_a_number_read(event: Event) -> None:
    """A NaN is read: it matters."""
    x = event.args[0] if event.args else None
    fact = event.fact(x)
    birth = fact.tags.get("born") if fact else None
    if birth is None or (birth.what == "inf" and not (birth.log and x.ndim == 0)):
        return
    if birth.what == "nan" or fact.op in ("sum", "mean", "neg", "item", "div", "mul", "nll_loss"):
        _tell_birth(event.session, birth)


@at("before_backward")
def loss_not_finite(session, event: Event, root: torch.Tensor) -> None:
    """The loss is NaN or infinite already: the origin lies forward."""
    fact = session.facts.of(root)
    birth = fact.tags.get("born") if fact else None
    losses = session.memo["losses"].get(event.place, [])
    if birth is not None and not _grew(losses):
        _tell_birth(session, birth)


def _grew(losses: list[float]) -> bool:
    """Losses that ran away before: then the step is too large, and NaN only its end."""
    return len(losses) >= 2 and losses[-1] > 10 * max(losses[0], 1e-8)


def _tell_birth(session, birth: Birth) -> None:
    if session.told(birth.place):
        return
    fault = "log-of-zero" if birth.log else f"forward-{birth.what}"
    blanks = {"op": birth.op, "what": birth.what}
    session.report(fault, *birth.place, birth.expression, blanks=blanks)


@at("before_backward")
def hang_on_nodes(session, event: Event, root: torch.Tensor) -> None:
    """A hook on every node of the graph: the first to make a NaN of numbers is the origin."""
    memo = session.memo["backward"]
    _let_go(memo)
    if root.grad_fn is None or not bool(root.detach().isfinite().all()):
        return
    memo["found"], memo["leaves"] = [], []
    for node in nodes_of(root.grad_fn):
        if node.name().endswith("AccumulateGrad"):
            memo["leaves"].append(node.variable)
        else:
            memo["handles"].append(node.register_hook(_listener(memo["found"], node.name(), node)))


def _listener(found: list, name: str, node: object):
    number = node._sequence_nr()

    def listen(ingoing, outgoing) -> None:
        if found:
            return
        bad = [g for g in ingoing if g is not None and state(g) is not None]
        if bad and not any(g is not None and state(g) is not None for g in outgoing):
            zero = any(g is not None and _zero_where_bad(g, bad[0]) for g in outgoing)
            found.append((number, name, zero))

    return listen


def _zero_where_bad(given: torch.Tensor, made: torch.Tensor) -> bool:
    """Nothing was asked of the places that became NaN: 0 times infinity."""
    wrong = ~made.isfinite()
    return given.shape == made.shape and bool((given[wrong] == 0).all())


def _let_go(memo: dict) -> None:
    for handle in memo.get("handles", ()):
        handle.remove()
    memo["handles"], memo["leaves"] = [], []


@at("after_backward")
def origin_of_nan(session, event: Event, root: torch.Tensor, ok: bool) -> None:
    """A gradient is NaN or infinite though the loss was a number: name the first culprit."""
    memo = session.memo["backward"]
    leaves, found = memo.get("leaves", []), memo.get("found", [])
    _let_go(memo)
    if not ok or not found:
        return
    bad = [p for p in leaves if p.grad is not None and state(p.grad) is not None]
    if not bad:
        return
    number, name, zero = found[0]
    numbers = session.memo["sequence"]
    at_index = bisect_left(numbers.get("order", []), number)
    where = numbers.get("where", [])
    place = where[at_index][0] if at_index < len(where) else event.place
    session.report(
        "nan-from-masked-branch" if zero else "nan-from-infinite-slope",
        *place,
        blanks={"op": name.removesuffix("Backward0").lower(), "line": event.place[1]},
    )


@at("end")
def let_go(session) -> None:
    """Nothing stays hooked."""
    _let_go(session.memo["backward"])
