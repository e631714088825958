# %% [markdown]
# # Creating tensors
#
# You know how to make a Python list and a NumPy array. In this chapter you turn them into tensors, build tensors by rule and by chance, and decide for each one where it lives and whether it learns.
#
# **When you are done, you can**
#
# - turn data into a tensor and say beforehand which `dtype` it gets;
# - say whether a new tensor shares memory with the data it came from, or has a copy;
# - build tensors by rule and hit the ends exactly;
# - draw random tensors that come out the same again, without disturbing anyone else;
# - choose `device` and `requires_grad` when a tensor is made, and know what each costs.
#
# **Time:** about 75 minutes; the parts marked as optional reading can wait. **In the article** “PyTorch tensors: creation, operations, pitfalls”: section 2, from 2.1 to 2.4.
#
# **How to work.** A folded cell that says *Your turn* is a question. Run it, choose an answer, and only then run the cell below it. A wrong guess teaches more than no guess.
# %% [markdown] lang="zh"
# # 创建张量
#
# 你已经会用 Python 列表和 NumPy 数组。这一章教你把它们变成张量（tensor），按规则生成张量，用随机数生成张量，并为每个张量决定：放在哪里，需不需要梯度（gradient）。
#
# **学完这一章，你能够**
#
# - 把数据变成张量，并事先说出它的数据类型 `dtype`；
# - 判断新张量是与原来的数据共享内存，还是有一份自己的副本（copy）；
# - 按规则生成张量，端点分毫不差；
# - 生成可复现的随机张量，又不影响程序的其他部分；
# - 创建张量时选好设备 `device`，定好是否需要梯度 `requires_grad`，并清楚各自的代价。
#
# **用时**：约 75 分钟，标了“选读”的部分可以以后再看。**对应文章**：《PyTorch Tensor 核心知识全梳理：创建、操作与避坑指南》第 2 节（2.1 到 2.4）。
#
# **怎么学**：写着“轮到你了”的折叠单元格是一道题。先运行它，选好答案，再运行它下面的单元格。猜错也比不猜学得多。
# %%
import numpy as np, torch
import lens.en as lens
# %% [markdown]
# `lens` belongs to this course: it asks the questions and draws the pictures.
# %% [markdown] lang="zh"
# `lens` 是本课程自带的：题目由它来出，图由它来画。
# %% [markdown]
# ## 1 Data in, tensor out: `torch.tensor`
#
# A list of numbers becomes a tensor with one call. Nobody names a type here, so `torch.tensor` looks at the numbers and chooses one. Which?
# %% [markdown] lang="zh"
# ## 1 从数据到张量：`torch.tensor`
#
# 一次调用就能把一列数变成张量。这里没有指定类型，`torch.tensor` 就根据这些数自己选一个。选的是哪个？
# %% tags=["quiz"]
lens.quiz(
    lens.ask(
        "Which `dtype` does `torch.tensor([1, 2, 3])` get? || `torch.tensor([1, 2, 3])` 的 `dtype` 是什么？",
        lens.wrong("`torch.float32`", "Not here: all three are whole numbers, and they stay whole. || 这里不是：三个数都是整数，结果仍是整数。"),
        lens.right("`torch.int64`", "Whole numbers of Python become `int64`. || Python 整数变成 `int64`。"),
        lens.wrong("`torch.int32`", "Whole, yes, but wider: Python's integers are given 64 bits. || 是整数没错，但还要更宽：Python 整数会得到 64 位。"),
    ),
    lens.ask(
        "And `torch.tensor([1, 2.5])`? || 那么 `torch.tensor([1, 2.5])` 呢？",
        lens.wrong("`torch.float64`", "That is NumPy's habit. Torch gives Python floats its default type. || 那是 NumPy 的习惯。在 torch 里，Python 浮点数得到的是默认类型。"),
        lens.wrong("An error: the types are mixed || 报错：混用了不同类型", "Mixed numbers are fine: one type that holds them all is chosen. || 混用没有问题：torch 会选一个全都装得下的类型。"),
        lens.right("`torch.float32`", "One float makes them all floats, and the default float type is `float32`. || 只要有一个浮点数，就全部变成浮点数，而默认的浮点类型是 `float32`。"),
    ),
)
# %%
torch.tensor([1, 2, 3]).dtype, torch.tensor([1, 2.5]).dtype, torch.tensor(np.array([1, 2.5])).dtype
# %% [markdown]
# Compare with your guesses. The third one was not asked: its numbers are those of the second, but they come from a NumPy array, which has a type already and keeps it. Remember this, it comes back in section 3.
#
# If you care, say what you want. `torch.tensor` takes `dtype`, `device` and `requires_grad`:
# %% [markdown] lang="zh"
# 对照一下你的答案。第三个题里没有问：数和第二个相同，但来自 NumPy 数组，而数组本来就有类型，转换时原样保留。记住这一点，第 3 节还会遇到。
#
# 在意类型，就明确写出来。`torch.tensor` 接受 `dtype`、`device` 和 `requires_grad`：
# %% claims="S2.1-a"
a = torch.tensor([[1, 2], [3, 4]], dtype=torch.float32, device="cpu", requires_grad=True)
lens.show_tensor(a=a)
a.dtype, a.device, a.requires_grad
# %% [markdown]
# Each inner list became a row. The point in `1.` shows that the numbers are floats now.
#
# `requires_grad=True` asks torch to record what is computed from this tensor, so that it can say later how a small change of each number would change the result. That answer is the *gradient*; training uses it. Section 6 says more.
#
# What if the rows are not equally long?
# %% [markdown] lang="zh"
# 每个内层列表成了一行。`1.` 里的小数点说明这些数现在是浮点数。
#
# `requires_grad=True` 让 torch 记录由这个张量算出的一切，之后就能回答：每个数稍微变一点，结果会变多少。这个答案就是**梯度**，训练时要用到。第 6 节再细说。
#
# 如果各行长短不一呢？
# %% tags=["raises-exception"]
torch.tensor([[1, 2], [3]])
# %% [markdown]
# **Why:** a tensor has one length for each dimension. Dimensions count from 0: the first row promised length 2 along dimension 1, the second has 1. **Fix:** fill the short rows up, or keep a list of tensors.
# %% [markdown] lang="zh"
# **原因**：张量的每个维度（dimension）只有一个长度。按第一行，第 1 维（从 0 数起）的长度是 2，第二行却只有 1。**解决**：把短的行补齐，或者用列表存放多个张量。
# %% [markdown]
# ## 2 A capital letter changes everything: `torch.Tensor`
#
# You will often read that `torch.Tensor` is the lower-level constructor, for when you want precise control. Then it should know what to do with a 3.
# %% [markdown] lang="zh"
# ## 2 一个大写字母，两回事：`torch.Tensor`
#
# 你常会读到：`torch.Tensor` 是更底层的构造函数，想精确控制时就用它。那么给它一个 3，它总该知道怎么办吧。
# %% tags=["quiz"]
lens.quiz(
    lens.ask(
        "What is `torch.Tensor(3)`? || `torch.Tensor(3)` 是什么？",
        lens.wrong("The number 3 in a tensor || 装着数字 3 的张量", "That is `torch.tensor(3)`, with a small t. || 那是小写的 `torch.tensor(3)`。"),
        lens.wrong("An error || 报错", "If only. It runs without a word. || 要是报错就好了，可它一声不响地运行完了。"),
        lens.right("Three elements that nobody chose || 三个没有人指定过值的元素", "A bare number is taken for a size; the values are whatever lay in memory. || 单独一个数被当成长度；元素的值是内存里碰巧留下的内容。"),
    ),
)
# %% claims="S2.1-b"
print(torch.tensor(3).shape, torch.Tensor(3).shape, torch.Tensor([3]).shape)
count = 2**24 + 1
torch.tensor([count]).item(), torch.Tensor([count]).item()
# %% [markdown]
# Compare with your guess. The first line shows three shapes: which of the three calls took its argument for data, and which for a size?
#
# In the second line `torch.Tensor` made the data `float32`, which has no room for this `count`: one is lost, and nothing is said. So ask for another type:
# %% [markdown] lang="zh"
# 对照一下你的答案。第一行是三个形状：三次调用里，哪几次把参数当成了数据，哪一次当成了长度？
#
# 再看第二行：`torch.Tensor` 把数据变成了 `float32`，装不下这个 `count`，少了 1，却没有任何提示。那就指定别的类型：
# %% tags=["raises-exception"] claims="S2.1-b"
torch.Tensor([count], dtype=torch.int64)
# %% [markdown]
# No `dtype`, no `requires_grad`, and two meanings for its argument: the opposite of precise control. It is a leftover of early versions, and its own documentation advises against it.
#
# **Instead:** `torch.tensor` for data, `torch.empty` for a size. `torch.empty` promises nothing about the values, so fill before you read:
# %% [markdown] lang="zh"
# 不能指定 `dtype`，不能指定 `requires_grad`，同一个参数还有两种含义：与“精确控制”正好相反。它是早期版本留下来的，官方文档也不建议使用。
#
# **应当这样写**：有数据用 `torch.tensor`，只有长度用 `torch.empty`。`torch.empty` 不保证元素的值，所以先填再读：
# %%
torch.empty(3, dtype=torch.int64).fill_(7)
# %% [markdown]
# ## 3 One memory or two: tensors and NumPy
#
# Here are a NumPy array and two tensors made from it. Then the *array* is changed.
# %% [markdown] lang="zh"
# ## 3 一块内存还是两块：张量与 NumPy
#
# 下面用一个 NumPy 数组创建两个张量，然后修改**数组**。
# %% tags=["quiz"]
lens.quiz(
    lens.ask(
        "Which tensor shows the 100? || 哪个张量里会出现 100？",
        lens.wrong("Both || 两个都会", "`torch.tensor` copies, always. || `torch.tensor` 总是拷贝。"),
        lens.right("`a`", "`from_numpy` makes no copy: array and tensor are one memory. || `from_numpy` 不拷贝：数组和张量是同一块内存。"),
        lens.wrong("`b`", "The other way round: `torch.tensor` copies. || 正好相反：会拷贝的是 `torch.tensor`。"),
        lens.wrong("Neither || 都不会", "One of the two looks at the very memory that was written. || 其中一个用的正是被改写的那块内存。"),
        code="""
        n = np.array([[5, 6], [7, 8]], dtype=np.float32)
        a = torch.from_numpy(n)
        b = torch.tensor(n)
        n[0, 0] = 100
        """,
    ),
)
# %% claims="S2.1-d S2.1-e"
n = np.array([[5, 6], [7, 8]], dtype=np.float32)
a = torch.from_numpy(n)
b = torch.tensor(n)
n[0, 0] = 100
a[1, 1] = -1
lens.show_storage(n=n, a=a, b=b)
# %% [markdown]
# How to read the picture: each row of numbered boxes is one block of memory. The coloured strips below it are the names that look at it, with the index of each element. Names on one block see what is written through each other.
#
# Compare with your guess: on which block does the 100 lie, and which names look at it? The -1 was written through `a`; who sees it?
#
# ### Copy only if you must: `torch.as_tensor`
#
# `torch.as_tensor` accepts the same data as `torch.tensor`, but avoids the copy where it can.
# %% [markdown] lang="zh"
# 怎么看图：每一行带编号的方格是一块内存；下面的彩条是使用这块内存的名字，彩条里写的是元素的索引。几个名字用同一块内存，从任何一个写入，其他的都看得到。
#
# 对照一下你的答案：100 在哪一块里，哪些名字用着这一块？-1 是通过 `a` 写进去的，谁能看到它？
#
# ### 能不拷贝就不拷贝：`torch.as_tensor`
#
# `torch.as_tensor` 接受的数据与 `torch.tensor` 相同，但能不拷贝时就不拷贝。
# %% tags=["quiz"]
lens.quiz(
    lens.ask(
        "`n` is a `float32` array. Which of these has to copy? || `n` 是 `float32` 数组。下面哪个必须拷贝？",
        lens.wrong("`torch.as_tensor(n)`", "Nothing has to change, so it shares, like `from_numpy`. || 什么都不用改，所以像 `from_numpy` 一样共享内存。"),
        lens.right("`torch.as_tensor(n, dtype=torch.float64)`", "Eight bytes for each number do not fit where four lie: new memory. || 每个数要 8 字节，原来的位置只有 4 字节，放不下：只能另开内存。"),
        lens.wrong("Both || 两个都要", "One of them asks for nothing that `n` is not already. || 其中一个要求的，`n` 本来就满足。"),
    ),
)
# %% claims="S2.1-c"
c = torch.as_tensor(n)
d = torch.as_tensor(n, dtype=torch.float64)
lens.show_storage(n=n, c=c, d=d)
torch.as_tensor(d) is d
# %% [markdown]
# Compare with your guess: which of the two has a block of its own?
#
# The last line shows one thing more: if the data *is* a tensor of the right kind, you get that very object back. `torch.tensor` copies even then, and says that you probably meant something else:
# %% [markdown] lang="zh"
# 对照一下你的答案：两个张量里，哪个有自己的一块内存？
#
# 最后一行还说明：如果数据**本来就是**合适的张量，得到的就是那个对象本身。而 `torch.tensor` 这时也照样拷贝，并警告说，你想要的多半不是这个：
# %% claims="S2.1-a"
import warnings

