# %% [markdown]
# # Tensor Course
#
# Learn PyTorch tensors by doing: read a little, predict, run, look.
#
# {chapters}
#
# **How a lesson works.** Click a cell and press `Shift+Enter`: it runs, and the next one is selected.
# Before a cell that surprises people there is a question. Answer it first; being wrong on paper is
# how the surprise sticks.
#
# **How an exercise works.** Write your answer in the cell, run it, then run the check under it. It
# tells you whether you passed; where you did not, it says what is wrong, what came, and, where that
# helps, what to do next. Hints are folded: open one at a time.
# %% [markdown] lang="zh"
# # 张量课程
#
# 动手学 PyTorch 张量：读一点，先预测，再运行，看结果。
#
# {chapters}
#
# **讲义怎么学**：点一个单元格，按 `Shift+Enter`：它会运行，并自动选中下一个。
# 容易出乎意料的单元格，前面都有一道题。先作答再运行，猜错的地方才记得牢。
#
# **练习怎么做**：把答案写进单元格并运行，再运行它下面的检查单元格。
# 检查会告诉你是否通过；没通过时，会说明错在哪里、得到了什么，必要时还会提示下一步做什么。
# 提示是折叠的，一次只看一条。
