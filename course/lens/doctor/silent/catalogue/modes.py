"""Faults of train and eval mode."""

from lens.doctor.silent.fault import Fault

MODES = (
    Fault(
        name="not-called-mode",
        family="train-mode",
        seen="`net.eval` or `net.train` as a statement, without parentheses.",
        cause=(
            "`{code}` only names the method; without parentheses the mode stays as it was. || "
            "`{code}` 只是提到这个方法；没有括号，模式不会改变。"
        ),
        fix="{code}()",
        bad=(
            "torch.manual_seed(0)\n"
            "net = nn.Sequential(nn.Linear(2, 8), nn.Dropout())\n"
            "x = torch.rand(4, 2)\n"
            "net.eval\n"
            "print(x.sum())"
        ),
        good=(
            "torch.manual_seed(0)\n"
            "net = nn.Sequential(nn.Linear(2, 8), nn.Dropout())\n"
            "x = torch.rand(4, 2)\n"
            "net.eval()\n"
            "print(x.sum())"
        ),
    ),
    Fault(
        name="eval-forgotten",
        family="train-mode",
        seen=(
            "Dropout or batch norm in train mode under no_grad, its numbers used; or two "
            "outputs for one input compared."
        ),
        cause=(
            "`{net}` is in train mode here: {layers} behave as in training, so the numbers are "
            "not those of the finished model. || "
            "`{net}` 此时处于训练模式：{layers} 仍按训练时的方式工作，得到的不是推理该有的结果"
            "。"
        ),
        fix="{net}.eval()",
        bad=(
            "torch.manual_seed(0)\n"
            "net = nn.Sequential(nn.Linear(2, 8), nn.Dropout())\n"
            "x = torch.rand(4, 2)\n"
            "with torch.no_grad():\n"
            "    print(net(x).sum().item())"
        ),
        good=(
            "torch.manual_seed(0)\n"
            "net = nn.Sequential(nn.Linear(2, 8), nn.Dropout())\n"
            "x = torch.rand(4, 2)\n"
            "net.eval()\n"
            "with torch.no_grad():\n"
            "    print(net(x).sum().item())\n"
            "net.train()\n"
            "with torch.no_grad():\n"
            "    spread = torch.stack([net(x) for _ in range(9)]).std(0)\n"
            "print(spread.mean())"
        ),
    ),
    Fault(
        name="statistics-moved",
        family="train-mode",
        seen="Batch norm: eval, one pass in train mode without learning, eval again.",
        cause=(
            "A forward pass in train mode moves the running statistics of batch norm, also "
            "without a step: `{net}` answers differently afterwards. || "
            "训练模式下的一次前向就会改动批归一化的统计量，哪怕没有更新参数：`{net}` 之后的输出"
            "会变。"
        ),
        fix=(
            "{net}.eval()  # stay in eval mode for looking || "
            "{net}.eval()  # 只是看看的时候留在推理模式"
        ),
        bad=(
            "net, x = nn.BatchNorm1d(2), torch.rand(4, 2)\n"
            "net.eval()\n"
            "a = net(x)\n"
            "net.train()\n"
            "b = net(x)\n"
            "net.eval()\n"
            "c = net(x)"
        ),
        good=(
            "net, x = nn.BatchNorm1d(2), torch.rand(4, 2)\n"
            "net.eval()\n"
            "a = net(x)\n"
            "net.train()\n"
            "net(x).sum().backward()\n"
            "net.eval()\n"
            "c = net(x)"
        ),
    ),
    Fault(
        name="train-forgotten",
        family="train-mode",
        seen=(
            "A training loop that evaluates, and goes back to train mode not at all or only "
            "sometimes."
        ),
        cause=(
            "After an evaluation `{net}` stays in eval mode: dropout and batch norm no longer "
            "train. || "
            "评估之后 `{net}` 一直停在推理模式：dropout 和批归一化不再按训练方式工作。"
        ),
        fix=("{net}.train()  # at the start of every epoch || {net}.train()  # 每一轮开始时"),
        bad=(
            "torch.manual_seed(0)\n"
            "net = nn.Sequential(nn.Linear(2, 8), nn.Dropout())\n"
            "x = torch.rand(4, 2)\n"
            "opt = torch.optim.SGD(net.parameters(), lr=0.1)\n"
            "for _ in range(2):\n"
            "    opt.zero_grad()\n"
            "    net(x).mean().backward()\n"
            "    opt.step()\n"
            "    net.eval()\n"
            "    with torch.no_grad():\n"
            "        print(net(x).mean().item())"
        ),
        good=(
            "torch.manual_seed(0)\n"
            "net = nn.Sequential(nn.Linear(2, 8), nn.Dropout())\n"
            "x = torch.rand(4, 2)\n"
            "opt = torch.optim.SGD(net.parameters(), lr=0.1)\n"
            "for _ in range(2):\n"
            "    net.train()\n"
            "    opt.zero_grad()\n"
            "    net(x).mean().backward()\n"
            "    opt.step()\n"
            "    net.eval()\n"
            "    with torch.no_grad():\n"
            "        print(net(x).mean().item())"
        ),
    ),
    Fault(
        name="functional-dropout",
        family="train-mode",
        seen="F.dropout without `training=` in the forward of a module that is in eval mode.",
        cause=(
            "`F.dropout` drops unless told otherwise: the module is in eval mode, and still a "
            "part of `{x}` is set to 0. || "
            "`F.dropout` 默认总会丢弃：模块已经是推理模式，`{x}` 仍有一部分被置 0。"
        ),
        fix="F.dropout({x}, training=self.training)",
        bad=(
            "class Net(nn.Module):\n"
            "    def forward(self, x):\n"
            "        return F.dropout(x)\n"
            "net = Net().eval()\n"
            "net(torch.rand(4))"
        ),
        good=(
            "class Net(nn.Module):\n"
            "    def forward(self, x):\n"
            "        return F.dropout(x, training=self.training)\n"
            "net = Net().eval()\n"
            "net(torch.rand(4))"
        ),
    ),
)