w = torch.ones(2, requires_grad=True)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    again = torch.tensor(w * 2)
print(caught[0].message)
(w * 2).requires_grad, again.requires_grad
# %% [markdown]
# The copy is cut off from `w`: what you compute from it is not recorded, so no gradient will ever reach `w`. The warning names the honest spelling, `.detach().clone()`.
#
# ### What cannot be shared
#
# `from_numpy` lends you memory as it lies. Here the rows of `n` are asked for in reverse:
# %% [markdown] lang="zh"
# 这个副本与 `w` 断开了：用它算出的结果不会被记录，梯度也就永远到不了 `w`。警告建议的写法才名副其实：`.detach().clone()`。
#
# ### 共享不了的情形
#
# `from_numpy` 原样借用内存。下面却要把 `n` 的各行倒过来：
# %% tags=["raises-exception"]
torch.from_numpy(n[::-1])
# %% [markdown]
# **Why:** a reversed array is the same memory with a negative step (stride), and tensors know no negative steps. **Fix:** as the message says, copy the array first: `n[::-1].copy()`.
#
# ### From array to model
#
# A *model* computes outputs from inputs, with numbers of its own that training adjusts: the *weights*. `Linear(3, 1)` is a small one; it makes one number of three.
#
# When many arrays go into a model one after the other, `from_numpy` saves one copy each time. Look at the type first, though.
# %% [markdown] lang="zh"
# **原因**：倒序的数组还是原来那块内存，只是步长（stride）为负，而张量不支持负步长。**解决**：照报错信息说的，先拷贝数组：`n[::-1].copy()`。
#
# ### 从数组到模型
#
# **模型**（model）由输入算出输出，计算时用到它自己的一些数，这些数由训练来调整，叫做**权重**（weight）。`Linear(3, 1)` 就是一个很小的模型：输入三个数，输出一个数。
#
# 要把许多数组一个接一个送进模型时，`from_numpy` 每次都能省掉一次拷贝。但要先看看类型。
# %% tags=["quiz"]
lens.quiz(
    lens.ask(
        "What comes out? || 结果是什么？",
        lens.wrong("A tensor of shape `(2, 1)` || 形状为 `(2, 1)` 的张量", "The shapes do fit. Something else does not. || 形状确实合适，不合适的是别的。"),
        lens.right("An error || 报错", "NumPy's floats are `float64`, the weights are `float32`. || NumPy 的浮点数是 `float64`，权重是 `float32`。"),
        code="""
        batch = np.ones((2, 3))
        model = torch.nn.Linear(3, 1)
        model(torch.from_numpy(batch)).shape
        """,
    ),
)
# %% tags=["raises-exception"] claims="S2.1-f"
batch = np.ones((2, 3))
model = torch.nn.Linear(3, 1)
model(torch.from_numpy(batch)).shape
# %% [markdown]
# Compare with your guess. In torch's messages “Double” is `float64` and “Float” is `float32`. Now make the array in the type of the weights from the start; there is still no copy:
# %% [markdown] lang="zh"
# 对照一下你的答案。在 torch 的提示信息里，“Double” 就是 `float64`，“Float” 就是 `float32`。现在创建数组时就选好与权重相同的类型，这样仍然不用拷贝：
# %% claims="S2.1-f"
batch = np.ones((2, 3), dtype=np.float32)
model(torch.from_numpy(batch)).shape
# %% [markdown]
# ### Must it be `.clone()`?
#
# A common rule: if the array will be changed later and the tensor must not follow, you *must* call `.clone()`. Is it the only way?
# %% [markdown] lang="zh"
# ### 非用 `.clone()` 不可吗
#
# 有一条常见的规矩：如果之后要改数组，又不想让张量跟着变，就**必须**调用 `.clone()`。只有这一个办法吗？
# %% tags=["quiz"]
lens.quiz(
    lens.ask(
        "Choose every tensor that still holds zeros. || 选出所有仍然全是 0 的张量。",
        lens.wrong("`a`", "It is the memory of `n` itself. || 它用的就是 `n` 的内存。"),
        lens.right("`b`", "Cloned before the write: safe. || 写入之前就拷贝了：安全。"),
        lens.right("`c`", "`torch.tensor` always copies: safe. || `torch.tensor` 总是拷贝：安全。"),
        lens.right("`d`", "It shares with a copy that nobody writes to: safe. || 它共享的是一份副本，没有人往那里写：安全。"),
        lens.wrong("`e`", "Cloned after the write: the 9 was there already. || 写入之后才拷贝：9 已经在里面了。"),
        code="""
        n = np.zeros(2)
        a = torch.from_numpy(n)
        b = torch.from_numpy(n).clone()
        c = torch.tensor(n)
        d = torch.from_numpy(n.copy())
        n[0] = 9
        e = torch.from_numpy(n).clone()
        """,
    ),
)
# %% claims="S2.1-g"
n = np.zeros(2)
a = torch.from_numpy(n)
b = torch.from_numpy(n).clone()
c = torch.tensor(n)
d = torch.from_numpy(n.copy())
n[0] = 9
e = torch.from_numpy(n).clone()
lens.show_storage(n=n, a=a, b=b, c=c, d=d, e=e)
# %% [markdown]
# Compare with your guess. For each name ask two things: has it a block of its own, and was that block made before the write?
#
# ### Say it: `torch.asarray`
#
# If your program depends on sharing, or on a copy, `torch.asarray` lets you demand it. With `copy=True` it always copies. With `copy=False` it shares or refuses. Without `copy=` it shares if it can.
# %% [markdown] lang="zh"
# 对照一下你的答案。对每个名字问两句：它有没有自己的一块内存？这一块是不是在写入之前就有了？
#
# ### 明确要求：`torch.asarray`
#
# 如果程序必须共享内存，或者必须有自己的副本，可以用 `torch.asarray` 明确要求：`copy=True` 一定拷贝；`copy=False` 要么共享，要么拒绝；不写 `copy=`，就能共享则共享。
# %% tags=["raises-exception"] claims="X2.1-a"
lens.show_storage(n=n, ours=torch.asarray(n, copy=False), mine=torch.asarray(n, copy=True), either=torch.asarray(n))
torch.asarray(n, dtype=torch.float32, copy=False)
# %% [markdown]
# `float32` numbers cannot lie where the `float64` numbers of `n` lie. It says so, instead of copying behind your back.
#
# ### Other owners of memory
#
# Bytes from a file or a network can be read as numbers where they lie (here two bytes make one `int16`). And any library that speaks DLPack can lend its memory to any other; NumPy does.
# %% [markdown] lang="zh"
# `n` 的内存里放的是 `float64` 数，没法当成 `float32` 数来用。它直接报错，而不是背着你拷贝一份。
#
# ### 内存的其他主人
#
# 来自文件或网络的字节，不用搬动就能当成数字来读（这里每两个字节是一个 `int16`）。凡是支持 DLPack 的库，都能互相借用内存，NumPy 就支持。
# %% claims="X2.1-b X2.1-c"
raw = bytearray([1, 0, 2, 0, 3, 0])
numbers = torch.frombuffer(raw, dtype=torch.int16)
raw[0] = 9
print(numbers)

