"""A submitted file as a notebook, however it was saved. Of what it says, little is kept.

Of each cell: its type, its source, nbgrader's grade id, and pasted pictures. No tags, no outputs,
no other metadata. What had to be mended is said in `notebook.metadata.notes`.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator

from nbformat import NotebookNode

from autograder.limits import MIB
from autograder.refusals import Refused

MAX_BYTES = 20 * MIB
MAX_CELLS = 2000
MAX_SOURCE = 2 * MIB  # characters of one cell; prose may hold a picture as text
MAX_CONTAINERS = 2_000_000  # lists and objects: each takes far more memory than its two bytes
MAX_PICTURES = 8 * MIB  # bytes of a notebook's pasted pictures, in base64
GRADE_ID = re.compile(r"[A-Za-z0-9_-]{1,200}")  # nbgrader's own rule, with an end
CODE_ONLY = {"input", "outputs", "execution_count"}
PICTURE = re.compile(r"image/(?:png|jpeg|gif)")
BASE64 = re.compile(r"[A-Za-z0-9+/\s]*+={0,2}+\s*+")  # possessive: never goes back


class Unreadable(Refused):
    """The file is no notebook that could be read; `str(error)` says why and what to do."""


def read_notebook(raw: bytes) -> NotebookNode:
    """The submitted cells, as a valid notebook of nbformat 4.5. Raises Unreadable, nothing else.

    Reads UTF-8, UTF-16 and UTF-32, with a byte order mark or without, GB18030 and Latin-1; nbformat
    2 and 3, 4 with fields missing, and what calls itself a later one and has cells like 4.
    """
    notes: Counter[str] = Counter()
    found = _parse(_decode(raw, notes))
    cells = _cells_of(found, notes)
    if len(cells) > MAX_CELLS:
        raise Unreadable("many_cells", limit=MAX_CELLS)
    room = MAX_PICTURES
    read = []
    for cell in cells:
        if not isinstance(cell, dict):
            notes["Something among the cells was no cell and was left out."] += 1
            continue
        made = _cell(cell, f"cell-{len(read)}", room, notes)
        room -= _picture_bytes(made)
        read.append(made)
    metadata = NotebookNode(notes=list(_counted(notes)))
    return NotebookNode(nbformat=4, nbformat_minor=5, metadata=metadata, cells=read)


def _counted(notes: Counter[str]) -> Iterator[str]:
    for note, count in notes.items():
        yield note if count == 1 else f"{note} ({count} times)"


def decode(raw: bytes) -> tuple[str, str]:
    """The text, and the name of its encoding where that is not plain UTF-8 ("" where it is)."""
    encoding = json.detect_encoding(raw)
    if encoding.startswith("utf-8"):
        try:
            return raw.decode(encoding), ""
        except UnicodeDecodeError:
            return _decode_legacy(raw)
    return raw.decode(encoding, "replace"), encoding.upper()


def _decode_legacy(raw: bytes) -> tuple[str, str]:
    """Bytes that are not UTF-8 throughout: damaged, or written by an editor of another age."""
    mended = raw.decode("utf-8-sig", "replace")
    damaged = mended.count("\ufffd")
    if sum(map(len, re.findall(r"[^\x00-\x7f\ufffd]+", mended))) > damaged:
        return mended, "damaged UTF-8"
    runs = re.findall(rb"[\x80-\xff]+", raw)
    if 2 * sum(len(run) > 1 for run in runs) > len(runs):  # Latin letters with marks stand alone
        try:
            return raw.decode("gb18030"), "GB18030"
        except UnicodeDecodeError:
            pass
    try:
        return raw.decode("cp1252"), "Latin-1"
    except UnicodeDecodeError:
        return raw.decode("latin-1"), "Latin-1"


def _decode(raw: bytes, notes: Counter[str]) -> str:
    if len(raw) > MAX_BYTES:
        raise Unreadable("too_large", name="The notebook", limit=MAX_BYTES // MIB)
    if raw.startswith(b"PK\x03\x04"):
        raise Unreadable("zip_as_notebook")
    text, encoding = decode(raw)
    if encoding:
        notes[f"The file was not saved as UTF-8; it was read as {encoding}."] += 1
    return text.strip("\ufeff\0 \t\r\n")


def _parse(text: str) -> object:
    if not text:
        raise Unreadable("empty")
    if text.count("[") + text.count("{") > MAX_CONTAINERS:
        raise Unreadable("too_deep")
    try:
        # No number is needed exactly, and float takes as many digits as there are.
        return json.loads(text, parse_int=float)
    except RecursionError:
        raise Unreadable("too_deep") from None
    except json.JSONDecodeError as error:
        raise Unreadable(_why_no_json(text, error)) from None


def _why_no_json(text: str, error: json.JSONDecodeError) -> str:
    if text.startswith("<") and not text.startswith("<<<<<<<"):
        return "web_page"
    if re.search(r"^<<<<<<< ", text, re.MULTILINE):
        return "merge_marks"
    starts_well = text.startswith("{") and '"cells"' in text
    at_the_end = error.pos >= len(text) - 1 or error.msg.startswith("Unterminated string")
    return "cut_off" if starts_well and at_the_end else "not_json"


def _cells_of(found: object, notes: Counter[str]) -> list:
    if not isinstance(found, dict):
        raise Unreadable("no_cells")
    cells, version = found.get("cells"), found.get("nbformat")
    if isinstance(cells, list):
        if version != 4:
            notes["The notebook does not say that it is of nbformat 4; it was read as that."] += 1
        return cells
    sheets = found.get("worksheets")
    if not isinstance(sheets, list):
        raise Unreadable("no_cells")
    notes["The notebook was saved in an old format (nbformat 3)."] += 1
    lists = [sheet.get("cells") for sheet in sheets if isinstance(sheet, dict)]
    return [cell for cells in lists if isinstance(cells, list) for cell in cells]


def _cell(cell: dict, cell_id: str, room: int, notes: Counter[str]) -> NotebookNode:
    kind = cell.get("cell_type")
    if kind not in ("code", "markdown", "raw"):
        code = kind is None and not CODE_ONLY.isdisjoint(cell)
        kind = "code" if code else "markdown"
    source = _source(cell, notes)
    if cell.get("cell_type") == "heading":
        level = cell.get("level")
        source = "#" * (int(level) if level in range(1, 7) else 1) + " " + source
    metadata = NotebookNode()
    if grade_id := _grade_id(cell.get("metadata")):
        metadata["nbgrader"] = NotebookNode(grade_id=grade_id)
    made = NotebookNode(cell_type=kind, id=cell_id, metadata=metadata, source=source)
    if kind == "code":
        made["outputs"], made["execution_count"] = [], None
    elif pictures := _pictures(cell.get("attachments"), room):
        made["attachments"] = pictures
    return made


def _source(cell: dict, notes: Counter[str]) -> str:
    """The text of a cell, with plain line ends and without halves of characters."""
    source = cell.get("source", cell.get("input", ""))
    if isinstance(source, list):
        source = "".join(line for line in source if isinstance(line, str))
    if not isinstance(source, str):
        notes["A cell held no text; it was taken for empty."] += 1
        return ""
    if len(source) > MAX_SOURCE:
        notes[f"A cell of more than {MAX_SOURCE // MIB} MiB was taken for empty."] += 1
        return ""
    if "\r" in source:
        source = source.replace("\r\n", "\n").replace("\r", "\n")
    try:
        source.encode()
    except UnicodeEncodeError:
        source = source.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return source


def _grade_id(metadata: object) -> str | None:
    """nbgrader's id of the cell, where the metadata has one as nbgrader writes it."""
    data = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    grade_id = data.get("grade_id") if isinstance(data, dict) else None
    valid = isinstance(grade_id, str) and GRADE_ID.fullmatch(grade_id)
    return grade_id if valid else None


def _picture_bytes(cell: NotebookNode) -> int:
    bundles = cell.get("attachments", {}).values()
    return sum(len(data) for bundle in bundles for data in bundle.values())


def _pictures(attachments: object, room: int) -> dict[str, dict[str, str]]:
    """The pictures pasted into an answer in words: bitmaps only, which cannot act."""
    kept: dict[str, dict[str, str]] = {}
    for name, bundle in attachments.items() if isinstance(attachments, dict) else ():
        if not isinstance(bundle, dict) or not name.isprintable() or len(name) > 200:
            continue
        for kind, data in bundle.items():
            if not (PICTURE.fullmatch(kind) and isinstance(data, str)):
                continue
            room -= len(data)
            if room >= 0 and BASE64.fullmatch(data):
                kept[name] = NotebookNode({kind: data})
    return NotebookNode(kept)
