"""Files whose content is no notebook, or one of another age: JSON, encodings, formats."""

import json
import os

from nbformat import NotebookNode

from tests.hostile.kit import (
    ALL,
    KEEPS_ALL,
    NOTHING,
    Attack,
    Expect,
    Material,
    forge,
    forged,
    raw,
    rejected,
)

MENDED_OR_NOT = Expect("either", may_earn=ALL)


def right(given: Material) -> NotebookNode:
    return forge(given, right=ALL)


def text_of(given: Material, encoding: str, prefix: bytes = b"") -> bytes:
    notebook = json.dumps(right(given), ensure_ascii=False)
    return prefix + notebook.encode(encoding, "replace")


def as_version_3(given: Material) -> str:
    """The notebook as IPython wrote it in 2014."""
    cells = []
    for cell in right(given).cells:
        if cell.cell_type == "code":
            made = {"input": cell.source, "language": "python", "outputs": [], "collapsed": False}
        else:
            made = {"source": cell.source}
        cells.append({"cell_type": cell.cell_type, "metadata": cell.metadata, **made})
    sheet = {"cells": cells, "metadata": {}}
    return json.dumps({"nbformat": 3, "nbformat_minor": 0, "worksheets": [sheet], "metadata": {}})


def with_version(version):
    return raw(lambda given: json.dumps({**right(given), "nbformat": version}))


def without(*fields: str):
    def write(given: Material) -> str:
        notebook = right(given)
        for cell in notebook.cells:
            for field in fields:
                cell.pop(field, None)
        return json.dumps({k: v for k, v in notebook.items() if k not in fields})

    return raw(write)


def nested(opening: str, depth: int = 1_000_000):
    return raw(lambda given: opening * depth)


def nested_in_metadata(given: Material) -> str:
    text = json.dumps(right(given))
    deep = '{"a":' * 100_000 + "1" + "}" * 100_000
    return text.replace('"metadata": {', f'"metadata": {{"deep": {deep}, ', 1)


def huge(given: Material) -> bytes:
    """200 MB, nearly all of them blanks: valid JSON."""
    return text_of(given, "utf-8") + b" " * 200_000_000


