# %% right="make_grid"
def make_grid(start, stop, cells):
    width = (stop - start) / cells
    edges = [start + i * width for i in range(cells + 1)]
    return torch.tensor(list(range(cells))), torch.tensor(edges)

# %% right="make_grid"
def make_grid(start, stop, cells):
    edges = start + (stop - start) * torch.arange(cells + 1) / cells
    return torch.arange(0, cells, 1), edges

# %% right="make_grid"
def make_grid(start, stop, cells):
    width = (stop - start) / cells
    return [torch.arange(cells), torch.arange(start, stop + width / 2, width, dtype=torch.float32)]

# %% wrong="make_grid" says="only 4 gaps || 只有 4 段间隔"
def make_grid(start, stop, cells):
    return torch.arange(cells), torch.linspace(start, stop, cells)

# %% wrong="make_grid" says="The last edge is missing || 少了最后一条边界"
def make_grid(start, stop, cells):
    return torch.arange(cells), torch.arange(start, stop, (stop - start) / cells)

# %% wrong="make_grid" says="One edge too many || 多了一条边界"
def make_grid(start, stop, cells):
    width = (stop - start) / cells
    return torch.arange(cells), torch.arange(start, stop + width, width)

# %% wrong="make_grid" says="One number too many || 多了一个编号"
def make_grid(start, stop, cells):
    return torch.arange(cells + 1), torch.linspace(start, stop, cells + 1)

# %% wrong="make_grid" says="counted from 1 || 从 1 开始编号"
def make_grid(start, stop, cells):
    return torch.arange(1, cells + 1), torch.linspace(start, stop, cells + 1)

# %% wrong="make_grid" says="a float cannot index || 浮点数不能当索引"
def make_grid(start, stop, cells):
    return torch.linspace(0, cells - 1, cells), torch.linspace(start, stop, cells + 1)

# %% wrong="make_grid" says="the wrong way round || 次序反了"
def make_grid(start, stop, cells):
    return torch.linspace(start, stop, cells + 1), torch.arange(cells)

# %% wrong="make_grid" says="NumPy's floats are float64 || NumPy 的浮点数是 `float64`"
def make_grid(start, stop, cells):
    return torch.arange(cells), torch.from_numpy(np.linspace(start, stop, cells + 1))

# %% wrong="make_grid" says="Is a `return` missing? || 是不是少了 `return`"
def make_grid(start, stop, cells):
    print(torch.arange(cells), torch.linspace(start, stop, cells + 1))

# %% wrong="make_grid" says="NumPy does not become a tensor || NumPy 数组不会自动变成张量"
def make_grid(start, stop, cells):
    return np.arange(cells), np.linspace(start, stop, cells + 1)

# %% right="tensor_vs_Tensor"
def tensor_vs_Tensor(data, dtype=None):
    if dtype is None:
        return torch.tensor(data)
    return torch.tensor(data).to(dtype)

# %% right="tensor_vs_Tensor"
def tensor_vs_Tensor(data, dtype=None):
    return torch.asarray(data, dtype=dtype)

# %% right="tensor_vs_Tensor"
def tensor_vs_Tensor(data, dtype=None):
    return torch.as_tensor(data, dtype=dtype)

# %% wrong="tensor_vs_Tensor" says="was read as a size || 被当成了长度"
def tensor_vs_Tensor(data, dtype=None):
    return torch.Tensor(data)

# %% wrong="tensor_vs_Tensor" says="The brackets in `[data]` add an axis || 方括号多加了一维"
def tensor_vs_Tensor(data, dtype=None):
    return torch.tensor([data], dtype=dtype)

# %% wrong="tensor_vs_Tensor" says="3 became 3.0 || 3 变成了 3.0"
def tensor_vs_Tensor(data, dtype=torch.float32):
    return torch.tensor(data, dtype=dtype)

