"""Faults of memory: shared, uninitialised, held by a graph."""

from lens.doctor.silent.fault import Fault

MEMORY = (
    Fault(
        name="shared-memory",
        family="shared-memory",
        seen=(
            "An array or a snapshot over a tensor's memory, the memory written to, the alias read."
        ),
        cause=(
            "`{alias}` shares memory with `{x}`: line {line} writes there, and line {read} "
            "reads `{alias}` changed. || "
            "`{alias}` 与 `{x}` 共享内存：第 {line} 行写入之后，第 {read} 行读到的 `{alias}` 也"
            "变了。"
        ),
        fix=("{code}  # a copy || {code}  # 拷贝一份"),
        bad=("w = torch.ones(2)\nold = w.numpy()\nw.mul_(5)\nprint(old)"),
        good=(
            "w = torch.ones(2)\nold = w.clone().numpy()\nw.mul_(5)\nprint(old)\nlast = w.numpy()"
        ),
    ),
    Fault(
        name="list-of-one",
        family="shared-memory",
        seen="`[tensor] * n`, and a write into one of the n.",
        cause=(
            "`{name}` holds one tensor {n} times, not {n} tensors: a write into one shows "
            "in all. || "
            "`{name}` 里是同一个张量出现了 {n} 次，而不是 {n} 个张量：写一个，全都变。"
        ),
        fix="{code}",
        bad="rows = [torch.zeros(2)] * 3\nrows[0][1] = 5\nprint(rows)",
        good=(
            "rows = [torch.zeros(2) for _ in range(3)]\n"
            "rows[0][1] = 5\n"
            "print(rows, torch.stack([torch.ones(2)] * 3))"
        ),
    ),
    Fault(
        name="snapshots-of-one",
        family="shared-memory",
        seen="detach(), .data or numpy() of one parameter, appended to a list at each step.",
        cause=(
            "All {n} entries of `{name}` lie over the parameter's own memory: each step changes "
            "them all. || `{name}` 的 {n} 项用的都是参数自己的内存：每更新一步，所有项都跟着变。"
        ),
        fix="{code}",
        bad=(
            "w = torch.ones(2, requires_grad=True)\n"
            "opt = torch.optim.SGD([w], lr=0.1)\n"
            "history = []\n"
            "for _ in range(3):\n"
            "    opt.zero_grad()\n"
            "    (w**2).sum().backward()\n"
            "    opt.step()\n"
            "    history.append(w.detach())"
        ),
        good=(
            "w = torch.ones(2, requires_grad=True)\n"
            "opt = torch.optim.SGD([w], lr=0.1)\n"
            "history = []\n"
            "for _ in range(3):\n"
            "    opt.zero_grad()\n"
            "    (w**2).sum().backward()\n"
            "    opt.step()\n"
            "    history.append(w.detach().clone())"
        ),
    ),
    Fault(
        name="read-only-array",
        family="shared-memory",
        seen="A tensor over a NumPy array that is read-only, written to.",
        cause=(
            "`{array}` is read-only, `{x}` lies over its memory and line {line} writes there: "
            "torch ignores the flag. || "
            "`{array}` 是只读的，`{x}` 用的是它的内存，第 {line} 行写了进去：PyTorch 不理会只读"
            "标志。"
        ),
        fix=("{x} = torch.tensor({array})  # a copy || {x} = torch.tensor({array})  # 拷贝一份"),
        bad=("a = np.zeros(2)\na.flags.writeable = False\nt = torch.from_numpy(a)\nt += 1"),
        good=("a = np.zeros(2)\na.flags.writeable = False\nt = torch.tensor(a)\nt += 1"),
    ),
    Fault(
        name="legacy-size",
        family="legacy-constructor",
        seen="torch.Tensor(n), torch.FloatTensor(n, m): kept, and not filled.",
        cause=(
            "`{code}` takes its arguments for sizes: the tensor's numbers are whatever lay in "
            "memory. || "
            "`{code}` 把参数当作形状：张量里的数是内存中残留的内容。"
        ),
        fix=(
            "torch.tensor([{sizes}])  # these values\n"
            "torch.zeros({sizes})  # this shape || "
            "torch.tensor([{sizes}])  # 以它们为值\n"
            "torch.zeros({sizes})  # 以它们为形状"
        ),
        bad=("x = torch.Tensor(3)\nprint(x.shape)"),
        good=(
            "x = torch.tensor(3)\n"
            "y = torch.Tensor(2, 3).normal_()\n"
            "w = nn.Parameter(torch.Tensor(2, 3))"
        ),
    ),
    Fault(
        name="legacy-floats",
        family="legacy-constructor",
        seen=(
            "torch.Tensor([…]) with whole numbers only, named as labels or positions, or asked "
            "for its dtype."
        ),
        cause=(
            "`{code}` makes float32 of whole numbers; `torch.tensor` would keep them int64. || "
            "`{code}` 会把整数变成 float32；`torch.tensor` 则保留 int64。"
        ),
        fix="torch.tensor({values})",
        bad=("labels = torch.Tensor([0, 1, 2])\nprint(labels)"),
        good=("labels = torch.tensor([0, 1, 2])\nx = torch.Tensor([0.5, 1.5])\nprint(labels, x)"),
    ),
    Fault(
        name="moved-for-nothing",
        family="device",
        seen="`x.to(device)` of a tensor as a statement of its own.",
        cause=(
            "A tensor does not move in place: `{code}` returns a tensor on that device, and "
            "nobody keeps it. || "
            "张量不会原地搬到别的设备：`{code}` 返回的新张量没有人保存。"
        ),
        fix="{x} = {code}",
        bad=('x = torch.zeros(3)\nx.to("cpu")\nprint(x.device)'),
        good=(
            "x = torch.zeros(3)\n"
            'x = x.to("cpu")\n'
            "net = nn.Linear(3, 1)\n"
            'net.to("cpu")\n'
            "print(x.device)"
        ),
    ),
    Fault(
        name="graph-kept-in-total",
        family="graph-kept",
        seen="A total to which a loss is added that backward() has used up.",
        cause=(
            "`{total}` becomes a tensor that keeps the graph of every `{x}` alive: memory "
            "grows with each step. || "
            "`{total}` 变成了张量，每一步 `{x}` 的计算图都被它留住，内存越用越多。"
        ),
        fix="{total} += {x}.item()",
        bad=(
            "w, total = torch.ones(2, requires_grad=True), 0.0\n"
            "for _ in range(3):\n"
            "    loss = (w * 2).sum()\n"
            "    loss.backward()\n"
            "    total += loss"
        ),
        good=(
            "w, total = torch.ones(2, requires_grad=True), 0.0\n"
            "for _ in range(3):\n"
            "    loss = (w * 2).sum()\n"
            "    loss.backward()\n"
            "    total += loss.item()"
        ),
    ),
    Fault(
        name="graph-kept-in-list",
        family="graph-kept",
        seen="Losses of three or more backward passes alive in a list.",
        cause=(
            "The list holds `{x}` itself, and with it the graph of every step. || "
            "列表里存的是 `{x}` 本身，每一步的计算图都跟着留了下来。"
        ),
        fix="{code}",
        bad=(
            "w, losses = torch.ones(2, requires_grad=True), []\n"
            "for _ in range(4):\n"
            "    loss = (w * 2).sum()\n"
            "    loss.backward()\n"
            "    losses.append(loss)"
        ),
        good=(
            "w, losses = torch.ones(2, requires_grad=True), []\n"
            "for _ in range(4):\n"
            "    loss = (w * 2).sum()\n"
            "    loss.backward()\n"
            "    losses.append(loss.item())"
        ),
    ),
    Fault(
        name="graph-grows",
        family="graph-kept",
        seen="retain_graph=True in a loop, with a graph that grows from step to step.",
        cause=(
            "Each `{x}.backward(retain_graph=True)` goes through more of the past ({a}, then "
            "{b} nodes): a state is carried on with its graph. || "
            "每次 `{x}.backward(retain_graph=True)` 都要走过更长的历史（从 {a} 个节点到 {b} 个"
            "）：有个状态带着计算图一直传了下去。"
        ),
        fix=(
            "state = state.detach()  # at the start of each step || "
            "state = state.detach()  # 每一步开始时"
        ),
        bad=(
            "w, h = torch.ones(1, requires_grad=True), torch.ones(1)\n"
            "for _ in range(5):\n"
            "    h = h * w\n"
            "    h.sum().backward(retain_graph=True)"
        ),
        good=(
            "w, h = torch.ones(1, requires_grad=True), torch.ones(1)\n"
            "for _ in range(5):\n"
            "    h = h.detach() * w\n"
            "    h.sum().backward(retain_graph=True)"
        ),
    ),
    Fault(
        name="graph-unneeded",
        family="graph-unneeded",
        seen=(
            "Evaluation (by name, or eval mode in a loop) with a graph that no backward pass uses."
        ),
        cause=(
            "This forward pass builds a graph for `backward()`, which never comes: time and "
            "memory for nothing. || "
            "这次前向计算为 `backward()` 建了计算图，而它从未被调用：白费时间和内存。"
        ),
        fix="with torch.no_grad():\n    {code}",
        bad=(
            "net = nn.Linear(2, 1)\n"
            "def evaluate(x):\n"
            "    return net(x).mean()\n"
            "v = evaluate(torch.rand(4, 2))"
        ),
        good=(
            "net = nn.Linear(2, 1)\n"
            "def evaluate(x):\n"
            "    with torch.no_grad():\n"
            "        return net(x).mean()\n"
            "v = evaluate(torch.rand(4, 2))\n"
            "y = net(torch.rand(4, 2))"
        ),
    ),
)
