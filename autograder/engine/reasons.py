"""What a learner reads in place of a result when a cell was stopped, or was not run at all."""

from nbformat import NotebookNode

from autograder.settings import course_language

REASONS = {
    "CellTimeoutError": {
        "en": "this cell did not finish in time and was stopped; it gives no points. "
        "Look for a loop that never ends.",
        "zh": "这个单元格没有在时限内运行完，已被停止，不得分。请找一找有没有停不下来的循环。",
    },
    "DeadKernelError": {
        "en": "this cell ended the Python process; it gives no points. "
        "Look for a call that exits, or for very large tensors.",
        "zh": "这个单元格使 Python 进程退出，不得分。请找一找有没有退出程序的调用，或过大的张量。",
    },
    "LostKernelError": {
        "en": "this cell cut the connection to its Python process; it gives no points. "
        "Look for code that closes `sys.stdout` or sockets, or that prints very much at once.",
        "zh": "这个单元格切断了与 Python 进程的连接，不得分。"
        "请找一找有没有关闭 `sys.stdout` 或套接字的代码，或一次输出过多的代码。",
    },
    "CellMemoryError": {
        "en": "this cell used more memory than it may and was stopped; it gives no points. "
        "Look for very large tensors, or for a list that keeps growing.",
        "zh": "这个单元格用的内存超出了限额，已被停止，不得分。"
        "请找一找有没有过大的张量，或不断变长的列表。",
    },
    "CellOutputError": {
        "en": "this cell printed without end and was stopped; it gives no points. "
        "Look for a `print` in a loop.",
        "zh": "这个单元格的输出没有止境，已被停止，不得分。请找一找循环里有没有 `print`。",
    },
    "ForgedReplyError": {
        "en": "this cell answered the grading in the kernel's name; it gives no points.",
        "zh": "这个单元格冒充内核回应评分程序，不得分。",
    },
    "CellNotRun": {
        "en": "this cell was not run; it gives no points.",
        "zh": "这个单元格没有运行，不得分。",
    },
}

# How a cell ended -> the error that stands in its outputs.
STOPPED = {
    "timeout": "CellTimeoutError",
    "died": "DeadKernelError",
    "lost": "LostKernelError",
    "memory": "CellMemoryError",
    "output": "CellOutputError",
    "not_run": "CellNotRun",
}

TOO_MUCH = {
    "en": "\n… the rest of the output is left out: it is too long.\n",
    "zh": "\n……其余输出过长，已略去。\n",
}


def error_output(name: str) -> NotebookNode:
    """An error as a cell's output: nbgrader gives 0 points for it and the feedback shows it."""
    reason = REASONS[name][course_language()]
    return NotebookNode(
        output_type="error", ename=name, evalue=reason, traceback=[f"{name}: {reason}"]
    )


def too_much() -> str:
    """The notice after output that was cut short."""
    return TOO_MUCH[course_language()]