# %% wrong="tensor_vs_Tensor" says="whatever the list holds || 无论里面是什么"
def tensor_vs_Tensor(data, dtype=None):
    if isinstance(data, list):
        return torch.Tensor(data)
    return torch.tensor(data, dtype=dtype)

# %% wrong="tensor_vs_Tensor" says="16777217 became 16777216 || 16777217 变成了 16777216"
def tensor_vs_Tensor(data, dtype=None):
    if dtype is None:
        dtype = torch.tensor(data).dtype
    return torch.tensor(data, dtype=torch.float32).to(dtype)

# %% wrong="tensor_vs_Tensor" says="The fractions are gone || 小数部分没有了"
def tensor_vs_Tensor(data, dtype=torch.int64):
    return torch.tensor(data, dtype=dtype)

# %% wrong="tensor_vs_Tensor" says="plays no part || 没有起作用"
def tensor_vs_Tensor(data, dtype=None):
    return torch.tensor(data)

# %% wrong="tensor_vs_Tensor" says="NumPy's floats are float64 || NumPy 的浮点数是 `float64`"
def tensor_vs_Tensor(data, dtype=None):
    return torch.as_tensor(np.array(data), dtype=dtype)

# %% wrong="tensor_vs_Tensor" says="Is a `return` missing? || 是不是少了 `return`"
def tensor_vs_Tensor(data, dtype=None):
    torch.tensor(data, dtype=dtype)

# %% right="share_or_copy"
def share_or_copy(array, share):
    return torch.from_numpy(array if share else array.copy())

# %% right="share_or_copy"
def share_or_copy(array, share):
    if share:
        return torch.as_tensor(array)
    return torch.tensor(array.copy())

# %% right="share_or_copy"
def share_or_copy(array, share):
    if not share:
        array = np.array(array)
    return torch.asarray(array)

# %% wrong="share_or_copy" says="`torch.tensor` always copies || `torch.tensor` 总是拷贝"
def share_or_copy(array, share):
    return torch.tensor(array.copy())

# %% wrong="share_or_copy" says="Asked to copy, it shared || 要求拷贝，它却共享了"
def share_or_copy(array, share):
    return torch.from_numpy(array)

# %% wrong="share_or_copy" says="The two cases are the wrong way round || 两种情况反了"
def share_or_copy(array, share):
    if share:
        return torch.tensor(array)
    return torch.from_numpy(array)

# %% wrong="share_or_copy" says="The negative stride is met before the copy || 还没拷贝就先遇到了负步长"
def share_or_copy(array, share):
    tensor = torch.from_numpy(array)
    return tensor if share else tensor.clone()

# %% wrong="share_or_copy" says="would mislead whoever asked to share || 都会误导要求共享的人"
def share_or_copy(array, share):
    if share:
        try:
            return torch.from_numpy(array)
        except ValueError:
            pass
    return torch.from_numpy(array.copy())

# %% wrong="share_or_copy" says="`ascontiguousarray` shares only when || 数组本来就连续时才共享"
def share_or_copy(array, share):
    if share:
        return torch.from_numpy(np.ascontiguousarray(array))
    return torch.from_numpy(array.copy())

# %% wrong="share_or_copy" says="a conversion makes new memory || 转换会另开内存"
def share_or_copy(array, share):
    if share:
        return torch.from_numpy(array).float()
    return torch.tensor(array.copy(), dtype=torch.float32)

# %% wrong="share_or_copy" says="a Python list carries no dtype || Python 列表不带类型"
def share_or_copy(array, share):
    if share:
        return torch.from_numpy(array)
    return torch.tensor(array.tolist())

# %% wrong="share_or_copy" says="NumPy does not become a tensor || NumPy 数组不会自动变成张量"
def share_or_copy(array, share):
    return array if share else array.copy()

# %% wrong="share_or_copy" says="Your code changed || 你的代码改动了"
def share_or_copy(array, share):
    tensor = torch.from_numpy(array)
    tensor -= tensor.mean()
    return tensor if share else tensor.clone()

