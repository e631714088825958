"""Faults of reductions and of integers."""

from lens.doctor.silent.fault import Fault

REDUCTIONS = (
    Fault(
        name="softmax-no-dim",
        family="softmax-dim",
        seen="softmax of two or more axes without dim.",
        cause=(
            "`{op}` without `dim` takes axis {dim} for a tensor {shape}; another number of "
            "axes would take another one. || "
            "`{op}` 没写 `dim`：对形状 {shape} 的张量它用的是第 {dim} 维，维数一变，用的维度也"
            "会变。"
        ),
        fix="{x}.{op}(dim=-1)",
        bad="p = F.softmax(torch.rand(2, 3, 4))",
        good="p = F.softmax(torch.rand(2, 3, 4), dim=-1)",
    ),
    Fault(
        name="softmax-over-batch",
        family="softmax-dim",
        seen=(
            "softmax over axis 0 of a batch: in a Sequential, or read along the rows afterwards."
        ),
        cause=(
            "softmax over axis {dim} of {shape} makes every column sum to 1: the samples of "
            "the batch compete, not the classes. || "
            "在 {shape} 的第 {dim} 维做 softmax，和为 1 的是每一列：是批次里的样本在相互竞争，"
            "而不是类别。"
        ),
        fix="torch.softmax({x}, dim=-1)",
        bad=("p = torch.softmax(torch.rand(4, 3), dim=0)\nlabel = p.argmax(1)"),
        good=(
            "p = torch.softmax(torch.rand(4, 3), dim=1)\n"
            "label = p.argmax(1)\n"
            "attention = torch.softmax(torch.rand(5, 1), dim=0)\n"
            "received = p.sum(0)"
        ),
    ),
    Fault(
        name="double-softmax",
        family="double-softmax",
        seen=(
            "cross_entropy or softmax of what softmax gave (or of rows in [0, 1] that sum to "
            "1); binary_cross_entropy_with_logits of what sigmoid gave."
        ),
        cause=(
            "`{x}` holds probabilities ({inner} was applied before), and `{op}` applies it "
            "once more: the loss cannot come near 0, the gradients are flat. || "
            "`{x}` 已经是概率（之前做过 {inner}），`{op}` 内部还会再做一次：损失降不到 0，梯度"
            "也被压平。"
        ),
        fix=(
            "# hand `{op}` the raw scores, without {inner} || "
            "# 把原始分数直接交给 `{op}`，不要先做 {inner}"
        ),
        bad="F.cross_entropy(torch.rand(4, 3).softmax(1), torch.tensor([0, 1, 2, 0]))",
        good=(
            "x, y = torch.rand(4, 3), torch.tensor([0, 1, 2, 0])\n"
            "F.cross_entropy(x, y)\n"
            "F.nll_loss(x.log_softmax(1), y)\n"
            "F.cross_entropy(torch.eye(3), y[:3])"
        ),
    ),
    Fault(
        name="std-of-one",
        family="std-of-one",
        seen="std or var over one element gives NaN.",
        cause=(
            "`{op}` divides by n - 1, and here n is 1: the result is NaN. || "
            "`{op}` 要除以 n - 1，而这里 n 是 1：结果是 NaN。"
        ),
        fix="{x}.{op}({dim}correction=0)",
        bad="s = torch.rand(1, 4).std(0)",
        good=("s = torch.rand(3, 4).std(0)\nt = torch.rand(1, 4).std(0, correction=0)"),
    ),
    Fault(
        name="std-correction",
        family="std-correction",
        seen=(
            "torch's std or var and NumPy's, both by default, in one statement or one comparison."
        ),
        cause=(
            "torch's `{op}` divides by n - 1, NumPy's by n: for n = {n} they differ. || "
            "PyTorch 的 `{op}` 除以 n - 1，NumPy 的除以 n：n = {n} 时结果不同。"
        ),
        fix="{x}.{op}(correction=0)",
        bad=("v = [1.0, 5.0, 9.0]\nprint(torch.tensor(v).std().item(), np.std(v))"),
        good=(
            "v = [1.0, 5.0, 9.0]\n"
            "x = torch.tensor(v)\n"
            "print(x.std(correction=0).item(), np.std(v))\n"
            "z = (x - x.mean()) / x.std()"
        ),
    ),
    Fault(
        name="std-against-norm",
        family="std-correction",
        seen="A quotient by torch's std or var with n - 1, compared with a layer's normalisation.",
        cause=(
            "`{op}` divides by n - 1, the layers (`LayerNorm`, `BatchNorm` in training) by n: for "
            "n = {n} they differ. || `{op}` 除以 n - 1，而归一化层（`LayerNorm`、训练时的 "
            "`BatchNorm`）除以 n：n = {n} 时结果不同。"
        ),
        fix="{x}.{op}(-1, keepdim=True, correction=0)",
        bad=(
            "x = torch.rand(2, 4)\n"
            "hand = (x - x.mean(-1, keepdim=True)) / x.std(-1, keepdim=True)\n"
            "print(torch.allclose(hand, F.layer_norm(x, (4,))))"
        ),
        good=(
            "x = torch.rand(2, 4)\n"
            "hand = (x - x.mean(-1, keepdim=True)) / x.std(-1, keepdim=True, correction=0)\n"
            "print(torch.allclose(hand, F.layer_norm(x, (4,)), atol=1e-3))"
        ),
    ),
    Fault(
        name="median-lower",
        family="median-lower",
        seen="median of an even number of elements whose two middle ones lie apart.",
        cause=(
            "Of {n} numbers the two in the middle are {low} and {high}: `median` gives the "
            "lower one, not their mean {mean}. || "
            "{n} 个数中间的两个是 {low} 和 {high}：`median` 给出较小的那个，而不是平均值 {mean}"
            "。"
        ),
        fix="torch.quantile({x}, 0.5{dim})",
        bad="m = torch.tensor([1.0, 2.0, 3.0, 10.0]).median()",
        good=(
            "m = torch.tensor([1.0, 2.0, 10.0]).median()\n"
            "q = torch.tensor([1.0, 2.0, 3.0, 10.0]).quantile(0.5)\n"
            "n = torch.rand(1000).median()"
        ),
    ),
    Fault(
        name="integer-wrap",
        family="integer-wrap",
        seen="Integer arithmetic whose true result does not fit, and is not masked by & or %.",
        cause=(
            "{dtype} holds {low} to {high}: the true result {true} came out as {got} ({count} "
            "such). || "
            "{dtype} 只能表示 {low} 到 {high}：正确结果 {true} 变成了 {got}（共 {count} 处）。"
        ),
        fix=(
            "{x}{wide}  # wider numbers before the arithmetic || "
            "{x}{wide}  # 先转成更宽的类型再运算"
        ),
        bad=("x = torch.tensor([20, 200], dtype=torch.uint8)\ny = x + 100"),
        good=(
            "x = torch.tensor([20, 200], dtype=torch.uint8)\n"
            "y = x.int() + 100\n"
            "z = x // 2 + 1\n"
            "h = (torch.tensor(2**62) * 5) & 0xFF"
        ),
    ),
    Fault(
        name="cast-wrap",
        family="integer-wrap",
        seen="A cast to a small integer type of numbers outside its range.",
        cause=(
            "{dtype} holds {low} to {high}: {true} of `{x}` became {got}. || "
            "{dtype} 只能表示 {low} 到 {high}：`{x}` 里的 {true} 变成了 {got}。"
        ),
        fix="{x}.clamp({low}, {high}).to(torch.{dtype})",
        bad="y = torch.tensor([300]).to(torch.uint8)",
        good=(
            "y = torch.tensor([300]).clamp(0, 255).to(torch.uint8)\n"
            "z = torch.rand(3).mul(255).byte()"
        ),
    ),
)
