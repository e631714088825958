"""The words of a failed comparison: expected, got, and the next step that fits this difference."""

from __future__ import annotations

import numpy as np
import torch

from lens.compare import Difference
from lens.language import say
from lens.outcomes import CheckFailed, failed
from lens.summary import dtype_name, summarise, type_name
from lens.wrong_values import wrong_values


def of(difference: Difference, subject: str, about: object) -> CheckFailed:
    """The failed check for a difference; `about` is the value that the call returned."""
    got, want = difference.got, difference.want
    match difference.kind:
        case "none" | "type":
            return wrong_type(got, (_kind(want),), subject, about)
        case "shape":
            return wrong_shape(tuple(got.shape), tuple(want.shape), subject, about)
        case "dtype":
            return wrong_dtype(got.dtype, want.dtype, subject, about)
        case "device":
            return wrong_device(got.device, want.device, subject, about)
        case "layout":
            return _wrong_layout(got, want, subject, about)
        case "length":
            return _wrong_length(got, want, subject, about)
        case "keys":
            return _wrong_keys(got, want, subject, about)
        case "values":
            return wrong_values(difference, subject, about)
    return _wrong_plain(got, want, subject, about)


def _kind(want: object) -> type:
    for kind in (torch.Tensor, np.ndarray, dict, tuple, list):
        if isinstance(want, kind):
            return kind
    return type(want)


def wrong_type(got: object, kinds: tuple, subject: str, about: object = None) -> CheckFailed:
    names = say(" or ", " 或 ").join(f"`{type_name(kind)}`" for kind in kinds)
    if got is None and type(None) not in kinds:
        return failed(
            say(f"There is `None` where {subject} should be.", f"{subject}是 `None`。"),
            expected=names,
            got="`None`",
            then=say(
                "Is a `return` missing? A function without one gives `None`; so do some methods"
                " that work in place.",
                "是不是少了 `return`？没有 `return` 的函数返回 `None`；"
                "有些原地操作的方法也返回 `None`。",
            ),
            about=about,
        )
    return failed(
        say(f"The type of {subject} is wrong.", f"{subject}的类型不对。"),
        expected=names,
        got=f"`{type_name(type(got))}`" + say(": ", "：") + summarise(got),
        then=_type_step(got, kinds),
        about=got if about is None else about,
    )


def _type_step(got: object, kinds: tuple) -> str:
    numbers = any(issubclass(kind, (int, float, complex, bool)) for kind in kinds)
    if isinstance(got, torch.Tensor) and numbers:
        if got.numel() == 1:
            return say(
                "A 0-dim tensor is not a Python number: take it out with `.item()`.",
                "只有一个元素的张量不是 Python 数：用 `.item()` 取出来。",
            )
        return say(
            "One number is wanted, and this tensor holds several: reduce it, then `.item()`.",
            "这里要一个数，而这个张量有多个元素：先归约成一个，再用 `.item()`。",
        )
    if torch.Tensor in kinds and isinstance(got, np.ndarray):
        return say(
            "NumPy does not become a tensor by itself: `torch.from_numpy` shares the memory,"
            " `torch.tensor` copies.",
            "NumPy 数组不会自动变成张量：`torch.from_numpy` 共享内存，`torch.tensor` 拷贝。",
        )
    if torch.Tensor in kinds and isinstance(got, (bool, int, float)):
        return say(
            "A plain number came out: look for an `.item()`, or for arithmetic on Python numbers.",
            "返回的是普通的数：看看有没有 `.item()`，或者是否在用 Python 数做运算。",
        )
    if torch.Tensor in kinds and isinstance(got, (list, tuple)):
        if not any(isinstance(part, torch.Tensor) for part in got):
            return say(
                "A list is not yet a tensor: `torch.tensor` makes one of it.",
                "列表还不是张量：用 `torch.tensor` 把它变成张量。",
            )
        return say(
            "Several values came out: choose one, or join them with `torch.stack` or `torch.cat`.",
            "返回的是一组值：取出其中一个，或用 `torch.stack`、`torch.cat` 把张量合起来。",
        )
    if int in kinds and isinstance(got, bool):
        return say(
            "`True` and `False` are not counts: give an `int`.",
            "`True` 和 `False` 不是个数：请给出 `int`。",
        )
    return say("Look at what your `return` gives back.", "看看你的 `return` 返回的是什么。")


def wrong_shape(got: tuple, want: tuple, subject: str, about: object = None) -> CheckFailed:
    return failed(
        say(f"The shape of {subject} is wrong.", f"{subject}的形状不对。"),
        expected=_shape(want),
        got=_shape(got),
        then=_shape_step(got, want),
        about=about,
    )


def _shape(shape: tuple) -> str:
    sizes = ["?" if size is None else str(size) for size in shape]
    return "(" + ", ".join(sizes) + ("," if len(sizes) == 1 else "") + ")"


def _shape_step(got: tuple, want: tuple) -> str:
    if None not in want and got != want:
        if [n for n in got if n != 1] == [n for n in want if n != 1]:
            return say(
                "Only axes of size 1 differ: think of `keepdim`, `unsqueeze`, `squeeze`.",
                "只差在长度为 1 的维度上：想想 `keepdim`、`unsqueeze`、`squeeze`。",
            )
        if sorted(got) == sorted(want):
            return say(
                "The sizes are right, their order is not: which axis comes first?",
                "各维的长度对，次序不对：哪一维在前？",
            )
        if len(got) != len(want):
            return say(
                f"{len(want)} axes are wanted, {len(got)} came: print the shape after every step.",
                f"应有 {len(want)} 维，得到 {len(got)} 维：每一步之后打印形状。",
            )
    return say(
        "Print the shape after every step, and find where it goes another way.",
        "每一步之后打印形状，找出从哪里开始不同。",
    )


