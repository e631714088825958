# %% [markdown]
# # 2 · Creating tensors: exercises
#
# Eight functions to write, each a few lines long. They train what the [lesson](../../../course/en/02_creation.ipynb) shows: which function makes the tensor that you mean, with the right `shape` and `dtype`, on the right `device`, on memory of its own or shared, and the same again from the same seed.
#
# Each exercise goes like this:
#
# 1. Run the first code cell, once after each start.
# 2. Read the statement. Stuck? Open a hint; each says a little more than the one before.
# 3. Put your code in the answer cell, in place of `raise NotImplementedError()`, and run the cell.
# 4. Run the folded check cell under it.
#
# A check ends in one of four ways: ✓ *passed*, ✗ *failed* (your code ran, and something about the result is not right), ⚠ *raised an error* (your code stopped), ○ *not attempted* (the cell is as it was handed out). Where you did not pass, the message says what is wrong, what came and, where it helps, what to do next. Run it as often as you like. When your notebook is graded, hidden tests try further inputs of the same kind.

# %% [markdown] lang="zh"
# # 2 · 创建张量：练习
#
# 这里有八个函数要写，每个只有几行，练的都是[讲义](../../../course/zh/02_creation.ipynb)里讲过的：想要的张量该用哪个函数来创建，怎样让它的 `shape`、`dtype` 和 `device` 都对，内存是自己的还是共享的，同一个种子怎样给出同样的结果。
#
# 每道题的做法：
#
# 1. 先运行第一个代码单元格，每次启动后运行一次。
# 2. 读题。卡住了就展开一条提示，后一条总比前一条说得多一些。
# 3. 在答案单元格里写代码，替换 `raise NotImplementedError()`，然后运行。
# 4. 运行它下面折叠着的检查单元格。
#
# 检查有四种结果：✓ 通过；✗ 未通过（代码运行完了，但结果有不对的地方）；⚠ 运行出错（代码中途停下）；○ 未作答（单元格还是发下来的样子）。没有通过时，反馈会说明错在哪里、得到了什么，需要时还会指出下一步怎么做。检查可以反复运行。正式评分时，隐藏测试还会用同类的其他输入来检验。

# %%
import numpy as np, torch
import lens.en as lens

# %% [markdown]
# ## Predict before you run: from data to tensor
#
# Not graded. Answer first, then look: a wrong guess here is worth more than a right one, because it shows what to read again.

# %% [markdown] lang="zh"
# ## 先预测再运行：从数据到张量
#
# 不计分。先作答，再看结果：在这里，猜错比猜对更有用，它告诉你哪里该重读一遍。

# %% tags=["quiz"]
lens.quiz(
    lens.ask(
        "What is the shape of `t`? || `t` 的形状是什么？",
        lens.wrong("`(2,)`", "That is `torch.Tensor([2, 3])`: in brackets, the numbers are data. || 那是 `torch.Tensor([2, 3])`：放在方括号里，数才是数据。"),
        lens.right("`(2, 3)`", "`torch.Tensor` reads bare whole numbers as sizes: six values, and nobody has set them. || 直接写整数，`torch.Tensor` 就把它们当成长度：得到六个元素，没有人给它们赋过值。"),
        lens.wrong("an error || 报错", "`torch.tensor(2, 3)` would raise one. This runs without a word, which is the trouble. || `torch.tensor(2, 3)` 才会报错。这一行一声不响地运行完了，麻烦就在这里。"),
        code="t = torch.Tensor(2, 3)",
    ),
    lens.ask(
        "Which dtype does `t` have? || `t` 的 `dtype` 是什么？",
        lens.wrong("`torch.float32`", "torch's default is for Python's floats and for factories such as `torch.zeros`. An array brings its own dtype. || torch 的默认类型用于 Python 浮点数和 `torch.zeros` 这类创建函数。数组自带 `dtype`。"),
        lens.right("`torch.float64`", "NumPy's floats are float64, and the tensor keeps the array's dtype. || NumPy 的浮点数是 float64，张量沿用数组的 `dtype`。"),
        lens.wrong("`torch.int64`", "`np.zeros` makes floats, not integers. || `np.zeros` 生成的是浮点数，不是整数。"),
        code="t = torch.tensor(np.zeros(3))",
    ),
    lens.ask(
        "What is printed? || 打印出什么？",
        lens.wrong("`0.0 0.0`", "`a` stands on the memory of `n`, so it sees the write. || `a` 用的就是 `n` 的内存，所以看得到这次写入。"),
        lens.right("`9.0 0.0`", "`from_numpy` shares the memory, `torch.tensor` copies it. || `from_numpy` 共享内存，`torch.tensor` 拷贝一份。"),
        lens.wrong("`9.0 9.0`", "`torch.tensor` copies, always. || `torch.tensor` 总是拷贝。"),
        lens.wrong("`0.0 9.0`", "The other way round: `torch.tensor` is the one that copies. || 正好反了：拷贝的是 `torch.tensor`。"),
        code="""
        n = np.zeros(2)
        a, b = torch.from_numpy(n), torch.tensor(n)
        n[0] = 9
        print(a[0].item(), b[0].item())
        """,
    ),
    lens.ask(
        "What does this line do? || 这一行会怎样？",
        lens.wrong("a tensor that shares memory, read backwards || 得到一个共享内存、倒着读的张量", "NumPy reads backwards with a negative stride; tensors have no such thing. || NumPy 靠负步长倒着读，而张量没有负步长。"),
        lens.wrong("a tensor on memory of its own || 得到一个有自己内存的张量", "`from_numpy` never copies: it shares, or it refuses. || `from_numpy` 从不拷贝：要么共享，要么拒绝。"),
        lens.right("a `ValueError` || 抛出 `ValueError`", "A tensor cannot have a negative stride, and `from_numpy` does not copy in silence. || 张量不能有负步长，`from_numpy` 也不会悄悄拷贝。"),
        code="t = torch.from_numpy(np.arange(4)[::-1])",
    ),
)

# %% [markdown] exercise="make_grid" level=1 minutes=6
# ## 1 · `make_grid`: cells and their edges
#
# Cut the interval from `start` to `stop` into `cells` cells of equal width, as a histogram does. Write `make_grid(start, stop, cells)`, which returns two tensors, in this order:
#
# - `numbers`: the numbers of the cells, counted from 0; shape `(cells,)`, dtype `torch.int64`.
# - `edges`: where the cells begin and end, from `start` to `stop`, both included; dtype `torch.float32`, also when `start` and `stop` are whole numbers.
#
# ```python
# numbers, edges = make_grid(0.0, 1.0, 4)
# numbers  # tensor([0, 1, 2, 3])
# edges    # tensor([0.0000, 0.2500, 0.5000, 0.7500, 1.0000])
# ```
#
# `start` is smaller than `stop`, and `cells` is at least 1.

# %% [markdown] lang="zh"
# ## 1 · `make_grid`：格子与边界
#
# 像直方图那样，把从 `start` 到 `stop` 的区间切成 `cells` 个等宽的格子。请写 `make_grid(start, stop, cells)`，依次返回两个张量：
#
# - `numbers`：格子的编号，从 0 数起；形状 `(cells,)`，类型 `torch.int64`。
# - `edges`：各格的起止位置，从 `start` 到 `stop`，两端都包含；类型 `torch.float32`，`start` 和 `stop` 是整数时也一样。
#
# ```python
# numbers, edges = make_grid(0.0, 1.0, 4)
# numbers  # tensor([0, 1, 2, 3])
# edges    # tensor([0.0000, 0.2500, 0.5000, 0.7500, 1.0000])
# ```
#
# `start` 小于 `stop`，`cells` 至少为 1。

# %% [markdown] hint="make_grid"
# Draw 4 cells on paper and count the lines that bound them. The two tensors do not have the same length.

# %% [markdown] lang="zh"
# 在纸上画 4 个并排的格子，数一数有几条边线。两个张量的长度并不相同。

# %% [markdown] hint="make_grid"
# Two functions make evenly spaced numbers: `torch.arange` is told the gap and leaves its end out; `torch.linspace` is told how many points and includes both ends. Which of them fits which of the two tensors?

# %% [markdown] lang="zh"
# 有两个函数生成等间隔的数：`torch.arange` 要的是间隔，不含终点；`torch.linspace` 要的是点数，两端都包含。这两个张量各适合用哪一个？

# %% [markdown] hint="make_grid"
# `torch.arange(cells)` counts 0, 1, …, `cells - 1`. For the edges, ask `torch.linspace(start, stop, ...)` for one point more than there are cells.

# %% [markdown] lang="zh"
# `torch.arange(cells)` 依次给出 0、1、……、`cells - 1`。至于边界，用 `torch.linspace(start, stop, ...)`，点数比格子数多一个。

# %% answer="make_grid"
def make_grid(start, stop, cells):
    """The numbers of the cells, `(cells,)`, and their edges, `(cells + 1,)`. || 返回各格的编号 `(cells,)` 和边界 `(cells + 1,)`。"""
    ### BEGIN SOLUTION
    numbers = torch.arange(cells)
    edges = torch.linspace(start, stop, cells + 1)
    return numbers, edges
    ### END SOLUTION

# %% test="make_grid" points=2
make_grid = lens.attempt("make_grid")
both = make_grid(1.0, 2.0, 5)
lens.expect_type(both, (tuple, list))
lens.expect_equal(len(both), 2, what="the number of results || 返回值的个数")
numbers, edges = both
lens.expect_type(numbers, what="`numbers`")
lens.expect_type(edges, what="`edges`")
swapped = numbers.is_floating_point() and not edges.is_floating_point()
lens.expect_not(both, swapped, "The two tensors are the wrong way round: `numbers` comes first, then `edges`. || 两个张量的次序反了：先 `numbers`，后 `edges`。")

# The numbers || 编号
lens.expect_not(numbers, torch.arange(6), "One number too many: 5 cells counted from 0 end at 4, and the end given to `arange` is left out already. || 多了一个编号：5 个格子从 0 数起，到 4 为止，而 `arange` 本来就不含终点。", same_dtype=False)
lens.expect_not(numbers, torch.arange(1, 6), "The cells are counted from 1; Python and torch count from 0. || 你从 1 开始编号，而 Python 和 torch 都从 0 数起。", same_dtype=False)
lens.expect_not(numbers, torch.arange(5.0), "The numbers are floats, and a float cannot index: give `arange` whole numbers only, and it answers in int64. || 编号成了浮点数，而浮点数不能当索引：只把整数传给 `arange`，它就返回 int64。")
lens.expect_shape(numbers, (5,), what="`numbers`")
lens.expect_dtype(numbers, torch.int64, what="`numbers`")

# The edges || 边界
lens.expect_not(edges, torch.linspace(1.0, 2.0, 5), "5 points leave only 4 gaps between them: a fence of 5 panels has 6 posts. || 5 个点之间只有 4 段间隔：5 段栅栏要 6 根柱子。", same_dtype=False)
lens.expect_not(edges, 1 + 0.2 * torch.arange(5), "The last edge is missing: `arange` stops before its end, so `stop` never comes. || 少了最后一条边界：`arange` 不含终点，所以 `stop` 不会出现。", same_dtype=False)
lens.expect_not(edges, tuple(edges.shape) == (7,), "One edge too many. With a float step the length of `arange` hangs on rounding: `arange(1.0, 2.0 + 0.2, 0.2)` has 7 values, `arange(0.0, 1.0 + 0.2, 0.2)` has 6. || 多了一条边界。间隔是浮点数时，`arange` 的长度取决于舍入：`arange(1.0, 2.0 + 0.2, 0.2)` 有 7 个值，`arange(0.0, 1.0 + 0.2, 0.2)` 有 6 个。")
lens.expect_shape(edges, (6,), what="`edges`")
lens.expect_dtype(edges, torch.float32, what="`edges`")
lens.expect_close(edges, torch.tensor([1.0, 1.2, 1.4, 1.6, 1.8, 2.0]), what="`edges`")
lens.expect_close(numbers, torch.tensor([0, 1, 2, 3, 4]), what="`numbers`")

# One cell, and two ends drawn at random || 只有一格的情形，以及随机取的两端
low, high = torch.rand(2, generator=torch.Generator().manual_seed(21)).tolist()
for start, stop, cells in [(-1.0, 3.0, 1), (low - 2, high + 2, 9)]:
    numbers, edges = make_grid(start, stop, cells)
    width = (stop - start) / cells
    lens.expect_close(numbers, torch.tensor(list(range(cells))), what="`numbers`")
    lens.expect_close(edges, torch.tensor([start + i * width for i in range(cells + 1)]), what="`edges`")
### BEGIN HIDDEN TESTS
with lens.hidden("the number of cells is right for many intervals and many counts || 换成许多不同的区间和格数，格子的个数都正确"):
    for start, stop in [(0.0, 0.3), (1.0, 1.3), (-0.7, 0.5), (2.0, 3.2), (100.0, 101.0)]:
        for cells in range(1, 60):
            numbers, edges = make_grid(start, stop, cells)
            lens.expect_shape(numbers, (cells,))
            lens.expect_shape(edges, (cells + 1,))