borrowed = np.from_dlpack(numbers)
numbers[1] = 7
lens.show_storage(numbers=numbers, borrowed=borrowed, back=torch.from_dlpack(borrowed))
# %% [markdown]
# The array `borrowed` and the tensor `back` made from it lie on the block of `numbers`: each step lent, none copied.
#
# **A warning:** hand no reversed array to DLPack. `from_numpy` refused it above; in torch 2.13 `torch.from_dlpack(array[::-1])` aborts the whole Python process instead, and everything in your notebook's memory is gone. Copy first: `array[::-1].copy()`.
# %% [markdown] lang="zh"
# 数组 `borrowed` 和由它得到的张量 `back` 都在 `numbers` 的那块内存上：每一步都是借用，没有拷贝。
#
# **当心**：别把倒序的数组交给 DLPack。前面的 `from_numpy` 会拒绝它；而在 torch 2.13 里，`torch.from_dlpack(array[::-1])` 会让整个 Python 进程直接崩溃，笔记本里算好的东西全都没了。先拷贝：`array[::-1].copy()`。
# %% [markdown]
# ## 4 Tensors by rule
#
# Data are rarely typed by hand. More often you know the shape and the rule.
# %% [markdown] lang="zh"
# ## 4 按规则生成张量
#
# 数据很少靠手写。更常见的情况是：知道形状，也知道规则。
# %% claims="S2.2-a S2.2-b S2.2-f"
mask = torch.ones(2, 3, dtype=torch.bool)
mask[0, 1] = False
lens.show_tensor(z=torch.zeros(2, 3), o=torch.ones(2, 3), e=torch.eye(3), mask=mask)
# %% [markdown]
# `float32` unless you give a `dtype`. With truth values you have a mask, which says what to keep.
#
# ### Like that other one
#
# Often you want zeros *like* a tensor that you have.
# %% [markdown] lang="zh"
# 不写 `dtype` 就是 `float32`。元素换成真假值，就成了掩码（mask），标出要保留哪些元素。
#
# ### 照着已有的张量来
#
# 常常需要一个全零张量，而且要**像**手头的某个张量。
# %% tags=["quiz"]
lens.quiz(
    lens.ask(
        "What does `zeros_like` take over from `scores`? || `zeros_like` 从 `scores` 继承了什么？",
        lens.wrong("The shape alone || 只有形状", "That is `torch.zeros(scores.shape)`. || 那是 `torch.zeros(scores.shape)`。"),
        lens.right("Shape and `dtype` || 形状和 `dtype`", "And the device. Whether to learn is not taken over. || 还有设备。是否需要梯度则不继承。"),
        lens.wrong("Shape, `dtype` and `requires_grad` || 形状、`dtype` 和 `requires_grad`", "New zeros do not learn unless you say so. || 新建的全零张量默认不需要梯度，除非你写明。"),
        code="""
        scores = torch.tensor([[0.2, 0.9], [0.7, 0.4]],
                              dtype=torch.float64, requires_grad=True)
        torch.zeros_like(scores)
        """,
    ),
)
# %% claims="S2.2-b"
scores = torch.tensor([[0.2, 0.9], [0.7, 0.4]], dtype=torch.float64, requires_grad=True)
for z in (torch.zeros(scores.shape), torch.zeros_like(scores), scores.new_zeros(3)):
    print(tuple(z.shape), z.dtype, z.requires_grad)
# %% [markdown]
# Compare with your guess: the second line is `zeros_like`. In what does each line agree with `scores`, and in what not? The third, `new_zeros`, gets its shape from you. (Section 6 looks at the device.) The same holds for `ones_like`, `full_like`, `new_ones`, `new_full` …
#
# ### Rows of `eye` are one-hot codes
#
# A one-hot code of class 3 is a row of zeros with a 1 at index 3. Such a row stands in the identity matrix.
# %% [markdown] lang="zh"
# 对照一下你的答案：第二行就是 `zeros_like`。每一行与 `scores` 哪些相同，哪些不同？第三行的 `new_zeros`，形状由你给。（设备到第 6 节再看。）`ones_like`、`full_like`、`new_ones`、`new_full` 等同理。
#
# ### `eye` 的行就是独热编码
#
# 类别 3 的独热（one-hot）编码是一行 0，只有索引 3 处是 1。单位矩阵里就有这样的行。
# %% claims="S2.2-c"
labels = torch.tensor([1, 3])
rows = torch.eye(4)[labels]
codes = torch.nn.functional.one_hot(labels, 4)
lens.show_tensor(rows=rows, codes=codes)
# %% [markdown]
# The same code twice, with different types: `eye` gives floats, `one_hot` gives integers.
#
# ### Step or count: `arange` and `linspace`
#
# `torch.arange` is Python's `range` as a tensor: start, end, *step*. `torch.linspace` takes start, end, *how many*.
# %% [markdown] lang="zh"
# 编码相同，类型不同：`eye` 得到浮点数，`one_hot` 得到整数。
#
# ### 间隔还是个数：`arange` 与 `linspace`
#
# `torch.arange` 就是张量版的 `range`，要的是起点、终点和**间隔**。`torch.linspace` 要的是起点、终点和**个数**。
# %% tags=["quiz"]
lens.quiz(
    lens.ask(
        "The last element of `torch.arange(0, 10, 2)`? || `torch.arange(0, 10, 2)` 的最后一个元素？",
        lens.right("8", "The end is left out, as with `range`. || 和 `range` 一样，不含终点。"),
        lens.wrong("10", "The end is left out, as with `range`. || 和 `range` 一样，不含终点。"),
        lens.wrong("9", "It walks in steps of 2 from 0: 9 is never met. || 从 0 开始，每步走 2，碰不到 9。"),
    ),
    lens.ask(
        "The last element of `torch.linspace(0, 1, steps=5)`? || `torch.linspace(0, 1, steps=5)` 的最后一个元素？",
        lens.wrong("0.8", "That would be five steps without the end. Here the end is in. || 那是不含终点的五个点。这里包含终点。"),
        lens.right("1.0", "Both ends are in: five points, four gaps of 0.25. || 两端都包含：五个点，四段，每段 0.25。"),
    ),
)
# %% claims="S2.2-d S2.2-e S2.2-f"
lens.show_points(arange=torch.arange(0, 1, 0.25), linspace=torch.linspace(0, 1, steps=5))
torch.arange(0, 10, 2), torch.linspace(0, 1, steps=5)
# %% [markdown]
# Compare with your guesses. In the picture the points of both are equally far apart, 0.25; which of the two reaches 1? Now a step that is not so round:
# %% [markdown] lang="zh"
# 对照一下你的答案。图里两边点与点的间隔都是 0.25，哪一个到达了 1？换一个不那么整的间隔：
# %% tags=["quiz"]
lens.quiz(
    lens.ask(
        "How many elements has `torch.arange(1, 1.3, 0.1)`? || `torch.arange(1, 1.3, 0.1)` 有几个元素？",
        lens.wrong("3", "1.0, 1.1, 1.2: so it should be. But 0.1 is not exactly 0.1 in a computer. || 1.0、1.1、1.2：本该如此。可是计算机里的 0.1 并不正好是 0.1。"),
        lens.right("4", "Rounding pushes the length above 3, so the excluded end comes in. || 舍入误差使算出的长度略大于 3，本该排除的终点也进来了。"),
    ),
)
# %% claims="S2.2-d S2.2-e"
print((1.3 - 1) / 0.1, torch.arange(1, 1.3, 0.1))
torch.linspace(1, 1.2, steps=3), 1 + 0.1 * torch.arange(3)
# %% [markdown]
# Compare with your guess. The number printed first is (end - start) / step; its value, rounded up, is the length. **To be sure:** with floats, give the count, or step through whole numbers, as in the last line.
#
# ### Any value: `torch.full`
#
# `torch.full(shape, value)` repeats one value: handy for padding, where data stand inside a border. `zeros(2, 3)` takes the lengths as they are; `full((2, 3), v)` and `randint(0, 10, (2, 3))` want a tuple, since other arguments stand beside it.
#
# A common recipe: to get a border of -1, fill with `-1`, then assign the inside.
# %% [markdown] lang="zh"
# 对照一下你的答案。最先打印的是“（终点 - 起点）/ 间隔”，向上取整就是长度。**稳妥的写法**：用浮点数时给出个数，或者像最后一行那样，用整数来数步子。
#
# ### 任意值：`torch.full`
#
# `torch.full(shape, value)` 用同一个值填满整个张量，做填充（padding）时很方便：数据放在中间，四周是边框。`zeros(2, 3)` 可以直接写各维的长度；`full((2, 3), v)` 和 `randint(0, 10, (2, 3))` 还有别的参数，所以长度要写成元组。
#
# 常见的做法是：想要 -1 的边框，就先用 `-1` 填满，再给内部赋值。
# %% tags=["quiz"]
lens.quiz(
    lens.ask(
        "What is `canvas[1, 1]` afterwards? || 运行之后，`canvas[1, 1]` 是多少？",
        lens.wrong("0.7", "It would be, in a tensor of floats. || 如果是浮点张量，就是 0.7。"),
        lens.right("0", "`-1` is an integer, so the canvas is, and 0.7 loses its fraction. || `-1` 是整数，整块画布也就是整数，0.7 的小数部分丢了。"),
        lens.wrong("An error || 报错", "Nothing is said. That is the danger. || 没有任何提示，危险就在这里。"),
        code="""
        canvas = torch.full((3, 3), -1)
        canvas[1, 1] = 0.7
        """,
    ),
)
# %% claims="S2.2-h"
canvas = torch.full((3, 3), -1)
canvas[1, 1] = 0.7
lens.show_tensor(canvas=canvas)
# %% [markdown]
# Compare with your guess. The picture names the `dtype` of `canvas`; where does it come from? **To be sure:** write `-1.0`. Or let `pad` do it, which keeps the type of the data:
# %% [markdown] lang="zh"
# 对照一下你的答案。图上标出了 `canvas` 的 `dtype`，它是从哪里来的？**稳妥的写法**：写 `-1.0`。或者交给 `pad`，它保留数据的类型：
# %% claims="S2.2-g S2.2-h"
inside = torch.tensor([[0.1, 0.2], [0.3, 0.4]])
canvas = torch.full((4, 4), -1.0)
canvas[1:3, 1:3] = inside
padded = torch.nn.functional.pad(inside, (1, 1, 1, 1), value=-1.0)  # left, right, top, bottom || 左、右、上、下
lens.show_tensor(canvas=canvas, padded=padded)
# %% [markdown]
# ## 5 Tensors by chance
#
# Three functions give most random tensors: `rand`, `randn` and `randint`. The last one is often used to pick rows of a data set.
# %% [markdown] lang="zh"
# ## 5 随机张量
#
# 随机张量大多来自三个函数：`rand`、`randn` 和 `randint`。最后一个常用来从数据集中抽取若干行。
# %% tags=["quiz"]
lens.quiz(
    lens.ask(
        "What can `torch.randint(0, 10, (5,))` hold? || `torch.randint(0, 10, (5,))` 里可能有什么？",
        lens.wrong("Whole numbers from 0 to 10 || 0 到 10 的整数", "The upper end is left out, as with `range`. || 和 `range` 一样，不含上界。"),
        lens.wrong("Floats from 0 to 10 || 0 到 10 的浮点数", "The name says it: integers, of type `int64`. || 名字里就写着：整数，类型是 `int64`。"),
        lens.right("Whole numbers from 0 to 9 || 0 到 9 的整数", "The upper end is left out; the type is `int64`. || 不含上界，类型是 `int64`。"),
    ),
    lens.ask(
        "Does `torch.randint(0, 8, (8,))` pick each of 8 rows once? || `torch.randint(0, 8, (8,))` 会把 8 行各取一次吗？",
        lens.right("No: rows can come twice || 不会：有的行会重复", "Each draw knows nothing of the others. For each row once, there is `randperm`. || 每次抽取互不相干。要每行恰好一次，用 `randperm`。"),
        lens.wrong("Yes: eight draws, eight rows || 会：抽八次，正好八行", "Only if no row came twice, and nothing prevents that. || 除非碰巧没有重复的行，而这一点毫无保证。"),
    ),
)
# %% [markdown]
# A *generator* is a source of random numbers that starts at a *seed*. The same seed gives the same numbers, so you see those shown here, if you run the cells in order, once. More about it soon.
# %% [markdown] lang="zh"
# **随机数生成器**（generator，以下简称生成器）是从随机种子（seed）出发的随机数来源。种子相同，得到的数就相同；所以只要按顺序运行各个单元格，每个只运行一次，你看到的就是这里显示的数。稍后细说。
# %% claims="S2.3-b S2.3-e"
g = torch.Generator().manual_seed(0)
r1, r2 = torch.rand(100, 100, generator=g), torch.randn(100, 100, generator=g)
r3 = torch.randint(0, 10, (5,), generator=g)
lens.show_histogram(rand=r1, randn=r2)
print(r1.dtype, r2.dtype, r3.dtype, r3)
round(r1.min().item(), 5), round(r1.max().item(), 5)
# %% [markdown]
# Compare `r3` with your first guess. `rand`: all values from 0 to 1 equally likely, 1 itself left out; the last line shows the least and the greatest of 10,000. `randn`: the bell curve around 0, with spread (standard deviation) 1.
#
# Now pick rows, with `randint` and with `randperm`:
# %% [markdown] lang="zh"
# 拿 `r3` 对照一下你的第一个答案。`rand` 是均匀分布（uniform distribution）：0 到 1 之间各值机会均等，不含 1；最后一行是一万个数里最小的和最大的。`randn` 是正态分布（normal distribution）：以 0 为中心的钟形曲线，标准差（standard deviation）为 1。
#
# 现在来抽取行，分别用 `randint` 和 `randperm`：
# %% claims="S2.3-d"
drawn = torch.randint(0, 8, (8,), generator=g)
shuffled = torch.randperm(8, generator=g)
lens.show_tensor(drawn=drawn, shuffled=shuffled)
drawn.unique().numel(), shuffled.unique().numel()
# %% [markdown]
# Compare with your second guess; the last line counts the different rows. To draw *with replacement* means that a row may come again, to *shuffle* that each comes once. Which of the two functions does which?
#
# ### Why weights start at random
#
# Three neurons look at the same inputs: each multiplies them by its own row of weights and adds up. Training changes the weights along their gradients: `backward()` computes the gradients and puts them into `.grad`. If the rows start equal, which gradient does each get? If they start at random?
# %% [markdown] lang="zh"
# 对照一下你的第二个答案；最后一行数的是不同的行有几个。**有放回抽取**时，同一行可能再次被抽到；**洗牌**时，每行恰好一次。这两个函数各是哪一种？
#
# ### 权重为什么要随机初始化
#
# 三个神经元接收同样的输入，各自乘以自己的一行权重，再加起来。训练时按梯度来改权重：`backward()` 算出梯度，存进 `.grad`。如果三行权重一开始都相等，各自得到什么梯度？如果一开始是随机的呢？
# %% claims="S2.3-a"
x = torch.rand(8, 4, generator=g)
equal = torch.full((3, 4), 0.1, requires_grad=True)
chance = torch.rand(3, 4, generator=g).requires_grad_()
for weight in (equal, chance):
    torch.tanh(x @ weight.T).sum().backward()
