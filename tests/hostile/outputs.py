"""Floods: one line of 200 MB, a million lines, displays, images, warnings, odd messages."""

from tests.hostile.kit import (
    ALL,
    FIRST,
    LOSES_FIRST,
    REST,
    Attack,
    Expect,
    everything_but_first,
    forged,
)

# What is said before a right answer costs nothing more than itself, where it ends in time.
MAYBE = Expect(earns=REST, may_earn=(FIRST,))
LONG_DISPLAY = """
from IPython.display import HTML, display
for number in range(5000): display(HTML(f"<b>{number}</b>" * 50))
return None
"""
BIG_IMAGE = """
from IPython.display import Image, display
import os
display(Image(data=b"\\x89PNG\\r\\n\\x1a\\n" + os.urandom(30_000_000), format="png"))
return None
"""
BIG_FIGURE = """
import matplotlib.pyplot as plt
plt.figure(figsize=(200, 200), dpi=100)
plt.plot([1, 2])
plt.show()
return None
"""
FIGURES = """
import matplotlib.pyplot as plt
for _ in range(300): plt.figure(); plt.plot([1, 2])
return None
"""
CHILD = """
import os
os.system("yes $(printf 'x%.0s' $(seq 1000)) | head -c 200000000")
return None
"""
DESCRIPTOR = """
import os
for _ in range(200): os.write(1, b"x" * 1_000_000); os.write(2, b"y" * 1_000_000)
return None
"""
RAW = """
kernel = get_ipython().kernel
for _ in range(200):
    kernel.send_response(kernel.iopub_socket, "stream",
                         {"name": "stdout", "text": "x" * 1_000_000})
return None
"""
ODD_MESSAGES = """
kernel = get_ipython().kernel
for content in ({}, {"name": 1}, {"text": None, "name": "stdout"}, {"data": 3, "metadata": 4}):
    for what in ("stream", "display_data", "execute_result", "error", "status", "clear_output",
                 "update_display_data", "comm_open", "comm_msg", "no_such_message"):
        kernel.send_response(kernel.iopub_socket, what, content)
return None
"""
BROKEN_WIRE = """
kernel = get_ipython().kernel
socket = getattr(kernel.iopub_socket, "socket", kernel.iopub_socket)
for parts in ([b""], [b"<IDS|MSG>"], [b"x", b"<IDS|MSG>", b"0" * 64, b"{}", b"{}", b"{}", b"["]):
    kernel.iopub_socket.send_multipart(parts)
return None
"""
ODD_DISPLAY = """
from IPython.display import display
class Odd:
    def _repr_mimebundle_(self, **kwargs):
        return {"text/plain": 5, "text/html": ["<script>"], "application/x": {"a": object()},
                "image/png": b"\\xff", "../../x": "y", 7: 8}
display(Odd())
display({"text/html": {"deep": [[[[]]]]}}, raw=True)
return None
"""
NESTED = """
from IPython.display import display
x = []
for _ in range(900): x = [x]
display({"application/json": x}, raw=True)
return None
"""
DISPLAY_LOOP = """
from IPython.display import clear_output
while True: print("x" * 100); clear_output()
"""
WARNINGS = """
import warnings
for number in range(200_000): warnings.warn(f"{number}", stacklevel=1)
return None
"""
LOGGING = """
import logging
logging.basicConfig(level=0, force=True)
for number in range(300_000): logging.error("x" * 100)
return None
"""


def _first(name: str, does: str, body: str, expect: Expect = LOSES_FIRST) -> Attack:
    return Attack(f"output-{name}", "code: floods of output", does,
                  everything_but_first(body), expect)  # fmt: skip


def _right(name: str, does: str, extra: str, expect: Expect | None = None) -> Attack:
    return Attack(f"output-{name}", "code: floods of output", does,
                  forged(right=ALL, extra=extra), expect or Expect(earns=ALL))  # fmt: skip


CORPUS = (
    _first("one-line", "one line of 200 MB", "print('x' * 200_000_000)\nreturn None"),
    _first("lines", "a million lines", "for n in range(10**6): print(n)\nreturn None"),
    _first("endless", "prints for ever", "while True: print('x' * 10_000)"),
    _first("no-newline", "prints for ever without an end of line",
        "while True: print('x' * 1000, end='')"),
    _first("carriage", "a progress bar that never ends",
        "n = 0\nwhile True: n += 1; print(n, end='\\r', flush=True)"),
    _first("displays", "five thousand displays", LONG_DISPLAY),
    _first("image", "an image of 30 MB", BIG_IMAGE),
    _first("figure", "a figure of 20,000 by 20,000 pixels", BIG_FIGURE),
    _first("figures", "three hundred figures", FIGURES),
    _first("child", "a program of its own prints 200 MB", CHILD),
    _first("descriptor", "writes 400 MB to the file descriptors 1 and 2", DESCRIPTOR),
    _first("raw", "200 MB as messages of the kernel", RAW),
    _first("odd-messages", "messages that no kernel sends", ODD_MESSAGES),
    _first("broken-wire", "bytes on the wire that are no messages", BROKEN_WIRE,
        Expect(may_earn=REST)),
    _first("odd-display", "displays with keys and values of wrong types", ODD_DISPLAY),
    _first("nested", "a display nested 900 deep", NESTED),
    _first("clear", "prints and clears for ever", DISPLAY_LOOP),
    _first("warnings", "two hundred thousand warnings", WARNINGS),
    _first("logging", "three hundred thousand log lines of 100 characters", LOGGING),
    _right("quiet-flood", "right, after an extra cell with one line of 200 MB",
        "print('x' * 200_000_000)"),
    _right("result", "right, after an extra cell whose result is 50 MB", "'x' * 50_000_000"),
    _right("control", "right, after an extra cell that prints terminal codes and odd characters",
        "print('\\x1b[2J\\x1b]0;title\\x07\\x00\\ud800\\u202e\\r\\x08')"),
    _right("says-passed", "right, after an extra cell that says that everything passed",
        "print('✓ make_grid: passed.')"),
    _right("binary", "right, after an extra cell that writes bytes that are no text",
        "import sys, os\nos.write(1, bytes(range(256)) * 100)"),
)  # fmt: skip