with lens.hidden("the first edge is `start`, the last is `stop`, and all cells are equally wide || 第一条边界是 `start`，最后一条是 `stop`，各格等宽"):
    numbers, edges = make_grid(-3.0, 11.0, 70)
    lens.expect_close(edges[[0, -1]], torch.tensor([-3.0, 11.0]))
    lens.expect_close(edges[1:] - edges[:-1], torch.full((70,), 0.2), atol=1e-5)
with lens.hidden("whole numbers for `start` and `stop` give float32 edges too || `start` 和 `stop` 是整数时，边界同样是 float32"):
    numbers, edges = make_grid(0, 12, 4)
    lens.expect_close(numbers, torch.tensor([0, 1, 2, 3]))
    lens.expect_close(edges, torch.tensor([0.0, 3.0, 6.0, 9.0, 12.0]))
### END HIDDEN TESTS
lens.passed("`linspace` is told how many points there are and includes both ends, so rounding cannot change the length. `arange` is told the gap and leaves its end out: exact for whole numbers, a gamble for a float step. || `linspace` 要的是点数，两端都包含，舍入改变不了长度。`arange` 要的是间隔，不含终点：间隔是整数时精确，是浮点数时就要碰运气。")

# %% [markdown] exercise="tensor_vs_Tensor" level=1 minutes=5
# ## 2 · `tensor_vs_Tensor`: data, not a size
#
# Write `tensor_vs_Tensor(data, dtype=None)`, which puts `data` into a tensor. `data` is a Python number, a boolean, or a nested list of them.
#
# - The shape is that of the nesting; a lone number gives shape `()`.
# - The values are those of `data`: whole numbers and booleans exactly, unless the `dtype` that is given cannot hold them; floats as closely as the dtype allows.
# - The dtype is `dtype` when it is given. Otherwise it is the one that fits the data: `torch.int64` for whole numbers, `torch.float32` for floats, `torch.bool` for booleans.
# - An empty list is allowed: shape `(0,)`, dtype `torch.float32`, torch's default.
#
# ```python
# tensor_vs_Tensor(3)                           # tensor(3)
# tensor_vs_Tensor([[1, 2], [3, 4]])            # tensor([[1, 2], [3, 4]])
# tensor_vs_Tensor([1, 2], dtype=torch.float64) # tensor([1., 2.], dtype=torch.float64)
# ```

# %% [markdown] lang="zh"
# ## 2 · `tensor_vs_Tensor`：是数据，不是长度
#
# 请写 `tensor_vs_Tensor(data, dtype=None)`，把 `data` 放进一个张量。`data` 是一个 Python 数、一个布尔值，或者由它们组成的嵌套列表。
#
# - 形状就是嵌套的形状；单独一个数的形状是 `()`。
# - 值就是 `data` 的值：整数和布尔值分毫不差，除非给定的 `dtype` 装不下；浮点数则精确到类型所能表示的程度。
# - 给了 `dtype` 就用 `dtype`；没给就用适合数据的类型：整数用 `torch.int64`，浮点数用 `torch.float32`，布尔值用 `torch.bool`。
# - 允许空列表：形状 `(0,)`，类型是 torch 的默认类型 `torch.float32`。
#
# ```python
# tensor_vs_Tensor(3)                           # tensor(3)
# tensor_vs_Tensor([[1, 2], [3, 4]])            # tensor([[1, 2], [3, 4]])
# tensor_vs_Tensor([1, 2], dtype=torch.float64) # tensor([1., 2.], dtype=torch.float64)
# ```

# %% [markdown] hint="tensor_vs_Tensor"
# In a new cell, print `torch.tensor(3)` and `torch.Tensor(3)`, and the `shape` and `dtype` of each.

# %% [markdown] lang="zh"
# 在新的单元格里打印 `torch.tensor(3)` 和 `torch.Tensor(3)`，再打印它们各自的 `shape` 和 `dtype`。

# %% [markdown] hint="tensor_vs_Tensor"
# `torch.tensor` takes a `dtype`, and with `dtype=None` it chooses by looking at the data. So there is nothing to decide with an `if`.

# %% [markdown] lang="zh"
# `torch.tensor` 接受 `dtype`，而 `dtype=None` 时它会根据数据自己选。所以不需要用 `if` 判断。

# %% [markdown] hint="tensor_vs_Tensor"
# One call does it: hand both arguments on to `torch.tensor`.

# %% [markdown] lang="zh"
# 一次调用就够：把两个参数都转交给 `torch.tensor`。

# %% answer="tensor_vs_Tensor"
def tensor_vs_Tensor(data, dtype=None):
    """A tensor that holds `data`, in the dtype that is asked for or fits. || 装着 `data` 的张量；给了类型就用给的，没给就用适合数据的。"""
    ### BEGIN SOLUTION
    return torch.tensor(data, dtype=dtype)
    ### END SOLUTION

# %% test="tensor_vs_Tensor" points=1
tensor_vs_Tensor = lens.attempt("tensor_vs_Tensor")
three = tensor_vs_Tensor(3)
lens.expect_type(three)
lens.expect_not(three, tuple(three.shape) == (3,), "3 was read as a size: three values that are not your data. `torch.Tensor` does that with every whole number. || 3 被当成了长度：得到三个元素，都不是你的数据。`torch.Tensor` 对每个整数都是如此。")
lens.expect_not(three, tuple(three.shape) == (1,), "The brackets in `[data]` add an axis: a lone number has shape `()`. || `[data]` 的方括号多加了一维：单独一个数的形状是 `()`。")
lens.expect_not(three, torch.tensor(3.0), "3 became 3.0: with a float dtype fixed in advance, whole numbers no longer count or index. || 3 变成了 3.0：事先定死浮点类型，整数就不能再用来计数和索引。")
lens.expect_close(three, torch.tensor(3))

# Whole numbers stay whole, floats stay floats || 整数还是整数，浮点数还是浮点数
pair = tensor_vs_Tensor([4, 5])
lens.expect_not(pair, torch.tensor([4.0, 5.0]), "`torch.Tensor` of a list has the default float dtype, whatever the list holds: the whole numbers are lost. || 把列表交给 `torch.Tensor`，无论里面是什么，都得到默认的浮点类型：整数不再是整数。")
lens.expect_close(pair, torch.tensor([4, 5]))
big = tensor_vs_Tensor([2**24 + 1, 7])
lens.expect_not(big, torch.tensor([2**24, 7]), "16777217 became 16777216: the number went through float32, which holds every whole number up to 2**24 and skips some beyond it. Converting afterwards does not bring it back. || 16777217 变成了 16777216：这个数经过了 float32，而 float32 能逐个精确表示的整数只到 2**24。之后再转换也找不回来。")
lens.expect_close(big, torch.tensor([2**24 + 1, 7]))
halves = tensor_vs_Tensor([[0.5, -1.5, 2.25]])
lens.expect_not(halves, torch.tensor([[0, -1, 2]]), "The fractions are gone: an integer dtype cuts them off without an error. || 小数部分没有了：整数类型会直接截掉，不报错。", same_dtype=False)
lens.expect_close(halves, torch.tensor([[0.5, -1.5, 2.25]]))

# The dtype that is asked for || 要求的类型
wide = tensor_vs_Tensor([1, 2], dtype=torch.float64)
lens.expect_type(wide)
lens.expect_not(wide, wide.dtype != torch.float64, "`dtype` was asked for and plays no part: hand it on to the call that makes the tensor. || 给了 `dtype`，却没有起作用：把它转交给创建张量的那次调用。")
lens.expect_close(wide, torch.tensor([1.0, 2.0], dtype=torch.float64))
### BEGIN HIDDEN TESTS
with lens.hidden("booleans stay booleans || 布尔值仍是布尔值"):
    lens.expect_close(tensor_vs_Tensor([[True], [False]]), torch.tensor([[True], [False]]))
    lens.expect_close(tensor_vs_Tensor(True), torch.tensor(True))
with lens.hidden("nested lists of any depth keep their shape and their values || 任意深度的嵌套列表保持形状和值"):
    rng = torch.Generator().manual_seed(22)
    for shape in [(2, 3), (4, 1, 3), (1,)]:
        whole = torch.randint(-(10**12), 10**12, shape, generator=rng)
        lens.expect_close(tensor_vs_Tensor(whole.tolist()), whole)
with lens.hidden("an empty list gives an empty tensor || 空列表得到空张量"):
    lens.expect_close(tensor_vs_Tensor([]), torch.empty(0))
    lens.expect_close(tensor_vs_Tensor([[], []]), torch.empty(2, 0))
with lens.hidden("a lone float, and every dtype that is asked for || 单独一个浮点数，以及要求的各种类型"):
    lens.expect_close(tensor_vs_Tensor(2.5), torch.tensor(2.5))
    for dtype in [torch.uint8, torch.bfloat16, torch.float64, torch.int32]:
        lens.expect_close(tensor_vs_Tensor([0, 1, 3], dtype=dtype), torch.tensor([0, 1, 3]).to(dtype))
### END HIDDEN TESTS
lens.passed("`torch.tensor` reads its argument as data, always copies it, and chooses the dtype from it. `torch.Tensor` is the old constructor: a whole number is a size, and a list always becomes the default float. || `torch.tensor` 把参数当成数据，总是拷贝，并按数据选类型。`torch.Tensor` 是旧的构造函数：整数被当成长度，列表总是变成默认的浮点类型。")

# %% [markdown] exercise="share_or_copy" level=2 minutes=8
# ## 3 · `share_or_copy`: one memory or two
#
# Write `share_or_copy(array, share)`, which makes a tensor from a NumPy array.
#
# - With `share=True` the tensor stands on the memory of `array`: a write to one is seen in the other.
# - With `share=False` the tensor has memory of its own.
# - Both times it has the shape, the dtype and the values of `array`, and `array` is not changed.
# - An array that NumPy reads backwards, such as `a[::-1]`, has a negative stride. It can be copied, but not shared: with `share=True` let the `ValueError` reach the caller instead of copying in silence. Use `from_numpy` or `as_tensor`: on torch 2.13 `torch.from_dlpack` of a backwards array ends the whole Python process.
#
# ```python
# a = np.zeros(2)
# shared, own = share_or_copy(a, share=True), share_or_copy(a, share=False)
# a[0] = 9
# shared  # tensor([9., 0.], dtype=torch.float64)
# own     # tensor([0., 0.], dtype=torch.float64)
# ```

# %% [markdown] lang="zh"
# ## 3 · `share_or_copy`：一块内存还是两块
#
# 请写 `share_or_copy(array, share)`，用 NumPy 数组创建张量。
#
# - `share=True` 时，张量用的就是 `array` 的内存：写入其中一个，另一个也看得到。
# - `share=False` 时，张量有自己的内存。
# - 两种情况下，张量的形状、类型和值都与 `array` 相同，`array` 不被改动。
# - NumPy 倒着读的数组，例如 `a[::-1]`，步长是负的。它可以拷贝，但不能共享：`share=True` 时，应当让 `ValueError` 传给调用者，不要悄悄拷贝。请用 `from_numpy` 或 `as_tensor`：在 torch 2.13 上，把倒着读的数组交给 `torch.from_dlpack`，会使整个 Python 进程当场终止。
#
# ```python
# a = np.zeros(2)
# shared, own = share_or_copy(a, share=True), share_or_copy(a, share=False)
# a[0] = 9
# shared  # tensor([9., 0.], dtype=torch.float64)
# own     # tensor([0., 0.], dtype=torch.float64)
# ```

# %% [markdown] hint="share_or_copy"
# Equal values tell you nothing about the memory. To find out, write into the array and print the tensor.

# %% [markdown] lang="zh"
# 值相等说明不了内存的情况。想弄清楚，就往数组里写一个数，再打印张量。

# %% [markdown] hint="share_or_copy"
# `torch.from_numpy` never copies: it shares the memory, or it raises a `ValueError`. That is all the first case needs.

# %% [markdown] lang="zh"
# `torch.from_numpy` 从不拷贝：要么共享内存，要么抛出 `ValueError`。第一种情况有它就够了。

# %% [markdown] hint="share_or_copy"
# Even `torch.tensor` refuses an array with a negative stride. Let NumPy make the copy: `array.copy()` lies in memory in the ordinary order.

# %% [markdown] lang="zh"
# 遇到负步长的数组，连 `torch.tensor` 也会拒绝。让 NumPy 来拷贝：`array.copy()` 得到的副本在内存里按通常的次序排列。

# %% [markdown] hint="share_or_copy"
# `torch.from_numpy` serves both cases: give it `array` when the memory is to be shared, `array.copy()` when it is not.

# %% [markdown] lang="zh"
# 两种情况都可以用 `torch.from_numpy`：要共享内存就给它 `array`，不共享就给它 `array.copy()`。

# %% answer="share_or_copy"
def share_or_copy(array, share):
    """A tensor on the memory of `array`, or on memory of its own. || 使用 `array` 的内存的张量，或者有自己内存的张量。"""
    ### BEGIN SOLUTION
    if share:
        return torch.from_numpy(array)
    return torch.from_numpy(array.copy())
    ### END SOLUTION

# %% test="share_or_copy" points=2
share_or_copy = lens.attempt("share_or_copy")
rng = torch.Generator().manual_seed(23)
array = torch.rand(3, 4, generator=rng, dtype=torch.float64).numpy()
with lens.expect_unchanged(array):
    shared = share_or_copy(array, share=True)
    own = share_or_copy(array, share=False)
