"""Faults of training loops: gradients not cleared, losses that run away."""

from lens.doctor.silent.fault import Fault

TRAINING = (
    Fault(
        name="zero-grad-missing",
        family="zero-grad",
        seen="A step with gradients that were added to those of the step before.",
        cause=(
            "`backward()` adds to `.grad`, and nothing cleared it since the last step: this "
            "step uses old gradients again. || "
            "`backward()` 会累加到 `.grad` 上，而上一步之后没有清零：这一步又用了旧的梯度。"
        ),
        fix=("{opt}.zero_grad()\nloss.backward()\n{opt}.step()"),
        bad=(
            "torch.manual_seed(0)\n"
            "net = nn.Linear(2, 1)\n"
            "opt = torch.optim.SGD(net.parameters(), lr=0.1)\n"
            "x = torch.rand(4, 2)\n"
            "for _ in range(3):\n"
            "    loss = net(x).pow(2).mean()\n"
            "    loss.backward()\n"
            "    opt.step()\n"
        ),
        good=(
            "torch.manual_seed(0)\n"
            "net = nn.Linear(2, 1)\n"
            "opt = torch.optim.SGD(net.parameters(), lr=0.1)\n"
            "x = torch.rand(4, 2)\n"
            "for _ in range(3):\n"
            "    loss = net(x).pow(2).mean()\n"
            "    loss.backward()\n"
            "    opt.step()\n"
            "    opt.zero_grad()\n"
            "opt.zero_grad()\n"
            "for part in x:\n"
            "    net(part).mean().backward()\n"
            "opt.step()"
        ),
    ),
    Fault(
        name="zero-grad-missing-by-hand",
        family="zero-grad",
        seen="`w -= lr * w.grad` with a gradient that was added to that of the step before.",
        cause=(
            "`backward()` adds to `{w}.grad`, and nothing cleared it since the last update: "
            "old gradients count again. || "
            "`backward()` 会累加到 `{w}.grad` 上，而上次更新之后没有清零：旧的梯度又算了一遍。"
        ),
        fix=("{w}.grad = None  # after each update || {w}.grad = None  # 每次更新之后"),
        bad=(
            "w = torch.ones(2, requires_grad=True)\n"
            "for _ in range(2):\n"
            "    (w**2).sum().backward()\n"
            "    with torch.no_grad():\n"
            "        w -= 0.1 * w.grad"
        ),
        good=(
            "w = torch.ones(2, requires_grad=True)\n"
            "for _ in range(2):\n"
            "    (w**2).sum().backward()\n"
            "    with torch.no_grad():\n"
            "        w -= 0.1 * w.grad\n"
            "    w.grad = None"
        ),
    ),
    Fault(
        name="zero-grad-misplaced",
        family="zero-grad",
        seen="A step without gradients, which were cleared after backward().",
        cause=(
            "The gradients are cleared here, between `backward()` and `{opt}.step()` in line "
            "{line}: the step changes nothing. || "
            "这里在 `backward()` 与第 {line} 行的 `{opt}.step()` 之间清掉了梯度：这一步什么也没"
            "更新。"
        ),
        fix=("{opt}.zero_grad()\nloss.backward()\n{opt}.step()"),
        bad=(
            "torch.manual_seed(0)\n"
            "net = nn.Linear(2, 1)\n"
            "opt = torch.optim.SGD(net.parameters(), lr=0.1)\n"
            "x = torch.rand(4, 2)\n"
            "net(x).mean().backward()\n"
            "opt.zero_grad()\n"
            "opt.step()"
        ),
        good=(
            "torch.manual_seed(0)\n"
            "net = nn.Linear(2, 1)\n"
            "opt = torch.optim.SGD(net.parameters(), lr=0.1)\n"
            "x = torch.rand(4, 2)\n"
            "opt.zero_grad()\n"
            "net(x).mean().backward()\n"
            "opt.step()\n"
            "opt.zero_grad()"
        ),
    ),
    Fault(
        name="not-called-zero-grad",
        family="zero-grad",
        seen=(
            "`opt.step`, `opt.zero_grad` or `loss.backward` as a statement, without parentheses."
        ),
        cause=(
            "`{code}` only names the method; without parentheses nothing is called. || "
            "`{code}` 只是提到这个方法；没有括号就没有调用。"
        ),
        fix="{code}()",
        bad=(
            "torch.manual_seed(0)\n"
            "net = nn.Linear(2, 1)\n"
            "opt = torch.optim.SGD(net.parameters(), lr=0.1)\n"
            "x = torch.rand(4, 2)\n"
            "opt.zero_grad\n"
            "net(x).mean().backward()\n"
            "opt.step()"
        ),
        good=(
            "torch.manual_seed(0)\n"
            "net = nn.Linear(2, 1)\n"
            "opt = torch.optim.SGD(net.parameters(), lr=0.1)\n"
            "x = torch.rand(4, 2)\n"
            "opt.zero_grad()\n"
            "net(x).mean().backward()\n"
            "opt.step()"
        ),
    ),
    Fault(
        name="diverging",
        family="diverging",
        seen="The loss of a training loop grew by orders of magnitude, step after step.",
        cause=(
            "`{x}` went from {first} to {last} in {n} steps: with {rate} each step overshoots. || "
            "`{x}` 在 {n} 步里从 {first} 变成 {last}：{rate} 时每一步都走过了头。"
        ),
        fix=(
            "{smaller}  # or scale the inputs, or clip the gradients || "
            "{smaller}  # 或缩放输入、裁剪梯度"
        ),
        bad=(
            "w = torch.ones(1, requires_grad=True)\n"
            "opt = torch.optim.SGD([w], lr=3.0)\n"
            "for _ in range(12):\n"
            "    opt.zero_grad()\n"
            "    loss = (w**2).sum()\n"
            "    loss.backward()\n"
            "    opt.step()"
        ),
        good=(
            "w = torch.ones(1, requires_grad=True)\n"
            "opt = torch.optim.SGD([w], lr=0.3)\n"
            "for _ in range(12):\n"
            "    opt.zero_grad()\n"
            "    loss = (w**2).sum()\n"
            "    loss.backward()\n"
            "    opt.step()"
        ),
    ),
)
