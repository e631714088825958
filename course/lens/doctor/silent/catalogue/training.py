"""Faults of training loops, modules and devices."""

from lens.doctor.silent.fault import Fault

_NET = (
    "import torch\ntorch.manual_seed(0)\nnet = torch.nn.Linear(2, 1)\n"
    "opt = torch.optim.SGD(net.parameters(), lr=0.1)\nx = torch.rand(4, 2)\n"
)
_LOOP = "for _ in range(3):\n    loss = net(x).pow(2).mean()\n    loss.backward()\n    opt.step()\n"
_DROP = (
    "import torch\ntorch.manual_seed(0)\nnet = torch.nn.Sequential(torch.nn.Linear(2, 8), "
    "torch.nn.Dropout())\nx = torch.rand(4, 2)\n"
)
_BAG = (
    "import torch\nclass Net(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.layers = {}\n    def forward(self, x):\n"
    "        for layer in self.layers:\n            x = layer(x)\n        return x\n"
    "net = Net()\nprint(len(list(net.parameters())))\n"
)
_TWO = "[torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)]"

TRAINING = (
    Fault(
        "zero-grad-missing",
        "zero-grad",
        "A step with gradients that were added to those of the step before.",
        "`backward()` adds to `.grad`, and nothing cleared it since the last step: this step uses old gradients "
        "again. || `backward()` 会累加到 `.grad` 上，而上一步之后没有清零：这一步又用了旧的梯度。",
        "{opt}.zero_grad()\nloss.backward()\n{opt}.step()",
        _NET + _LOOP,
        _NET + _LOOP + "    opt.zero_grad()\nopt.zero_grad()\nfor part in x:\n"
        "    net(part).mean().backward()\nopt.step()",
    ),
    Fault(
        "zero-grad-missing-by-hand",
        "zero-grad",
        "`w -= lr * w.grad` with a gradient that was added to that of the step before.",
        "`backward()` adds to `{w}.grad`, and nothing cleared it since the last update: old gradients count "
        "again. || `backward()` 会累加到 `{w}.grad` 上，而上次更新之后没有清零：旧的梯度又算了一遍。",
        "{w}.grad = None  # after each update || {w}.grad = None  # 每次更新之后",
        "import torch\nw = torch.ones(2, requires_grad=True)\nfor _ in range(2):\n"
        "    (w**2).sum().backward()\n    with torch.no_grad():\n        w -= 0.1 * w.grad",
        "import torch\nw = torch.ones(2, requires_grad=True)\nfor _ in range(2):\n"
        "    (w**2).sum().backward()\n    with torch.no_grad():\n        w -= 0.1 * w.grad\n    w.grad = None",
    ),
    Fault(
        "zero-grad-misplaced",
        "zero-grad",
        "A step without gradients, which were cleared after backward().",
        "The gradients are cleared here, between `backward()` and `{opt}.step()` in line {line}: the step changes "
        "nothing. || 这里在 `backward()` 与第 {line} 行的 `{opt}.step()` 之间清掉了梯度：这一步什么也没更新。",
        "{opt}.zero_grad()\nloss.backward()\n{opt}.step()",
        _NET + "net(x).mean().backward()\nopt.zero_grad()\nopt.step()",
        _NET + "opt.zero_grad()\nnet(x).mean().backward()\nopt.step()\nopt.zero_grad()",
    ),
    Fault(
        "not-called-zero-grad",
        "zero-grad",
        "`opt.step`, `opt.zero_grad` or `loss.backward` as a statement, without parentheses.",
        "`{code}` only names the method; without parentheses nothing is called. || `{code}` 只是提到这个方法；没有括号就没有调用。",
        "{code}()",
        _NET + "opt.zero_grad\nnet(x).mean().backward()\nopt.step()",
        _NET + "opt.zero_grad()\nnet(x).mean().backward()\nopt.step()",
    ),
    Fault(
        "not-called-mode",
        "train-mode",
        "`net.eval` or `net.train` as a statement, without parentheses.",
        "`{code}` only names the method; without parentheses the mode stays as it was. || `{code}` 只是提到这个方法；没有括号，"
        "模式不会改变。",
        "{code}()",
        _DROP + "net.eval\nprint(x.sum())",
        _DROP + "net.eval()\nprint(x.sum())",
    ),
    Fault(
        "diverging",
        "diverging",
        "The loss of a training loop grew by orders of magnitude, step after step.",
        "`{x}` went from {first} to {last} in {n} steps: with {rate} each step overshoots. || `{x}` 在 {n} 步里从 {first} 变成 {last}："
        "{rate} 时每一步都走过了头。",
        "{smaller}  # or scale the inputs, or clip the gradients || {smaller}  # 或缩放输入、裁剪梯度",
        "import torch\nw = torch.ones(1, requires_grad=True)\nopt = torch.optim.SGD([w], lr=3.0)\n"
        "for _ in range(12):\n    opt.zero_grad()\n    loss = (w**2).sum()\n    loss.backward()\n    opt.step()",
        "import torch\nw = torch.ones(1, requires_grad=True)\nopt = torch.optim.SGD([w], lr=0.3)\n"
        "for _ in range(12):\n    opt.zero_grad()\n    loss = (w**2).sum()\n    loss.backward()\n    opt.step()",
    ),
    Fault(
        "eval-forgotten",
        "train-mode",
        "Dropout or batch norm in train mode under no_grad, its numbers used; or two outputs for one "
        "input compared.",
        "`{net}` is in train mode here: {layers} behave as in training, so the numbers are not those of the "
        "finished model. || `{net}` 此时处于训练模式：{layers} 仍按训练时的方式工作，得到的不是推理该有的结果。",
        "{net}.eval()",
        _DROP + "with torch.no_grad():\n    print(net(x).sum().item())",
        _DROP + "net.eval()\nwith torch.no_grad():\n    print(net(x).sum().item())\nnet.train()\n"
        "with torch.no_grad():\n    spread = torch.stack([net(x) for _ in range(9)]).std(0)\nprint(spread.mean())",
    ),
    Fault(
        "statistics-moved",
        "train-mode",
        "Batch norm: eval, one pass in train mode without learning, eval again.",
        "A forward pass in train mode moves the running statistics of batch norm, also without a step: `{net}` "
        "answers differently afterwards. || 训练模式下的一次前向就会改动批归一化的统计量，哪怕没有更新参数：`{net}` 之后的输出会变。",
        "{net}.eval()  # stay in eval mode for looking || {net}.eval()  # 只是看看的时候留在推理模式",
        "import torch\nnet, x = torch.nn.BatchNorm1d(2), torch.rand(4, 2)\nnet.eval()\na = net(x)\n"
        "net.train()\nb = net(x)\nnet.eval()\nc = net(x)",
        "import torch\nnet, x = torch.nn.BatchNorm1d(2), torch.rand(4, 2)\nnet.eval()\na = net(x)\n"
        "net.train()\nnet(x).sum().backward()\nnet.eval()\nc = net(x)",
    ),
    Fault(
        "train-forgotten",
        "train-mode",
        "A training loop that evaluates, and goes back to train mode not at all or only sometimes.",
        "After an evaluation `{net}` stays in eval mode: dropout and batch norm no longer train. || 评估之后 `{net}` 一直停在推理模式："
        "dropout 和批归一化不再按训练方式工作。",
        "{net}.train()  # at the start of every epoch || {net}.train()  # 每一轮开始时",
        _DROP + "opt = torch.optim.SGD(net.parameters(), lr=0.1)\nfor _ in range(2):\n    opt.zero_grad()\n"
        "    net(x).mean().backward()\n    opt.step()\n    net.eval()\n    with torch.no_grad():\n"
        "        print(net(x).mean().item())",
        _DROP + "opt = torch.optim.SGD(net.parameters(), lr=0.1)\nfor _ in range(2):\n    net.train()\n"
        "    opt.zero_grad()\n    net(x).mean().backward()\n    opt.step()\n    net.eval()\n"
        "    with torch.no_grad():\n        print(net(x).mean().item())",
    ),
    Fault(
        "functional-dropout",
        "train-mode",
        "F.dropout without `training=` in the forward of a module that is in eval mode.",
        "`F.dropout` drops unless told otherwise: the module is in eval mode, and still a part of `{x}` is set to "
        "0. || `F.dropout` 默认总会丢弃：模块已经是推理模式，`{x}` 仍有一部分被置 0。",
        "F.dropout({x}, training=self.training)",
        "import torch\nF = torch.nn.functional\nclass Net(torch.nn.Module):\n    def forward(self, x):\n"
        "        return F.dropout(x)\nnet = Net().eval()\nnet(torch.rand(4))",
        "import torch\nF = torch.nn.functional\nclass Net(torch.nn.Module):\n    def forward(self, x):\n"
        "        return F.dropout(x, training=self.training)\nnet = Net().eval()\nnet(torch.rand(4))",
    ),
    Fault(
        "unregistered-attribute",
        "unregistered",
        "A module keeps trainable tensors or layers in a plain list, dict or tensor attribute.",
        "`self.{name}` is a plain {kind}: `{cls}` does not list its parameters, so no optimizer, `to()` or "
        "`state_dict()` sees them. || `self.{name}` 只是普通的 {kind}：`{cls}` 不会登记其中的参数，优化器、`to()`、`state_dict()` 都看不到。",
        "{code}",
        _BAG.format(_TWO),
        _BAG.format(f"torch.nn.ModuleList({_TWO})"),
    ),
    Fault(
        "layer-in-forward",
        "unregistered",
        "A layer with parameters made in `forward`, and not kept.",
        "This `{layer}` is made anew in every forward pass, with new random weights that nobody trains. || 每次前向都会新建一个 "
        "`{layer}`，权重重新随机，谁也不会训练它。",
        "# make it once in __init__: self.layer = nn.{layer}(…) || # 在 __init__ 里创建一次：self.layer = nn.{layer}(…)",
        "import torch\nclass Net(torch.nn.Module):\n    def forward(self, x):\n"
        "        return torch.nn.Linear(2, 2)(x)\nNet()(torch.rand(1, 2))",
        "import torch\nclass Net(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.fc = torch.nn.Linear(2, 2)\n    def forward(self, x):\n"
        "        return torch.nn.ReLU()(self.fc(x))\nNet()(torch.rand(1, 2))",
    ),
    Fault(
        "left-out-of-optimizer",
        "unregistered",
        "The optimizer steps parameters that no gradient reaches and the model does not hold, while "
        "others of the model get gradients and belong to no optimizer.",
        "The optimizer holds {idle} parameters that are no longer part of the model; {count} of the model's get "
        "gradients and are never changed. || 优化器里有 {idle} 个参数已不属于模型；而模型的 {count} 个参数有梯度，却从不更新。",
        "opt = torch.optim.SGD(net.parameters(), lr=…)  # after the model is complete || "
        "opt = torch.optim.SGD(net.parameters(), lr=…)  # 模型搭好之后再创建",
        _NET + "net = torch.nn.Linear(2, 1)\nnet(x).mean().backward()\nopt.step()",
        _NET + "head = torch.nn.Linear(1, 1)\nhead(net(x)).mean().backward()\nopt.step()",
    ),
    Fault(
        "moved-for-nothing",
        "device",
        "`x.to(device)` of a tensor as a statement of its own.",
        "A tensor does not move in place: `{code}` returns a tensor on that device, and nobody keeps it. || 张量不会原地搬到别的设备："
        "`{code}` 返回的新张量没有人保存。",
        "{x} = {code}",
        "import torch\nx = torch.zeros(3)\nx.to('cpu')\nprint(x.device)",
        "import torch\nx = torch.zeros(3)\nx = x.to('cpu')\nnet = torch.nn.Linear(3, 1)\nnet.to('cpu')\n"
        "print(x.device)",
    ),
)