for tensor in (shared, own):
    lens.expect_type(tensor)
    lens.expect_shape(tensor, (3, 4))
lens.expect_not(shared, shared.dtype == torch.float32, "float64 became float32: a conversion makes new memory, so nothing is shared any more. || float64 变成了 float32：转换会另开内存，于是什么也没有共享。")
lens.expect_not(own, own.dtype == torch.float32, "The copy is float32, the array is float64: a Python list carries no dtype, and `torch.Tensor` takes the default one. Copy the array itself. || 副本是 float32，数组却是 float64：Python 列表不带类型，`torch.Tensor` 用默认类型。应当拷贝数组本身。")
for tensor in (shared, own):
    lens.expect_dtype(tensor, torch.float64)

# Write into the array: who sees it? || 写入数组：谁看得到？
values = torch.tensor(array)
array[0, 1] = 50.0
seen = (bool(shared[0, 1] == 50), bool(own[0, 1] == 50))
lens.expect_not(shared, seen == (False, True), "The two cases are the wrong way round: it copies when asked to share, and shares when asked to copy. || 两种情况反了：该共享时拷贝，该拷贝时共享。")
lens.expect_not(shared, seen == (False, False), "Asked to share, it copied: `torch.tensor` always copies, so the tensor does not see what the array's owner writes. || 要求共享，它却拷贝了：`torch.tensor` 总是拷贝，之后往数组里写什么，张量都看不到。")
lens.expect_not(own, seen == (True, True), "Asked to copy, it shared: `from_numpy` and `as_tensor` stand on the array's memory, so the next batch written there would overwrite this tensor. || 要求拷贝，它却共享了：`from_numpy` 和 `as_tensor` 用的就是数组的内存，下一批数据写进数组时，这个张量也会被覆盖。")
lens.expect_view_of(shared, array)
lens.expect_copy(own, array)
lens.expect_close(own, values)

# Every second column: the memory can still be shared || 隔一列取一列：内存仍然可以共享
columns = array[:, ::2]
shared = share_or_copy(columns, share=True)
lens.expect_close(shared, torch.tensor(columns))
columns[2, 0] = 70.0
lens.expect_not(shared, shared[2, 0].item() != 70, "This array has gaps in memory, and it was copied in silence: `ascontiguousarray` shares only when the array is contiguous already. || 这个数组在内存里有空隙，却被悄悄拷贝了：`ascontiguousarray` 只有在数组本来就连续时才共享。")

# Backwards: it can be copied, but not shared || 倒着读：可以拷贝，不能共享
class Guarded(np.ndarray):
    """An array that stops `torch.from_dlpack` before it ends the kernel. || 抢在 `torch.from_dlpack` 终止内核之前拦下它的数组。"""

    def __dlpack__(self, **options):
        deadly = not options.get("copy") and min(self.strides, default=0) < 0
        lens.expect_not(self, deadly, "`torch.from_dlpack` was given an array that is read backwards, like `a[::-1]`. On torch 2.13 that ends the whole Python process, so the check stopped it. `from_numpy` and `as_tensor` raise a `ValueError` instead. || 你把倒着读的数组（如 `a[::-1]`）交给了 `torch.from_dlpack`。在 torch 2.13 上，这会使整个 Python 进程当场终止，所以检查拦下了这次调用。`from_numpy` 和 `as_tensor` 则会抛出 `ValueError`。")
        return super().__dlpack__(**options)

rows = torch.rand(7, 2, generator=rng, dtype=torch.float64)
backwards = rows.flip(0).numpy()[::-1].view(Guarded)
with lens.on_error(ValueError, "The negative stride is met before the copy is made (the array is read backwards, like `a[::-1]`): `torch.tensor(array)` and `from_numpy(array).clone()` both refuse. Let NumPy copy first. || 还没拷贝就先遇到了负步长（数组是倒着读的，如 `a[::-1]`）：`torch.tensor(array)` 和 `from_numpy(array).clone()` 都会拒绝。让 NumPy 先拷贝。", text="negative"):
    own = share_or_copy(backwards, share=False)
lens.expect_close(own, rows, what="the copy of an array that is read backwards, like `a[::-1]` || 倒着读的数组（如 `a[::-1]`）的副本")
with lens.expect_raises(ValueError, "Backwards memory cannot be shared (the array is read backwards, like `a[::-1]`): let the `ValueError` of `from_numpy` reach the caller. A copy, `None` or another error would mislead whoever asked to share. || 这块内存无法共享（数组是倒着读的，如 `a[::-1]`）：让 `from_numpy` 的 `ValueError` 传给调用者。返回副本、返回 `None` 或抛出别的错误，都会误导要求共享的人。"):
    share_or_copy(backwards, share=True)
### BEGIN HIDDEN TESTS
with lens.hidden("every dtype is kept, in both cases || 两种情况都保留原来的类型"):
    for dtype in [np.float32, np.int32, np.uint8, np.bool_]:
        array = np.arange(6).reshape(2, 3).astype(dtype)
        for share in (True, False):
            lens.expect_close(share_or_copy(array, share=share), torch.tensor(array))
with lens.hidden("a write to the shared tensor reaches the array, a write to the copy does not || 写入共享的张量，数组会跟着变；写入副本，数组不变"):
    array = np.zeros((2, 5), dtype=np.float32)
    share_or_copy(array, share=False)[1, 4] = 3
    lens.expect_equal(float(array[1, 4]), 0.0)
    share_or_copy(array, share=True)[1, 4] = 3
    lens.expect_equal(float(array[1, 4]), 3.0)
with lens.hidden("transposed arrays, arrays with gaps, single elements and empty arrays || 转置的数组、有空隙的数组、单个元素的数组和空数组"):
    base = np.arange(24.0).reshape(4, 6)
    for array in [base.T, base[1:, ::3], base[:1, :1], np.zeros((0, 3))]:
        with lens.expect_unchanged(base):
            shared, own = share_or_copy(array, share=True), share_or_copy(array, share=False)
        lens.expect_close(shared, torch.tensor(array))
        lens.expect_close(own, torch.tensor(array))
        if array.size:
            lens.expect_view_of(shared, array)
            lens.expect_copy(own, array)
with lens.hidden("a negative stride on any axis || 任意一维上的负步长"):
    base = np.arange(12, dtype=np.float32).reshape(3, 4)
    for array in [base[:, ::-1], base[::-2, 1:], base.T[::-1]]:
        array = array.view(Guarded)
        lens.expect_close(share_or_copy(array, share=False), torch.tensor(array.copy()))
        with lens.expect_raises(ValueError):
            share_or_copy(array, share=True)
### END HIDDEN TESTS
lens.passed("`from_numpy` shares or refuses, so it cannot copy behind your back. For a copy, NumPy makes it: `array.copy()` keeps the dtype and straightens every stride, the negative ones too. || `from_numpy` 要么共享，要么拒绝，不会背着你拷贝。需要拷贝时由 NumPy 来做：`array.copy()` 保留类型，并理顺所有步长，包括负的。")

# %% [markdown] exercise="like_this" level=2 minutes=7
# ## 4 · `like_this`: new tensors that fit an old one
#
# Code that makes new tensors has to fit the tensor that it was given, whatever its dtype and wherever it lives. Write `like_this(x, n)` for a tensor `x` with at least one axis. It returns two tensors, in this order:
#
# - `blank`: zeros, with the shape of `x`.
# - `rows`: ones, `n` rows of the kind that `x` has; shape `(n, *x.shape[1:])`.
#
# Both have the dtype and the device of `x`, stand on memory of their own that can be written to, and have `requires_grad=False`, whatever `x` has. `x` is not changed; it may hold any values, `nan` and `inf` too. `n` may be 0, and `x` may be empty.
#
# ```python
# x = torch.tensor([[1, 2, 3], [4, 5, 6]], dtype=torch.int16)
# blank, rows = like_this(x, 1)
# blank  # tensor([[0, 0, 0], [0, 0, 0]], dtype=torch.int16)
# rows   # tensor([[1, 1, 1]], dtype=torch.int16)
# ```
#
# The check needs no GPU: it puts `x` on the `meta` device, where tensors have a shape, a dtype and a device, but no values.

# %% [markdown] lang="zh"
# ## 4 · `like_this`：与已有张量相配的新张量
#
# 代码创建的新张量，要与传进来的张量相配，无论那个张量是什么类型、放在哪里。请写 `like_this(x, n)`，其中张量 `x` 至少有一维；依次返回两个张量：
#
# - `blank`：全 0，形状与 `x` 相同。
# - `rows`：全 1，共 `n` 行，每一行与 `x` 的行同形；形状 `(n, *x.shape[1:])`。
#
# 两者的类型和设备都与 `x` 相同，有自己的内存，可以写入；无论 `x` 怎样，都是 `requires_grad=False`。`x` 不被改动；它可以含任何值，包括 `nan` 和 `inf`。`n` 可以是 0，`x` 也可以是空的。
#
# ```python
# x = torch.tensor([[1, 2, 3], [4, 5, 6]], dtype=torch.int16)
# blank, rows = like_this(x, 1)
# blank  # tensor([[0, 0, 0], [0, 0, 0]], dtype=torch.int16)
# rows   # tensor([[1, 1, 1]], dtype=torch.int16)
# ```
#
# 检查不需要 GPU：它把 `x` 放在 `meta` 设备上，那里的张量有形状、类型和设备，但没有值。

# %% [markdown] hint="like_this"
# `torch.zeros(x.shape)` takes nothing but the shape. Which functions also take the dtype and the device from a tensor?

# %% [markdown] lang="zh"
# `torch.zeros(x.shape)` 只取了形状。哪些函数会从张量那里把类型和设备也一并取过来？

# %% [markdown] hint="like_this"
# For the same shape there are `torch.zeros_like(x)` and its kin. For another shape there are methods of the tensor itself: `x.new_zeros(...)`, `x.new_ones(...)`, `x.new_full(...)`.

# %% [markdown] lang="zh"
# 形状相同时，有 `torch.zeros_like(x)` 这一族函数。形状不同时，有张量自己的方法：`x.new_zeros(...)`、`x.new_ones(...)`、`x.new_full(...)`。

# %% [markdown] hint="like_this"
# Return `torch.zeros_like(x)` and `x.new_ones((n, *x.shape[1:]))`. The star unpacks the sizes after the first.

# %% [markdown] lang="zh"
# 返回 `torch.zeros_like(x)` 和 `x.new_ones((n, *x.shape[1:]))`。星号把第一个之后的各个长度展开。

# %% answer="like_this"
def like_this(x, n):
    """Zeros of the shape of `x`, and `n` rows of ones; the dtype and device of `x`. || 与 `x` 同形的全 0，以及 `n` 行全 1；类型和设备与 `x` 相同。"""
    ### BEGIN SOLUTION
    blank = torch.zeros_like(x)
    rows = x.new_ones((n, *x.shape[1:]))
    return blank, rows
    ### END SOLUTION

# %% test="like_this" points=2
like_this = lens.attempt("like_this")
rng = torch.Generator().manual_seed(24)
x = torch.rand(2, 3, 4, generator=rng, dtype=torch.float64)
x[0, 1, 2] = torch.nan
strict = torch.are_deterministic_algorithms_enabled()
torch.use_deterministic_algorithms(True)  # memory that nobody has filled holds nan || 没有人填过的内存里是 nan
try:
    with lens.expect_unchanged(x):
        both = like_this(x, 5)
finally:
    torch.use_deterministic_algorithms(strict)
lens.expect_type(both, (tuple, list))
lens.expect_equal(len(both), 2, what="the number of results || 返回值的个数")
blank, rows = both
lens.expect_type(blank, what="`blank`")
lens.expect_type(rows, what="`rows`")

# Shape || 形状
swapped = tuple(blank.shape) == (5, 3, 4) and tuple(rows.shape) == (2, 3, 4)
lens.expect_not(both, swapped, "The two tensors are the wrong way round: `blank` comes first, then `rows`. || 两个张量的次序反了：先 `blank`，后 `rows`。")
lens.expect_shape(blank, (2, 3, 4), what="`blank`")
lens.expect_not(rows, tuple(rows.shape) == (5,), "`n` alone is not the shape of `n` rows: the axes after the first are missing. || 单独一个 `n` 不是 `n` 行的形状：第一维之后的各维都丢了。")
lens.expect_not(rows, tuple(rows.shape) == (2, 3, 4), "`ones_like` makes as many rows as `x` has, and slicing cannot add to them: `x` has 2 rows, 5 were asked for. || `ones_like` 得到的行数与 `x` 一样，切片也添不出新的行：`x` 有 2 行，要求的是 5 行。")
lens.expect_shape(rows, (5, 3, 4), what="`rows`")

