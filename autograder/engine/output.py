"""The cap on a kernel's output: so many bytes a cell and a notebook, then one notice and silence.

It works while output streams, inside the kernel: a flood never fills memory, disk or the channel to
the one who reads. A learner's code could undo it; whoever reads the kernel's messages counts again.
"""

import json
from collections import defaultdict

from ipykernel import iostream, kernelapp

from autograder.settings import course_language

NOTICES = {
    "cell": {
        "en": "[This cell wrote more than {limit} bytes of output; the rest was left out. "
        "Show a few values instead of all of them, and look for a loop that prints without end.]\n",
        "zh": "[这个单元格的输出超过了 {limit} 字节，其余部分已省略。"
        "请只显示少量数值，并找一找有没有一直在打印的循环。]\n",
    },
    "notebook": {
        "en": "[The cells of this notebook wrote more than {limit} bytes of output together; the "
        "rest was left out. Show a few values instead of all of them.]\n",
        "zh": "[这个笔记本各单元格的输出总共超过了 {limit} 字节，其余部分已省略。"
        "请只显示少量数值。]\n",
    },
}
CAPPED = {
    *("stream", "display_data", "update_display_data", "execute_result", "clear_output"),
    *("comm_open", "comm_msg", "comm_close"),
}
LONGEST_ERROR = 1 << 16  # bytes of a traceback, while there is room
SHORT_ERROR = 2048  # bytes of it where there is none: an error must show, it decides over points
OVERHEAD = 16  # bytes that a message counts for beside its content


class OutputCap:
    """Counts the bytes that a kernel publishes and stops what goes over `cell` or `notebook`.

    No locks: a fork while another thread held one would block the learner's process for ever.
    """

    def __init__(self, cell: int, notebook: int):
        self.cell, self.notebook = cell, notebook
        self._left = notebook
        self.start_cell()

    def start_cell(self) -> None:
        self._cell_left = self.cell
        self._buffered = 0  # characters that streams took in
        self._told = self._erred = False

    @property
    def room(self) -> int:
        return max(0, min(self._cell_left, self._left))

    def fit(self, text: str) -> str:
        """What a stream may still buffer of `text`: one character more than can be published."""
        fitting = text[: max(0, min(self.cell, self._left) + 1 - self._buffered)]
        self._buffered += len(fitting)
        return fitting

    def take(self, size: int) -> bool:
        """Count `size` bytes where there is room for them; says whether there was."""
        if size > self.room:
            return False
        self._cell_left -= size
        self._left -= size
        return True

    def admit(self, kind: str, content: dict, buffers: list) -> tuple[dict | None, str]:
        """What may go out of a message, None for nothing, and the notice to send after it."""
        if kind == "execute_input":
            self.start_cell()
        if kind in ("error", "execute_reply"):
            return self._admit_error(kind, content), ""
        if kind not in CAPPED or self.take(_size(content) + sum(map(len, buffers)) + OVERHEAD):
            return content, ""
        shortened, notice = None, self.notice()
        if kind == "stream":
            text = content["text"].encode()[: self.room].decode(errors="ignore")
            shortened = content | {"text": text} if text else None
            self._left -= self.room
        self._cell_left = 0
        return shortened, notice

    def notice(self) -> str:
        """The sentence on what was left out, "" where it was said already for this cell."""
        if self._told:
            return ""
        self._told = True
        which = "cell" if self._cell_left <= self._left else "notebook"
        try:
            language = course_language()
        except ValueError:  # a learner may have set it
            language = "en"
        return NOTICES[which][language].format(limit=getattr(self, which))

    def _admit_error(self, kind: str, content: dict) -> dict | None:
        if kind == "execute_reply" and _size(content.get("payload", "")) > self.cell:
            content = content | {"payload": []}
        if "traceback" not in content:
            return content
        if kind == "execute_reply" or self.take(_size(content)):
            return _shorten_error(content, min(LONGEST_ERROR, self.cell))
        if self._erred:
            return None  # the cell shows an error, and a loop may be raising them
        self._erred = True
        return _shorten_error(content, SHORT_ERROR)


def _size(content) -> int:
    """Bytes of a message's content."""
    if isinstance(content, dict):
        return sum(_size(value) for value in content.values())
    if not isinstance(content, str):
        content = json.dumps(content, default=str)
    return len(content) if content.isascii() else len(content.encode(errors="replace"))


def _shorten_error(content: dict, longest: int) -> dict:
    traceback = content["traceback"]
    if _size(traceback) > longest:
        traceback = [_clip("\n".join(traceback), longest)]
    return content | {
        "ename": _clip(content["ename"], 200),
        "evalue": _clip(content["evalue"], longest),
        "traceback": traceback,
    }


def _clip(text: str, longest: int) -> str:
    """The beginning and the end of a text that is too long."""
    if len(text) <= longest:
        return text
    half = longest // 2
    return f"{text[:half]}\n[… {len(text) - 2 * half} …]\n{text[-half:]}"


class Forgetful(defaultdict):
    """A dict of lists in which nothing stays that was not put there by name."""

    def __missing__(self, key):
        return self.default_factory()


class CappedStream(iostream.OutStream):
    """stdout or stderr of a kernel: takes in no more than the cap lets out."""

    cap: OutputCap | None = None

    def write(self, string: str) -> int | None:
        if self.cap is None or not isinstance(string, str):
            return super().write(string)
        fitting = self.cap.fit(string)
        if fitting:
            super().write(fitting)
        return len(string)


class CappedIOPub(iostream.IOPubThread):
    """Publishes what forked processes of the kernel print, as far as the cap allows."""

    cap: OutputCap | None = None

    def _handle_pipe_msg(self, msg):
        if self.cap is None or self.cap.take(sum(map(len, msg))):
            super()._handle_pipe_msg(msg)


def cap_output(app: kernelapp.IPKernelApp, cap: OutputCap) -> None:
    """Let an application, before its `initialize`, publish only what `cap` admits."""
    app.outstream_class = f"{__name__}.{CappedStream.__name__}"
    CappedStream.cap = CappedIOPub.cap = cap
    send = app.session.send

    def send_capped(
        stream, msg_or_type, content=None, parent=None, ident=None, buffers=None, **more
    ):
        made = isinstance(msg_or_type, dict)
        kind = msg_or_type["header"]["msg_type"] if made else msg_or_type
        whole = msg_or_type["content"] if made else content or {}
        admitted, notice = cap.admit(kind, whole, buffers or [])
        if made:
            parent = msg_or_type["parent_header"]
        sent = None
        if admitted is not None:
            message = msg_or_type | {"content": admitted} if made else msg_or_type
            sent = send(stream, message, None if made else admitted, parent, ident, buffers, **more)
        if notice:
            send(stream, "stream", {"name": "stdout", "text": notice}, parent, b"stream.stdout")
        return sent

    app.session.send = send_capped