lens.show_tensor(equal=equal.grad.round(decimals=2), chance=chance.grad.round(decimals=2))
# %% [markdown]
# The pictures show the gradients, one row for each neuron. Equal weights get equal gradients: they would stay equal forever, three neurons doing the work of one. Chance breaks the tie.
#
# ### But which chance?
#
# Many texts draw weights with `randn`. Send numbers of spread 1 through ten layers of such weights, each 256 wide.
# %% [markdown] lang="zh"
# 图里是梯度，每个神经元一行。相等的权重得到相等的梯度：它们会永远相等，三个神经元只干一个的活。随机打破了这种僵局。
#
# ### 怎么个随机法
#
# 很多文章里，权重用 `randn` 来初始化（initialisation）。让标准差为 1 的数依次经过十层这样的权重，每层宽 256。
# %% tags=["quiz"]
lens.quiz(
    lens.ask(
        "What is the spread after ten layers of raw `randn` weights? || 直接用 `randn` 作权重，经过十层之后，标准差变成多少？",
        lens.wrong("Still about 1 || 仍然约为 1", "Each output adds up 256 random terms: it grows. || 每个输出是 256 个随机项之和：会变大。"),
        lens.wrong("About 10 || 约为 10", "Growth does not add up from layer to layer, it multiplies. || 层与层之间不是相加，而是相乘。"),
        lens.right("About 10¹² || 约 10¹²（一万亿）", "Each layer multiplies the spread by the root of 256, which is 16; ten times. || 每一层都把标准差乘以 256 的平方根 16，一共十次。"),
    ),
)
# %% claims="S2.3-c"
def spreads(scale, width=256, depth=10):
    g, found = torch.Generator().manual_seed(0), []
    h = torch.randn(64, width, generator=g)
    for _ in range(depth):
        h = h @ (scale * torch.randn(width, width, generator=g))
        found.append(h.std().item())
    return found

raw, scaled = spreads(1), spreads(256**-0.5)
lens.show_curve(range(1, 11), log=True, raw=raw, scaled=scaled)
f"{raw[-1]:.0e}", round(scaled[-1], 2)
# %% [markdown]
# Compare with your guess: across, the layer; up, the spread, in powers of ten; below, the last values of both. `scaled` are the same weights divided by the root of the width, here 16. So `randn` is used *scaled*.
#
# You rarely need the formulas yourself: the layers of PyTorch scale their weights, and `torch.nn.init` fills a tensor in place (hence the `_` in its names):
# %% [markdown] lang="zh"
# 对照一下你的答案。横轴：第几层；纵轴：标准差，刻度是 10 的幂；图下面是两条线最后的值。`scaled` 是同样的权重除以宽度的平方根（这里是 16）。所以 `randn` 要**缩放**后再用。
#
# 这些公式很少需要自己写：PyTorch 的层会自己缩放权重，`torch.nn.init` 则原地（in-place）填写传入的张量（所以函数名以 `_` 结尾）：
# %% claims="S2.3-c X2.3-b"
torch.manual_seed(0)
linear = torch.nn.Linear(512, 64).weight
normal = torch.nn.init.kaiming_normal_(torch.empty(64, 512), nonlinearity="relu", generator=g)
lens.show_histogram(linear=linear, normal=normal)
print(round(linear.abs().max().item(), 4), round(512**-0.5, 4))
round(normal.std().item(), 2), round((2 / 512) ** 0.5, 2)
# %% [markdown]
# `Linear` does not use `randn` at all: its weights are uniform, and none lies beyond one over the root of its 512 inputs (the two numbers printed first). `kaiming_normal_` is `randn` scaled to a spread that suits `relu`.
#
# ### The same again: seeds
#
# It is often said: forget the seed, and results differ *slightly* from run to run. Start Python twice, let each draw 10,000 numbers from 0 to 1, first without a seed, then with one. You need not read this code, only its output.
# %% [markdown] lang="zh"
# `Linear` 根本不用 `randn`：它的权重服从均匀分布，绝对值都不超过“1 除以 512 的平方根”，512 是输入的个数（就是最先打印的两个数）。`kaiming_normal_` 则是缩放过的 `randn`，标准差适合 `relu`。
#
# ### 再来一次，一模一样：种子
#
# 常有人说：忘了设种子，每次运行的结果会有**细微**差异。我们启动两次 Python，各取一万个 0 到 1 之间的数，先不设种子，再设种子。代码不必细读，看输出就行。
# %% tags=["quiz"]
lens.quiz(
    lens.ask(
        "Without a seed: how far apart are the two runs, number by number, on average? || 不设种子：两次运行逐个相比，平均相差多少？",
        lens.wrong("Nothing: 0 || 不差：0", "That is the seeded case. || 那是设了种子的情形。"),
        lens.wrong("A little: below 0.01 || 一点点：不到 0.01", "There is no likeness at all between two unseeded runs. || 不设种子的两次运行之间毫无相似之处。"),
        lens.right("About a third || 约三分之一", "As far as any two unrelated numbers between 0 and 1. || 正是 0 到 1 之间两个不相干的数的平均距离。"),
    ),
)
# %% claims="S2.3-f S2.3-g"
import json, subprocess, sys

