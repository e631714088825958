"""Faults of memory and of the computation graph."""

from lens.doctor.silent.fault import Fault

_NET = "import torch\nnet = torch.nn.Linear(2, 1)\n"

GRAPHS = (
    Fault(
        "shared-memory",
        "shared-memory",
        "An array or a snapshot over a tensor's memory, the memory written to, the alias read.",
        "`{alias}` shares memory with `{x}`: line {line} writes there, and line {read} reads `{alias}` changed. || "
        "`{alias}` 与 `{x}` 共享内存：第 {line} 行写入之后，第 {read} 行读到的 `{alias}` 也变了。",
        "{code}  # a copy || {code}  # 拷贝一份",
        "import torch\nw = torch.ones(2)\nold = w.numpy()\nw.mul_(5)\nprint(old)",
        "import torch\nw = torch.ones(2)\nold = w.clone().numpy()\nw.mul_(5)\nprint(old)\nlast = w.numpy()",
    ),
    Fault(
        "read-only-array",
        "shared-memory",
        "A tensor over a NumPy array that is read-only, written to.",
        "`{array}` is read-only, `{x}` lies over its memory and line {line} writes there: torch ignores the "
        "flag. || `{array}` 是只读的，`{x}` 用的是它的内存，第 {line} 行写了进去：PyTorch 不理会只读标志。",
        "{x} = torch.tensor({array})  # a copy || {x} = torch.tensor({array})  # 拷贝一份",
        "import numpy as np, torch, warnings\nwarnings.simplefilter('ignore')\n"
        "a = np.zeros(2)\na.flags.writeable = False\nt = torch.from_numpy(a)\nt += 1",
        "import numpy as np, torch\na = np.zeros(2)\na.flags.writeable = False\n"
        "t = torch.tensor(a)\nt += 1",
    ),
    Fault(
        "legacy-size",
        "legacy-constructor",
        "torch.Tensor(n), torch.FloatTensor(n, m): kept, and not filled.",
        "`{code}` takes its arguments for sizes: the tensor's numbers are whatever lay in memory. || `{code}` 把参数当作形状："
        "张量里的数是内存中残留的内容。",
        "torch.tensor([{sizes}])  # these values\ntorch.zeros({sizes})  # this shape || "
        "torch.tensor([{sizes}])  # 以它们为值\ntorch.zeros({sizes})  # 以它们为形状",
        "import torch\nx = torch.Tensor(3)\nprint(x.shape)",
        "import torch\nx = torch.tensor(3)\ny = torch.Tensor(2, 3).normal_()\n"
        "w = torch.nn.Parameter(torch.Tensor(2, 3))",
    ),
    Fault(
        "legacy-floats",
        "legacy-constructor",
        "torch.Tensor([…]) with whole numbers only.",
        "`{code}` makes float32 of whole numbers; `torch.tensor` would keep them int64. || `{code}` 会把整数变成 float32；"
        "`torch.tensor` 则保留 int64。",
        "torch.tensor({values})",
        "import torch\nlabels = torch.Tensor([0, 1, 2])\nprint(labels)",
        "import torch\nlabels = torch.tensor([0, 1, 2])\nx = torch.Tensor([0.5, 1.5])\nprint(labels, x)",
    ),
    Fault(
        "graph-cut-by-cast",
        "graph-cut",
        "A cast to integers of a tensor that requires a gradient, and a look at its graph.",
        "A cast to {dtype} has no gradient: the result no longer depends on `{x}` for autograd. || 转成 {dtype} 没有梯度可言："
        "对自动求导来说，结果与 `{x}` 再无关系。",
        "{x}  # stay in floating point; round for display only || {x}  # 保持浮点数，只在显示时取整",
        "import torch\nw = torch.rand(3, requires_grad=True)\nk = w.long()\nprint(k.requires_grad)",
        "import torch\nw = torch.rand(3, requires_grad=True)\nk = w * 10\nprint(k.requires_grad)\n"
        "i = w.detach().long()\nprint(torch.arange(3)[i])",
    ),
    Fault(
        "backward-from-leaf",
        "graph-cut",
        "backward() of a tensor that requires a gradient and has no grad_fn.",
        "`{x}` has no history: it was made anew (`torch.tensor(…)`, `.detach()`, `.item()`), so `backward()` "
        "in line {line} reaches nothing else. || `{x}` 没有计算历史：它是重新创建的（`torch.tensor(…)`、`.detach()`、`.item()`），"
        "第 {line} 行的 `backward()` 传不到别处。",
        "# use the computed loss itself, not a new tensor made of its number || # 直接用算出来的 loss，不要拿它的数值再造张量",
        "import torch\nw = torch.ones(2, requires_grad=True)\n"
        "loss = torch.tensor((w * 2).sum().item(), requires_grad=True)\nloss.backward()",
        "import torch\nw = torch.ones(2, requires_grad=True)\nloss = (w * 2).sum()\nloss.backward()",
    ),
    Fault(
        "graph-cut",
        "graph-cut",
        "A step (or a look at .grad) without gradient for leaves that lie behind detach and the like.",
        "`{op}` takes the value out of the graph here: a parameter {shape} that lies behind it gets no "
        "gradient. || 这里的 `{op}` 把值从计算图分离了：它背后形状为 {shape} 的参数得不到梯度。",
        "# leave `{op}` out on the way to the loss || # 通往 loss 的路上不要用 `{op}`",
        "import torch\na, b = torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)\n"
        "opt = torch.optim.SGD([*a.parameters(), *b.parameters()], lr=0.1)\n"
        "h = a(torch.rand(4, 2)).detach()\nb(h).mean().backward()\nopt.step()",
        "import torch\na, b = torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)\n"
        "opt = torch.optim.SGD([*a.parameters(), *b.parameters()], lr=0.1)\n"
        "h = a(torch.rand(4, 2))\nb(h).mean().backward()\nopt.step()\nprint(h.detach().mean())",
    ),
    Fault(
        "non-leaf-grad",
        "non-leaf-grad",
        ".grad of a tensor that is not a leaf, and None.",
        "`{x}` is no leaf: `{op}` made a new tensor of one that requires a gradient. Gradients are kept for "
        "leaves; line {line} reads None. || `{x}` 不是叶子：它是 `{op}` 由需要梯度的张量算出来的新张量。梯度只留在叶子上，"
        "所以第 {line} 行读到 None。",
        "{x} = {x}.detach().requires_grad_()  # a leaf; or {x}.retain_grad() before backward || "
        "{x} = {x}.detach().requires_grad_()  # 成为叶子；或在 backward 之前 {x}.retain_grad()",
        "import torch, warnings\nwarnings.simplefilter('ignore')\n"
        "x = torch.ones(2, requires_grad=True).double()\nx.sum().backward()\nprint(x.grad)",
        "import torch\nx = torch.ones(2).double().requires_grad_()\ny = x * 2\ny.retain_grad()\n"
        "y.sum().backward()\nprint(x.grad, y.grad)",
    ),
    Fault(
        "graph-kept-in-total",
        "graph-kept",
        "A total to which a loss is added that backward() has used up.",
        "`{total}` becomes a tensor that keeps the graph of every `{x}` alive: memory grows with each step. || `{total}` "
        "变成了张量，每一步 `{x}` 的计算图都被它留住，内存越用越多。",
        "{total} += {x}.item()",
        "import torch\nw, total = torch.ones(2, requires_grad=True), 0.0\nfor _ in range(3):\n"
        "    loss = (w * 2).sum()\n    loss.backward()\n    total += loss",
        "import torch\nw, total = torch.ones(2, requires_grad=True), 0.0\nfor _ in range(3):\n"
        "    loss = (w * 2).sum()\n    loss.backward()\n    total += loss.item()",
    ),
    Fault(
        "graph-kept-in-list",
        "graph-kept",
        "Losses of three or more backward passes alive in a list.",
        "The list holds `{x}` itself, and with it the graph of every step. || 列表里存的是 `{x}` 本身，每一步的计算图都跟着留了下来。",
        "{code}",
        "import torch\nw, losses = torch.ones(2, requires_grad=True), []\nfor _ in range(4):\n"
        "    loss = (w * 2).sum()\n    loss.backward()\n    losses.append(loss)",
        "import torch\nw, losses = torch.ones(2, requires_grad=True), []\nfor _ in range(4):\n"
        "    loss = (w * 2).sum()\n    loss.backward()\n    losses.append(loss.item())",
    ),
    Fault(
        "graph-grows",
        "graph-kept",
        "retain_graph=True in a loop, with a graph that grows from step to step.",
        "Each `{x}.backward(retain_graph=True)` goes through more of the past ({a}, then {b} nodes): a state is "
        "carried on with its graph. || 每次 `{x}.backward(retain_graph=True)` 都要走过更长的历史（从 {a} 个节点到 {b} 个）："
        "有个状态带着计算图一直传了下去。",
        "state = state.detach()  # at the start of each step || state = state.detach()  # 每一步开始时",
        "import torch\nw, h = torch.ones(1, requires_grad=True), torch.ones(1)\nfor _ in range(5):\n"
        "    h = h * w\n    h.sum().backward(retain_graph=True)",
        "import torch\nw, h = torch.ones(1, requires_grad=True), torch.ones(1)\nfor _ in range(5):\n"
        "    h = h.detach() * w\n    h.sum().backward(retain_graph=True)",
    ),
    Fault(
        "graph-unneeded",
        "graph-unneeded",
        "Evaluation (by name, or eval mode in a loop) with a graph that no backward pass uses.",
        "This forward pass builds a graph for `backward()`, which never comes: time and memory for nothing. || "
        "这次前向计算为 `backward()` 建了计算图，而它从未被调用：白费时间和内存。",
        "with torch.no_grad():\n    …",
        _NET + "def evaluate(x):\n    return net(x).mean()\nv = evaluate(torch.rand(4, 2))",
        _NET + "def evaluate(x):\n    with torch.no_grad():\n        return net(x).mean()\n"
        "v = evaluate(torch.rand(4, 2))\ny = net(torch.rand(4, 2))",
    ),
    Fault(
        "nan-from-masked-branch",
        "nan-gradient",
        "A gradient becomes NaN where nothing was asked for: 0 times infinity.",
        "The loss is a number, but the backward pass of `{op}` makes NaN here: the branch that is not taken is "
        "infinite, and 0 times infinity is NaN. || 损失是正常的数，但反向传播到这里的 `{op}` 变成了 NaN：没有选中的那一支是无穷大，"
        "0 乘无穷大得 NaN。",
        "safe = torch.where(mask, x, torch.ones_like(x))  # a harmless argument where it is not used || "
        "safe = torch.where(mask, x, torch.ones_like(x))  # 不用的位置先换成无害的数",
        "import torch\nx = torch.tensor([900.0, -1.0], requires_grad=True)\n"
        "y = torch.where(x > 0, x, x.exp())\ny.sum().backward()",
        "import torch\nx = torch.tensor([900.0, -1.0], requires_grad=True)\n"
        "safe = torch.where(x > 0, torch.zeros_like(x), x)\n"
        "y = torch.where(x > 0, x, safe.exp())\ny.sum().backward()",
    ),
    Fault(
        "nan-from-infinite-slope",
        "nan-gradient",
        "A gradient becomes infinite or NaN though the loss is a number.",
        "The loss is a number, but the slope of `{op}` is infinite here (as of a root at 0): its gradient is "
        "not finite, and times 0 it is NaN. || 损失是正常的数，但 `{op}` 在这里的斜率是无穷大（例如开方在 0 处）：梯度不再有限，"
        "再乘 0 就是 NaN。",
        "# keep away from that point: sqrt(x + eps), x.norm(), clamp(min=eps) || # 避开这个点：sqrt(x + eps)、x.norm()、clamp(min=eps)",
        "import torch\nx = torch.zeros(3, requires_grad=True)\nd = (x**2).sum().sqrt()\nd.backward()",
        "import torch\nx = torch.zeros(3, requires_grad=True)\nd = ((x**2).sum() + 1e-12).sqrt()\nd.backward()",
    ),
    Fault(
        "forward-nan",
        "nan-gradient",
        "An operation makes the first NaN of numbers, and the NaN is read or reaches the loss.",
        "`{op}` makes the first NaN here; everything after it inherits it. || 第一个 NaN 是这里的 `{op}` 产生的，之后的结果都受它影响。",
        "# check the operands: 0/0, the root of a negative number, infinity minus infinity || # 检查操作数：0/0、负数开方、无穷大减无穷大",
        "import torch\nx = torch.zeros(2)\nprint((x / x).mean().item())",
        "import torch\nx = torch.zeros(2)\nprint((x / x).nan_to_num().mean().item())\n"
        "print(torch.tensor([1.0, float('nan')]).nanmean())",
    ),
    Fault(
        "forward-inf",
        "nan-gradient",
        "An infinite number reaches the loss.",
        "`{op}` makes the first infinite number here, and the loss is infinite. || 第一个无穷大是这里的 `{op}` 产生的，损失也成了无穷大。",
        "# subtract the maximum before exp, or use torch.logsumexp || # exp 之前先减去最大值，或用 torch.logsumexp",
        "import torch\nw = torch.tensor(800.0, requires_grad=True)\nloss = w.exp()\nloss.backward()",
        "import torch\nw = torch.tensor(800.0, requires_grad=True)\nloss = torch.logsumexp(w[None], 0)\n"
        "loss.backward()",
    ),
    Fault(
        "log-of-zero",
        "log-of-zero",
        "log(0) on the way to a NaN that is read, or to an infinite loss.",
        "log(0) is -inf, and 0 times -inf is NaN: a probability of exactly 0 spoils the result. || log(0) 是 -inf，0 乘 -inf 是 NaN："
        "一个恰好为 0 的概率就毁掉了结果。",
        "torch.nn.functional.binary_cross_entropy(p, y)  # clamps the log; or work on logits, or p.clamp(min=1e-7) || "
        "torch.nn.functional.binary_cross_entropy(p, y)  # 会截断 log；或用 logits，或 p.clamp(min=1e-7)",
        "import torch\np, y = torch.tensor([0.0, 0.5]), torch.tensor([0.0, 1.0])\nprint(-(y * p.log()).sum().item())",
        "import torch\np, y = torch.tensor([0.0, 0.5]), torch.tensor([0.0, 1.0])\n"
        "print(-(y * p.clamp(min=1e-7).log()).sum().item())\n"
        "mask = torch.tensor([0.0, 1.0]).log()\nprint((torch.rand(2) + mask).softmax(0).sum().item())",
    ),
)