# Dtype and device || 类型与设备
lens.expect_not(rows, rows.dtype == torch.float32, "The dtype of `x` is lost: `torch.zeros` and `torch.ones` make the default float32 unless told otherwise. || `x` 的类型丢了：不写类型时，`torch.zeros` 和 `torch.ones` 得到默认的 float32。")
lens.expect_dtype(blank, torch.float64, what="`blank`")
lens.expect_dtype(rows, torch.float64, what="`rows`")
elsewhere = torch.empty(2, 3, dtype=torch.float16, device="meta")
with lens.on_error(TypeError, "NumPy knows the CPU alone: stay in torch. || NumPy 只认得 CPU：请始终用 torch 的函数。", text="meta device"):
    blank_there, rows_there = like_this(elsewhere, 5)
stayed = "cpu" in (blank_there.device.type, rows_there.device.type)
lens.expect_not((blank_there, rows_there), stayed, "The device of `x` is lost: a bare `torch.zeros` or `torch.ones` stays on the CPU, and the next operation with `x` would fail on a GPU. || `x` 的设备丢了：不写设备的 `torch.zeros` 或 `torch.ones` 留在 CPU 上；如果 `x` 在 GPU 上，下一次与 `x` 做运算就会报错。")
lens.expect_device(blank_there, "meta", what="`blank`")
lens.expect_device(rows_there, "meta", what="`rows`")

# Memory and values || 内存与值
lens.expect_copy(both, x)
stretched = any(step == 0 and size > 1 for part in both for step, size in zip(part.stride(), part.shape, strict=True))
lens.expect_not(both, stretched, "All elements stand on one and the same place in memory: `expand` repeats it without copying, so they cannot be written one by one. || 所有元素都在内存的同一个位置上：`expand` 只是反复使用它，并不拷贝，所以不能逐个写入。")
unset = bool(blank.isnan().all()) or bool(rows.isnan().all())
lens.expect_not(both, unset, "Nobody has set these values: `torch.empty_like` and `new_empty` hand out memory as it lies. What lies there may happen to be 0; for this call it was `nan`. || 这些元素没有人赋过值：`torch.empty_like` 和 `new_empty` 只给出内存，不管里面是什么。那里也许碰巧是 0，这次调用时是 `nan`。")
lens.expect_not(blank, bool(blank.isnan().any()), "A `nan` came through: `nan * 0` and `nan - nan` are `nan`. Make new zeros, do not compute them from the values of `x`. || `nan` 传了过来：`nan * 0` 和 `nan - nan` 仍是 `nan`。应当新建全 0 的张量，不要用 `x` 的值去算。")
lens.expect_close(blank, torch.zeros(2, 3, 4, dtype=torch.float64), what="`blank`")
lens.expect_close(rows, torch.ones(5, 3, 4, dtype=torch.float64), what="`rows`")

# Gradient || 梯度
learning = torch.ones(3, 1, requires_grad=True)
blank, rows = like_this(learning, 2)
lens.expect_not(blank, blank.requires_grad and blank.is_leaf, "`requires_grad` was copied from `x`: whoever fills these zeros in place would get an error, since a leaf that needs a gradient may not be changed in place. || `requires_grad` 是从 `x` 照搬来的：需要梯度的叶子张量不能原地修改，谁要原地填写这些 0 都会报错。")
lens.expect_not(blank, blank.requires_grad, "`blank` hangs on the graph of `x`: `clone` and arithmetic are recorded, so these zeros carry a history. || `blank` 挂在 `x` 的计算图上：`clone` 和算术运算都会被记录，于是这些 0 也带上了计算历史。")
lens.expect_requires_grad(blank, False, what="`blank`")
lens.expect_requires_grad(rows, False, what="`rows`")
### BEGIN HIDDEN TESTS
with lens.hidden("integers, booleans and bfloat16 || 整数、布尔值和 bfloat16"):
    for dtype in [torch.int64, torch.uint8, torch.bool, torch.bfloat16]:
        blank, rows = like_this(torch.ones(4, 3, dtype=dtype), 2)
        lens.expect_close(blank, torch.zeros(4, 3, dtype=dtype))
        lens.expect_close(rows, torch.ones(2, 3, dtype=dtype))
with lens.hidden("one axis, size 1, no rows, empty and transposed inputs || 一维、长度为 1、零行、空的和转置的输入"):
    for x, n in [(torch.ones(6), 4), (torch.ones(1, 1), 1), (torch.ones(2, 5), 0), (torch.ones(0, 3), 2), (torch.ones(2, 5).T, 3)]:
        with lens.expect_unchanged(x):
            blank, rows = like_this(x, n)
        lens.expect_close(blank, torch.zeros(x.shape))
        lens.expect_close(rows, torch.ones(n, *x.shape[1:]))
with lens.hidden("infinite values, on a tensor that learns || 含无穷大且需要梯度的张量"):
    x = torch.tensor([[torch.inf], [-torch.inf]], requires_grad=True)
    for result, want in zip(like_this(x, 3), (torch.zeros(2, 1), torch.ones(3, 1)), strict=True):
        lens.expect_close(result, want)
        lens.expect_requires_grad(result, False)
with lens.hidden("each element of the results can be written on its own || 结果的每个元素都可以单独写入"):
    blank, rows = like_this(torch.ones(2, 2), 2)
    blank[0, 1], rows[1, 0] = 7, 7
    lens.expect_close(blank, torch.tensor([[0.0, 7.0], [0.0, 0.0]]))
    lens.expect_close(rows, torch.tensor([[1.0, 1.0], [7.0, 1.0]]))
### END HIDDEN TESTS
lens.passed("`zeros_like(x)` for the same shape, `x.new_ones(shape)` for another: both take the dtype and the device from `x`, look at no value and record nothing. || 形状相同用 `zeros_like(x)`，形状不同用 `x.new_ones(shape)`：两者都从 `x` 取类型和设备，不看任何值，也不记录运算。")

# %% [markdown]
# ## Predict before you run: rules, random numbers, parameters
#
# Not graded, as before: answer first.

# %% [markdown] lang="zh"
# ## 先预测再运行：规则、随机数、参数
#
# 同样不计分：先作答。

# %% tags=["quiz"]
lens.quiz(
    lens.ask(
        "What does `a` hold after these lines? || 这几行之后，`a` 里是什么？",
        lens.wrong("`2.9` and `-2.9` || `2.9` 和 `-2.9`", "That needs `torch.full((2,), 5.0)`: `full` takes its dtype from the value, and 5 makes int64. || 那需要写 `torch.full((2,), 5.0)`：`full` 的类型由填充值决定，5 得到 int64。"),
        lens.wrong("`3` and `-3` || `3` 和 `-3`", "Nothing is rounded: the fraction is cut off. || 没有四舍五入：小数部分是直接截掉的。"),
        lens.wrong("`2` and `-3` || `2` 和 `-3`", "That is rounding down, as `floor` does. Here the fraction is cut off, which moves both numbers towards 0. || 那是 `floor` 那样的向下取整。这里是截掉小数部分，两个数都向 0 靠近。"),
        lens.right("`2` and `-2` || `2` 和 `-2`", "5 makes `a` int64, and int64 cuts the fraction off without an error, above and below 0. || 5 使 `a` 成为 int64，而 int64 会直接截掉小数部分，不报错，正数负数都一样。"),
        code="""
        a = torch.full((2,), 5)
        a[0], a[1] = 2.9, -2.9
        """,
    ),
    lens.ask(
        "How many values do `a` and `b` have? || `a` 和 `b` 各有几个值？",
        lens.wrong("3 and 3 || 3 和 3", "By the rule that the end is left out, yes; but rounding puts one of the two ends just inside. || 按“不含终点”的规则应该如此，但舍入使其中一个终点恰好落在范围内。"),
        lens.wrong("4 and 4 || 4 和 4", "Rounding goes either way: one of the two ends stays outside. || 舍入可能偏大，也可能偏小：其中一个终点仍在范围之外。"),
        lens.right("3 and 4 || 3 和 4", "In floating point (2.3 - 2) / 0.1 is a little less than 3, and (0.8 - 0.5) / 0.1 a little more, so 0.8 is in. With float steps use `linspace`. || 用浮点数计算，(2.3 - 2) / 0.1 略小于 3，而 (0.8 - 0.5) / 0.1 略大于 3，所以 0.8 也在内。间隔是浮点数时请用 `linspace`。"),
        code="""
        a = torch.arange(2, 2.3, 0.1)
        b = torch.arange(0.5, 0.8, 0.1)
        """,
    ),
    lens.ask(
        "What is the shape of `rows`? || `rows` 的形状是什么？",
        lens.wrong("`(4, 4)`", "That is the whole identity matrix. || 那是整个单位矩阵。"),
        lens.right("`(3, 4)`", "Three rows are picked, one of them twice; each has 4 columns. || 取了三行，其中一行取了两次；每行 4 列。"),
        lens.wrong("`(4, 3)`", "An index in first place picks rows, not columns. || 写在第一位的索引取的是行，不是列。"),
        lens.wrong("`(2, 4)`", "Row 1 is picked twice and comes twice. || 第 1 行取了两次，就出现两次。"),
        code="rows = torch.eye(4)[[1, 3, 1]]",
    ),
    lens.ask(
        "Which of these are equal, whenever this runs? || 无论何时运行，下面哪些一定相等？",
        lens.right("`a` and `b` || `a` 和 `b`", "Two generators with the same seed give the same numbers. || 种子相同的两个生成器给出同样的数。"),
        lens.wrong("`a` and `c` || `a` 和 `c`", "`c` comes from the same generator, which has moved on. || `c` 出自同一个生成器，而它已经往前走了。"),
        lens.wrong("`b` and `d` || `b` 和 `d`", "`d` comes from the global generator, which nobody has seeded here. || `d` 出自全局生成器，这里没有人给它设种子。"),
        code="""
        g = torch.Generator().manual_seed(0)
        h = torch.Generator().manual_seed(0)
        a, b = torch.rand(3, generator=g), torch.rand(3, generator=h)
        c, d = torch.rand(3, generator=g), torch.rand(3)
        """,
    ),
    lens.ask(
        "Is `w` a leaf, so that `backward` fills `w.grad`? || `w` 是不是叶子张量，也就是说，`backward` 会不会填写 `w.grad`？",
        lens.wrong("yes || 是，会", "The leaf is what `randn` returned; `w` is the result of multiplying it. || 叶子张量是 `randn` 返回的那个；`w` 是它乘出来的结果。"),
        lens.right("no || 不是，不会", "`w` is the result of an operation. Scale first, then call `requires_grad_()`. || `w` 是一次运算的结果。应当先缩放，再调用 `requires_grad_()`。"),
        code="w = torch.randn(5, 3, requires_grad=True) * 0.1",
    ),
)

# %% [markdown] exercise="pad_border" level=2 minutes=8
# ## 5 · `pad_border`: a frame around a matrix
#
# Write `pad_border(x, value)`, which puts a border of width 1 around a floating-point matrix `x` of shape `(h, w)` and returns a new matrix:
#
# - shape `(h + 2, w + 2)`; every element of the border is `value`, the inside is `x`;
# - dtype and device are those of `x`, also when `value` is a whole number;
# - the elements stay in tensors: no `.tolist()`, no `.item()`, no `.numpy()`;
# - `x` is not changed.
#
# ```python
# pad_border(torch.tensor([[0.1, 0.2]]), -1)
# # tensor([[-1.0000, -1.0000, -1.0000, -1.0000],
# #         [-1.0000,  0.1000,  0.2000, -1.0000],
# #         [-1.0000, -1.0000, -1.0000, -1.0000]])
# ```

# %% [markdown] lang="zh"
# ## 5 · `pad_border`：给矩阵加一圈边框
#
# 请写 `pad_border(x, value)`，给形状为 `(h, w)` 的浮点矩阵 `x` 加一圈宽度为 1 的边框，返回一个新矩阵：
#
# - 形状 `(h + 2, w + 2)`；边框上的元素都是 `value`，里面是 `x`；
# - 类型和设备与 `x` 相同，`value` 是整数时也一样；
# - 元素始终留在张量里：不用 `.tolist()`，不用 `.item()`，不用 `.numpy()`；
# - `x` 不被改动。
#
# ```python
# pad_border(torch.tensor([[0.1, 0.2]]), -1)
# # tensor([[-1.0000, -1.0000, -1.0000, -1.0000],
# #         [-1.0000,  0.1000,  0.2000, -1.0000],
# #         [-1.0000, -1.0000, -1.0000, -1.0000]])
# ```

# %% [markdown] hint="pad_border"
# Do not build the border piece by piece. Fill the whole larger matrix with `value`, then write `x` into the middle.

# %% [markdown] lang="zh"
# 不必一段一段地拼边框。先用 `value` 填满整个大矩阵，再把 `x` 写到中间。

# %% [markdown] hint="pad_border"
# Print `torch.full((3, 3), -1).dtype`. `torch.full` takes its dtype from the value unless you give `dtype=` and `device=`; `x.new_full` takes both from `x`.

# %% [markdown] lang="zh"
# 打印 `torch.full((3, 3), -1).dtype` 看看。不写 `dtype=` 和 `device=` 时，`torch.full` 的类型由填充值决定；`x.new_full` 则两样都取自 `x`。

# %% [markdown] hint="pad_border"
# The middle of a matrix `m` is `m[1:-1, 1:-1]`: from the second to the last but one, on both axes, in one pair of brackets. Something can be assigned to it.

# %% [markdown] lang="zh"
# 矩阵 `m` 的中间部分是 `m[1:-1, 1:-1]`：两维都从第二个取到倒数第二个，写在一对方括号里。可以给它赋值。