program = "import torch; print(torch.rand(10000).tolist()); torch.manual_seed(42); print(torch.rand(10000).tolist())"

def start():  # a fresh Python || 一个全新的 Python
    return subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)

runs = [run.communicate()[0].splitlines() for run in (start(), start())]
one, two = (torch.tensor([json.loads(line) for line in lines]) for lines in runs)
free, seeded = (one - two).abs().mean(dim=1)
round(free.item(), 1), seeded.item()
# %% [markdown]
# Compare with your guess: first the mean distance without a seed (rounded), then the one with a seed. Only what is computed from many draws, such as a final score, may happen to look alike in two unseeded runs.
#
# ### Three libraries, three seeds
#
# A training script often uses Python's `random`, NumPy and torch. You seed torch alone.
# %% [markdown] lang="zh"
# 对照一下你的答案：第一个数是不设种子时的平均差（取一位小数），第二个是设了种子时的。两次不设种子的运行，只有由许多随机数算出来的东西（比如最后的得分）可能碰巧相近。
#
# ### 三个库，三个种子
#
# 训练脚本往往同时用到 Python 的 `random`、NumPy 和 torch。假如你只给 torch 设了种子。
# %% tags=["quiz"]
lens.quiz(
    lens.ask(
        "`torch.manual_seed(42)` is called twice, with a draw from all three after each. Which draws repeat? || 调用两次 `torch.manual_seed(42)`，每次之后从三个库各取一个数。哪些库的数会重复？",
        lens.wrong("All three || 三个都重复", "Each library has a source of its own. || 每个库都有自己的随机数来源。"),
        lens.right("torch's alone || 只有 torch 的", "The others go on where they were. || 另外两个从各自原来的地方接着往下走。"),
        lens.wrong("torch's and NumPy's || torch 和 NumPy 的", "NumPy knows nothing of torch's seed. || NumPy 不知道 torch 的种子。"),
    ),
)
# %% claims="S2.3-g"
import random

def draw():
    return random.random(), np.random.rand(), torch.rand(1).item()

