"""Faults of rounding, printing and random numbers."""

from lens.doctor.silent.fault import Fault

ROUNDING = (
    Fault(
        name="exact-comparison",
        family="float-compare",
        seen="equal, == or != of computed floating-point numbers that differ by rounding only.",
        cause=(
            "`{a}` and `{b}` differ by no more than {gap}, which is rounding in {dtype}; an "
            "exact comparison calls them different. || "
            "`{a}` 与 `{b}` 最多只差 {gap}，是 {dtype} 的舍入误差；精确比较会判为不相等。"
        ),
        fix="torch.allclose({a}, torch.as_tensor({b}, dtype=torch.{dtype}))",
        bad=("x = torch.tensor([0.1, 0.7])\nprint(torch.equal(x * 10, sum([x] * 10)))"),
        good=(
            "x = torch.tensor([0.1, 0.7])\n"
            "print(torch.allclose(x * 3, x + x + x))\n"
            "print(torch.equal(x, x.clone()), (torch.arange(3) == 2).any(), x.max() == x[1])"
        ),
    ),
    Fault(
        name="exact-comparison-by-luck",
        family="float-compare",
        seen="torch.equal of one result computed in two ways: another size or another operation.",
        cause=(
            "`{a}` and `{b}` are computed in different ways in {dtype}: whether they agree in "
            "the last bit depends on the machine. || "
            "`{a}` 与 `{b}` 用 {dtype} 按不同的方式算出：最后一位是否一致取决于机器。"
        ),
        fix="torch.allclose({a}, {b}, rtol=1e-5, atol=1e-5)",
        bad=(
            "a, b = torch.rand(4, 8, 6), torch.rand(6, 8)\n"
            "print(torch.equal(a @ b, torch.stack([m @ b for m in a])))"
        ),
        good=("a, b = torch.rand(8, 6), torch.rand(6, 8)\nprint(torch.equal(a @ b, a @ b))"),
    ),
    Fault(
        name="number-compared",
        family="float-compare",
        seen=(
            "`.item()` of a float32 compared by == with a literal that it equals up to rounding."
        ),
        cause=(
            "`{a}` is {got}: {dtype} has no {b} exactly, and Python compares in float64. || "
            "`{a}` 是 {got}：{dtype} 无法精确表示 {b}，而 Python 按 float64 比较。"
        ),
        fix="math.isclose({a}, {b}, rel_tol=1e-6)",
        bad="print(torch.tensor(0.1).item() == 0.1)",
        good=(
            "import math\n"
            "import math\n"
            "import math\n"
            "print(math.isclose(torch.tensor(0.1).item(), 0.1, rel_tol=1e-6))\n"
            "print(torch.tensor(0.5).item() == 0.5, torch.tensor(3.0).item() == 0.1)"
        ),
    ),
    Fault(
        name="float-sum",
        family="float-sum",
        seen="A sum in low precision that is compared exactly, or is off by more than rounding.",
        cause=(
            "{n} numbers added in {dtype} give {got}, in float64 {true}: the rounding adds up. || "
            "用 {dtype} 把 {n} 个数加起来得 {got}，用 float64 得 {true}：舍入误差累积了。"
        ),
        fix=(
            "{x}.{op}({arguments}dtype=torch.float64)  # and compare with a tolerance || "
            "{x}.{op}({arguments}dtype=torch.float64)  # 比较时留出误差"
        ),
        bad="print(torch.full((1000,), 0.1).sum().item() == 100.0)",
        good=(
            "print(abs(torch.full((1000,), 0.1).sum().item() - 100) < 1e-3)\n"
            "print(torch.ones(1000).sum().item() == 1000)"
        ),
    ),
    Fault(
        name="stuck-sum",
        family="float-sum",
        seen="A running total to which a step was added without changing it.",
        cause=(
            "`{x}` is {total} in {dtype}; {step} is less than half the gap to the next number, "
            "so adding it changes nothing. || "
            "`{x}` 是 {dtype} 的 {total}；{step} 不到相邻两数间隔的一半，加上去毫无变化。"
        ),
        fix=("{x} = {x}.double()  # or count in an integer || {x} = {x}.double()  # 或用整数计数"),
        bad=("total = torch.tensor(2.0**24)\ntotal += 1"),
        good=(
            "total = torch.tensor(2.0**24, dtype=torch.float64)\n"
            "total += 1\n"
            "scale = torch.tensor(3.0)\n"
            "scale += 1e-12"
        ),
    ),
    Fault(
        name="print-precision",
        family="print-precision",
        seen="Two numbers that print alike but differ by more than rounding, compared exactly.",
        cause=(
            "Both print as {shown}, but one is {a}, the other {b}: printing shows {digits} "
            "decimals. || "
            "两者打印出来都是 {shown}，其实一个是 {a}，一个是 {b}：打印只显示 {digits} 位小数。"
        ),
        fix=(
            "torch.set_printoptions(precision=9)\n"
            "torch.allclose({x}, torch.as_tensor({y}, dtype={x}.dtype), atol=1e-4)"
        ),
        bad=("x = torch.tensor(0.123456)\nprint(x)\nprint(x == 0.1235)"),
        good=("x = torch.tensor(0.123456)\nprint(x)\nprint((x - 0.1235).abs() < 1e-4)"),
    ),
    Fault(
        name="worker-generator",
        family="worker-rng",
        seen=(
            "A DataLoader with workers, no worker_init_fn, and a dataset with its own generator."
        ),
        cause=(
            "`{name}` ({kind}) is copied into each of the {workers} workers: all draw the same "
            "numbers, in every epoch anew. || "
            "`{name}`（{kind}）会被原样复制到 {workers} 个工作进程里：它们抽出同样的数，每一轮"
            "也都重复。"
        ),
        fix=(
            "def seed(_):\n    "
            "worker = torch.utils.data.get_worker_info()\n    "
            "worker.dataset.rng = np.random.default_rng(torch.initial_seed())\n\n"
            "DataLoader(…, worker_init_fn=seed)"
        ),
        bad=(
            "class Data(torch.utils.data.Dataset):\n"
            "    def __init__(self):\n"
            "        self.rng = np.random.default_rng(0)\n"
            "    def __len__(self): return 2\n"
            "    def __getitem__(self, i): return int(self.rng.integers(9))\n"
            "list(torch.utils.data.DataLoader(Data(), num_workers=1, "
            'multiprocessing_context="fork"))'
        ),
        good=(
            "list(torch.utils.data.DataLoader(torch.arange(4), num_workers=1, "
            'multiprocessing_context="fork"))'
        ),
    ),
    Fault(
        name="seed-once",
        family="seed-once",
        seen="Two draws by the same operation after one seed, compared with each other.",
        cause=(
            "The seed is set once; the draw of line {b} goes on in the stream where that of "
            "line {a} ended, so the two differ. || "
            "种子只设了一次；第 {b} 行接着第 {a} 行之后的随机数流继续抽取，所以两次结果不同。"
        ),
        fix=(
            "torch.manual_seed(0)  # again, before each draw that is to agree || "
            "torch.manual_seed(0)  # 每次要得到同样的数之前，都重新设一次"
        ),
        bad=(
            "torch.manual_seed(0)\na = torch.rand(3)\nb = torch.rand(3)\nprint(torch.equal(a, b))"
        ),
        good=(
            "torch.manual_seed(0)\n"
            "a = torch.rand(3)\n"
            "torch.manual_seed(0)\n"
            "b = torch.rand(3)\n"
            "print(torch.equal(a, b))"
        ),
    ),
)