# %% [markdown] hint="pad_border"
# Three lines: `m = x.new_full((x.shape[0] + 2, x.shape[1] + 2), value)`, then `m[1:-1, 1:-1] = x`, then return `m`.

# %% [markdown] lang="zh"
# 三行：`m = x.new_full((x.shape[0] + 2, x.shape[1] + 2), value)`，然后 `m[1:-1, 1:-1] = x`，最后返回 `m`。

# %% answer="pad_border"
def pad_border(x, value):
    """`x` with a border of `value` around it: `(h, w)` -> `(h + 2, w + 2)`. || 在 `x` 外面加一圈 `value`：`(h, w)` -> `(h + 2, w + 2)`。"""
    ### BEGIN SOLUTION
    h, w = x.shape
    framed = torch.full((h + 2, w + 2), value, dtype=x.dtype, device=x.device)
    framed[1:-1, 1:-1] = x
    return framed
    ### END SOLUTION

# %% test="pad_border" points=2
pad_border = lens.attempt("pad_border")
rng = torch.Generator().manual_seed(25)
x = 1 + torch.rand(3, 4, generator=rng)
with lens.expect_unchanged(x), lens.on_error(RuntimeError, "The place on the left does not have the shape of `x`. Is `m` two longer than `x` along both dimensions, and is its inside `m[1:-1, 1:-1]`, both in one pair of brackets? || 等号左边的那一块与 `x` 形状不同。`m` 的两维是不是都比 `x` 长 2？中间是不是写成 `m[1:-1, 1:-1]`，两维在同一对方括号里？", text="expanded size"):
    framed = pad_border(x, -1)
lens.expect_type(framed)

# Shape || 形状
lens.expect_not(framed, tuple(framed.shape) == (4, 5), "One row and one column were added, so the border has only two sides: four sides need `h + 2` and `w + 2`. || 只多了一行一列，边框就只有两条边：四条边需要 `h + 2` 和 `w + 2`。")
lens.expect_not(framed, tuple(framed.shape) == (3, 6), "Only the last axis was padded: `F.pad` takes two widths for each axis, the last axis first, so a matrix needs four. || 只填充了最后一维：`F.pad` 对每一维要两个宽度，从最后一维数起，所以矩阵需要四个。")
lens.expect_shape(framed, (5, 6))

# Dtype and device || 类型与设备
lens.expect_not(framed, framed.dtype == torch.int64, "The matrix is int64, and the fractions of `x` are gone: `torch.full` took its dtype from the value -1, a whole number. || 矩阵是 int64，`x` 的小数部分没有了：填充值 -1 是整数，`torch.full` 就用了整数类型。")
lens.expect_dtype(framed, torch.float32)
double = pad_border(x.to(torch.float64), 2.5)
lens.expect_type(double)
lens.expect_not(double, double.dtype == torch.float32, "`x` is float64 and the result float32: a float value makes `torch.full` take the default dtype, not that of `x`. || `x` 是 float64，结果却是 float32：填充值是浮点数时，`torch.full` 用默认类型，而不是 `x` 的类型。")
lens.expect_dtype(double, torch.float64)
detour = "Each element takes a detour through Python: slow, and on a GPU every one of them waits. Copy whole tensors, `m[1:-1, 1:-1] = x`. || 每个元素都绕道 Python：很慢，在 GPU 上还要逐个等待。应当整块写入，`m[1:-1, 1:-1] = x`。"
no_numpy = "NumPy knows the CPU alone: stay in torch. || NumPy 只认得 CPU：请始终用 torch 的函数。"
with lens.on_error(NotImplementedError, "The border was made on the CPU, and `x` lies on another device: give `device=x.device` too. || 边框建在 CPU 上，而 `x` 在另一个设备上：还要写 `device=x.device`。", text="meta"):
    with lens.on_error(RuntimeError, detour, text="meta tensors"), lens.on_error(TypeError, no_numpy, text="meta device"), lens.forbid("tolist", "item", why=detour), lens.forbid("numpy", why=no_numpy):
        elsewhere = pad_border(torch.empty(2, 3, device="meta"), -1.0)
lens.expect_device(elsewhere, "meta")

# Memory and values || 内存与值
lens.expect_copy(framed, x)
want = torch.tensor([[-1.0] * 6] + [[-1.0, *row, -1.0] for row in x.tolist()] + [[-1.0] * 6])
cut = want.trunc()
lens.expect_not(framed, cut, "The dtype is right and the fractions are gone all the same: `x` was written into an integer matrix first, and converting afterwards does not bring them back. || 类型对了，小数部分还是没有了：`x` 先被写进了整数矩阵，之后再转换也找不回来。")
zeros = torch.where(want == -1, torch.zeros(()), want)
lens.expect_not(framed, zeros, "The border is 0: `value` plays no part. || 边框是 0：`value` 没有起作用。")
lens.expect_not(framed, torch.full((5, 6), -1.0), "`x` is not in it: the inside still holds `value`. || 里面没有 `x`：中间还是 `value`。")
lens.expect_close(framed, want)
lens.expect_close(double, torch.where(want == -1, 2.5, want.to(torch.float64)))
lens.expect_close(pad_border(torch.tensor([[0.25]]), 0.5), torch.tensor([[0.5] * 3, [0.5, 0.25, 0.5], [0.5] * 3]))
### BEGIN HIDDEN TESTS
with lens.hidden("all sizes: one row, one column, and matrices with no rows or no columns || 各种大小：一行、一列，以及没有行或没有列的矩阵"):
    for h, w in [(1, 7), (6, 1), (2, 2), (0, 3), (4, 0), (0, 0)]:
        x = torch.rand(h, w, generator=rng)
        framed = pad_border(x, 3)
        lens.expect_shape(framed, (h + 2, w + 2))
        lens.expect_close(framed[1:-1, 1:-1], x)
        lens.expect_close(framed.sum() - x.sum(), torch.tensor(3.0 * (2 * h + 2 * w + 4)), rtol=1e-5)
with lens.hidden("a matrix that is not contiguous || 不连续的矩阵"):
    base = torch.rand(5, 8, generator=rng)
    for x in [base.T, base[:, ::3]]:
        with lens.expect_unchanged(base):
            framed = pad_border(x, -0.5)
        lens.expect_close(framed[1:-1, 1:-1], x)
        lens.expect_close(framed[[0, -1]], torch.full((2, x.shape[1] + 2), -0.5))
        lens.expect_close(framed[:, [0, -1]], torch.full((x.shape[0] + 2, 2), -0.5))
with lens.hidden("the dtype of `x` is kept for every kind of value || 无论填充值是哪种数，都保留 `x` 的类型"):
    for dtype in [torch.float16, torch.bfloat16, torch.float64]:
        for value in (0, -2, 1.5, float("-inf")):
            x = torch.tensor([[0.5, 1.5]], dtype=dtype)
            row = torch.tensor([value] * 4, dtype=dtype)
            middle = torch.tensor([value, 0.5, 1.5, value], dtype=dtype)
            lens.expect_close(pad_border(x, value), torch.stack([row, middle, row]))
### END HIDDEN TESTS
lens.passed("Fill everything, then write the inside: no corner to think of. `dtype=x.dtype` and `device=x.device` are needed because `torch.full` looks at the value, not at `x`. `F.pad(x, (1, 1, 1, 1), value=value)` does the same. || 先填满，再写中间：不必操心四个角。之所以要写 `dtype=x.dtype` 和 `device=x.device`，是因为 `torch.full` 看的是填充值，不是 `x`。`F.pad(x, (1, 1, 1, 1), value=value)` 的效果相同。")

# %% [markdown] exercise="one_hot" level=2 minutes=7
# ## 6 · `one_hot`: labels as rows of 0 and 1
#
# Write `one_hot(labels, classes)`. `labels` is an `int64` tensor of any shape, each value between 0 and `classes - 1`. The result has one more axis, of length `classes`, with a 1 at the place of the label and 0 elsewhere:
#
# - shape `(*labels.shape, classes)`, whichever labels occur;
# - dtype `torch.float32`;
# - `labels` is not changed.
#
# ```python
# one_hot(torch.tensor([2, 0]), 4)
# # tensor([[0., 0., 1., 0.],
# #         [1., 0., 0., 0.]])
# ```

# %% [markdown] lang="zh"
# ## 6 · `one_hot`：把标签变成 0 和 1 的行
#
# 请写 `one_hot(labels, classes)`。`labels` 是任意形状的 `int64` 张量，每个值在 0 到 `classes - 1` 之间。结果多出一个长度为 `classes` 的维度，标签所在的位置是 1，其余是 0，也就是独热（one-hot）编码：
#
# - 形状 `(*labels.shape, classes)`，与出现了哪些标签无关；
# - 类型 `torch.float32`；
# - `labels` 不被改动。
#
# ```python
# one_hot(torch.tensor([2, 0]), 4)
# # tensor([[0., 0., 1., 0.],
# #         [1., 0., 0., 0.]])
# ```

# %% [markdown] hint="one_hot"
# Print `torch.eye(4)`. What does its row 2 have to do with label 2?

# %% [markdown] lang="zh"
# 打印 `torch.eye(4)`。它的第 2 行与标签 2 有什么关系？

# %% [markdown] hint="one_hot"
# A tensor of whole numbers in the first place of an index picks rows: `m[labels]` has shape `(*labels.shape, columns)`.

# %% [markdown] lang="zh"
# 把整数张量写在索引的第一位，取的是行：`m[labels]` 的形状是 `(*labels.shape, columns)`。

# %% [markdown] hint="one_hot"
# Make the identity matrix of size `classes` with `torch.eye`, and index it with `labels`. Its floats are float32 already.

# %% [markdown] lang="zh"
# 用 `torch.eye` 生成大小为 `classes` 的单位矩阵，再用 `labels` 去索引它。它的浮点数本来就是 float32。

# %% answer="one_hot"
def one_hot(labels, classes):
    """A row of 0 and 1 for each label: `(...)` -> `(..., classes)`. || 每个标签对应一行 0 和 1：`(...)` -> `(..., classes)`。"""
    ### BEGIN SOLUTION
    return torch.eye(classes, device=labels.device)[labels]
    ### END SOLUTION

# %% test="one_hot" points=2
one_hot = lens.attempt("one_hot")
labels = torch.tensor([2, 0, 2, 1, 0, 1])  # no label 3 || 没有标签 3
with lens.expect_unchanged(labels), lens.on_error(RuntimeError, "6 labels cannot be compared with 4 classes element by element: give the labels an axis of length 1 at the end, `labels.unsqueeze(-1)`. || 6 个标签与 4 个类别不能逐元素比较：给标签在末尾加一个长度为 1 的维度，`labels.unsqueeze(-1)`。", text="must match the size"):
    rows = one_hot(labels, 4)
lens.expect_type(rows)

# Shape || 形状
lens.expect_not(rows, tuple(rows.shape) == (6, 3), "3 columns in place of 4: the number of classes was taken from the labels that happen to occur, so every batch would get another width. || 该有 4 列，却只有 3 列：类别数取自碰巧出现的标签，于是每个批次的宽度都可能不同。")
lens.expect_not(rows, tuple(rows.shape) == (6, 6), "As many columns as labels: the identity matrix must have the size `classes`. || 列数等于标签数：单位矩阵的大小应当是 `classes`。")
lens.expect_not(rows, tuple(rows.shape) == (4, 6), "Columns were picked in place of rows: each label should have a row of its own. || 取的是列而不是行：每个标签应当有自己的一行。")
lens.expect_not(rows, tuple(rows.shape) == (4, 4), "This is one row for each class, whatever the labels: the identity matrix is still to be indexed with them. || 这是每个类别一行，与标签无关：单位矩阵还要用标签去索引。")
lens.expect_not(rows, tuple(rows.shape) == (6, 5), "One column too many: 4 classes counted from 0 end at 3, so there is no class 4. || 多了一列：4 个类别从 0 数起，到 3 为止，没有第 4 类。")
lens.expect_shape(rows, (6, 4))

# Dtype || 类型
lens.expect_not(rows, rows.dtype == torch.int64, "`F.one_hot` and the labels themselves are int64; a loss or a matrix product wants floats. || `F.one_hot` 的结果与标签一样是 int64；损失函数和矩阵乘法要的是浮点数。")
lens.expect_not(rows, rows.dtype == torch.bool, "A comparison gives booleans: right places, wrong dtype. Convert them to floats. || 比较得到的是布尔值：位置对，类型不对。请转换成浮点数。")
lens.expect_dtype(rows, torch.float32)

# Values || 值
want = torch.tensor([[0.0, 0, 1, 0], [1, 0, 0, 0], [0, 0, 1, 0], [0, 1, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0]])
lens.expect_not(rows, want[:, [1, 2, 3, 0]], "Each 1 is one place too far to the left, and label 0 wraps round to the last class: classes are counted from 0. || 每个 1 都偏左一格，标签 0 绕到了最后一类：类别从 0 数起。")
lens.expect_not(rows, torch.tensor([[1.0, 1, 1, 0]] * 6), "Every row holds the 1 of every label: `[:, labels] = 1` writes into all rows at once. || 每一行都有所有标签的 1：`[:, labels] = 1` 会同时写入所有行。")
lens.expect_not(rows, torch.tensor([[1.0] * 4] * 3 + [[0.0] * 4] * 3), "Whole rows are filled: `[labels] = 1` takes the labels for row numbers. || 整行都填满了：`[labels] = 1` 把标签当成了行号。")
lens.expect_close(rows, want)