# %% wrong="share_or_copy" says="so the check stopped it || 所以检查拦下了这次调用"
def share_or_copy(array, share):
    if share:
        return torch.from_dlpack(array)
    return torch.from_numpy(array.copy())

# %% right="like_this"
def like_this(x, n):
    blank = torch.zeros(x.shape, dtype=x.dtype, device=x.device)
    rows = torch.ones((n, *x.shape[1:]), dtype=x.dtype, device=x.device)
    return blank, rows

# %% right="like_this"
def like_this(x, n):
    return x.new_zeros(x.shape), x.new_full((n,) + x.shape[1:], 1)

# %% right="like_this"
def like_this(x, n):
    return [torch.zeros(x.size()).to(x), torch.ones(n, *x.shape[1:]).to(x)]

# %% wrong="like_this" says="The dtype of `x` is lost || `x` 的类型丢了"
def like_this(x, n):
    return torch.zeros(x.shape), torch.ones((n, *x.shape[1:]))

# %% wrong="like_this" says="The device of `x` is lost || `x` 的设备丢了"
def like_this(x, n):
    return torch.zeros(x.shape, dtype=x.dtype), torch.ones((n, *x.shape[1:]), dtype=x.dtype)

# %% wrong="like_this" says="A `nan` came through || `nan` 传了过来"
def like_this(x, n):
    return x * 0, x.new_ones((n, *x.shape[1:]))

# %% wrong="like_this" says="Your code changed || 你的代码改动了"
def like_this(x, n):
    rows = x.new_ones((n, *x.shape[1:]))
    return x.zero_(), rows

# %% wrong="like_this" says="`clone` and arithmetic are recorded || `clone` 和算术运算都会被记录"
def like_this(x, n):
    return x.clone().zero_(), x.new_ones((n, *x.shape[1:]))

# %% wrong="like_this" says="was copied from `x` || 是从 `x` 照搬来的"
def like_this(x, n):
    blank = torch.zeros_like(x, requires_grad=x.requires_grad)
    return blank, x.new_ones((n, *x.shape[1:]))

# %% wrong="like_this" says="the axes after the first are missing || 第一维之后的各维都丢了"
def like_this(x, n):
    return torch.zeros_like(x), x.new_ones(n)

# %% wrong="like_this" says="slicing cannot add to them || 切片也添不出新的行"
def like_this(x, n):
    return torch.zeros_like(x), torch.ones_like(x)[:n]

# %% wrong="like_this" says="one and the same place in memory || 内存的同一个位置"
def like_this(x, n):
    return x.new_zeros(()).expand(x.shape), x.new_ones(()).expand(n, *x.shape[1:])

# %% wrong="like_this" says="Is a `return` missing? || 是不是少了 `return`"
def like_this(x, n):
    blank, rows = torch.zeros_like(x), x.new_ones((n, *x.shape[1:]))

# %% wrong="like_this" says="Nobody has set these values || 没有人赋过值"
def like_this(x, n):
    return torch.empty_like(x), x.new_ones((n, *x.shape[1:]))

# %% wrong="like_this" says="the wrong way round || 次序反了"
def like_this(x, n):
    return x.new_ones((n, *x.shape[1:])), torch.zeros_like(x)

# %% wrong="like_this" says="NumPy knows the CPU alone || NumPy 只认得 CPU"
def like_this(x, n):
    values = x.detach().numpy()
    return torch.from_numpy(np.zeros_like(values)), x.new_ones((n, *x.shape[1:]))

# %% right="pad_border"
def pad_border(x, value):
    return torch.nn.functional.pad(x, (1, 1, 1, 1), value=value)

# %% right="pad_border"
def pad_border(x, value):
    side = x.new_full((x.shape[0], 1), value)
    middle = torch.cat([side, x, side], dim=1)
    edge = x.new_full((1, middle.shape[1]), value)
    return torch.cat([edge, middle, edge], dim=0)

