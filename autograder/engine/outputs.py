"""A cell's outputs, made of messages that anyone may have forged: valid, bounded, safe as JSON.

What comes out is nbformat 4 whatever came in: a message of a wrong shape becomes no output at all.
"""

import json
import re
from collections.abc import Iterator

from nbformat import NotebookNode

from autograder.engine.reasons import too_much

TEXT = {
    "text/plain",
    "text/html",
    "text/latex",
    "text/markdown",
    "image/svg+xml",
}
BASE64 = {"image/png", "image/jpeg"}
_BASE64 = re.compile(r"[A-Za-z0-9+/=\s]*")
# Every cell may show this much even when the notebook has used up its share: a test must be heard.
LEAST = 8 * 1024
LONGEST_TRACEBACK = 64 * 1024
LONGEST_MESSAGE = 4 * 1024
MOST = 1000  # outputs of a cell
DEEPEST = 50  # levels of a display's JSON


def safe_text(text: object, longest: int | None = None) -> str:
    """The text without lone surrogates, which no file can hold; "" for what is not text."""
    if isinstance(text, list) and all(isinstance(line, str) for line in text):
        text = "".join(text)
    if not isinstance(text, str):
        return ""
    text = text[:longest]
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def size(text: str) -> int:
    """How many bytes the text takes in a file."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))


def output_of(kind: object, content: dict) -> NotebookNode | None:
    """The output that a message of this kind stands for; None where it stands for none."""
    if kind == "stream":
        name = "stderr" if content.get("name") == "stderr" else "stdout"
        text = safe_text(content.get("text"))
        return NotebookNode(output_type="stream", name=name, text=text) if text else None
    if kind == "error":
        return error_of(content)
    if kind not in ("display_data", "execute_result"):
        return None
    data = safe_data(content.get("data"))
    if not data:
        return None
    output = NotebookNode(output_type=kind, data=data, metadata=sizes_of_images(content, data))
    if kind == "execute_result":
        output["execution_count"] = count_of(content.get("execution_count"))
    return output


def error_of(content: dict) -> NotebookNode:
    """An error output; of a message or of a reply that tells of an error."""
    lines = content.get("traceback")
    lines = lines if isinstance(lines, list) else []
    traceback, room = [], LONGEST_TRACEBACK
    for line in lines:
        line = safe_text(line, room)
        traceback.append(line)
        room -= len(line)
        if room <= 0:
            break
    return NotebookNode(
        output_type="error",
        ename=safe_text(content.get("ename"), 200) or "Error",
        evalue=safe_text(content.get("evalue"), LONGEST_MESSAGE),
        traceback=traceback,
    )


def safe_data(data: object) -> NotebookNode:
    """The parts of a display that may be shown; scripts and unknown types are left out."""
    safe = NotebookNode()
    for mime, value in data.items() if isinstance(data, dict) else ():
        if mime in TEXT:
            safe[mime] = safe_text(value)
        elif mime in BASE64 and _BASE64.fullmatch(text := safe_text(value)):
            safe[mime] = text
        elif mime == "application/json" and (value := safe_json(value)) is not None:
            safe[mime] = value
    return safe


def safe_json(value: object) -> object:
    """The value as any JSON file may hold it; None where that cannot be."""
    if not is_shallow(value, DEEPEST):
        return None
    try:
        return json.loads(safe_text(json.dumps(value, ensure_ascii=False, allow_nan=False)))
    except (TypeError, ValueError, RecursionError):
        return None


def is_shallow(value: object, levels: int) -> bool:
    """Whether lists and objects lie at most so many levels in each other: readers recurse."""
    if not isinstance(value, list | dict):
        return True
    inside = value.values() if isinstance(value, dict) else value
    return levels > 0 and all(is_shallow(each, levels - 1) for each in inside)


def sizes_of_images(content: dict, data: dict) -> NotebookNode:
    """The metadata of a display: the sizes of its images, in pixels, and nothing else."""
    metadata = content.get("metadata")
    sizes = NotebookNode()
    for mime in data:
        given = metadata.get(mime) if isinstance(metadata, dict) else None
        kept = {
            side: given[side]
            for side in ("width", "height")
            if isinstance(given, dict) and type(given.get(side)) is int and 0 < given[side] < 10**5
        }
        if kept:
            sizes[mime] = NotebookNode(kept)
    return sizes


def count_of(value: object) -> int | None:
    """An execution count; None for what is none."""
    return value if type(value) is int and 0 <= value < 2**31 else None


def weight(output: dict) -> int:
    """The bytes that an output's texts take."""
    if output["output_type"] == "stream":
        return size(output["text"])
    if output["output_type"] == "error":
        return size(output["evalue"]) + sum(map(size, output["traceback"]))
    return sum(
        size(value if isinstance(value, str) else json.dumps(value))
        for value in output["data"].values()
    )


class Recorder:
    """The outputs of one cell as they arrive; at most `room` bytes of them are kept.

    Errors are always kept: they decide points. Streams of one name that follow one another are
    one output, as a notebook shows them.
    """

    def __init__(self, room: int):
        self.room = room
        self.outputs: list[NotebookNode] = []
        self._pieces: dict[int, list[str]] = {}  # by id of a stream's output: joined at the end
        self._used = 0
        self.full = False
        self._clear_before_next = False

    def add(self, output: NotebookNode) -> None:
        if self._clear_before_next:
            self.clear()
        if output["output_type"] == "error":
            if len(self.outputs) < MOST:
                self.outputs.append(output)
            return
        if self.full:
            return
        weighs = weight(output)
        if self._used + weighs > self.room or len(self.outputs) >= MOST:
            self._overflow(output.get("text", ""))
            return
        self._used += weighs
        self._append(output)

    def _overflow(self, text: str) -> None:
        self.full = True
        left = max(0, self.room - self._used)
        text = text.encode("utf-8", "replace")[:left].decode("utf-8", "ignore")
        self._append(NotebookNode(output_type="stream", name="stdout", text=text + too_much()))

    def _append(self, output: NotebookNode) -> None:
        if output["output_type"] != "stream":
            self.outputs.append(output)
            return
        last = self.outputs[-1] if self.outputs else None
        if last is None or last["output_type"] != "stream" or last["name"] != output["name"]:
            self.outputs.append(output)
            self._pieces[id(output)] = [output["text"]]
        else:
            self._pieces[id(last)].append(output["text"])

    def update(self, output: NotebookNode, content: dict) -> None:
        """Put other data into a display of this cell."""
        data = safe_data(content.get("data"))
        grows = weight({"output_type": "display_data", "data": data}) - weight(output)
        if data and self._used + grows <= self.room:
            self._used += grows
            output["data"], output["metadata"] = data, sizes_of_images(content, data)

    def clear(self, wait: bool = False) -> None:
        """`clear_output`: at once, or when the next output comes."""
        self._clear_before_next = wait
        if not wait:
            self.outputs.clear()
            self._pieces.clear()
            self._used, self.full = 0, False

    def finish(self) -> list[NotebookNode]:
        """The outputs, complete."""
        for output in self.outputs:
            if output["output_type"] == "stream" and id(output) in self._pieces:
                output["text"] = "".join(self._pieces.pop(id(output)))
        return self.outputs


def errors_in(outputs: list[NotebookNode]) -> Iterator[NotebookNode]:
    return (output for output in outputs if output["output_type"] == "error")
