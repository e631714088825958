"""The files of a new chapter: small, complete, and accepted by `check` and `prove` as they are."""

from pathlib import Path

from authoring.chapters import NAME, Chapter

LESSON = """\
# %% [markdown]
# # {title}
#
# *What you will be able to do, minutes needed, where in the article.*
# %% [markdown] lang="zh"
# # {title}
#
# （学完能做什么，需要几分钟，对应文章的哪一节。）
# %%
import numpy as np, torch
import lens.en as lens
# %% [markdown]
# ## One idea
#
# Predict, then run.
# %% [markdown] lang="zh"
# ## 一个知识点
#
# 先预测，再运行。
# %%
torch.zeros(2, 3).shape
# %% [markdown]
# Now do the [exercises](../../exercises/en/{name}/{name}.ipynb).
# %% [markdown] lang="zh"
# 现在去做[练习](../../exercises/zh/{name}/{name}.ipynb)。
"""
EXERCISES = '''\
# %% [markdown]
# # Exercises: {title}
# %% [markdown] lang="zh"
# # 练习：{title}
# %%
import numpy as np, torch
import lens.en as lens
# %% [markdown] exercise="double" level=1 minutes=5
# ## `double`
#
# Return every element of `x` times two.
# %% [markdown] lang="zh"
# ## `double`
#
# 返回 `x` 的每个元素乘以二的结果。
# %% [markdown] hint="double"
# An operator works on the whole tensor.
# %% [markdown] lang="zh"
# 运算符作用于整个张量。
# %% answer="double"
def double(x):
    """(n,) -> (n,) || (n,) -> (n,)"""
    ### BEGIN SOLUTION
    return 2 * x
    ### END SOLUTION
# %% test="double" points=1
double = lens.attempt("double")
x = torch.tensor([1.0, 2.0, 3.0])
y = double(x)
lens.expect_not(y, x, "The elements are as they were. || 元素没有变。")
lens.expect_close(y, torch.tensor([2.0, 4.0, 6.0]))
### BEGIN HIDDEN TESTS
with lens.hidden("an empty tensor works too || 空张量也可以"):
    lens.expect_close(double(torch.empty(0)), torch.empty(0))
### END HIDDEN TESTS
lens.passed("One operation serves all elements. || 一次运算处理所有元素。")
'''
ANSWERS = """\
# %% right="double"
def double(x):
    return x + x
# %% wrong="double" says="as they were || 没有变"
def double(x):
    return x
"""


def write_skeleton(root: Path, name: str) -> list[Path]:
    """Write the three files of the chapter; refuses a wrong name and a chapter that is there."""
    if not NAME.fullmatch(name):
        raise SystemExit(f"Expected a name like 03_views, got {name!r}: two digits, _, a topic.")
    chapter = Chapter(root, name)
    if chapter.folder.exists():
        raise SystemExit(f"{chapter.folder.relative_to(root)} is there already; choose a new name.")
    chapter.folder.mkdir()
    texts = {chapter.lesson: LESSON, chapter.exercises: EXERCISES, chapter.answers: ANSWERS}
    title = name[3:].replace("_", " ").capitalize()
    for path, text in texts.items():
        filled = text.replace("{title}", title).replace("{name}", name)
        path.write_text(filled, encoding="utf-8", newline="\n")
    return list(texts)