torch.manual_seed(42)
first = draw()
torch.manual_seed(42)
{name: one == other for name, one, other in zip(("random", "numpy", "torch"), first, draw())}
# %% [markdown]
# Compare with your guess: `True` means the same draw again. A script whose results should repeat seeds every library that it draws from, at its top. One hole is left: NumPy's newer `default_rng` does not listen to `np.random.seed` and wants a seed of its own.
# %% [markdown] lang="zh"
# 对照一下你的答案：`True` 表示又取到了同一个数。想让结果可复现（reproducible），用到哪些库，就在脚本开头给哪些库设种子。还有一个漏洞：NumPy 较新的 `default_rng` 不理会 `np.random.seed`，要单独给它种子。
# %% claims="S2.3-g"
def draw_after(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    return *draw(), np.random.default_rng(seed).random(), np.random.default_rng().random()

names = "random", "numpy", "torch", "default_rng(seed)", "default_rng()"
{name: one == other for name, one, other in zip(names, draw_after(42), draw_after(42))}
# %% [markdown]
# ### And on a GPU? (optional reading)
#
# Tutorials add `torch.cuda.manual_seed_all(42)` for GPUs. Put a recorder in the place of that function, and watch what `torch.manual_seed` does. This works without a GPU too. You need not read this code, only its output.
# %% [markdown] lang="zh"
# ### 那 GPU 呢？（选读）
#
# 不少教程说：有 GPU 时还要调用 `torch.cuda.manual_seed_all(42)`。我们把这个函数换成一个记录器，看看 `torch.manual_seed` 做了什么。没有 GPU 也能试。代码不必细读，看输出就行。
# %% tags=["quiz"]
lens.quiz(
    lens.ask(
        "Does `torch.manual_seed(42)` call `torch.cuda.manual_seed_all`? || `torch.manual_seed(42)` 会调用 `torch.cuda.manual_seed_all` 吗？",
        lens.wrong("No: it seeds the CPU alone || 不会：它只管 CPU", "Its documentation says “on all devices”. || 文档写的是“所有设备”。"),
        lens.right("Yes, with the same seed || 会，种子相同", "The second call by hand does no harm, but changes nothing. || 自己再调用一次没有坏处，也没有任何作用。"),
    ),
)
# %% claims="S2.3-h"
from unittest import mock

with mock.patch("torch.cuda.manual_seed_all") as recorder:
    torch.manual_seed(42)
recorder.call_args
# %% [markdown]
# Compare with your guess: the recorder keeps the last call that it got, with the seed in brackets. Had there been none, it would show nothing.
#
# ### Same seed, and still not the same (optional reading)
#
# Computers round after every addition. So the order of additions matters:
# %% [markdown] lang="zh"
# 对照一下你的答案：记录器会留下最后一次调用，括号里是种子；如果没有人调用过，它就什么也不显示。
#
# ### 种子相同，结果仍可能不同（选读）
#
# 计算机每做一次加法都要舍入，所以加法的顺序有影响：
# %% claims="S2.3-i"
(0.1 + 0.2) + 0.3, 0.1 + (0.2 + 0.3)
# %% [markdown]
# A fast parallel operator lets whichever part is ready add first. PyTorch's page on [reproducibility](https://docs.pytorch.org/docs/stable/notes/randomness.html) says which operators do so, and that releases and machines may differ as well.
#
# `torch.use_deterministic_algorithms(True)` is said to make every operator deterministic (the same result each time), at the price of speed. What about an operator that has no deterministic version?
# %% [markdown] lang="zh"
# 快速的并行算子（operator）哪部分先算完，就先加哪部分。PyTorch 的[可复现性](https://docs.pytorch.org/docs/stable/notes/randomness.html)页面列出了哪些算子会这样，也说明了不同版本、不同机器之间可能有差异。
#
# 一般的说法是：`torch.use_deterministic_algorithms(True)` 会让每个算子都变成确定性的（deterministic，即每次结果都相同），代价是变慢。那么没有确定性版本的算子怎么办？
# %% tags=["quiz"]
lens.quiz(
    lens.ask(
        "An operator has no deterministic version. With the switch on, what happens? || 某个算子没有确定性版本。打开这个开关后会怎样？",
        lens.wrong("It runs, slowly || 照常运行，只是慢", "There is no slow version to fall back to. || 并没有一个慢的版本可以代替。"),
        lens.wrong("It runs as before || 和以前一样运行", "Then the switch would promise too much. || 那样，这个开关就言而无信了。"),
        lens.right("It raises an error || 报错", "The switch refuses what it cannot promise. || 保证不了的，它就拒绝。"),
    ),
)
# %% claims="S2.3-j"
torch.use_deterministic_algorithms(True)
try:
    print(torch.empty(2))  # fills fresh memory too || 新分配的内存也会被填上
    torch.zeros(3).put_(torch.tensor([0]), torch.ones(1))
except RuntimeError as error:
    print(str(error).partition(",")[0])
finally:
    torch.use_deterministic_algorithms(False)  # a switch for all: put it back || 全局开关：用完复原
# %% [markdown]
# Compare with your guess: the last line is what became of that operator. The line before shows what else the switch does: it fills `torch.empty` with `nan` (integers with their largest value), so that reading unset values shows.
#
# ### A source of your own: `torch.Generator`
#
# The global seed starts one stream that the whole program draws from. What if other code draws once more than before?
# %% [markdown] lang="zh"
# 对照一下你的答案：最后一行就是那个算子的下场（deterministic implementation 即“确定性的实现”）。它前面一行是这个开关的另一个作用：用 `nan` 填满 `torch.empty` 的结果（整数则填该类型的最大值），谁误读了没有赋过值的元素，一眼就能看出来。
#
# ### 自己的随机数来源：`torch.Generator`
#
# 全局种子开启的是一条随机数流（stream），整个程序都从中取数。如果别处的代码比以前多取了一个呢？
# %% tags=["quiz"]
lens.quiz(
    lens.ask(
        "Does `noise(True)` return the same as `noise(False)`? || `noise(True)` 与 `noise(False)` 的返回值相同吗？",
        lens.wrong("Yes: both start from seed 0 || 相同：都从种子 0 开始", "They start alike, but one number is gone before yours is drawn. || 起点相同，但轮到你之前，已经被取走了一个数。"),
        lens.right("No || 不同", "The other draw shifts everything that comes after it. || 多取的那一次，让后面的数全部错位。"),
        code="""
        def noise(someone_else):
            torch.manual_seed(0)
            if someone_else:
                torch.rand(1)
            return torch.rand(2)
        """,
    ),
)
# %% claims="X2.3-a"
def noise(someone_else, generator=None):
    torch.manual_seed(0)
    if someone_else:
        torch.rand(1)
    return torch.rand(2, generator=generator)

print(noise(True), noise(False))
one, two = (torch.Generator().manual_seed(0) for _ in range(2))
noise(True, one), noise(False, two)
# %% [markdown]
# Compare with your guess: the first line draws from the global stream, the second from generators. A generator of your own is a stream that only you draw from. Pass it on as `generator=`, and nobody disturbs you, nor you anybody.
#
# A `DataLoader` takes one for its shuffling:
# %% [markdown] lang="zh"
# 对照一下你的答案：第一行从全局的随机数流取数，第二行从生成器取数。自己的生成器是一条只有你取数的随机数流。用 `generator=` 传下去，别人影响不到你，你也影响不到别人。
#
# `DataLoader` 打乱顺序时也可以用它：
# %% claims="X2.3-d"
from torch.utils.data import DataLoader

def order():
    g = torch.Generator().manual_seed(0)
    batches = DataLoader(torch.arange(8), batch_size=4, shuffle=True, generator=g)
    return torch.cat(list(batches))

order(), order()
# %% [markdown]
# Not every function takes a generator. `fork_rng` lets code use the global stream and puts it back afterwards (`devices=[]`: the CPU's alone):
# %% [markdown] lang="zh"
# 不是每个函数都接受生成器。`fork_rng` 让一段代码使用全局的随机数流，用完再复原（`devices=[]` 表示只管 CPU 上的）：
# %% claims="X2.3-c"
torch.manual_seed(0)
with torch.random.fork_rng(devices=[]):
    torch.manual_seed(1)
    print(torch.rand(2))
torch.rand(2), noise(False)
# %% [markdown]
# After the block the stream goes on from seed 0, as if nothing had been drawn: the same two numbers as from `noise(False)`.
# %% [markdown] lang="zh"
# 代码块之后，随机数流接着从种子 0 往下走，就像什么也没有取过：得到的两个数与 `noise(False)` 的相同。
# %% [markdown]
# ## 6 Where it lives, and whether it learns
#
# Two arguments cause most trouble when tensors are made: `device` and `requires_grad`. First the device.
# %% [markdown] lang="zh"
# ## 6 放在哪里，需不需要梯度
#
# 创建张量时，麻烦大多出在两个参数上：`device` 和 `requires_grad`。先看设备（device）。
# %% tags=["quiz"]
lens.quiz(
    lens.ask(
        "A program says `device=\"cuda\"`, the machine has no GPU. What happens? || 程序写了 `device=\"cuda\"`，而机器没有 GPU。会怎样？",
        lens.wrong("The tensor is made on the CPU || 张量会建在 CPU 上", "Torch never picks another device in silence. || torch 从不悄悄换设备。"),
        lens.right("An error || 报错", "A device that is not there is refused. || 不存在的设备会被拒绝。"),
        lens.wrong("It waits for a GPU || 等待 GPU 出现", "It does not wait: it fails at once. || 不会等，当场就报错。"),
    ),
)
# %% claims="S2.4-a S2.4-b"
try:
    torch.tensor([1, 2], device="cuda:99")  # GPU number 99 is missing everywhere || 99 号 GPU 哪里都没有
except (AssertionError, RuntimeError):
    print("refused: no such device || 被拒绝：没有这个设备")
# %% [markdown]
# Compare with your guess. A program that should run on any machine chooses the device once, at the top, and uses the name everywhere. Two ways to choose:
# %% [markdown] lang="zh"
# 对照一下你的答案。要在任何机器上都能运行，设备就只在开头选一次，之后处处用这个名字。有两种选法：
# %% claims="S2.4-c"
cuda_or_cpu = torch.device("cuda" if torch.cuda.is_available() else "cpu")
device = torch.accelerator.current_accelerator() if torch.accelerator.is_available() else torch.device("cpu")
x = torch.zeros(2, device=device)
x.device.type == device.type
# %% [markdown]
# The first line knows CUDA alone. `torch.accelerator` also finds the GPUs of Apple (`mps`) and Intel (`xpu`).
#
# The text to search for, should you meet it: a torch that was built for the CPU says `Torch not compiled with CUDA enabled`. A torch with CUDA that finds no GPU raises an error of another kind, which is why the cell further up expects both.
#
# Better still, a new tensor follows one that you have. To see that on any machine, use the device `meta`, where tensors have a shape and a type but no memory.
# %% [markdown] lang="zh"
# 第一行只认得 CUDA。`torch.accelerator` 还能找到苹果（`mps`）和英特尔（`xpu`）的 GPU。
#
# 万一遇到报错，可以拿这句去搜索：只支持 CPU 的 torch 会说 `Torch not compiled with CUDA enabled`。带 CUDA 却找不到 GPU 的 torch，报的是另一种错误，所以前面那个单元格把两种都写上了。
#
# 更好的办法是让新张量跟随已有的张量。为了在任何机器上都能看到这一点，我们用 `meta` 设备：那里的张量有形状、有类型，但没有内存。
# %% tags=["quiz"]
lens.quiz(
    lens.ask(
        "`x` is on the device `meta`. Which of these is not? || `x` 在 `meta` 设备上。下面哪个不在？",
        lens.right("`torch.zeros(x.shape)`", "A shape is only numbers: it does not know where `x` lives. || 形状只是几个数，不知道 `x` 在哪里。"),
        lens.wrong("`torch.zeros_like(x)`", "It follows `x`: shape, type and device. || 它跟随 `x`：形状、类型、设备。"),
        lens.wrong("`x.new_zeros(4)`", "It is a method of `x`, and follows it: type and device. || 它是 `x` 的方法，跟随 `x` 的类型和设备。"),
    ),
)
# %% claims="S2.2-b X2.4-b"
x = torch.empty(2, 3, device="meta")
for z in (torch.zeros(x.shape), torch.zeros_like(x), x.new_zeros(4)):
    print(z.device)
torch.empty(10**6, 10**6, device="meta").nbytes
# %% [markdown]
# Compare with your guess: the lines are in the order of the choices. The last one shows what `meta` is good for: a tensor of 4 · 10¹² bytes, none of which was allocated.
#
# ### Changing the defaults
#
# A program can change what the creating functions choose when you say nothing.
# %% [markdown] lang="zh"
# 对照一下你的答案：各行的顺序与选项相同。最后一行说明 `meta` 的用处：一个 4 · 10¹²（四万亿）字节的张量，实际一个字节也没有分配。
#
# ### 改变默认值
#
# 什么都不写时，创建函数（factory function）用的是默认值；默认值可以由程序来改。
# %% tags=["quiz"]
lens.quiz(
    lens.ask(
        "After `torch.set_default_dtype(torch.float64)`: choose all that are `float64`. || 执行 `torch.set_default_dtype(torch.float64)` 之后，哪些是 `float64`？选出所有的。",
        lens.right("`torch.tensor([1.0])`", "A Python float: it follows the default. || Python 浮点数：跟随默认值。"),
        lens.right("`torch.zeros(1)`", "No type given: it follows the default. || 没写类型：跟随默认值。"),
        lens.wrong("`torch.tensor([1])`", "Whole numbers are `int64` as ever. || 整数照旧是 `int64`。"),
        lens.wrong("`torch.from_numpy(np.ones(1, np.float32))`", "An array keeps its own type. || 数组保留自己的类型。"),
    ),
)
# %% claims="X2.4-a"
torch.set_default_dtype(torch.float64)
try:
    made = torch.tensor([1.0]), torch.zeros(1), torch.tensor([1]), torch.from_numpy(np.ones(1, np.float32))
    print([t.dtype for t in made])
finally:
    torch.set_default_dtype(torch.float32)  # put it back || 复原
torch.zeros(1).dtype
# %% [markdown]
# Compare with your guess: the list is in the order of the choices, and the last line shows the default put back.
#
# For devices, `with` limits the change to a block. (`torch.set_default_device` does it for the rest of the program; `None` takes it back.)
# %% [markdown] lang="zh"
# 对照一下你的答案：列表的顺序与选项相同，最后一行是复原后的默认值。
#
# 设备的默认值可以用 `with` 限制在一个代码块里。（`torch.set_default_device` 对之后的整个程序生效；传 `None` 就恢复。）
# %% claims="X2.4-a"
with torch.device("meta"):
    made = torch.zeros(2), torch.tensor([1.0]), torch.from_numpy(np.ones(1))
torch.set_default_device("meta")
everywhere = torch.zeros(2)
torch.set_default_device(None)
[t.device.type for t in (*made, everywhere, torch.zeros(2))]
# %% [markdown]
# `from_numpy` stayed on the CPU: it lends the array's memory, and that lies there.
#
# ### Does it learn: `requires_grad`
#
# As section 1 said: `requires_grad=True` asks torch to record what is computed from a tensor. The record is called the *computation graph*, or graph for short. `backward()` walks back through it, from the result to its beginnings, and computes the gradients; this is the *backward pass*.
#
# Two ways to set it, one to get a tensor without it, and one switch for a block:
# %% [markdown] lang="zh"
# `from_numpy` 的结果仍在 CPU 上：它借用的是数组的内存，而那块内存就在 CPU 上。
#
# ### 需不需要梯度：`requires_grad`
#
# 第 1 节说过：`requires_grad=True` 让 torch 记录由这个张量算出的一切。这份记录叫做**计算图**（computation graph）。`backward()` 从结果出发，沿着它一步步往回走，算出梯度，这就是**反向传播**（backward）。
#
# 有两种办法设成需要梯度，有一种办法得到不需要梯度的张量，对整个代码块还有一个总开关：
# %% claims="S2.4-d"
a = torch.ones(2, requires_grad=True)
b = torch.ones(2).requires_grad_(True)
c = a.detach()
with torch.no_grad():
    d = a * 2
[t.requires_grad for t in (a, b, c, d)]
# %% [markdown]
# `a` has it from the start, `b` was changed in place, `c` is `a` without it. `d` would have it, but nothing is recorded inside `no_grad`.
#
# Whole numbers cannot have it, for a gradient asks what a *small* change would do:
# %% [markdown] lang="zh"
# `a` 创建时就需要梯度；`b` 是原地改成的；`c` 是不再需要梯度的 `a`。`d` 本来也需要，但 `no_grad` 里什么都不记录。
#
# 整数不能需要梯度，因为梯度问的是**微小**的变动会带来什么：
# %% tags=["raises-exception"]
torch.tensor([1, 2], requires_grad=True)
# %% [markdown]
# **Fix:** write `[1.0, 2.0]`, or give `dtype=torch.float32`.
#
# ### Does it spread?
#
# The usual statement: once it is `True`, *every* result that is based on the tensor is `True` as well.
# %% [markdown] lang="zh"
# **解决**：写 `[1.0, 2.0]`，或者给出 `dtype=torch.float32`。
#
# ### 它会传下去吗
#
# 通常的说法是：一旦设为 `True`，由这个张量得到的**所有**结果也都是 `True`。
# %% tags=["quiz"]
lens.quiz(
    lens.ask(
        "`w` requires gradients. Choose every result that does too. || `w` 需要梯度。选出所有同样需要梯度的结果。",
        lens.right("`w * 2`", "Differentiable, so it is recorded. || 可微，所以会被记录。"),
        lens.right("`w.round()`", "Recorded, although its slope is 0 everywhere. || 会被记录，虽然斜率处处为 0。"),
        lens.wrong("`w > 0`", "Truth values have no gradient. || 真假值没有梯度。"),
        lens.wrong("`w.long()`", "Whole numbers have no gradient. || 整数没有梯度。"),
        lens.wrong("`torch.zeros_like(w)`", "It is based on the shape, not on the values. || 它依据的是形状，不是数值。"),
    ),
)
# %% claims="S2.4-e"
w = torch.tensor([-1.2, 0.4, 2.6], requires_grad=True)
results = {"w * 2": w * 2, "w.round()": w.round(), "w > 0": w > 0, "w.long()": w.long()}
results |= {"w.argmax()": w.argmax(), "w.detach()": w.detach(), "zeros_like(w)": torch.zeros_like(w)}
for name, result in results.items():
    print(name, result.requires_grad)
# %% [markdown]
# Compare with your guess; the list holds two results more. For each `False`, find what stands in the way: the type of the result, or that its values do not come from `w`, or that it was cut off.
#
# ### What does it cost on an input?
#
# Some warn that an input with `requires_grad=True` leaves many useless leaves in the graph. A *leaf* is a tensor that was made directly, not computed from one that wants a gradient; we count those that want one. Count, for a batch of 1000 rows through one layer. You need not read this code, only its output.
# %% [markdown] lang="zh"
# 对照一下你的答案；这里还多列了两个结果。对每个 `False`，找出原因：是结果的类型不行，是数值并非来自 `w`，还是被断开了？
#
# ### 输入也需要梯度，代价是什么
#
# 有人提醒：输入设了 `requires_grad=True`，计算图上会多出很多没用的叶子。**叶子张量**（leaf，简称叶子）是直接创建、而不是由需要梯度的张量算出来的张量；这里只数其中需要梯度的。让 1000 行的一个批次（batch）通过一层，数数看。代码不必细读，看输出就行。
# %% tags=["quiz"]
lens.quiz(
    lens.ask(
        "A layer has two leaves, `weight` and `bias`. How many are there if the input of 1000 rows is `True` too? || 一层有两个叶子：`weight` 和 `bias`。如果 1000 行的输入也设为 `True`，一共有几个叶子？",
        lens.wrong("1002", "The whole batch is one tensor. || 整个批次是一个张量。"),
        lens.right("3", "One tensor more is one leaf more. The cost lies elsewhere. || 多一个张量，就多一个叶子。代价在别处。"),
        lens.wrong("2", "An input that wants a gradient is a leaf as well. || 需要梯度的输入也是叶子。"),
    ),
)
# %% claims="S2.4-f"
def cost(flag):
    layer, saved = torch.nn.Linear(256, 256), []
    x = torch.ones(1000, 256, requires_grad=flag)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: saved.append(t.nbytes) or t, lambda t: t):
        y = layer(x)
    y.sum().backward()
    leaves = sum(branch is not None for branch, _ in y.grad_fn.next_functions)
    return leaves, sum(saved), 0 if x.grad is None else x.grad.nbytes

