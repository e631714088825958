"""Faults of modules: parameters that nobody registers or steps."""

from lens.doctor.silent.fault import Fault

MODULES = (
    Fault(
        name="unregistered-attribute",
        family="unregistered",
        seen=(
            "A module keeps trainable tensors or layers in a plain list, dict or tensor attribute."
        ),
        cause=(
            "`self.{name}` is a plain {kind}: `{cls}` does not list its parameters, so no "
            "optimizer, `to()` or `state_dict()` sees them. || "
            "`self.{name}` 只是普通的 {kind}：`{cls}` 不会登记其中的参数，优化器、`to()`、"
            "`state_dict()` 都看不到。"
        ),
        fix="{code}",
        bad=(
            "class Net(nn.Module):\n"
            "    def __init__(self):\n"
            "        super().__init__()\n"
            "        self.layers = [nn.Linear(2, 2), nn.Linear(2, 2)]\n"
            "    def forward(self, x):\n"
            "        for layer in self.layers:\n"
            "            x = layer(x)\n"
            "        return x\n"
            "net = Net()\n"
            "print(len(list(net.parameters())))\n"
        ),
        good=(
            "class Net(nn.Module):\n"
            "    def __init__(self):\n"
            "        super().__init__()\n"
            "        self.layers = nn.ModuleList([nn.Linear(2, 2), nn.Linear(2, 2)])\n"
            "    def forward(self, x):\n"
            "        for layer in self.layers:\n"
            "            x = layer(x)\n"
            "        return x\n"
            "net = Net()\n"
            "print(len(list(net.parameters())))\n"
        ),
    ),
    Fault(
        name="layer-in-forward",
        family="unregistered",
        seen="A layer with parameters made in `forward`, and not kept.",
        cause=(
            "This `{layer}` is made anew in every forward pass, with new random weights that "
            "nobody trains. || "
            "每次前向都会新建一个 `{layer}`，权重重新随机，谁也不会训练它。"
        ),
        fix=(
            "# make it once in __init__: self.layer = nn.{layer}(…) || "
            "# 在 __init__ 里创建一次：self.layer = nn.{layer}(…)"
        ),
        bad=(
            "class Net(nn.Module):\n"
            "    def forward(self, x):\n"
            "        return nn.Linear(2, 2)(x)\n"
            "Net()(torch.rand(1, 2))"
        ),
        good=(
            "class Net(nn.Module):\n"
            "    def __init__(self):\n"
            "        super().__init__()\n"
            "        self.fc = nn.Linear(2, 2)\n"
            "    def forward(self, x):\n"
            "        return nn.ReLU()(self.fc(x))\n"
            "Net()(torch.rand(1, 2))"
        ),
    ),
    Fault(
        name="left-out-of-optimizer",
        family="unregistered",
        seen=(
            "The optimizer steps parameters that no gradient reaches and the model does not "
            "hold, while others of the model get gradients and belong to no optimizer."
        ),
        cause=(
            "The optimizer holds {idle} parameters that are no longer part of the model; "
            "{count} of the model's get gradients and are never changed. || "
            "优化器里有 {idle} 个参数已不属于模型；而模型的 {count} 个参数有梯度，却从不更新。"
        ),
        fix=(
            "opt = torch.optim.SGD(net.parameters(), lr=…)  # after the model is complete || "
            "opt = torch.optim.SGD(net.parameters(), lr=…)  # 模型搭好之后再创建"
        ),
        bad=(
            "torch.manual_seed(0)\n"
            "net = nn.Linear(2, 1)\n"
            "opt = torch.optim.SGD(net.parameters(), lr=0.1)\n"
            "x = torch.rand(4, 2)\n"
            "net = nn.Linear(2, 1)\n"
            "net(x).mean().backward()\n"
            "opt.step()"
        ),
        good=(
            "torch.manual_seed(0)\n"
            "net = nn.Linear(2, 1)\n"
            "opt = torch.optim.SGD(net.parameters(), lr=0.1)\n"
            "x = torch.rand(4, 2)\n"
            "head = nn.Linear(1, 1)\n"
            "head(net(x)).mean().backward()\n"
            "opt.step()"
        ),
    ),
)