# %% right="pad_border"
def pad_border(x, value):
    h, w = x.shape
    framed = torch.empty(h + 2, w + 2, dtype=x.dtype, device=x.device)
    framed[0], framed[-1], framed[:, 0], framed[:, -1] = value, value, value, value
    framed[1 : h + 1, 1 : w + 1] = x
    return framed

# %% wrong="pad_border" says="The matrix is int64 || 矩阵是 int64"
def pad_border(x, value):
    h, w = x.shape
    framed = torch.full((h + 2, w + 2), value)
    framed[1:-1, 1:-1] = x
    return framed

# %% wrong="pad_border" says="the fractions are gone all the same || 小数部分还是没有了"
def pad_border(x, value):
    h, w = x.shape
    framed = torch.full((h + 2, w + 2), value, device=x.device)
    framed[1:-1, 1:-1] = x
    return framed.to(x.dtype)

# %% wrong="pad_border" says="not that of `x` || 而不是 `x` 的类型"
def pad_border(x, value):
    h, w = x.shape
    framed = torch.full((h + 2, w + 2), float(value))
    framed[1:-1, 1:-1] = x
    return framed

# %% wrong="pad_border" says="The border was made on the CPU || 边框建在 CPU 上"
def pad_border(x, value):
    h, w = x.shape
    framed = torch.full((h + 2, w + 2), value, dtype=x.dtype)
    framed[1:-1, 1:-1] = x
    return framed

# %% wrong="pad_border" says="takes a detour through Python || 绕道 Python"
def pad_border(x, value):
    edge = [[value] * (x.shape[1] + 2)]
    rows = edge + [[value, *row, value] for row in x.tolist()] + edge
    return torch.tensor(rows, dtype=x.dtype, device=x.device)

# %% wrong="pad_border" says="so the border has only two sides || 边框就只有两条边"
def pad_border(x, value):
    h, w = x.shape
    framed = x.new_full((h + 1, w + 1), value)
    framed[1:, 1:] = x
    return framed

# %% wrong="pad_border" says="both in one pair of brackets || 两维在同一对方括号里"
def pad_border(x, value):
    h, w = x.shape
    framed = x.new_full((h + 2, w + 2), value)
    framed[1:-1][1:-1] = x
    return framed

# %% wrong="pad_border" says="Only the last axis was padded || 只填充了最后一维"
def pad_border(x, value):
    return torch.nn.functional.pad(x, (1, 1), value=value)

# %% wrong="pad_border" says="The border is 0 || 边框是 0"
def pad_border(x, value):
    return torch.nn.functional.pad(x, (1, 1, 1, 1))

# %% wrong="pad_border" says="`x` is not in it || 里面没有 `x`"
def pad_border(x, value):
    h, w = x.shape
    return torch.full((h + 2, w + 2), value, dtype=x.dtype, device=x.device)

# %% wrong="pad_border" says="Your code changed || 你的代码改动了"
def pad_border(x, value):
    x[0], x[-1], x[:, 0], x[:, -1] = value, value, value, value
    return x

# %% wrong="pad_border" says="Is a `return` missing? || 是不是少了 `return`"
def pad_border(x, value):
    h, w = x.shape
    framed = x.new_full((h + 2, w + 2), value)
    framed[1:-1, 1:-1] = x
    print(framed)

# %% wrong="pad_border" says="NumPy knows the CPU alone || NumPy 只认得 CPU"
def pad_border(x, value):
    return torch.from_numpy(np.pad(x.numpy(), 1, constant_values=value))

# %% right="one_hot"
def one_hot(labels, classes):
    return torch.nn.functional.one_hot(labels, classes).float()

# %% right="one_hot"
def one_hot(labels, classes):
    rows = torch.zeros(*labels.shape, classes)
    return rows.scatter_(-1, labels.unsqueeze(-1), 1.0)

# %% right="one_hot"
def one_hot(labels, classes):
    return (labels[..., None] == torch.arange(classes)).to(torch.float32)

