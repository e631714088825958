"""Three check points of a training step: what goes in, the loss, the gradients.

    check_inputs(x, shape=("n", 4), dtype=torch.float32)
    loss = check_loss(criterion(model(x), y))
    loss.backward()
    check_gradients(model)

Each returns what it was given, or raises CheckError: what was expected, what came, what to do next.
Looking at values waits for a GPU: leave the checks out of a loop that must be fast.
"""

from __future__ import annotations

import torch

from lens.language import say

Size = int | str | None


class CheckError(ValueError):
    """A check point that does not hold."""

    def _render_traceback_(self) -> list[str]:
        """What IPython shows in place of a traceback."""
        return str(self).splitlines()


def check_inputs(
    *tensors: torch.Tensor,
    shape: tuple[Size, ...] | None = None,
    dtype: torch.dtype | None = None,
    device: torch.device | str | None = None,
    finite: bool = True,
    name: str = "input",
) -> torch.Tensor | tuple[torch.Tensor, ...]:
    """Before the model: each is a tensor of this shape, dtype and device, without NaN or infinity.

    `shape=(None, 4)` accepts (n, 4) for any n; a letter in place of None must stand for the same
    size wherever it appears: `shape=("n", "n")` is square, and the `n` of all tensors is one.
    """
    letters: dict[str, int] = {}
    for index, tensor in enumerate(tensors):
        label = f"{name} {index + 1}" if len(tensors) > 1 else name
        _tensor(tensor, label)
        if shape is not None:
            _shape(tensor, shape, letters, label)
        if dtype is not None and tensor.dtype != dtype:
            raise _error(label, "dtype", dtype, tensor.dtype, f"x = x.to({dtype})")
        if device is not None:
            _device(tensor, torch.device(device), label)
        if finite:
            _finite(tensor, label)
    return tensors[0] if len(tensors) == 1 else tensors


def check_loss(loss: torch.Tensor) -> torch.Tensor:
    """Before `backward()`: the loss is one finite number, () or (1,), with a graph behind it."""
    label = say("loss", "loss")
    _tensor(loss, label)
    if loss.numel() != 1:
        want = say("one number, shape ()", "一个数，形状 ()")
        raise _error(label, "shape", want, tuple(loss.shape), "loss = loss.mean()")
    _finite(loss, label)
    if torch.is_grad_enabled() and loss.grad_fn is None:
        raise _error(
            label,
            say("graph", "计算图"),
            say("a `grad_fn`: computed from parameters", "有 `grad_fn`：由参数计算得来"),
            say("none", "没有"),
            say(
                "Look for `detach()`, `.item()`, `torch.tensor(…)`, `no_grad()` on the way to it.",
                "查一查算出它的路上有没有 `detach()`、`.item()`、`torch.tensor(…)`、`no_grad()`。",
            ),
        )
    return loss


def check_gradients(model: torch.nn.Module) -> torch.nn.Module:
    """After `backward()`: every parameter that requires a gradient has one, and it is finite."""
    named = [(n, p) for n, p in model.named_parameters() if p.requires_grad]
    if not named:
        raise _error(
            type(model).__name__,
            say("parameters", "参数"),
            say("at least one that requires a gradient", "至少有一个需要梯度"),
            say("none", "没有"),
            say(
                "Register layers in `__init__`: `self.fc = …`, `nn.ModuleList([…])`.",
                "在 `__init__` 里登记各层：`self.fc = …`、`nn.ModuleList([…])`。",
            ),
        )
    missing = [n for n, p in named if p.grad is None]
    if missing:
        raise _error(
            _listed(missing),
            say("gradient", "梯度"),
            say("a tensor", "张量"),
            "None",
            say(
                "Was `loss.backward()` called? Are these parameters used on the way to the loss?",
                "调用过 `loss.backward()` 吗？这些参数参与 loss 的计算了吗？",
            ),
        )
    for name, p in named:
        _finite(p.grad, say(f"gradient of {name}", f"{name} 的梯度"))
    return model


def _tensor(value: object, label: str) -> None:
    if not isinstance(value, torch.Tensor):
        kind = type(value).__name__
        raise _error(label, say("type", "类型"), "torch.Tensor", kind, "x = torch.as_tensor(x)")


def _shape(tensor: torch.Tensor, shape: tuple, letters: dict[str, int], label: str) -> None:
    fits = tensor.ndim == len(shape)
    for want, got in zip(shape, tensor.shape, strict=False):
        size = letters.setdefault(want, got) if isinstance(want, str) else want
        fits &= size is None or size == got
    if not fits:
        parts = [
            "*" if s is None else f"{s}={letters[s]}" if s in letters else str(s) for s in shape
        ]
        text = f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"
        step = say(
            "Print the shape after each step before this one; move axes with `permute`, add one "
            "with `unsqueeze`.",
            "逐步打印前面各步的形状；用 `permute` 移动维度，用 `unsqueeze` 增加一维。",
        )
        raise _error(label, "shape", text, tuple(tensor.shape), step)


def _device(tensor: torch.Tensor, device: torch.device, label: str) -> None:
    same = tensor.device.type == device.type and device.index in (None, tensor.device.index)
    if not same:
        raise _error(label, "device", device, tensor.device, f'x = x.to("{device}")')


def _finite(tensor: torch.Tensor, label: str) -> None:
    if tensor.is_meta or not (tensor.is_floating_point() or tensor.is_complex()):
        return
    bad = ~tensor.detach().isfinite()
    count = int(bad.sum())
    if count:
        nan = int(tensor.detach().isnan().sum())
        got = say(
            f"{nan} NaN and {count - nan} infinite of {tensor.numel()}",
            f"{tensor.numel()} 个数中有 {nan} 个 NaN、{count - nan} 个无穷大",
        )
        step = say(
            "Find the first operation that gives one: `with lens.watch():`.",
            "用 `with lens.watch():` 找出最先产生它的运算。",
        )
        raise _error(label, say("values", "数值"), say("finite numbers", "有限的数"), got, step)


def _listed(names: list[str]) -> str:
    more = say(f" and {len(names) - 4} more", f" 等 {len(names)} 个") if len(names) > 4 else ""
    return ", ".join(names[:4]) + more


def _error(label: str, what: str, expected: object, got: object, step: str) -> CheckError:
    colon = say(": ", "：")
    lines = [
        f"✗ {label}{colon}{what}",
        f"  {say('Expected', '期望')}{colon}{expected}",
        f"  {say('Got', '得到')}{colon}{got}",
        f"  {say('Next', '下一步')}{colon}{step}",
    ]
    return CheckError("\n".join(lines))