# Labels with two axes; a single class || 两维的标签；只有一个类别
with lens.on_error((RuntimeError, IndexError, ValueError), "It works for one axis of labels only. Labels may have any shape, such as a batch of sentences: index rows, or work on the last axis, `-1`. || 只对一维的标签有效。标签可以是任意形状，例如一批句子：用索引取行，或者在最后一维 `-1` 上操作。"):
    table = one_hot(torch.tensor([[1, 0, 4], [2, 2, 3]]), 5)
lens.expect_shape(table, (2, 3, 5))
lens.expect_close(table.argmax(-1), torch.tensor([[1, 0, 4], [2, 2, 3]]))
lens.expect_close(table.sum(-1), torch.ones(2, 3))
lens.expect_close(one_hot(torch.tensor([0, 0]), 1), torch.ones(2, 1))
### BEGIN HIDDEN TESTS
with lens.hidden("random labels of several shapes, one of them a single number || 多种形状的随机标签，包括单独一个数"):
    rng = torch.Generator().manual_seed(26)
    for shape in [(9,), (1,), (), (2, 1, 3)]:
        labels = torch.randint(0, 7, shape, generator=rng)
        rows = one_hot(labels, 7)
        lens.expect_close(rows, (labels.unsqueeze(-1) == torch.arange(7)).to(torch.float32))
with lens.hidden("no labels at all give an empty tensor with `classes` columns || 没有标签时，得到有 `classes` 列的空张量"):
    lens.expect_close(one_hot(torch.empty(0, dtype=torch.int64), 3), torch.empty(0, 3))
    lens.expect_close(one_hot(torch.empty(2, 0, dtype=torch.int64), 3), torch.empty(2, 0, 3))
with lens.hidden("labels that are not contiguous, and not changed || 不连续的标签，并且不被改动"):
    labels = torch.tensor([[0, 1, 2], [3, 4, 5]]).T
    with lens.expect_unchanged(labels):
        rows = one_hot(labels, 6)
    lens.expect_close(rows.argmax(-1), labels)
    lens.expect_close(rows.sum(), torch.tensor(6.0))
### END HIDDEN TESTS
lens.passed("Row k of the identity matrix is the code of class k, so picking rows by label does it, for labels of any shape. `F.one_hot` returns int64 and, unless told `num_classes`, guesses it from the largest label. `device=` lets it work on a GPU. || 单位矩阵的第 k 行就是第 k 类的编码，所以按标签取行就行，标签是什么形状都可以。`F.one_hot` 返回 int64，不写 `num_classes` 时还会按最大的标签去猜。写上 `device=`，在 GPU 上也能用。")

# %% [markdown] exercise="seeded_batch" level=3 minutes=10
# ## 7 · `seeded_batch`: random, and the same again
#
# Write `seeded_batch(data, size, seed)`, which draws `size` rows of `data` at random, for `size` from 0 to `len(data)`.
#
# - No row is drawn twice, and every choice of `size` rows is equally likely.
# - The same `seed` gives the same batch, however often and whenever it is called. Other seeds almost always give other batches.
# - The rest of the program notices nothing: the global generators of torch, NumPy and Python are as they were before the call.
# - The batch has the dtype of `data`, shape `(size, *data.shape[1:])` and memory of its own; `data` is not changed.
#
# Which rows belong to which seed, and in which order they come, is up to you.
#
# ```python
# data = torch.arange(8).reshape(4, 2)
# one = seeded_batch(data, 2, seed=0)
# two = seeded_batch(data, 2, seed=0)
# one.shape              # torch.Size([2, 2])
# torch.equal(one, two)  # True
# ```

# %% [markdown] lang="zh"
# ## 7 · `seeded_batch`：随机，又可复现
#
# 请写 `seeded_batch(data, size, seed)`，从 `data` 中随机抽取 `size` 行，`size` 从 0 到 `len(data)`。
#
# - 没有一行会抽到两次；抽到哪 `size` 行，各种取法的可能性都相同。
# - 同一个 `seed` 总是给出同一个批次，无论调用几次、何时调用。不同的种子几乎总是给出不同的批次。
# - 程序的其他部分毫无察觉：torch、NumPy 和 Python 的全局随机数生成器都与调用前一样。
# - 批次的类型与 `data` 相同，形状是 `(size, *data.shape[1:])`，有自己的内存；`data` 不被改动。
#
# 哪个种子对应哪些行、以什么次序排列，由你决定。
#
# ```python
# data = torch.arange(8).reshape(4, 2)
# one = seeded_batch(data, 2, seed=0)
# two = seeded_batch(data, 2, seed=0)
# one.shape              # torch.Size([2, 2])
# torch.equal(one, two)  # True
# ```

# %% [markdown] hint="seeded_batch"
# `torch.manual_seed` makes it repeatable, and reseeds the generator that everybody shares. What you want is a generator that belongs to this call alone.

# %% [markdown] lang="zh"
# `torch.manual_seed` 能让结果复现，但它给大家共用的生成器重设了种子。你需要的是只属于这次调用的生成器。

# %% [markdown] hint="seeded_batch"
# `g = torch.Generator().manual_seed(seed)` is such a generator. Every function that draws takes it: `generator=g`.

# %% [markdown] lang="zh"
# `g = torch.Generator().manual_seed(seed)` 就是这样的生成器。每个取随机数的函数都能接受它：`generator=g`。

# %% [markdown] hint="seeded_batch"
# `torch.randint` may draw a number twice. `torch.randperm(n, generator=g)` gives the numbers 0 to `n - 1`, each once, in random order.

# %% [markdown] lang="zh"
# `torch.randint` 可能把同一个数抽到两次。`torch.randperm(n, generator=g)` 以随机次序给出 0 到 `n - 1`，每个恰好一次。

# %% [markdown] hint="seeded_batch"
# Take the first `size` numbers of `torch.randperm(len(data), generator=g)` and index `data` with them. Indexing with a tensor copies.

# %% [markdown] lang="zh"
# 取 `torch.randperm(len(data), generator=g)` 的前 `size` 个数，用它们索引 `data`。用张量作索引会拷贝。

# %% answer="seeded_batch"
def seeded_batch(data, size, seed):
    """`size` different rows of `data`, drawn at random; the same `seed`, the same rows. || 从 `data` 随机抽取 `size` 个不同的行；`seed` 相同，抽到的行就相同。"""
    ### BEGIN SOLUTION
    generator = torch.Generator().manual_seed(seed)
    chosen = torch.randperm(len(data), generator=generator)[:size]
    return data[chosen]
    ### END SOLUTION

# %% test="seeded_batch" points=3
seeded_batch = lens.attempt("seeded_batch")
rng = torch.Generator().manual_seed(27)
data = torch.rand(13, 3, generator=rng)
data[:, 0] = torch.arange(13)  # the number of the row || 行号
no_seed = "A seed is not a generator: `torch.Generator().manual_seed(seed)`. || 种子不是生成器：应当写 `torch.Generator().manual_seed(seed)`。"
with lens.expect_unchanged(data), lens.on_error(TypeError, no_seed, text="generator=int"), lens.on_error(TypeError, no_seed, text="'seed'"):
    with lens.on_error(RuntimeError, no_seed, text="accelerator"), lens.on_error(RuntimeError, no_seed, text="for generator"):
        first = seeded_batch(data, 5, seed=1)
lens.expect_type(first)
lens.expect_not(first, tuple(first.shape) == (5,), "These are the numbers of the rows, not the rows: `data` is still to be indexed with them. || 这是行号，不是行：还要用它们去索引 `data`。")
lens.expect_shape(first, (5, 3))
lens.expect_dtype(first, torch.float32)
others = [seeded_batch(data, 5, seed=seed) for seed in (2, 3, 4, 5)]
for batch in others:
    lens.expect_shape(batch, (5, 3))

# Are they rows, drawn at random, each at most once? || 是不是随机抽取的行，每行至多一次？
head = all(torch.equal(batch, data[:5]) for batch in [first, *others])
lens.expect_not(first, head, "It is the first rows every time: nothing is drawn at random. || 每次都是最前面的几行：根本没有随机抽取。")
lens.expect_copy(first, data)
known = all(bool((batch[:, None] == data).all(-1).any(-1).all()) for batch in [first, *others])
lens.expect_not(first, not known, "The batch holds rows that `data` does not have: pick whole rows, do not make new numbers. || 这一批里有 `data` 中没有的行：应当整行抽取，而不是造出新的数。")
ordered = [batch[:, 0].sort().values for batch in [first, *others]]
opening = all(torch.equal(rows, torch.arange(5.0)) for rows in ordered)
lens.expect_not(first, opening, "Only the first `size` rows are ever drawn, in another order: `torch.randperm(size)` does not know the other rows. Permute all `len(data)` of them. || 抽到的永远只是前 `size` 行，换了个次序：`torch.randperm(size)` 不知道还有别的行。应当排列全部 `len(data)` 行。")
neighbours = all(int(torch.isin((rows + 1) % 13, rows).sum()) == 4 for rows in ordered)
lens.expect_not(first, neighbours, "The rows are always neighbours: only the start was drawn at random. Every choice of rows is to be equally likely. || 抽到的行总是相邻的：随机的只有起点。各种取法的可能性应当都相同。")
whole = seeded_batch(data, 13, seed=1)
lens.expect_not(whole, tuple(whole.shape) == (12, 3), "The last row can never be drawn: `torch.randperm(n)` and `torch.randint(0, n, ...)` already stop at `n - 1`. || 最后一行永远抽不到：`torch.randperm(n)` 和 `torch.randint(0, n, ...)` 本来就只到 `n - 1`。")
lens.expect_shape(whole, (13, 3))
lens.expect_not(whole, whole[:, 0].unique().numel() < 13, "A row was drawn twice. `torch.randint` does that: it puts each number back after the draw. Whoever draws without putting back takes the start of a permutation. || 有一行抽到了两次。`torch.randint` 就会这样：它是有放回抽取。要无放回抽取，就取一个随机排列的开头几个。")

# Same seed, same batch; other seed, other batch || 种子相同，批次就相同；种子不同，批次就不同
before = torch.get_rng_state()
again = seeded_batch(data, 5, seed=1)
differs, moved = not torch.equal(again, first), not torch.equal(torch.get_rng_state(), before)
lens.expect_not(again, differs and moved, "Same seed, another batch: the draw comes from the global generator, and `seed` has no say in it. || 种子相同，批次却不同：随机数出自全局生成器，`seed` 管不到它。")
lens.expect_not(again, differs, "Same seed, another batch, though torch's global generator stands still: a generator that lives on between calls has moved on, or it is not seeded with `seed`. Make and seed it inside the function. || 种子相同，批次却不同，而 torch 的全局生成器没有动：要么是生成器在两次调用之间保留了下来，已经往前走了；要么没有用 `seed` 给它设种子。请在函数里面创建生成器并设种子。")
same = all(torch.equal(batch, first) for batch in others)
lens.expect_not(first, same, "Every seed gives the same batch: `seed` never reaches the generator. A new `torch.Generator()` always starts from the same default seed. || 每个种子给出的批次都相同：`seed` 没有传到生成器。新建的 `torch.Generator()` 总是从同一个默认种子开始。")
steps = {tuple(((batch[:, 0] - batch[0, 0]) % 13).tolist()) for batch in [first, *others]}
lens.expect_not(first, len(steps) == 1, "The rows always lie at the same distances from each other: only the first is drawn, the others follow from it, and most choices of rows never come. A permutation makes every choice equally likely. || 各行之间的距离总是一样：只有第一行是抽出来的，其余的都由它推出，大多数取法永远不会出现。随机排列才能让各种取法的可能性都相同。")

# The global generators || 全局生成器
with torch.random.fork_rng(devices=[]):
    seeded_batch(data, 5, seed=270_027)
    lens.expect_not(first, torch.initial_seed() == 270_027, "`torch.manual_seed` reseeds the one generator that the whole program shares: every later initialisation, shuffle and dropout would start over from your seed. || `torch.manual_seed` 重设了整个程序共用的生成器：此后的每次初始化、打乱和 dropout 都会从你的种子重新开始。")
with lens.expect_seed_untouched():
    seeded_batch(data, 5, seed=1)
### BEGIN HIDDEN TESTS
with lens.hidden("ten seeds give ten different batches, 20 of 40 rows || 从 40 行里抽 20 行，十个种子给出十个不同的批次"):
    tens = [seeded_batch(torch.arange(40), 20, seed=seed) for seed in range(10)]
    lens.expect_equal(len({tuple(batch.tolist()) for batch in tens}), 10)
with lens.hidden("over many seeds, any two rows come together at least once || 换许多种子，任意两行都至少有一次同时抽到"):
    together = torch.zeros(13, 13)
    for seed in range(300):
        drawn = seeded_batch(data, 4, seed=seed)[:, 0].long()
        together[drawn[:, None], drawn] += 1
    lens.expect_equal(bool((together > 0).all()), True)