# %% right="one_hot"
def one_hot(labels, classes):
    rows = torch.zeros(labels.numel(), classes)
    for i, label in enumerate(labels.flatten().tolist()):
        rows[i, label] = 1
    return rows.reshape(*labels.shape, classes)

# %% wrong="one_hot" says="a matrix product wants floats || 矩阵乘法要的是浮点数"
def one_hot(labels, classes):
    return torch.nn.functional.one_hot(labels, classes)

# %% wrong="one_hot" says="the labels that happen to occur || 碰巧出现的标签"
def one_hot(labels, classes):
    return torch.nn.functional.one_hot(labels).float()

# %% wrong="one_hot" says="Columns were picked || 取的是列而不是行"
def one_hot(labels, classes):
    return torch.eye(classes)[:, labels]

# %% wrong="one_hot" says="As many columns as labels || 列数等于标签数"
def one_hot(labels, classes):
    return torch.eye(len(labels))[labels]

# %% wrong="one_hot" says="still to be indexed || 还要用标签去索引"
def one_hot(labels, classes):
    return torch.eye(classes)

# %% wrong="one_hot" says="`[:, labels] = 1` writes into all rows || `[:, labels] = 1` 会同时写入所有行"
def one_hot(labels, classes):
    rows = torch.zeros(len(labels), classes)
    rows[:, labels] = 1
    return rows

# %% wrong="one_hot" says="takes the labels for row numbers || 把标签当成了行号"
def one_hot(labels, classes):
    rows = torch.zeros(len(labels), classes)
    rows[labels] = 1
    return rows

# %% wrong="one_hot" says="A comparison gives booleans || 比较得到的是布尔值"
def one_hot(labels, classes):
    return labels.unsqueeze(-1) == torch.arange(classes)

# %% wrong="one_hot" says="cannot be compared with 4 classes || 与 4 个类别不能逐元素比较"
def one_hot(labels, classes):
    return (labels == torch.arange(classes)).float()

# %% wrong="one_hot" says="one place too far to the left || 都偏左一格"
def one_hot(labels, classes):
    return torch.eye(classes)[labels - 1]

# %% wrong="one_hot" says="for one axis of labels only || 只对一维的标签有效"
def one_hot(labels, classes):
    rows = torch.zeros(len(labels), classes)
    rows[torch.arange(len(labels)), labels] = 1
    return rows

# %% wrong="one_hot" says="NumPy's floats are float64 || NumPy 的浮点数是 `float64`"
def one_hot(labels, classes):
    return torch.from_numpy(np.eye(classes)[labels.numpy()])

# %% wrong="one_hot" says="Is a `return` missing? || 是不是少了 `return`"
def one_hot(labels, classes):
    rows = torch.eye(classes)[labels]

# %% wrong="one_hot" says="One column too many || 多了一列"
def one_hot(labels, classes):
    return torch.eye(classes + 1)[labels]

# %% right="seeded_batch"
def seeded_batch(data, size, seed):
    generator = torch.Generator()
    generator.manual_seed(seed)
    order = torch.rand(len(data), generator=generator).argsort()
    return data[order[:size]]

# %% right="seeded_batch"
def seeded_batch(data, size, seed):
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return data[torch.randperm(len(data))[:size]]

# %% right="seeded_batch"
def seeded_batch(data, size, seed):
    chosen = np.random.default_rng(seed).choice(len(data), size, replace=False)
    return data[torch.from_numpy(chosen)]

# %% right="seeded_batch"
def seeded_batch(data, size, seed):
    import random

    chosen = random.Random(seed).sample(range(len(data)), size)
    return data.index_select(0, torch.tensor(chosen, dtype=torch.int64))

# %% wrong="seeded_batch" says="reseeds the one generator || 重设了整个程序共用的生成器"
def seeded_batch(data, size, seed):
    torch.manual_seed(seed)
    return data[torch.randperm(len(data))[:size]]

# %% wrong="seeded_batch" says="`seed` has no say in it || `seed` 管不到它"
def seeded_batch(data, size, seed):
    return data[torch.randperm(len(data))[:size]]