def heavy_output(notebook: NotebookNode) -> None:
    code = next(cell for cell in notebook.cells if cell.cell_type == "code")
    code["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "x" * 60_000_000}]


def heavy_source(notebook: NotebookNode) -> None:
    code = next(cell for cell in notebook.cells if cell.cell_type == "code")
    code["source"] += "\n# " + "x" * 12_000_000


def fill(value):
    def change(notebook: NotebookNode) -> None:
        for cell in notebook.cells:
            cell["source"] = value

    return change


def cells_become(value):
    return raw(lambda given: json.dumps({**right(given), "cells": value}))


def twice_the_keys(given: Material) -> str:
    """JSON with the key `cells` twice: readers differ in which one they take."""
    text = json.dumps(right(given))
    empty = json.dumps(forge(given))
    return text[:-1] + ', "cells": ' + empty[empty.index("[") : empty.rindex("]") + 1] + "}"


def merge_conflict(given: Material) -> str:
    text = json.dumps(right(given), indent=1)
    return text.replace(" ", "<<<<<<< HEAD\n ", 1).replace("}", "}\n=======\n>>>>>>> mine", 1)


def _file(name: str, does: str, write, expect: Expect) -> Attack:
    return Attack(f"file-{name}", "files", does, write, expect)


CORPUS = (
    _file("no-json", "text that is no notebook", raw(lambda g: "Sorry, it crashed.\n"),
        rejected("not JSON")),
    _file("empty", "a file of no bytes", raw(lambda g: b""), rejected("empty")),
    _file("blank", "a file of blanks", raw(lambda g: b" \n" * 100), rejected("empty")),
    _file("zeros", "a file of null bytes", raw(lambda g: b"\0" * 4096), rejected()),
    _file("random", "random bytes", raw(lambda g: os.urandom(4096)), rejected()),
    _file("pickle", "a pickle that runs a command when it is loaded",
        raw(lambda g: b"cos\nsystem\n(S'touch " + g.prey.fill("@SECRET@.pwned").encode()
            + b"'\ntR."), rejected()),
    _file("html", "a web page", raw(lambda g: "<!DOCTYPE html><script>alert(1)</script>"),
        rejected("web page")),
    _file("list", "JSON, but a list", raw(lambda g: "[1, 2]"), rejected("no list of cells")),
    _file("number", "JSON, but a number", raw(lambda g: "7" * 100_000), rejected()),
    _file("nan", "JSON that is NaN", raw(lambda g: "NaN"), rejected()),
    _file("no-cells", "a notebook without cells", cells_become([]), NOTHING),
    _file("cells-object", "cells that are an object", cells_become({"0": {}}), rejected()),
    _file("cells-null", "cells that are null", cells_become(None), rejected()),
    _file("cells-mixed", "cells that are numbers, texts and lists",
        cells_become([1, "x", [], None, {}]), NOTHING),
    _file("cut-off", "right, cut off in the middle",
        raw(lambda g: text_of(g, "utf-8")[:20_000]), rejected("stops in the middle")),
    _file("merge", "marks of a git merge", raw(merge_conflict), rejected("merge")),
    _file("keys-twice", "the key `cells` twice", raw(twice_the_keys), MENDED_OR_NOT),
    _file("version-3", "right, in nbformat 3", raw(as_version_3), KEEPS_ALL),
    _file("version-5", "right, says nbformat 5", with_version(5), KEEPS_ALL),
    _file("version-99", "right, says nbformat 99", with_version(99), KEEPS_ALL),
    _file("version-text", "right, says nbformat \"four\"", with_version("four"), KEEPS_ALL),
    _file("version-huge", "right, says nbformat 10**5000",
        raw(lambda g: json.dumps(right(g)).replace('"nbformat": 4', '"nbformat": ' + "9" * 5000)),
        KEEPS_ALL),
    _file("fields-missing", "right, without ids, outputs and counts",
        without("id", "outputs", "execution_count", "nbformat_minor"), KEEPS_ALL),
    _file("types-missing", "right, without the cells' types", without("cell_type"),
        MENDED_OR_NOT),
    _file("bom", "right, with a byte order mark",
        raw(lambda g: text_of(g, "utf-8", b"\xef\xbb\xbf")), KEEPS_ALL),
    _file("latin-1", "right, in Latin-1", raw(lambda g: text_of(g, "latin-1")), KEEPS_ALL),
    _file("utf-16", "right, in UTF-16", raw(lambda g: text_of(g, "utf-16")), KEEPS_ALL),
    _file("gb18030", "right, in GB18030", raw(lambda g: text_of(g, "gb18030")), KEEPS_ALL),
    _file("broken-utf-8", "right, with some bytes broken",
        raw(lambda g: text_of(g, "utf-8").replace("é".encode(), b"\xc3").replace(b"# 2", b"\xff")),
        KEEPS_ALL),
    _file("nested-lists", "lists a million deep", nested("["), rejected("nested")),
    _file("nested-objects", "objects a million deep", nested('{"cells":'), rejected("nested")),
    _file("nested-metadata", "right, metadata a hundred thousand deep", raw(nested_in_metadata),
        MENDED_OR_NOT),
    _file("huge", "right, and 200 MB of blanks", raw(huge), rejected("larger than")),
    _file("heavy-output", "right, with a stored output of 60 MB",
        forged(right=ALL, change=heavy_output), rejected("larger than")),
    _file("heavy-source", "right, with a comment of 12 MB in a cell",
        forged(right=ALL, change=heavy_source), MENDED_OR_NOT),
    _file("sources-null", "every source is null", forged(right=ALL, change=fill(None)), NOTHING),
    _file("sources-numbers", "every source is a number", forged(right=ALL, change=fill(7)),
        NOTHING),
    _file("sources-lists", "every source is a list of numbers", forged(change=fill([1, [2], {}])),
        NOTHING),
)  # fmt: skip