with lens.hidden("each row has the same chance, over many seeds || 换许多种子，每一行的机会都相同"):
    counts = torch.zeros(13)
    for seed in range(300):
        counts[seeded_batch(data, 4, seed=seed)[:, 0].long()] += 1
    lens.expect_equal(bool(counts.min() > 50 and counts.max() < 140), True)
with lens.hidden("images, integers and data that is not contiguous || 图像、整数和不连续的数据"):
    images = torch.arange(7 * 2 * 4).reshape(7, 2, 4)
    columns = torch.rand(3, 9, generator=rng, dtype=torch.float64).T
    for values in (images, columns, torch.arange(6)):
        with lens.expect_unchanged(values):
            batch = seeded_batch(values, len(values), seed=3)
        lens.expect_shape(batch, values.shape)
        lens.expect_dtype(batch, values.dtype)
        lens.expect_copy(batch, values)
        lens.expect_close(batch.reshape(len(batch), -1)[:, 0].sort().values, values.reshape(len(values), -1)[:, 0].sort().values)
with lens.hidden("a batch of one, and an empty batch || 只有一行的批次，以及空的批次"):
    lens.expect_shape(seeded_batch(data, 1, seed=0), (1, 3))
    lens.expect_shape(seeded_batch(data, 0, seed=0), (0, 3))
with lens.hidden("the same batch again after other random draws, the global generators untouched || 中间取过别的随机数之后仍是同一批，全局生成器也没有动"):
    batch = seeded_batch(data, 6, seed=8)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(99)
        torch.rand(5)
        with lens.expect_seed_untouched():
            again = seeded_batch(data, 6, seed=8)
    lens.expect_close(again, batch)
### END HIDDEN TESTS
lens.passed("A generator made and seeded inside the call belongs to the call: it repeats itself and disturbs nobody. The start of `randperm` is a draw without repeats, and indexing with a tensor copies the rows. || 在函数里创建并设好种子的生成器只属于这次调用：结果可复现，也不影响别人。`randperm` 的开头几个就是无放回抽取，用张量作索引会把这些行拷贝出来。")

# %% [markdown] exercise="init_weights" level=3 minutes=12
# ## 8 · `init_weights`: weights that keep the signal alive
#
# Write `init_weights(n_in, n_out, generator)`, which makes the weights of a linear layer, ready to be trained:
#
# - shape `(n_out, n_in)`, one row for each output, as `nn.Linear` stores them, so that the layer computes `x @ w.T`; dtype `torch.float32`;
# - random values, independent of each other, with mean 0 and standard deviation $1/\sqrt{n_\text{in}}$; the normal distribution is the usual choice;
# - all random numbers come from `generator`, so that two layers made one after the other differ; no global generator is moved;
# - the result is a leaf with `requires_grad=True`.
#
# ```python
# w = init_weights(400, 100, torch.Generator().manual_seed(0))
# w.shape                       # torch.Size([100, 400])
# round(w.std().item(), 2)      # 0.05
# w.requires_grad, w.is_leaf    # (True, True)
# ```

# %% [markdown] lang="zh"
# ## 8 · `init_weights`：让信号不爆炸也不消失
#
# 请写 `init_weights(n_in, n_out, generator)`，创建一个线性层的权重，拿来就能训练：
#
# - 形状 `(n_out, n_in)`，每个输出一行，与 `nn.Linear` 的存法一致，这样该层计算的是 `x @ w.T`；类型 `torch.float32`；
# - 随机值，彼此独立，均值 0，标准差 $1/\sqrt{n_\text{in}}$；通常取正态分布；
# - 所有随机数都出自 `generator`，因此先后创建的两层互不相同；任何全局生成器都不能动；
# - 结果是叶子张量，`requires_grad=True`。
#
# ```python
# w = init_weights(400, 100, torch.Generator().manual_seed(0))
# w.shape                       # torch.Size([100, 400])
# round(w.std().item(), 2)      # 0.05
# w.requires_grad, w.is_leaf    # (True, True)
# ```

# %% [markdown] hint="init_weights"
# Each output is a sum of `n_in` products. If every product has variance 1, what is the variance of the sum, and by what must the weights be divided to bring it back to 1?

# %% [markdown] lang="zh"
# 每个输出是 `n_in` 个乘积之和。如果每个乘积的方差都是 1，和的方差是多少？权重要除以什么，才能让它回到 1？

# %% [markdown] hint="init_weights"
# `torch.randn(n_out, n_in, generator=generator)` has standard deviation 1. Dividing by `n_in ** 0.5` gives the one that is asked for.

# %% [markdown] lang="zh"
# `torch.randn(n_out, n_in, generator=generator)` 的标准差是 1。除以 `n_in ** 0.5` 就得到所要求的标准差。

# %% [markdown] hint="init_weights"
# Print `is_leaf` of `torch.randn(3, requires_grad=True) / 2`. A division that is recorded gives a result, not a leaf: first compute, then switch the gradient on.

# %% [markdown] lang="zh"
# 打印 `torch.randn(3, requires_grad=True) / 2` 的 `is_leaf`。被记录下来的除法得到的是运算结果，不是叶子张量：应当先算好，再让它需要梯度。

# %% [markdown] hint="init_weights"
# `w = torch.randn(n_out, n_in, generator=generator) / n_in ** 0.5`, then return `w.requires_grad_()`.

# %% [markdown] lang="zh"
# `w = torch.randn(n_out, n_in, generator=generator) / n_in ** 0.5`，然后返回 `w.requires_grad_()`。

# %% answer="init_weights"
def init_weights(n_in, n_out, generator):
    """Weights `(n_out, n_in)` with standard deviation 1/sqrt(n_in), a leaf that learns. || 权重 `(n_out, n_in)`，标准差 1/sqrt(n_in)，是需要梯度的叶子张量。"""
    ### BEGIN SOLUTION
    weights = torch.randn(n_out, n_in, generator=generator) / n_in**0.5
    return weights.requires_grad_()
    ### END SOLUTION

# %% test="init_weights" points=3
init_weights = lens.attempt("init_weights")
rng = torch.Generator().manual_seed(28)
state = rng.get_state()
with lens.on_error(RuntimeError, "Scale first, then `requires_grad_()`: a leaf that needs a gradient may not be changed in place. || 先缩放，再 `requires_grad_()`：需要梯度的叶子张量不能原地修改。", text="leaf Variable that requires grad"):
    w = init_weights(300, 200, rng)
lens.expect_type(w)
lens.expect_not(w, tuple(w.shape) == (300, 200), "The two axes are swapped: one row for each output, one column for each input, so that `x @ w.T` fits. || 两个维度反了：每个输出一行，每个输入一列，这样 `x @ w.T` 才对得上。")
lens.expect_shape(w, (200, 300))
lens.expect_dtype(w, torch.float32)

# Mean and standard deviation || 均值与标准差
values = w.detach()
mean, std = values.mean().item(), values.std().item()
lens.expect_not(w, std == 0, "All weights are equal: then all outputs are equal, get equal gradients, and stay equal for ever. || 所有权重都相同：于是所有输出都相同，得到的梯度也相同，以后永远相同。")
lens.expect_not(w, values.unique(dim=0).shape[0] < 200, "Rows repeat: outputs with equal weights are equal, get equal gradients, and stay equal for ever. Draw every weight on its own, `n_out * n_in` numbers. || 有重复的行：权重相同的输出彼此相等，得到的梯度也相等，以后永远相等。每个权重都要单独取随机数，一共 `n_out * n_in` 个。")
lens.expect_not(w, values.unique(dim=1).shape[1] < 300, "Columns repeat: inputs with equal weights are merely added up, and the layer cannot tell them apart. Draw every weight on its own, `n_out * n_in` numbers. || 有重复的列：权重相同的输入只是被加在一起，这一层分不清它们。每个权重都要单独取随机数，一共 `n_out * n_in` 个。")
lens.expect_not(w, abs(mean) > 0.1 * std, "The mean is not 0: `torch.rand` draws from [0, 1), all positive, so every layer would push the signal to one side. || 均值不是 0：`torch.rand` 在 [0, 1) 上取值，全是正的，每一层都会把信号推向同一边。")
root = 300**0.5
lens.expect_not(w, abs(std - 1) < 0.04, "The standard deviation is 1: unscaled, each layer multiplies the signal by √n_in. With 512 inputs it stands near 3e13 after ten layers. || 标准差是 1：不缩放的话，每一层都把信号放大 √n_in 倍。512 个输入，十层之后约为 3e13。")
lens.expect_not(w, abs(std * 300 - 1) < 0.04, "Divided by n_in, not by its root: variances add up, standard deviations do not. With 512 inputs the signal is down to 3e-14 after ten layers. || 除以了 n_in，而不是它的平方根：相加的是方差，不是标准差。512 个输入，十层之后信号只剩 3e-14。")
lens.expect_not(w, abs(std * 200**0.5 - 1) < 0.04, "Scaled by the number of outputs: each output is a sum over the inputs, so it is `n_in` that counts. || 按输出的个数缩放了：每个输出是对输入求和，起作用的是 `n_in`。")
lens.expect_not(w, abs(std * (3**0.5) * root - 1) < 0.04, "1/√n_in is the bound here, not the standard deviation: uniform numbers between -b and b have standard deviation b/√3. || 这里 1/√n_in 成了边界，而不是标准差：在 -b 与 b 之间均匀分布的数，标准差是 b/√3。")
lens.expect_not(w, abs(std * (300 / 2) ** 0.5 - 1) < 0.04, "The standard deviation is √(2/n_in): that is made for layers followed by ReLU, which halves the mean square of the signal. Here there is none. || 标准差是 √(2/n_in)：那是为后接 ReLU 的层准备的，ReLU 会让信号的均方减半。这里没有 ReLU。")
lens.expect_not(w, abs(std * ((300 + 200) / 2) ** 0.5 - 1) < 0.02, "The standard deviation is √(2/(n_in + n_out)), a compromise between forward and backward pass; here it is to be 1/√n_in. || 标准差是 √(2/(n_in + n_out))，那是前向与反向之间的折中；这里要的是 1/√n_in。")
lens.expect_close(std, 1 / root, rtol=0.04, what="the standard deviation || 标准差")

# Where the random numbers come from || 随机数从哪里来
moved = not torch.equal(rng.get_state(), state)
lens.expect_not(w, not moved, "`generator` has not moved: the numbers come from somewhere else, and nobody can repeat them with it. || `generator` 没有动：随机数出自别处，用它无法复现。")
second = init_weights(300, 200, rng).detach()
lens.expect_not(second, torch.equal(values, second), "Two layers in a row get the same weights: the generator is reseeded in every call. Whoever hands it over has seeded it. || 先后两层得到同样的权重：每次调用都重设了生成器的种子。种子该由传入它的人来设。")
again = init_weights(300, 200, torch.Generator().manual_seed(28)).detach()
lens.expect_not(again, not torch.equal(again, values), "The same generator gives other weights: part of the numbers comes from elsewhere. || 同样的生成器给出了不同的权重：有一部分随机数出自别处。")
with lens.expect_seed_untouched():
    init_weights(4, 1, rng)

# Ready to be trained? || 拿来就能训练吗？
lens.expect_not(w, not w.requires_grad, "`requires_grad` is False: no gradient would ever arrive, and the layer would never learn. || `requires_grad` 是 False：梯度永远传不过来，这一层也就学不到东西。")
lens.expect_not(w, not w.is_leaf, "Not a leaf: the scaling was recorded, so this is the result of an operation. `backward` fills `.grad` of the unscaled tensor, which nobody holds. || 不是叶子张量：缩放被记录了下来，得到的是运算结果。`backward` 填写的是缩放之前那个张量的 `.grad`，而已经没有变量指向那个张量了。")
### BEGIN HIDDEN TESTS
with lens.hidden("ten layers in a row keep the size of the signal || 连过十层，信号的大小保持不变"):
    signal = torch.randn(64, 256, generator=rng)
    for _ in range(10):
        signal = signal @ init_weights(256, 256, rng).detach().T
    lens.expect_equal(bool(0.5 < signal.std() < 2), True)
with lens.hidden("mean and standard deviation, for few and for many inputs || 输入少与输入多时的均值和标准差"):
    for n_in, n_out in [(40, 900), (900, 40), (1, 5000)]:
        values = init_weights(n_in, n_out, rng).detach()
        lens.expect_shape(values, (n_out, n_in))
        lens.expect_equal(bool(abs(values.mean()) < 0.05 * n_in**-0.5), True)
        lens.expect_close(values.std().item(), n_in**-0.5, rtol=0.05)
with lens.hidden("the weights differ from row to row and from column to column || 各行之间、各列之间的权重互不相同"):
    values = init_weights(30, 20, rng).detach()
    lens.expect_equal((values.unique(dim=0).shape[0], values.unique(dim=1).shape[1]), (20, 30))
with lens.hidden("the gradient arrives || 梯度能够到达"):
    w = init_weights(6, 1, rng)
    lens.expect_dtype(w, torch.float32)
    (torch.ones(2, 6) @ w.T).sum().backward()
    lens.expect_grad(w, torch.full((1, 6), 2.0))