# %% wrong="seeded_batch" says="Every seed gives the same batch || 每个种子给出的批次都相同"
def seeded_batch(data, size, seed):
    generator = torch.Generator()
    return data[torch.randperm(len(data), generator=generator)[:size]]

# %% wrong="seeded_batch" says="has moved on || 已经往前走了"
kept = torch.Generator().manual_seed(0)

def seeded_batch(data, size, seed):
    return data[torch.randperm(len(data), generator=kept)[:size]]

# %% wrong="seeded_batch" says="A row was drawn twice || 有一行抽到了两次"
def seeded_batch(data, size, seed):
    generator = torch.Generator().manual_seed(seed)
    return data[torch.randint(0, len(data), (size,), generator=generator)]

# %% wrong="seeded_batch" says="The last row can never be drawn || 最后一行永远抽不到"
def seeded_batch(data, size, seed):
    generator = torch.Generator().manual_seed(seed)
    return data[torch.randperm(len(data) - 1, generator=generator)[:size]]

# %% wrong="seeded_batch" says="the first rows every time || 每次都是最前面的几行"
def seeded_batch(data, size, seed):
    return data[:size].clone()

# %% wrong="seeded_batch" says="The rows are always neighbours || 抽到的行总是相邻的"
def seeded_batch(data, size, seed):
    generator = torch.Generator().manual_seed(seed)
    start = torch.randint(0, len(data) - size + 1, (), generator=generator)
    return data[start : start + size].clone()

# %% wrong="seeded_batch" says="numpy.random changed || numpy.random 变了"
def seeded_batch(data, size, seed):
    np.random.seed(seed)
    return data[torch.from_numpy(np.random.permutation(len(data))[:size])]

# %% wrong="seeded_batch" says="the numbers of the rows, not the rows || 这是行号，不是行"
def seeded_batch(data, size, seed):
    generator = torch.Generator().manual_seed(seed)
    return torch.randperm(len(data), generator=generator)[:size]

# %% wrong="seeded_batch" says="do not make new numbers || 而不是造出新的数"
def seeded_batch(data, size, seed):
    generator = torch.Generator().manual_seed(seed)
    return torch.rand(size, *data.shape[1:], generator=generator)

# %% wrong="seeded_batch" says="Your code changed || 你的代码改动了"
def seeded_batch(data, size, seed):
    generator = torch.Generator().manual_seed(seed)
    data[:] = data[torch.randperm(len(data), generator=generator)]
    return data[:size].clone()

# %% wrong="seeded_batch" says="Is a `return` missing? || 是不是少了 `return`"
def seeded_batch(data, size, seed):
    generator = torch.Generator().manual_seed(seed)
    print(data[torch.randperm(len(data), generator=generator)[:size]])

# %% wrong="seeded_batch" says="Only the first `size` rows are ever drawn || 抽到的永远只是前 `size` 行"
def seeded_batch(data, size, seed):
    generator = torch.Generator().manual_seed(seed)
    return data[torch.randperm(size, generator=generator)]

# %% wrong="seeded_batch" says="at the same distances from each other || 各行之间的距离总是一样"
def seeded_batch(data, size, seed):
    start = torch.randint(0, len(data), (), generator=torch.Generator().manual_seed(seed))
    return data[(2 * torch.arange(size) + start) % len(data)]