print("leaves, bytes kept for backward, bytes of x.grad || 叶子数、为反向传播保留的字节数、x.grad 的字节数")
print(cost(False), cost(True), sep="\n")
# %% [markdown]
# Compare with your guess: each line begins with the number of leaves, the second line is for an input that is `True`. The price stands beside it: now the weights are kept for the backward pass too, and a gradient as large as the input is computed and stored for nothing.
#
# ### Who gets `True`?
#
# *Parameters* are the tensors that training changes, such as weights; an *embedding* is a table of them, one row for each word or class. They learn, and come with `True`. Inputs, labels and masks do not learn. Some lists add: keep intermediate results at `False` too.
# %% [markdown] lang="zh"
# 对照一下你的答案：每行第一个数是叶子数，第二行的输入设为 `True`。代价在另外两个数里：权重也要为反向传播保留下来，还要白白算出并存下一个和输入一样大的梯度。
#
# ### 谁该为 `True`
#
# **参数**（parameter）是训练要改动的张量，比如权重；**嵌入**（embedding）是由参数组成的一张表，每个词或每个类别占一行。它们要学习，创建出来就是 `True`。输入、标签和掩码不学习，不用设。有的清单还会加上一条：中间结果也保持 `False`。
# %% tags=["quiz"]
lens.quiz(
    lens.ask(
        "`h = inputs * w`, where `w` is a parameter. What does `h.requires_grad_(False)` do? || `h = inputs * w`，其中 `w` 是参数。`h.requires_grad_(False)` 会怎样？",
        lens.wrong("It saves memory || 节省内存", "It would cut `w` off from the result that training improves. || 那会把 `w` 与训练要改进的结果断开。"),
        lens.right("It raises an error || 报错", "The flag of a result follows from what it was made of. || 运算结果的这个标志由它的来源决定。"),
        lens.wrong("Nothing || 什么也不做", "Torch speaks up here. || torch 在这里不会一声不响。"),
    ),
)
# %% tags=["raises-exception"] claims="S2.4-g"
embedding, inputs = torch.nn.Embedding(10, 3), torch.ones(2, 3)
w = torch.nn.Parameter(torch.ones(3))
h = inputs * w
print([t.requires_grad for t in (embedding.weight, w, inputs, h)])
h.requires_grad_(False)
# %% [markdown]
# Compare with your guess, and read the last line. `h` lies between `w` and the *loss*, the number that training makes small. Without its flag no gradient would reach `w`, and nothing would learn; so only a leaf has a flag of its own. **If you do want to stop the gradient here:** `h.detach()`.
#
# ### A value out of the graph: `detach`
#
# To compute a metric or draw a curve, take the value out with `.detach()`. Then somebody writes into it:
# %% [markdown] lang="zh"
# 对照一下你的答案，再读读输出的最后一行。**损失**（loss）是训练要变小的那个数，`h` 就在 `w` 和损失之间；如果它不需要梯度，梯度就到不了 `w`，什么也学不到。所以只有叶子才有自己的标志。**如果确实想让梯度到此为止**：`h.detach()`。
#
# ### 从计算图里取值：`detach`
#
# 要算指标或画曲线，就用 `.detach()` 把值取出来。然后有人往里写了一个数：
# %% tags=["quiz"]
lens.quiz(
    lens.ask(
        "What is `y[0]` now? || 现在 `y[0]` 是多少？",
        lens.wrong("3.0", "It would be, had `detach` made a copy. || 如果 `detach` 做了拷贝，就是 3.0。"),
        lens.right("7.0", "`detach` cuts the graph, not the memory. || `detach` 断开的是计算图，不是内存。"),
        code="""
        w = torch.ones(2, requires_grad=True)
        y = w * 3
        value = y.detach()
        value[0] = 7
        """,
    ),
)
# %% claims="S2.4-h"
w = torch.ones(2, requires_grad=True)
y = w * 3
value = y.detach()
other = y.detach().clone()
value[0] = 7
lens.show_storage(y=y, value=value, other=other)
other.sum().item()
# %% [markdown]
# Compare with your guess: which names lie on the block of `y`, and which got its own through `.clone()`? If all you want is a number, `.item()` gives you one.
# %% [markdown] lang="zh"
# 对照一下你的答案：哪些名字与 `y` 用同一块内存，哪个靠 `.clone()` 有了自己的一块？如果只想要一个数，就用 `.item()`。
# %% [markdown]
# ## Pitfalls at a glance
#
# | You write | What you get | Write instead |
# |---|---|---|
# | `torch.Tensor(3)` | a number taken for a size: three unset values | `torch.tensor(3)`, `torch.empty(3)` |
# | `torch.tensor(t)` of a tensor | a copy cut from the graph, a warning | `t.detach().clone()`, `t.clone()` |
# | `torch.from_numpy(n)`, then `n[0] = 9` | the tensor changes too | any copy made *before* the write: `torch.tensor(n)` |
# | `torch.from_numpy(n[::-1])` | an error: negative stride | `torch.from_numpy(n[::-1].copy())` |
# | `torch.from_numpy(np.ones(3))` into a model | an error: `float64` | `np.ones(3, dtype=np.float32)` |
# | `torch.zeros(x.shape)` | type and device of `x` are lost | `torch.zeros_like(x)` |
# | `torch.arange(1, 1.3, 0.1)` | one too many: rounding lets the end in | `torch.linspace(1, 1.2, steps=3)` |
# | `torch.full((3, 3), -1)` | integers: 0.7 becomes 0 | `torch.full((3, 3), -1.0)` |
# | `torch.randint` for each row once | rows come twice: it draws with replacement | `torch.randperm` |
# | raw `randn` weights | values explode with depth | `torch.nn.init` |
# | `np.random.seed` for `default_rng` | no effect | `np.random.default_rng(42)` |
# | `torch.cuda.manual_seed_all(42)` as well | nothing more: every GPU has the seed already | `torch.manual_seed(42)` |
# | an operator without a deterministic version, under `torch.use_deterministic_algorithms(True)` | an error | another operator |
# | `device="cuda"` | an error without a GPU | `device=device`, chosen once at the top |
# | `h.requires_grad_(False)` of a result | an error | `h.detach()` |
# | writing into `y.detach()` | `y` changes | `y.detach().clone()` |
# %% [markdown] lang="zh"
# ## 易错一览
#
# | 你写的 | 得到的 | 应当写 |
# |---|---|---|
# | `torch.Tensor(3)` | 数字被当成长度：三个未赋值的元素 | `torch.tensor(3)`、`torch.empty(3)` |
# | 对张量用 `torch.tensor(t)` | 与计算图断开的副本，外加一条警告 | `t.detach().clone()`、`t.clone()` |
# | `torch.from_numpy(n)`，然后 `n[0] = 9` | 张量也跟着变 | 写入**之前**做的任何副本：`torch.tensor(n)` |
# | `torch.from_numpy(n[::-1])` | 报错：步长为负 | `torch.from_numpy(n[::-1].copy())` |
# | 把 `torch.from_numpy(np.ones(3))` 送进模型 | 报错：`float64` | `np.ones(3, dtype=np.float32)` |
# | `torch.zeros(x.shape)` | 丢了 `x` 的类型和设备 | `torch.zeros_like(x)` |
# | `torch.arange(1, 1.3, 0.1)` | 多出一个：舍入误差放进了终点 | `torch.linspace(1, 1.2, steps=3)` |
# | `torch.full((3, 3), -1)` | 整数：0.7 变成 0 | `torch.full((3, 3), -1.0)` |
# | 要每行一次，却用 `torch.randint` | 有的行重复：它是有放回抽取 | `torch.randperm` |
# | 权重直接用 `randn` | 层数一多，数值就爆炸 | `torch.nn.init` |
# | 想用 `np.random.seed` 管住 `default_rng` | 不起作用 | `np.random.default_rng(42)` |
# | 再加一句 `torch.cuda.manual_seed_all(42)` | 没有任何作用：所有 GPU 都已经用上这个种子 | `torch.manual_seed(42)` |
# | 打开 `torch.use_deterministic_algorithms(True)`，又用没有确定性版本的算子 | 报错 | 换一个算子 |
# | `device="cuda"` | 没有 GPU 就报错 | `device=device`，在开头选好一次 |
# | 对运算结果用 `h.requires_grad_(False)` | 报错 | `h.detach()` |
# | 往 `y.detach()` 里写 | `y` 也变了 | `y.detach().clone()` |
# %% [markdown]
# ## Without looking back
#
# Six questions on this chapter, then three on what you should know already. Answer from memory: that is what makes it stay.
# %% [markdown] lang="zh"
# ## 不翻前文
#
# 先是本章的六道题，再是三道你应该已经会的。凭记忆回答：这样才记得牢。
# %% tags=["quiz"]
lens.quiz(
    lens.ask(
        "Which call gives the data of a list its own memory and lets you choose the type? || 哪个调用能为列表的数据另开内存，并让你选择类型？",
        lens.wrong("`torch.Tensor(data)`", "It takes no `dtype`. || 它不接受 `dtype`。"),
        lens.right("`torch.tensor(data, dtype=…)`", "Always a copy, of the type you name. || 总是拷贝，类型由你指定。"),
        lens.wrong("`torch.from_numpy(data)`", "It wants an array, and lends its memory. || 它要的是数组，而且借用数组的内存。"),
    ),
    lens.ask(
        "`t = torch.as_tensor(n)`, where `n` is an array. Then `n[0] = 9`. What does `t[0]` show? || `t = torch.as_tensor(n)`，`n` 是数组。随后 `n[0] = 9`。`t[0]` 是多少？",
        lens.right("9", "Nothing had to be converted, so memory is shared. || 什么都不用转换，所以共享内存。"),
        lens.wrong("The old value || 原来的值", "`as_tensor` copies only if it must. || `as_tensor` 不到万不得已不拷贝。"),
    ),
    lens.ask(
        "You need 11 points from 0 to 1, both ends in. || 需要从 0 到 1 的 11 个点，两端都要。",
        lens.wrong("`torch.arange(0, 1, 0.1)`", "The end is out, and float steps are a gamble. || 不含终点，而且浮点数的间隔要碰运气。"),
        lens.wrong("`torch.linspace(0, 1, steps=10)`", "Ten gaps need eleven points. || 十段需要十一个点。"),
        lens.right("`torch.linspace(0, 1, steps=11)`", "The count is what you give, the ends are in. || 给的就是个数，两端都包含。"),
    ),
    lens.ask(
        "Zeros with the shape, type and device of `x`? || 与 `x` 的形状、类型、设备都相同的全零张量？",
        lens.wrong("`torch.zeros(x.shape)`", "The shape alone. || 只有形状。"),
        lens.right("`torch.zeros_like(x)`", "All three; `requires_grad` starts at `False`. || 三样都相同；`requires_grad` 一开始是 `False`。"),
    ),
    lens.ask(
        "Your draws must not depend on what other code draws. You use || 你的随机数不能受其他代码取数的影响。应当用什么？",
        lens.wrong("`torch.manual_seed(0)` at the top || 开头的 `torch.manual_seed(0)`", "One stream for all: an extra draw elsewhere shifts yours. || 大家共用一条随机数流：别处多取一个，你的就错位。"),
        lens.right("a `torch.Generator` of your own || 自己的 `torch.Generator`", "Passed on as `generator=`. || 用 `generator=` 传下去。"),
        lens.wrong("`torch.use_deterministic_algorithms(True)`", "That is about operators, not about draws. || 那管的是算子，不是随机数。"),
    ),
    lens.ask(
        "Which of these has `requires_grad` equal to `True`, if `w` has? || 如果 `w` 的 `requires_grad` 为 `True`，下面哪个也是？",
        lens.wrong("`w.detach()`", "Cut from the graph. || 与计算图断开了。"),
        lens.wrong("`w.argmax()`", "A whole number. || 是整数。"),
        lens.right("`w.exp()`", "Differentiable, so it is recorded. || 可微，所以会被记录。"),
    ),
)
# %% tags=["quiz"]
lens.quiz(
    lens.ask(
        "A tensor has shape `(2, 3, 4)`. What is `x[0]`? || 张量 `x` 的形状是 `(2, 3, 4)`。`x[0]` 是什么？",
        lens.wrong("A row of 4 || 长为 4 的一行", "That is `x[0, 0]`. || 那是 `x[0, 0]`。"),
        lens.right("A matrix of 3 rows and 4 columns || 3 行 4 列的矩阵", "The first dimension counts the matrices. || 第一个维度数的是矩阵的个数。"),
        lens.wrong("A matrix of 2 rows and 3 columns || 2 行 3 列的矩阵", "The index takes the first length away, not the last. || 索引去掉的是第一个长度，不是最后一个。"),
    ),
    lens.ask(
        "How many bytes do 1000 numbers of type `float32` take? || 1000 个 `float32` 数占多少字节？",
        lens.wrong("1000", "One byte each is `uint8`. || 每个一字节的是 `uint8`。"),
        lens.right("4000", "32 bits are 4 bytes. || 32 位是 4 字节。"),
        lens.wrong("32000", "32 counts bits, not bytes. || 32 数的是位（bit），不是字节。"),
    ),
    lens.ask(
        "An operation on two tensors fails. What do you print first? || 两个张量的运算报错了。先打印什么？",
        lens.wrong("All their values || 它们的全部数值", "Errors seldom come from values. || 错误很少来自数值。"),
        lens.right("`shape`, `dtype` and `device` of both || 两者的 `shape`、`dtype` 和 `device`", "Most errors are a disagreement in one of the three. || 多数错误都是这三者之一不一致。"),
    ),
)
# %% [markdown]
# ## Summary
#
# - **Data:** `torch.tensor` copies and lets you choose; `torch.from_numpy` shares; `torch.as_tensor` copies only if type or device must change; `torch.asarray` does what you demand. A copy protects from what is written after it was made. Leave `torch.Tensor` alone.
# - **Type:** whole numbers of Python give `int64`; a single float makes them all the default, `float32`; NumPy arrays keep theirs; `torch.full` takes that of its value.
# - **Rule:** `arange` counts in steps without the end, `linspace` gives a number of points with it. `*_like` takes shape, type and device from a tensor that you have, `new_*` type and device; neither takes `requires_grad`.
# - **Chance:** `randint` draws with replacement, without its upper end; `randperm` shuffles. Without a seed two runs are unrelated; a seed makes draws come out the same, in its own library; a `torch.Generator` makes them yours. Weights want scaled chance: `torch.nn.init`.
# - **Device:** one that is not there is an error. Choose once, or follow an input; a shape alone follows nothing.
# - **Gradient:** parameters learn, data do not. What a differentiable operation makes from a tensor that requires gradients is recorded; comparisons, whole numbers, `detach` and new constants are not. Only a leaf has a flag of its own, and an input that is `True` is one leaf more. `detach` cuts the graph and shares the memory.
#
# Now do it yourself: the [exercises of this chapter](../../exercises/en/02_creation/02_creation.ipynb).
# %% [markdown] lang="zh"
# ## 小结
#
# - **数据**：`torch.tensor` 总是拷贝，类型由你选；`torch.from_numpy` 共享内存；`torch.as_tensor` 只在要换类型或设备时才拷贝；`torch.asarray` 按你的要求办。副本只挡得住之后的写入，所以要趁早。别用 `torch.Tensor`。
# - **类型**：Python 整数得到 `int64`，只要有一个浮点数，就全部是默认的 `float32`；NumPy 数组保留自己的类型；`torch.full` 取填充值的类型。
# - **规则**：`arange` 按间隔走，不含终点；`linspace` 按个数取，包含终点。`*_like` 从已有的张量继承形状、类型和设备，`new_*` 继承类型和设备；两者都不继承 `requires_grad`。
# - **随机**：`randint` 有放回抽取，不含上界；`randperm` 是洗牌。不设种子，两次运行毫不相干；种子让结果可复现，但只管自己的库；`torch.Generator` 让随机数归你所有。权重要用缩放过的随机数：`torch.nn.init`。
# - **设备**：不存在的设备会报错。只选一次，或者跟随输入；单凭形状，什么也跟随不了。
# - **梯度**：参数需要梯度，数据不需要。需要梯度的张量经过可微运算，结果会被记录；比较、整数、`detach` 和新建的常量都不会。只有叶子才有自己的标志；输入设为 `True`，也只多一个叶子。`detach` 断开计算图，但共享内存。
#
# 现在自己动手：[本章练习](../../exercises/zh/02_creation/02_creation.ipynb)。
