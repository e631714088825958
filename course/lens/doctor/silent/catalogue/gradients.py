"""Faults of gradients: cut off, looked for in the wrong place, not a number."""

from lens.doctor.silent.fault import Fault

GRADIENTS = (
    Fault(
        name="graph-cut-by-cast",
        family="graph-cut",
        seen="A cast to integers of a tensor that requires a gradient, and a look at its graph.",
        cause=(
            "A cast to {dtype} has no gradient: the result no longer depends on `{x}` for "
            "autograd. || "
            "转成 {dtype} 没有梯度可言：对自动求导来说，结果与 `{x}` 再无关系。"
        ),
        fix=(
            "{x}  # stay in floating point; round for display only || "
            "{x}  # 保持浮点数，只在显示时取整"
        ),
        bad=("w = torch.rand(3, requires_grad=True)\nk = w.long()\nprint(k.requires_grad)"),
        good=(
            "w = torch.rand(3, requires_grad=True)\n"
            "k = w * 10\n"
            "print(k.requires_grad)\n"
            "i = w.detach().long()\n"
            "print(torch.arange(3)[i])"
        ),
    ),
    Fault(
        name="backward-from-leaf",
        family="graph-cut",
        seen="backward() of a tensor that requires a gradient and has no grad_fn.",
        cause=(
            "`{x}` has no history: it was made anew (`torch.tensor(…)`, `.detach()`, "
            "`.item()`), so `backward()` in line {line} reaches nothing else. || "
            "`{x}` 没有计算历史：它是重新创建的（`torch.tensor(…)`、`.detach()`、`.item()`），"
            "第 {line} 行的 `backward()` 传不到别处。"
        ),
        fix=(
            "# use the computed loss itself, not a new tensor made of its number || "
            "# 直接用算出来的 loss，不要拿它的数值再造张量"
        ),
        bad=(
            "w = torch.ones(2, requires_grad=True)\n"
            "loss = torch.tensor((w * 2).sum().item(), requires_grad=True)\n"
            "loss.backward()"
        ),
        good=("w = torch.ones(2, requires_grad=True)\nloss = (w * 2).sum()\nloss.backward()"),
    ),
    Fault(
        name="graph-rewrapped",
        family="graph-cut",
        seen="torch.tensor(…, requires_grad=True) of a value that was computed from parameters.",
        cause=(
            "`torch.tensor` makes a new leaf of the number: what it was computed from, {shape}, is "
            "forgotten, and no gradient goes back there. || "
            "`torch.tensor` 只拿数值造一个新的叶子：形状 {shape} 的结果是怎么算来的全丢了，"
            "梯度传不回去。"
        ),
        fix="torch.stack([loss1, loss2]).sum()  # join tensors, keep their graph || "
        "torch.stack([loss1, loss2]).sum()  # 拼接张量，保留计算图",
        bad=(
            "w = torch.ones(2, requires_grad=True)\n"
            "losses = [(w * 2).sum(), (w * 3).sum()]\n"
            "torch.tensor(losses, requires_grad=True).sum().backward()"
        ),
        good=(
            "w = torch.ones(2, requires_grad=True)\n"
            "losses = [(w * 2).sum(), (w * 3).sum()]\n"
            "torch.stack(losses).sum().backward()\n"
            "print(torch.tensor([loss.item() for loss in losses]))"
        ),
    ),
    Fault(
        name="graph-cut",
        family="graph-cut",
        seen=(
            "A step (or a look at .grad) without gradient for leaves that lie behind detach "
            "and the like."
        ),
        cause=(
            "`{op}` takes the value out of the graph here: a parameter {shape} that lies "
            "behind it gets no gradient. || "
            "这里的 `{op}` 把值从计算图分离了：它背后形状为 {shape} 的参数得不到梯度。"
        ),
        fix=("# leave `{op}` out on the way to the loss || # 通往 loss 的路上不要用 `{op}`"),
        bad=(
            "a, b = nn.Linear(2, 2), nn.Linear(2, 1)\n"
            "opt = torch.optim.SGD([*a.parameters(), *b.parameters()], lr=0.1)\n"
            "h = a(torch.rand(4, 2)).detach()\n"
            "b(h).mean().backward()\n"
            "opt.step()"
        ),
        good=(
            "a, b = nn.Linear(2, 2), nn.Linear(2, 1)\n"
            "opt = torch.optim.SGD([*a.parameters(), *b.parameters()], lr=0.1)\n"
            "h = a(torch.rand(4, 2))\n"
            "b(h).mean().backward()\n"
            "opt.step()\n"
            "print(h.detach().mean())"
        ),
    ),
    Fault(
        name="non-leaf-grad",
        family="non-leaf-grad",
        seen=".grad of a tensor that is not a leaf, and None.",
        cause=(
            "`{x}` is no leaf: `{op}` made a new tensor of one that requires a gradient. "
            "Gradients are kept for leaves; line {line} reads None. || "
            "`{x}` 不是叶子：它是 `{op}` 由需要梯度的张量算出来的新张量。梯度只留在叶子上，所以"
            "第 {line} 行读到 None。"
        ),
        fix=(
            "{x} = {x}.detach().requires_grad_()  # a leaf; or {x}.retain_grad() before "
            "backward || "
            "{x} = {x}.detach().requires_grad_()  # 成为叶子；或在 backward 之前 "
            "{x}.retain_grad()"
        ),
        bad=("x = torch.ones(2, requires_grad=True).double()\nx.sum().backward()\nprint(x.grad)"),
        good=(
            "x = torch.ones(2).double().requires_grad_()\n"
            "y = x * 2\n"
            "y.retain_grad()\n"
            "y.sum().backward()\n"
            "print(x.grad, y.grad)"
        ),
    ),
    Fault(
        name="nan-from-masked-branch",
        family="nan-gradient",
        seen="A gradient becomes NaN where nothing was asked for: 0 times infinity.",
        cause=(
            "The loss is a number, but the backward pass of `{op}` makes NaN here: the branch "
            "that is not taken is infinite, and 0 times infinity is NaN. || "
            "损失是正常的数，但反向传播到这里的 `{op}` 变成了 NaN：没有选中的那一支是无穷大，0 "
            "乘无穷大得 NaN。"
        ),
        fix=(
            "safe = torch.where(mask, x, torch.ones_like(x))  # a harmless argument where it "
            "is not used || "
            "safe = torch.where(mask, x, torch.ones_like(x))  # 不用的位置先换成无害的数"
        ),
        bad=(
            "x = torch.tensor([900.0, -1.0], requires_grad=True)\n"
            "y = torch.where(x > 0, x, x.exp())\n"
            "y.sum().backward()"
        ),
        good=(
            "x = torch.tensor([900.0, -1.0], requires_grad=True)\n"
            "safe = torch.where(x > 0, torch.zeros_like(x), x)\n"
            "y = torch.where(x > 0, x, safe.exp())\n"
            "y.sum().backward()"
        ),
    ),
    Fault(
        name="nan-from-infinite-slope",
        family="nan-gradient",
        seen="A gradient becomes infinite or NaN though the loss is a number.",
        cause=(
            "The loss is a number, but the slope of `{op}` is infinite here (as of a root at "
            "0): its gradient is not finite, and times 0 it is NaN. || "
            "损失是正常的数，但 `{op}` 在这里的斜率是无穷大（例如开方在 0 处）：梯度不再有限，"
            "再乘 0 就是 NaN。"
        ),
        fix=(
            "# keep away from that point: sqrt(x + eps), x.norm(), clamp(min=eps) || "
            "# 避开这个点：sqrt(x + eps)、x.norm()、clamp(min=eps)"
        ),
        bad=("x = torch.zeros(3, requires_grad=True)\nd = (x**2).sum().sqrt()\nd.backward()"),
        good=(
            "x = torch.zeros(3, requires_grad=True)\n"
            "d = ((x**2).sum() + 1e-12).sqrt()\n"
            "d.backward()"
        ),
    ),
    Fault(
        name="forward-nan",
        family="nan-gradient",
        seen=(
            "An operation makes the first NaN of numbers, and the NaN is read or reaches the loss."
        ),
        cause=(
            "`{op}` makes the first NaN here; everything after it inherits it. || "
            "第一个 NaN 是这里的 `{op}` 产生的，之后的结果都受它影响。"
        ),
        fix=(
            "# check the operands: 0/0, the root of a negative number, infinity minus infinity || "
            "# 检查操作数：0/0、负数开方、无穷大减无穷大"
        ),
        bad=("x = torch.zeros(2)\nprint((x / x).mean().item())"),
        good=(
            "x = torch.zeros(2)\n"
            "print((x / x).nan_to_num().mean().item())\n"
            'print(torch.tensor([1.0, float("nan")]).nanmean())'
        ),
    ),
    Fault(
        name="forward-inf",
        family="nan-gradient",
        seen="An infinite number reaches the loss.",
        cause=(
            "`{op}` makes the first infinite number here, and the loss is infinite. || "
            "第一个无穷大是这里的 `{op}` 产生的，损失也成了无穷大。"
        ),
        fix=(
            "# subtract the maximum before exp, or use torch.logsumexp || "
            "# exp 之前先减去最大值，或用 torch.logsumexp"
        ),
        bad=("w = torch.tensor(800.0, requires_grad=True)\nloss = w.exp()\nloss.backward()"),
        good=(
            "w = torch.tensor(800.0, requires_grad=True)\n"
            "loss = torch.logsumexp(w[None], 0)\n"
            "loss.backward()"
        ),
    ),
    Fault(
        name="log-of-zero",
        family="log-of-zero",
        seen="log(0) on the way to a NaN that is read, or to an infinite loss.",
        cause=(
            "log(0) is -inf, and 0 times -inf is NaN: a probability of exactly 0 spoils the "
            "result. || "
            "log(0) 是 -inf，0 乘 -inf 是 NaN：一个恰好为 0 的概率就毁掉了结果。"
        ),
        fix=(
            "torch.nn.functional.binary_cross_entropy(p, y)  # clamps the log; or work on "
            "logits, or p.clamp(min=1e-7) || "
            "torch.nn.functional.binary_cross_entropy(p, y)  # 会截断 log；或用 logits，或 "
            "p.clamp(min=1e-7)"
        ),
        bad=(
            "p, y = torch.tensor([0.0, 0.5]), torch.tensor([0.0, 1.0])\n"
            "print(-(y * p.log()).sum().item())"
        ),
        good=(
            "p, y = torch.tensor([0.0, 0.5]), torch.tensor([0.0, 1.0])\n"
            "print(-(y * p.clamp(min=1e-7).log()).sum().item())\n"
            "mask = torch.tensor([0.0, 1.0]).log()\n"
            "print((torch.rand(2) + mask).softmax(0).sum().item())"
        ),
    ),
)