def wrong_dtype(got, want, subject: str, about: object = None) -> CheckFailed:
    got, want = dtype_name(got), dtype_name(want)
    if want == "float32" and got == "float64":
        then = say(
            "NumPy's floats are float64, and float64 spreads: give `dtype=torch.float32` where the"
            " tensor is made, or convert.",
            "NumPy 的浮点数是 `float64`，而且会一路传下去："
            "创建张量时写 `dtype=torch.float32`，或者做转换。",
        )
    elif got.startswith(("int", "uint", "bool")) and want.startswith(("float", "bfloat")):
        then = say(
            "Integers in, integers out: convert before you compute, or give `dtype=`.",
            "输入是整数，结果就是整数：先转换再计算，或写明 `dtype=`。",
        )
    else:
        then = say(
            "Print `dtype` after every step; give `dtype=` where the tensor is made, or use `.to`.",
            "每一步之后打印 `dtype`；创建张量时写明 `dtype=`，或用 `.to` 转换。",
        )
    headline = say(f"The dtype of {subject} is wrong.", f"{subject}的 `dtype` 不对。")
    return failed(headline, expected=want, got=got, then=then, about=about)


def wrong_device(got, want, subject: str, about: object = None) -> CheckFailed:
    if got.type == "meta":
        then = say(
            "A tensor on `meta` has a shape and no values: create it on a real device.",
            "`meta` 上的张量只有形状，没有值：请在真实的设备上创建。",
        )
    else:
        then = say(
            "Create new tensors on the device of the input: `device=x.device`, or `.to(...)`.",
            "新张量要建在输入所在的设备上：`device=x.device`，或用 `.to(...)`。",
        )
    headline = say(f"The device of {subject} is wrong.", f"{subject}所在的设备不对。")
    return failed(headline, expected=str(want), got=str(got), then=then, about=about)


def _wrong_layout(got, want, subject, about) -> CheckFailed:
    if want.layout is torch.strided:
        then = say(
            "This tensor is sparse; an ordinary (dense) one is wanted: `.to_dense()`.",
            "这是稀疏张量，而这里要普通的（稠密）张量：`.to_dense()`。",
        )
    else:
        then = say("Convert it with `to_sparse()` or its kin.", "用 `to_sparse()` 之类的方法转换。")
    headline = say(f"The layout of {subject} is wrong.", f"{subject}的存储布局不对。")
    return failed(headline, expected=str(want.layout), got=str(got.layout), then=then, about=about)


def _wrong_length(got, want, subject, about) -> CheckFailed:
    return failed(
        say(f"The number of items of {subject} is wrong.", f"{subject}的项数不对。"),
        expected=say(f"{len(want)} items", f"{len(want)} 项"),
        got=say(f"{len(got)} items: ", f"{len(got)} 项：") + summarise(got),
        then=say("Look at what your `return` gives back.", "看看你的 `return` 返回的是什么。"),
        about=about,
    )


def _wrong_keys(got, want, subject, about) -> CheckFailed:
    lacking = [repr(key) for key in want if key not in got]
    extra = [repr(key) for key in got if key not in want]
    parts = []
    if lacking:
        parts.append(say("Add ", "补上 ") + ", ".join(lacking))
    if extra:
        parts.append(say("remove " if parts else "Remove ", "去掉 ") + ", ".join(extra))
    return failed(
        say(f"The keys of {subject} are wrong.", f"{subject}的键不对。"),
        expected=", ".join(map(repr, want)),
        got=", ".join(map(repr, got)),
        then=say("; ", "；").join(parts) + say(".", "。"),
        about=about,
    )


def _wrong_plain(got, want, subject, about) -> CheckFailed:
    return failed(
        say(f"The value of {subject} is wrong.", f"{subject}的值不对。"),
        expected=summarise(want),
        got=summarise(got),
        then=say(
            "Make this call in a new cell, and work the answer out by hand.",
            "在新的单元格里做同样的调用，并手算一遍答案。",
        ),
        about=about,
    )


def no_grad(tensor: torch.Tensor, what: str) -> CheckFailed:
    if not tensor.requires_grad:
        then = say(
            "This tensor has `requires_grad=False`: nothing is recorded for it.",
            "这个张量的 `requires_grad=False`：不会为它记录任何运算。",
        )
    elif not tensor.is_leaf:
        then = say(
            "Only leaves keep their gradient: this tensor is the result of an operation. Keep the"
            " leaf itself, or call `retain_grad()`.",
            "只有叶子张量保留梯度，而这个张量是运算的结果：请用叶子本身，或调用 `retain_grad()`。",
        )
    else:
        then = say(
            "Was `backward()` called, and does the loss depend on this tensor? `detach`, `.item()`"
            " and `no_grad` cut the graph.",
            "调用 `backward()` 了吗？损失依赖这个张量吗？"
            "`detach`、`.item()`、`no_grad` 会切断计算图。",
        )
    return failed(
        say("There is no gradient.", "没有梯度。"),
        expected=say(f"a tensor in {what}", f"{what} 中有张量"),
        got=f"{what} = None",
        then=then,
        about=tensor,
    )
