"""Faults of shapes and places: broadcasting, writing, gathering, reshaping."""

from lens.doctor.silent.fault import Fault

PLACES = (
    Fault(
        name="column-with-row",
        family="silent-broadcast",
        seen=(
            "An elementwise operation on two shapes that differ by one axis of length 1 and "
            "stretch each other; the axis was not made for it (None, unsqueeze, keepdim), or a "
            "mean follows."
        ),
        cause=(
            "`{column}` is {tall}, `{row}` is {flat}: the result is {out}, every element of "
            "one with every element of the other. Nothing is raised. || "
            "`{column}` 的形状是 {tall}，`{row}` 是 {flat}：结果成了 {out}，一方的每个元素与另"
            "一方的每个元素都算了一遍，而且不报错。"
        ),
        fix=(
            "{column_code}.squeeze({axis})  # {flat}, as `{row}` || "
            "{column_code}.squeeze({axis})  # {flat}，与 `{row}` 一致"
        ),
        bad=("pred, y = torch.rand(4, 1), torch.rand(4)\nerror = pred - y"),
        good=(
            "pred, y = torch.rand(4, 1), torch.rand(4)\n"
            "error = pred.squeeze(1) - y\n"
            "pairs = y.unsqueeze(1) - y\n"
            "centred = pred - pred.mean(0, keepdim=True)"
        ),
    ),
    Fault(
        name="reduced-axis-back",
        family="silent-broadcast",
        seen=(
            "A square tensor with its own reduction over an axis other than the first, without "
            "keepdim."
        ),
        cause=(
            "`{small}` is `{op}` over axis {dim} of `{big}`; without that axis it is laid "
            "along the last one. `{big}` is {shape}: being square, it fits, and the wrong "
            "elements meet. || "
            "`{small}` 是 `{big}` 沿第 {dim} 维做 `{op}` 的结果，丢掉这一维后会对齐到最后一维。"
            "`{big}` 是 {shape}，恰好是方的，形状对得上，元素却配错了。"
        ),
        fix="{big} {sign} {big}.{op}({dim}, keepdim=True)",
        bad=("x = torch.rand(3, 3)\np = x / x.sum(1)"),
        good=("x = torch.rand(3, 3)\np = x / x.sum(1, keepdim=True)\nq = x - x.mean(0)"),
    ),
    Fault(
        name="loss-shapes",
        family="silent-broadcast",
        seen=(
            "A loss whose input and target have different shapes, neither of them a plain number."
        ),
        cause=(
            "`{input}` is {a}, `{target}` is {b}: the loss is taken over {out} pairs, not "
            "element by element. || "
            "`{input}` 的形状是 {a}，`{target}` 是 {b}：损失会按 {out} 的配对计算，而不是逐元素"
            "对应。"
        ),
        fix=(
            "# make both shapes the same before the loss\n"
            "{target} = {target}.reshape({input}.shape)  # only if they hold equally many "
            "elements || "
            "# 先让两者形状一致，再算损失\n"
            "{target} = {target}.reshape({input}.shape)  # 仅当元素个数相同时"
        ),
        bad=("x, y = torch.rand(4, 1), torch.rand(4)\nF.l1_loss(x, y)"),
        good=("x, y = torch.rand(4, 1), torch.rand(4)\nF.l1_loss(x, y[:, None])"),
    ),
    Fault(
        name="write-to-copy",
        family="write-to-copy",
        seen=(
            "A write into a nameless expression whose memory is a fresh copy made on the same line."
        ),
        cause=(
            "`{copy}` is a copy (made by `{step}`) that has no name: the write goes into it "
            "and is lost, `{base}` stays as it was. || "
            "`{copy}` 是 `{step}` 产生的副本，没有名字：写入的是这个临时副本，随后就丢弃了，"
            "`{base}` 不变。"
        ),
        fix="{better}",
        bad=("x, m = torch.zeros(4), torch.tensor([True, True, False, True])\nx[m][0] = 5"),
        good=(
            "x, m = torch.zeros(4), torch.tensor([True, True, False, True])\n"
            "x[m] = 5\n"
            "x[1:][0] = 2\n"
            "y = x[m]\n"
            "y[0] = 1"
        ),
    ),
    Fault(
        name="duplicate-index",
        family="duplicate-index",
        seen="`x[i] += …` (or `x[i] = x[i] + …`) where i holds a position more than once.",
        cause=(
            "`{index}` names a position more than once ({repeats}): `x[i] {sign}= …` reads, "
            "computes and writes once for each, so all but one are lost. || "
            "`{index}` 里有重复的位置（{repeats}）：`x[i] {sign}= …` 先读、再算、再写，重复的位"
            "置只留下一次结果。"
        ),
        fix=(
            "{x}.index_put_(({index},), torch.tensor(1, dtype={x}.dtype), accumulate=True)  # "
            "or index_add_ || "
            "{x}.index_put_(({index},), torch.tensor(1, dtype={x}.dtype), accumulate=True)  # "
            "或 index_add_"
        ),
        bad=("x, i = torch.zeros(3), torch.tensor([0, 0, 2])\nx[i] += 1"),
        good=(
            "x, i = torch.zeros(3), torch.tensor([0, 1, 2])\n"
            "x[i] += 1\n"
            "x.index_add_(0, torch.tensor([0, 0]), torch.ones(2))\n"
            "x[torch.tensor([1, 1])] = 0"
        ),
    ),
    Fault(
        name="write-to-expanded",
        family="shared-memory",
        seen="An item written into a tensor that has a stride of 0.",
        cause=(
            "`{x}` has stride {stride}: in an axis with stride 0 all elements are one number "
            "in memory, so the write shows in all of them. || "
            "`{x}` 的步长是 {stride}：步长为 0 的那一维，所有元素在内存里是同一个数，写一个就等"
            "于全写了。"
        ),
        fix=(
            "{x} = {x}.clone()  # memory of its own, then write || "
            "{x} = {x}.clone()  # 先有自己的内存，再写"
        ),
        bad=("x = torch.zeros(3, 1).expand(3, 4)\nx[0, 0] = 1"),
        good=("x = torch.zeros(3, 1).expand(3, 4).clone()\nx[0, 0] = 1"),
    ),
    Fault(
        name="gather-shape",
        family="gather-shape",
        seen=(
            "The index of gather is shorter than the tensor in an axis other than dim; that of "
            "scatter holds a label for each row, all in its first row."
        ),
        cause=(
            "`{op}` takes its shape from the index: `{index}` is {b}, `{x}` is {a}; what lies "
            "beyond it in axis {axis} is left out. || "
            "`{op}` 的结果由索引的形状决定：`{index}` 是 {b}，`{x}` 是 {a}；第 {axis} 维超出索"
            "引的部分都被略过了。"
        ),
        fix=(
            "{x}.{op}({dim}, {index}{want}{rest})  # as long as {x} in every axis but {dim} || "
            "{x}.{op}({dim}, {index}{want}{rest})  # 除第 {dim} 维外，各维与 {x} 一样长"
        ),
        bad=("x, i = torch.rand(4, 3), torch.tensor([[0, 1, 2, 0]])\nx.gather(1, i)"),
        good=(
            "x, i = torch.rand(4, 3), torch.tensor([0, 1, 2, 0])\n"
            "x.gather(1, i[:, None])\n"
            "torch.zeros(4, 3).scatter_(1, i[:, None], 1.0)"
        ),
    ),
    Fault(
        name="reshape-as-transpose",
        family="reshape-as-transpose",
        seen=(
            "reshape or view whose new sizes are the old ones in another order, or mix axes "
            "that were moved or named by a layer; without -1."
        ),
        cause=(
            "`{method}` keeps the order of the elements: from {a} to {b} the axes are not "
            "moved, the elements are dealt out anew. || "
            "`{method}` 不改变元素的先后次序：从 {a} 到 {b} 并没有移动维度，只是把元素重新分了"
            "一遍。"
        ),
        fix=("{code}  # move the axes first || {code}  # 先移动维度"),
        bad=("img = torch.rand(4, 5, 3)\nchw = img.reshape(3, 4, 5)"),
        good=(
            "img = torch.rand(4, 5, 3)\n"
            "chw = img.permute(2, 0, 1)\n"
            "flat = img.reshape(20, 3)\n"
            "heads = torch.rand(2, 5, 12).view(2, 5, 3, 4).transpose(1, 2)\n"
            "back = heads.transpose(1, 2).reshape(2, 5, 12)"
        ),
    ),
    Fault(
        name="squeeze-batch",
        family="squeeze-batch",
        seen="squeeze() without an axis takes a batch of length 1 along with other axes.",
        cause=(
            "`squeeze()` drops every axis of length 1: {a} became {b}, the batch is gone as "
            "well. With a larger batch it would have stayed. || "
            "`squeeze()` 会去掉所有长度为 1 的维度：{a} 变成了 {b}，批次那一维也没了；批次大于 "
            "1 时它却会留下。"
        ),
        fix=("{code}  # name the axis || {code}  # 指明要去掉的维度"),
        bad=("x = torch.rand(1, 8, 1, 1)\ny = x.squeeze()"),
        good=(
            "x = torch.rand(1, 8, 1, 1)\n"
            "y = x.squeeze(-1).squeeze(-1)\n"
            "z = x.flatten(1)\n"
            "image = torch.rand(1, 28, 28).squeeze()"
        ),
    ),
)