# %% wrong="seeded_batch" says="ten seeds give ten different batches || 十个种子给出十个不同的批次"
def seeded_batch(data, size, seed):
    generator = torch.Generator().manual_seed(seed // 2)
    return data[torch.randperm(len(data), generator=generator)[:size]]

# %% wrong="seeded_batch" says="A seed is not a generator || 种子不是生成器"
def seeded_batch(data, size, seed):
    return data[torch.randperm(len(data), generator=seed)[:size]]

# %% right="init_weights"
def init_weights(n_in, n_out, generator):
    weights = torch.empty(n_out, n_in, requires_grad=True)
    return torch.nn.init.normal_(weights, std=n_in**-0.5, generator=generator)

# %% right="init_weights"
def init_weights(n_in, n_out, generator):
    bound = (3 / n_in) ** 0.5
    weights = torch.empty(n_out, n_in).uniform_(-bound, bound, generator=generator)
    return torch.nn.Parameter(weights)

# %% right="init_weights"
def init_weights(n_in, n_out, generator):
    weights = torch.randn(n_out, n_in, generator=generator, requires_grad=True)
    with torch.no_grad():
        weights /= n_in**0.5
    return weights

# %% right="init_weights"
def init_weights(n_in, n_out, generator):
    weights = torch.empty(n_out, n_in, requires_grad=True)
    return torch.nn.init.kaiming_normal_(weights, nonlinearity="linear", generator=generator)

# %% right="init_weights"
def init_weights(n_in, n_out, generator):
    signs = 2 * torch.randint(0, 2, (n_out, n_in), generator=generator) - 1
    return (signs / n_in**0.5).requires_grad_()

# %% wrong="init_weights" says="near 3e13 after ten layers || 十层之后约为 3e13"
def init_weights(n_in, n_out, generator):
    return torch.randn(n_out, n_in, generator=generator, requires_grad=True)

# %% wrong="init_weights" says="Divided by n_in, not by its root || 除以了 n_in，而不是它的平方根"
def init_weights(n_in, n_out, generator):
    return (torch.randn(n_out, n_in, generator=generator) / n_in).requires_grad_()

# %% wrong="init_weights" says="Scaled by the number of outputs || 按输出的个数缩放了"
def init_weights(n_in, n_out, generator):
    return (torch.randn(n_out, n_in, generator=generator) / n_out**0.5).requires_grad_()

# %% wrong="init_weights" says="The two axes are swapped || 两个维度反了"
def init_weights(n_in, n_out, generator):
    return (torch.randn(n_in, n_out, generator=generator) / n_in**0.5).requires_grad_()

# %% wrong="init_weights" says="The mean is not 0 || 均值不是 0"
def init_weights(n_in, n_out, generator):
    return (torch.rand(n_out, n_in, generator=generator) / n_in**0.5).requires_grad_()

# %% wrong="init_weights" says="is the bound here || 成了边界"
def init_weights(n_in, n_out, generator):
    bound = n_in**-0.5
    weights = torch.empty(n_out, n_in, requires_grad=True)
    return torch.nn.init.uniform_(weights, -bound, bound, generator=generator)

# %% wrong="init_weights" says="for layers followed by ReLU || 为后接 ReLU 的层准备的"
def init_weights(n_in, n_out, generator):
    weights = torch.empty(n_out, n_in, requires_grad=True)
    return torch.nn.init.kaiming_normal_(weights, nonlinearity="relu", generator=generator)

# %% wrong="init_weights" says="a compromise between forward and backward || 前向与反向之间的折中"
def init_weights(n_in, n_out, generator):
    weights = torch.empty(n_out, n_in, requires_grad=True)
    return torch.nn.init.xavier_normal_(weights, generator=generator)

# %% wrong="init_weights" says="All weights are equal || 所有权重都相同"
def init_weights(n_in, n_out, generator):
    return torch.zeros(n_out, n_in, requires_grad=True)

# %% wrong="init_weights" says="the scaling was recorded || 缩放被记录了下来"
def init_weights(n_in, n_out, generator):
    weights = torch.randn(n_out, n_in, generator=generator, requires_grad=True)
    return weights / n_in**0.5

# %% wrong="init_weights" says="the layer would never learn || 这一层也就学不到东西"
def init_weights(n_in, n_out, generator):
    return torch.randn(n_out, n_in, generator=generator) / n_in**0.5

# %% wrong="init_weights" says="`generator` has not moved || `generator` 没有动"
def init_weights(n_in, n_out, generator):
    return (torch.randn(n_out, n_in) / n_in**0.5).requires_grad_()

# %% wrong="init_weights" says="reseeded in every call || 每次调用都重设了生成器的种子"
def init_weights(n_in, n_out, generator):
    generator.manual_seed(0)
    return (torch.randn(n_out, n_in, generator=generator) / n_in**0.5).requires_grad_()

# %% wrong="init_weights" says="NumPy's floats are float64 || NumPy 的浮点数是 `float64`"
def init_weights(n_in, n_out, generator):
    rng = np.random.default_rng(0)
    return torch.from_numpy(rng.normal(0, n_in**-0.5, (n_out, n_in))).requires_grad_()

# %% wrong="init_weights" says="Is a `return` missing? || 是不是少了 `return`"
def init_weights(n_in, n_out, generator):
    weights = torch.randn(n_out, n_in, generator=generator) / n_in**0.5
    weights.requires_grad_()

# %% wrong="init_weights" says="Rows repeat || 有重复的行"
def init_weights(n_in, n_out, generator):
    row = torch.randn(1, n_in, generator=generator) / n_in**0.5
    return row.repeat(n_out, 1).requires_grad_()

# %% wrong="init_weights" says="Columns repeat || 有重复的列"
def init_weights(n_in, n_out, generator):
    column = torch.randn(n_out, 1, generator=generator) / n_in**0.5
    return column.repeat(1, n_in).requires_grad_()

# %% wrong="init_weights" says="Scale first, then `requires_grad_()`: a leaf that needs || 先缩放，再 `requires_grad_()`：需要梯度的"
def init_weights(n_in, n_out, generator):
    weights = torch.randn(n_out, n_in, generator=generator, requires_grad=True)
    weights /= n_in**0.5
    return weights

# %% right="noisy_line"
def noisy_line(n, seed):
    x = torch.linspace(-1, 1, n)
    generator = torch.Generator().manual_seed(seed)
    noise = 0.1 * torch.randn(n, generator=generator)
    y = 2 * x + 1 + noise
    return x, y

# %% right="noisy_line"
def noisy_line(n, seed):
    generator = torch.Generator().manual_seed(seed)
    noise = 0.1 * torch.randn(n, generator=generator)
    x = torch.linspace(-1, 1, n)
    y = 2 * x + 1 + noise
    return x, y

# %% wrong="noisy_line" says="`x` stops before 1 || `x` 没有走到 1"
def noisy_line(n, seed):
    generator = torch.Generator().manual_seed(seed)
    x = torch.arange(-1, 1, 2 / n)
    noise = 0.1 * torch.randn(n, generator=generator)
    y = 2 * x + 1 + noise
    return x, y

# %% wrong="noisy_line" says="the global generator was reseeded || 重设了全局生成器的种子"
def noisy_line(n, seed):
    torch.manual_seed(seed)
    x = torch.linspace(-1, 1, n)
    noise = 0.1 * torch.randn(n)
    y = 2 * x + 1 + noise
    return x, y

# %% wrong="noisy_line" says="not from the one that is seeded || 而不是设了种子的那一个"
def noisy_line(n, seed):
    generator = torch.Generator().manual_seed(seed)
    x = torch.linspace(-1, 1, n)
    noise = 0.1 * torch.randn(n)
    y = 2 * x + 1 + noise
    return x, y

# %% wrong="noisy_line" says="what a line needs must come before it || 必须排在它前面"
def noisy_line(n, seed):
    generator = torch.Generator().manual_seed(seed)
    x = torch.linspace(-1, 1, n)
    y = 2 * x + 1 + noise
    noise = 0.1 * torch.randn(n, generator=generator)
    return x, y

# %% wrong="noisy_line" says="Is a `return` missing? || 是不是少了 `return`"
def noisy_line(n, seed):
    generator = torch.Generator().manual_seed(seed)
    x = torch.linspace(-1, 1, n)
    noise = 0.1 * torch.randn(n, generator=generator)
    y = 2 * x + 1 + noise