### END HIDDEN TESTS
lens.passed("The variance of a sum of n_in terms is n_in times theirs; dividing by √n_in undoes that, so the signal keeps its size layer after layer. Scale first, then `requires_grad_()`: the scaled tensor itself is the leaf. || n_in 项之和的方差是单项的 n_in 倍；除以 √n_in 正好抵消，信号经过一层又一层仍保持原来的大小。先缩放，再 `requires_grad_()`：缩放之后的张量本身就是叶子张量。")

# %% [markdown]
# ## In words
#
# Graded by a person, 2 points. This function runs without an error, and the training that uses it goes wrong:
#
# ```python
# def next_batch(array, size):
#     torch.manual_seed(0)
#     batch = torch.from_numpy(array)
#     batch -= batch.mean()
#     rows = torch.randperm(len(batch))[:size]
#     return batch[rows]
# ```
#
# Find two faults of different kinds. For each one write: what goes wrong, how someone who uses the function would notice it, and the line that you would write instead. A few sentences are enough.

# %% [markdown] lang="zh"
# ## 用文字回答
#
# 由人评分，2 分。下面的函数运行起来不报错，但用它训练就会出问题：
#
# ```python
# def next_batch(array, size):
#     torch.manual_seed(0)
#     batch = torch.from_numpy(array)
#     batch -= batch.mean()
#     rows = torch.randperm(len(batch))[:size]
#     return batch[rows]
# ```
#
# 找出两个性质不同的错误。对每一个写出：错在哪里，使用这个函数的人会怎样发现它，以及你会改写成哪一行。几句话就够。

# %% [markdown] manual="in_words" points=2
# One point for each fault: half for what goes wrong and how it shows, half for the line that mends it.
#
# The seed. `torch.manual_seed(0)` runs in every call, so every call draws the same rows, and the model only ever sees this one batch. It also reseeds the generator that the whole program shares, so dropout and initialisation repeat themselves elsewhere. It shows when two batches are printed one after the other. Mended: the caller makes one `generator = torch.Generator().manual_seed(0)` and hands it over, and the draw is `torch.randperm(len(batch), generator=generator)[:size]`.
#
# The memory. `torch.from_numpy` shares the memory of `array`, and `-=` writes into it: the caller's data is changed without a word. It shows when `array.mean()` is printed before and after the call. Mended: `batch = batch - batch.mean()`, which makes a new tensor, or `batch = torch.tensor(array)`, which copies.

# %% [markdown] lang="zh"
# 每个错误 1 分：说清错在哪里、如何发现，占一半；给出改正的那一行，占一半。
#
# 种子。`torch.manual_seed(0)` 在每次调用时都运行，所以每次抽到的行都一样，模型自始至终只见过这一批。它还给整个程序共用的生成器重设了种子，别处的 dropout 和初始化也会跟着重复。接连打印两批就能发现。改正：由调用者创建一个 `generator = torch.Generator().manual_seed(0)` 并传进来，抽取时写 `torch.randperm(len(batch), generator=generator)[:size]`。
#
# 内存。`torch.from_numpy` 共享 `array` 的内存，而 `-=` 会写进去：调用者的数据不声不响地被改动了。在调用前后各打印一次 `array.mean()` 就能发现。改正：写 `batch = batch - batch.mean()`，得到新的张量；或者写 `batch = torch.tensor(array)`，拷贝一份。

# %% [markdown] exercise="noisy_line" level=2 minutes=6
# ## A puzzle: `noisy_line`
#
# For pleasure, no points. `noisy_line(n, seed)` makes `n` points near the line y = 2x + 1, to fit a model to later. `x` runs evenly from -1 to 1, both ends included; the noise has standard deviation 0.1; the same `seed` gives the same points, and the global generators are left alone. It returns `x` and `y`, each of shape `(n,)`.
#
# Here are its lines, shuffled. Three of them do not belong to it. Put the other five in order:
#
# ```python
# return x, y
# noise = 0.1 * torch.randn(n)
# y = 2 * x + 1 + noise
# torch.manual_seed(seed)
# x = torch.linspace(-1, 1, n)
# noise = 0.1 * torch.randn(n, generator=generator)
# x = torch.arange(-1, 1, 2 / n)
# generator = torch.Generator().manual_seed(seed)
# ```

# %% [markdown] lang="zh"
# ## 拼图题：`noisy_line`
#
# 供消遣，不计分。`noisy_line(n, seed)` 在直线 y = 2x + 1 附近生成 `n` 个点，供以后拟合模型。`x` 从 -1 到 1 等间隔地取，两端都包含；噪声的标准差是 0.1；`seed` 相同，得到的点就相同，并且不动全局生成器。它返回 `x` 和 `y`，形状都是 `(n,)`。
#
# 下面是打乱了次序的各行，其中三行是多余的。请把另外五行排好：
#
# ```python
# return x, y
# noise = 0.1 * torch.randn(n)
# y = 2 * x + 1 + noise
# torch.manual_seed(seed)
# x = torch.linspace(-1, 1, n)
# noise = 0.1 * torch.randn(n, generator=generator)
# x = torch.arange(-1, 1, 2 / n)
# generator = torch.Generator().manual_seed(seed)
# ```

# %% [markdown] hint="noisy_line"
# A line can use only names that lines above it have made. Begin from the end: what does `return x, y` need, and what do those lines need?

# %% [markdown] lang="zh"
# 每一行只能用它上面的行已经创建的名字。从结尾倒着想：`return x, y` 需要什么，那些行又需要什么？

# %% [markdown] hint="noisy_line"
# Of each pair choose one: `linspace` includes both ends, `arange` does not; and a draw with `generator=generator` needs neither `torch.manual_seed` nor the global generator.

# %% [markdown] lang="zh"
# 每一对里选一个：`linspace` 两端都包含，`arange` 不是；而写了 `generator=generator` 取随机数，就既不需要 `torch.manual_seed`，也不需要全局生成器。

# %% answer="noisy_line"
def noisy_line(n, seed):
    """Points `x`, `y` near a line, each of shape `(n,)`. || 一条直线附近的点 `x`、`y`，形状都是 `(n,)`。"""
    ### BEGIN SOLUTION
    generator = torch.Generator().manual_seed(seed)
    x = torch.linspace(-1, 1, n)
    noise = 0.1 * torch.randn(n, generator=generator)
    y = 2 * x + 1 + noise
    return x, y
    ### END SOLUTION

# %% test="noisy_line" points=0
noisy_line = lens.attempt("noisy_line")
with lens.on_error(NameError, "A line uses a name that no line above it has made: what a line needs must come before it. || 有一行用到了一个名字，而上面还没有哪一行创建过它：一行需要什么，什么就必须排在它前面。"):
    both = noisy_line(11, 3)
lens.expect_type(both, (tuple, list))
lens.expect_equal(len(both), 2, what="the number of results || 返回值的个数")
x, y = both
lens.expect_type(x, what="`x`")
lens.expect_type(y, what="`y`")
lens.expect_not(x, lambda got: bool(got[-1] < 0.99), "`x` stops before 1: `arange` leaves its end out. || `x` 没有走到 1：`arange` 不含终点。")
lens.expect_close(x, torch.linspace(-1, 1, 11), what="`x`")
lens.expect_shape(y, (11,), what="`y`")
lens.expect_not(y, 2 * x + 1, "There is no noise in `y`: the line of the noise must stand above it and be used. || `y` 里没有噪声：生成噪声的那一行要排在它上面，并且用上。")
again = noisy_line(11, 3)[1]
lens.expect_not(again, not torch.equal(again, y), "Same seed, other points: the noise comes from the global generator, not from the one that is seeded. || 种子相同，点却不同：噪声出自全局生成器，而不是设了种子的那一个。")
with torch.random.fork_rng(devices=[]):
    noisy_line(5, 290_029)
    lens.expect_not(y, torch.initial_seed() == 290_029, "The same points again, yes, but the global generator was reseeded for it. || 点确实能复现，但为此重设了全局生成器的种子。")
with lens.expect_seed_untouched():
    noisy_line(5, 3)
noise = 0.1 * torch.randn(11, generator=torch.Generator().manual_seed(3))
lens.expect_close(y, 2 * torch.linspace(-1, 1, 11) + 1 + noise, what="`y`")
### BEGIN HIDDEN TESTS
with lens.hidden("few points and many, and other seeds || 点少、点多以及别的种子"):
    for n, seed in [(1, 0), (2, 5), (300, 8)]:
        x, y = noisy_line(n, seed)
        noise = 0.1 * torch.randn(n, generator=torch.Generator().manual_seed(seed))
        lens.expect_close(x, torch.linspace(-1, 1, n))
        lens.expect_close(y, 2 * torch.linspace(-1, 1, n) + 1 + noise)
### END HIDDEN TESTS
lens.passed("Order follows need: the generator before the noise, `x` and the noise before `y`. Where `x` stands among the first three does not matter. || 次序由需要决定：先有生成器，后有噪声；先有 `x` 和噪声，后有 `y`。`x` 排在前三行的哪一行都可以。")

# %% [markdown]
# ## Looking back
#
# Three questions on what this chapter takes for granted, not graded. Recalling something after a while is what makes it stay.

# %% [markdown] lang="zh"
# ## 温故
#
# 三个关于本章预备知识的问题，不计分。隔一段时间再回想一遍，才能真正记住。

# %% tags=["quiz"]
lens.quiz(
    lens.ask(
        "A batch of 8 colour images of 32 by 24 pixels (height by width) has shape `(8, 3, 32, 24)`. Which line gives 8? || 一批 8 张彩色图像，高 32、宽 24 像素，形状是 `(8, 3, 32, 24)`。哪一行得到 8？",
        lens.right("`len(x)`", "The length of the first axis: `x.shape[0]`. || 第一维的长度，即 `x.shape[0]`。"),
        lens.wrong("`x.ndim`", "The number of axes: 4. || 那是维度的个数：4。"),
        lens.wrong("`x.numel()`", "The number of all elements: 8 · 3 · 32 · 24 = 18432. || 那是全部元素的个数：8 · 3 · 32 · 24 = 18432。"),
        lens.wrong("`x.shape[-1]`", "The last axis, the width: 24. || 那是最后一维，即宽度：24。"),
    ),
    lens.ask(
        "Adding 1 to a million numbers is much faster with a tensor or an array than in a loop over a list. Why? There are two reasons. || 给一百万个数各加 1，用张量或数组比循环处理列表快得多。为什么？原因有两个。",
        lens.right("one call runs a compiled loop over all the numbers || 一次调用，由编译好的循环处理所有的数", "In a Python loop every single step is interpreted. || Python 循环的每一步都要解释执行。"),
        lens.wrong("they always compute on a GPU || 它们总是在 GPU 上计算", "An array never does, and a tensor only where you put it there. || 数组从不如此；张量也要你把它放到 GPU 上才行。"),
        lens.right("the numbers lie side by side in memory, all of one dtype || 所有的数在内存里紧挨着，类型都相同", "A list holds references to objects, and the type of each has to be looked up. || 列表里存的是对象的引用，每个对象的类型都要去查。"),
        lens.wrong("the sums are computed only when somebody looks at them || 等有人要看时才去计算", "Both compute at once, all of them. || 两者都是立刻算完全部结果。"),
        lens.wrong("they round the numbers first || 它们先把数舍入", "Nothing is rounded: int64 keeps whole numbers exactly, and is fast too. || 没有舍入：int64 的整数完全精确，而且同样快。"),
    ),
    lens.ask(
        "Which job is for a Python list rather than an array or a tensor? || 哪件事适合用 Python 列表，而不是数组或张量？",
        lens.wrong("multiplying a million numbers by 2 || 把一百万个数乘以 2", "One operation on the whole array or tensor does it at once. || 对整个数组或张量做一次运算就完成了。"),
        lens.right("collecting sentences of different lengths, one by one || 逐句收集长短不一的句子", "A list grows and holds anything; arrays and tensors have a fixed, rectangular shape. || 列表可以增长，什么都能装；数组和张量的形状是固定的，各行必须等长。"),
        lens.wrong("weights that are to be trained || 要训练的权重", "Only a tensor records operations for `backward`. || 只有张量会为 `backward` 记录运算。"),
        lens.wrong("a matrix product on the GPU || 在 GPU 上做矩阵乘法", "Of the three, only a tensor has a `device` other than the CPU. || 三者之中，只有张量的 `device` 可以不是 CPU。"),
    ),
)

# %% [markdown]
# ## Done?
#
# Restart the kernel and run all cells, from the top: what works only because of a cell that you have since deleted shows now. Then save the notebook; a saved notebook is what is submitted.
#
# You can now say, of a tensor that you make, what its `shape`, `dtype` and `device` are, whose memory it stands on, and whether it will come out the same tomorrow.

# %% [markdown] lang="zh"
# ## 做完了？
#
# 重启内核，从头运行全部单元格：如果有什么是靠已经删掉的单元格才能运行的，这时就会暴露出来。然后保存笔记本；提交的就是保存下来的笔记本。
#
# 现在，对自己创建的张量，你说得出它的 `shape`、`dtype` 和 `device` 是什么，它用的是谁的内存，以及明天再运行会不会得到同样的结果。
