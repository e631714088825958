"""The words for values that differ: how many, the first place, and what the pattern suggests."""

from __future__ import annotations

import torch

from lens.compare import Difference, mismatches
from lens.language import say
from lens.outcomes import CheckFailed, failed
from lens.summary import SMALL, number, summarise


def wrong_values(difference: Difference, subject: str, about: object) -> CheckFailed:
    got, want = (_as_tensor(each) for each in (difference.got, difference.want))
    place = difference.place
    total = want.numel()
    if total == 1:
        headline = say(f"The value of {subject} is wrong.", f"{subject}的值不对。")
    else:
        here = list(place)
        headline = say(
            f"{difference.bad} of {total} elements of {subject} differ; the first is at {here}.",
            f"{subject}的 {total} 个元素中有 {difference.bad} 个不同，第一个在 {here}。",
        )
    return failed(
        headline,
        expected=_shown(want, place, difference.want),
        got=_shown(got, place, difference.got),
        then=_value_step(got, want, place),
        about=about,
    )


def _as_tensor(values: object) -> torch.Tensor:
    return values.cpu() if isinstance(values, torch.Tensor) else torch.tensor(values.copy())


def _shown(tensor: torch.Tensor, place: tuple, original: object) -> str:
    text, here = number(tensor[place]), str(list(place))
    if not place:
        return text
    if tensor.numel() > SMALL:
        return say(f"{text} at {here}", f"{here} 处是 {text}")
    whole = summarise(original)
    return say(f"{text} at {here} of {whole}", f"{whole} 的 {here} 处是 {text}")


def _value_step(got: torch.Tensor, want: torch.Tensor, place: tuple) -> str:
    with torch.no_grad(), torch._C.DisableTorchFunction():
        got, want = (t if t.is_complex() else t.to(torch.float64) for t in (got, want))
        if bool(got[place] != got[place]) and bool(want[place] == want[place]):
            return say(
                "`nan` came out: look for 0/0, inf - inf, or the mean of nothing.",
                "出现了 `nan`：找一找 0/0、inf - inf，或者对空张量求均值。",
            )
        close = (1e-5, 1e-8)
        square = want.ndim == 2 and want.shape[0] == want.shape[1]
        if square and not mismatches(got.T, want, *close).any():
            return say(
                "This is the transpose of what is wanted: rows and columns are swapped.",
                "这正是所求结果的转置：行与列颠倒了。",
            )
        if want.numel() > 1 and not want.is_complex():
            ordered = (t.flatten().sort().values for t in (got, want))
            if not mismatches(*ordered, *close).any():
                return say(
                    "The numbers are right, their places are not: look at the order of the axes,"
                    " and of the elements along each.",
                    "数都对，位置不对：看看各维的次序，以及每一维上元素的次序。",
                )
    return say(
        "Make this call in a new cell, work out this place by hand, and print each step.",
        "在新的单元格里做同样的调用，手算这个位置的值，并打印每一步。",
    )
