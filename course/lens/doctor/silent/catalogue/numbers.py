"""Faults of numbers: reductions, integers, rounding, printing, random numbers."""

from lens.doctor.silent.fault import Fault

NUMBERS = (
    Fault(
        "softmax-no-dim",
        "softmax-dim",
        "softmax of two or more axes without dim.",
        "`{op}` without `dim` takes axis {dim} for a tensor {shape}; another number of axes would take "
        "another one. || `{op}` 没写 `dim`：对形状 {shape} 的张量它用的是第 {dim} 维，维数一变，用的维度也会变。",
        "{x}.{op}(dim=-1)",
        "import torch\np = torch.nn.functional.softmax(torch.rand(2, 3, 4))",
        "import torch\np = torch.nn.functional.softmax(torch.rand(2, 3, 4), dim=-1)",
    ),
    Fault(
        "softmax-over-batch",
        "softmax-dim",
        "softmax over axis 0 of a batch: in a Sequential, or read along the rows afterwards.",
        "softmax over axis {dim} of {shape} makes every column sum to 1: the samples of the batch compete, "
        "not the classes. || 在 {shape} 的第 {dim} 维做 softmax，和为 1 的是每一列：是批次里的样本在相互竞争，而不是类别。",
        "torch.softmax({x}, dim=-1)",
        "import torch\np = torch.softmax(torch.rand(4, 3), dim=0)\nlabel = p.argmax(1)",
        "import torch\np = torch.softmax(torch.rand(4, 3), dim=1)\nlabel = p.argmax(1)\n"
        "attention = torch.softmax(torch.rand(5, 1), dim=0)\nreceived = p.sum(0)",
    ),
    Fault(
        "double-softmax",
        "double-softmax",
        "cross_entropy or softmax of what softmax gave (or of rows in [0, 1] that sum to 1); "
        "binary_cross_entropy_with_logits of what sigmoid gave.",
        "`{x}` holds probabilities ({inner} was applied before), and `{op}` applies it once more: the loss "
        "cannot come near 0, the gradients are flat. || `{x}` 已经是概率（之前做过 {inner}），`{op}` 内部还会再做一次："
        "损失降不到 0，梯度也被压平。",
        "# hand `{op}` the raw scores, without {inner} || # 把原始分数直接交给 `{op}`，不要先做 {inner}",
        "import torch\nF = torch.nn.functional\n"
        "F.cross_entropy(torch.rand(4, 3).softmax(1), torch.tensor([0, 1, 2, 0]))",
        "import torch\nF = torch.nn.functional\nx, y = torch.rand(4, 3), torch.tensor([0, 1, 2, 0])\n"
        "F.cross_entropy(x, y)\nF.nll_loss(x.log_softmax(1), y)\nF.cross_entropy(torch.eye(3), y[:3])",
    ),
    Fault(
        "std-of-one",
        "std-of-one",
        "std or var over one element gives NaN.",
        "`{op}` divides by n - 1, and here n is 1: the result is NaN. || `{op}` 要除以 n - 1，而这里 n 是 1："
        "结果是 NaN。",
        "{x}.{op}({dim}correction=0)",
        "import torch, warnings\nwarnings.simplefilter('ignore')\ns = torch.rand(1, 4).std(0)",
        "import torch\ns = torch.rand(3, 4).std(0)\nt = torch.rand(1, 4).std(0, correction=0)",
    ),
    Fault(
        "std-correction",
        "std-correction",
        "torch's std or var and NumPy's, both by default, in one statement or one comparison.",
        "torch's `{op}` divides by n - 1, NumPy's by n: for n = {n} they differ. || PyTorch 的 `{op}` 除以 n - 1，"
        "NumPy 的除以 n：n = {n} 时结果不同。",
        "{x}.{op}(correction=0)",
        "import numpy as np, torch\nv = [1.0, 5.0, 9.0]\nprint(torch.tensor(v).std().item(), np.std(v))",
        "import numpy as np, torch\nv = [1.0, 5.0, 9.0]\nx = torch.tensor(v)\n"
        "print(x.std(correction=0).item(), np.std(v))\nz = (x - x.mean()) / x.std()",
    ),
    Fault(
        "median-lower",
        "median-lower",
        "median of an even number of elements whose two middle ones lie apart.",
        "Of {n} numbers the two in the middle are {low} and {high}: `median` gives the lower one, not "
        "their mean {mean}. || {n} 个数中间的两个是 {low} 和 {high}：`median` 给出较小的那个，而不是平均值 {mean}。",
        "torch.quantile({x}, 0.5{dim})",
        "import torch\nm = torch.tensor([1.0, 2.0, 3.0, 10.0]).median()",
        "import torch\nm = torch.tensor([1.0, 2.0, 10.0]).median()\n"
        "q = torch.tensor([1.0, 2.0, 3.0, 10.0]).quantile(0.5)\nn = torch.rand(1000).median()",
    ),
    Fault(
        "integer-wrap",
        "integer-wrap",
        "Integer arithmetic whose true result does not fit, and is not masked by & or %.",
        "{dtype} holds {low} to {high}: the true result {true} came out as {got} ({count} such). || {dtype} 只能表示 "
        "{low} 到 {high}：正确结果 {true} 变成了 {got}（共 {count} 处）。",
        "{x}{wide}  # wider numbers before the arithmetic || {x}{wide}  # 先转成更宽的类型再运算",
        "import torch\nx = torch.tensor([20, 200], dtype=torch.uint8)\ny = x + 100",
        "import torch\nx = torch.tensor([20, 200], dtype=torch.uint8)\ny = x.int() + 100\nz = x // 2 + 1\n"
        "h = (torch.tensor(2**62) * 5) & 0xFF",
    ),
    Fault(
        "cast-wrap",
        "integer-wrap",
        "A cast to a small integer type of numbers outside its range.",
        "{dtype} holds {low} to {high}: {true} of `{x}` became {got}. || {dtype} 只能表示 {low} 到 {high}：`{x}` 里的 "
        "{true} 变成了 {got}。",
        "{x}.clamp({low}, {high}).to(torch.{dtype})",
        "import torch\ny = torch.tensor([300]).to(torch.uint8)",
        "import torch\ny = torch.tensor([300]).clamp(0, 255).to(torch.uint8)\nz = torch.rand(3).mul(255).byte()",
    ),
    Fault(
        "exact-comparison",
        "float-compare",
        "equal, == or != of computed floating-point numbers that differ by rounding only.",
        "`{a}` and `{b}` differ by no more than {gap}, which is rounding in {dtype}; an exact comparison "
        "calls them different. || `{a}` 与 `{b}` 最多只差 {gap}，是 {dtype} 的舍入误差；精确比较会判为不相等。",
        "torch.allclose({a}, torch.as_tensor({b}, dtype={a}.dtype))",
        "import torch\nx = torch.tensor([0.1, 0.7])\nprint(torch.equal(x * 10, sum([x] * 10)))",
        "import torch\nx = torch.tensor([0.1, 0.7])\nprint(torch.allclose(x * 3, x + x + x))\n"
        "print(torch.equal(x, x.clone()), (torch.arange(3) == 2).any(), x.max() == x[1])",
    ),
    Fault(
        "exact-comparison-by-luck",
        "float-compare",
        "torch.equal of one result computed in two ways: another size or another operation.",
        "`{a}` and `{b}` are computed in different ways in {dtype}: whether they agree in the last bit "
        "depends on the machine. || `{a}` 与 `{b}` 用 {dtype} 按不同的方式算出：最后一位是否一致取决于机器。",
        "torch.allclose({a}, {b}, rtol=1e-5, atol=1e-5)",
        "import torch\na, b = torch.rand(4, 8, 6), torch.rand(6, 8)\n"
        "print(torch.equal(a @ b, torch.stack([m @ b for m in a])))",
        "import torch\na, b = torch.rand(8, 6), torch.rand(6, 8)\nprint(torch.equal(a @ b, a @ b))",
    ),
    Fault(
        "number-compared",
        "float-compare",
        "`.item()` of a float32 compared by == with a literal that it equals up to rounding.",
        "`{a}` is {got}: {dtype} has no {b} exactly, and Python compares in float64. || `{a}` 是 {got}：{dtype} 无法精确表示 "
        "{b}，而 Python 按 float64 比较。",
        "math.isclose({a}, {b}, rel_tol=1e-6)",
        "import torch\nprint(torch.tensor(0.1).item() == 0.1)",
        "import math, torch\nprint(math.isclose(torch.tensor(0.1).item(), 0.1, rel_tol=1e-6))\n"
        "print(torch.tensor(0.5).item() == 0.5, torch.tensor(3.0).item() == 0.1)",
    ),
    Fault(
        "float-sum",
        "float-sum",
        "A sum in low precision that is compared exactly, or is off by more than rounding.",
        "{n} numbers added in {dtype} give {got}, in float64 {true}: the rounding adds up. || 用 {dtype} 把 {n} 个数加起来得 "
        "{got}，用 float64 得 {true}：舍入误差累积了。",
        "{x}.{op}({arguments}dtype=torch.float64)  # and compare with a tolerance || "
        "{x}.{op}({arguments}dtype=torch.float64)  # 比较时留出误差",
        "import torch\nprint(torch.full((1000,), 0.1).sum().item() == 100.0)",
        "import torch\nprint(abs(torch.full((1000,), 0.1).sum().item() - 100) < 1e-3)\n"
        "print(torch.ones(1000).sum().item() == 1000)",
    ),
    Fault(
        "stuck-sum",
        "float-sum",
        "A running total to which a step was added without changing it.",
        "`{x}` is {total} in {dtype}; {step} is less than half the gap to the next number, so adding it "
        "changes nothing. || `{x}` 是 {dtype} 的 {total}；{step} 不到相邻两数间隔的一半，加上去毫无变化。",
        "{x} = {x}.double()  # or count in an integer || {x} = {x}.double()  # 或用整数计数",
        "import torch\ntotal = torch.tensor(2.0**24)\ntotal += 1",
        "import torch\ntotal = torch.tensor(2.0**24, dtype=torch.float64)\ntotal += 1\n"
        "scale = torch.tensor(3.0)\nscale += 1e-12",
    ),
    Fault(
        "print-precision",
        "print-precision",
        "Two numbers that print alike but differ by more than rounding, compared exactly.",
        "Both print as {shown}, but one is {a}, the other {b}: printing shows {digits} decimals. || 两者打印出来都是 {shown}，"
        "其实一个是 {a}，一个是 {b}：打印只显示 {digits} 位小数。",
        "torch.set_printoptions(precision=9)\ntorch.allclose({x}, torch.as_tensor({y}, dtype={x}.dtype), atol=1e-4)",
        "import torch\nx = torch.tensor(0.123456)\nprint(x)\nprint(x == 0.1235)",
        "import torch\nx = torch.tensor(0.123456)\nprint(x)\nprint((x - 0.1235).abs() < 1e-4)",
    ),
    Fault(
        "worker-generator",
        "worker-rng",
        "A DataLoader with workers, no worker_init_fn, and a dataset with its own generator.",
        "`{name}` ({kind}) is copied into each of the {workers} workers: all draw the same numbers, in every "
        "epoch anew. || `{name}`（{kind}）会被原样复制到 {workers} 个工作进程里：它们抽出同样的数，每一轮也都重复。",
        "def seed(_):\n    worker = torch.utils.data.get_worker_info()\n"
        "    worker.dataset.rng = np.random.default_rng(torch.initial_seed())\n\n"
        "DataLoader(…, worker_init_fn=seed)",
        "import numpy as np, torch\nclass Data(torch.utils.data.Dataset):\n    def __init__(self):\n"
        "        self.rng = np.random.default_rng(0)\n    def __len__(self): return 2\n"
        "    def __getitem__(self, i): return int(self.rng.integers(9))\n"
        "list(torch.utils.data.DataLoader(Data(), num_workers=1, multiprocessing_context='fork'))",
        "import torch\nlist(torch.utils.data.DataLoader(torch.arange(4), num_workers=1, "
        "multiprocessing_context='fork'))",
    ),
    Fault(
        "seed-once",
        "seed-once",
        "Two draws by the same operation after one seed, compared with each other.",
        "The seed is set once; the draw of line {b} goes on in the stream where that of line {a} ended, so "
        "the two differ. || 种子只设了一次；第 {b} 行接着第 {a} 行之后的随机数流继续抽取，所以两次结果不同。",
        "torch.manual_seed(0)  # again, before each draw that is to agree || torch.manual_seed(0)  # 每次要得到同样的数之前，都重新设一次",
        "import torch\ntorch.manual_seed(0)\na = torch.rand(3)\nb = torch.rand(3)\nprint(torch.equal(a, b))",
        "import torch\ntorch.manual_seed(0)\na = torch.rand(3)\ntorch.manual_seed(0)\nb = torch.rand(3)\n"
        "print(torch.equal(a, b))",
    ),
)
