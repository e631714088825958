"""HTML and scripts in prose, outputs, errors and names; they must not reach a page alive."""

from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell

from tests.hostile.kit import (
    ALL,
    KEEPS_ALL,
    LOSES_FIRST,
    REST,
    Attack,
    Expect,
    find,
    forged,
    in_answer,
)

SCRIPT = "<script>document.title = 'ALIVE'</script>"
IMAGE = "<img src=x onerror=\"document.title = 'ALIVE'\">"
LIVE = (
    SCRIPT,
    IMAGE,
    "<svg onload=\"document.title = 'ALIVE'\"><script>1</script></svg>",
    "<a href=\"javascript:document.title = 'ALIVE'\">here</a>",
    "<iframe srcdoc=\"<script>parent.document.title = 'ALIVE'</script>\"></iframe>",
    "<form action=http://127.0.0.1:@PORT@><button formaction=javascript:1>x</button></form>",
    "<style>@import 'http://127.0.0.1:@PORT@/x.css';</style>",
    "<link rel=stylesheet href=http://127.0.0.1:@PORT@/x.css>",
    "<meta http-equiv=refresh content='0;url=http://127.0.0.1:@PORT@/'>",
    "![x](http://127.0.0.1:@PORT@/pixel.png)",
    "[x](javascript:document.title='ALIVE')",
    "</textarea></pre></div>" + SCRIPT,
    "$\\href{javascript:document.title='ALIVE'}{x}$",
    "<base href=http://127.0.0.1:@PORT@/>",
    '<object data="data:text/html,<script>1</script>"></object>',
)
PROSE = "\n\n".join(LIVE)


def words(notebook: NotebookNode) -> None:
    find(notebook, "in_words").source = PROSE


def prose(notebook: NotebookNode) -> None:
    notebook.cells.insert(1, new_markdown_cell(PROSE, id="prose"))


def raw_cells(notebook: NotebookNode) -> None:
    cell = new_markdown_cell(PROSE, id="raw")
    cell["cell_type"] = "raw"
    cell["metadata"] = {"format": "text/html", "raw_mimetype": "text/html"}
    notebook.cells.insert(1, cell)


def attachments(notebook: NotebookNode) -> None:
    cell = new_markdown_cell("![x](attachment:x.svg)", id="picture")
    cell["attachments"] = {"x.svg": {"image/svg+xml": LIVE[2]}, SCRIPT: {"text/html": SCRIPT}}
    notebook.cells.insert(1, cell)


DISPLAYS = f"""
from IPython.display import HTML, Javascript, Latex, Markdown, SVG, display
for text in {LIVE!r}:
    display(HTML(text), Markdown(text), Latex(text))
display(Javascript("document.title = 'ALIVE'"))
display(SVG({LIVE[2]!r}))
display({{"text/html": {SCRIPT!r}, "application/javascript": "1", "image/svg+xml": {LIVE[2]!r},
         "application/vnd.jupyter.widget-view+json": {{"model_id": {SCRIPT!r}}}}}, raw=True)
print({PROSE!r})
"""


def _html(name: str, does: str, expect: Expect = KEEPS_ALL, **options) -> Attack:
    options.setdefault("right", ALL)
    return Attack(f"html-{name}", "HTML and scripts", does, forged(**options), expect)


CORPUS = (
    _html("words", "right, scripts in the answer in words",
        Expect(earns=ALL, statuses={"in_words": "needs_manual"}), change=words),
    _html("prose", "right, scripts in prose of its own", change=prose),
    _html("raw", "right, scripts in raw cells", change=raw_cells),
    _html("attachments", "right, scripts in attachments", change=attachments),
    _html("outputs", "right, scripts in outputs of every kind", extra=DISPLAYS),
    _html("error", "scripts in an error's name and text", LOSES_FIRST, right=REST,
        answers=in_answer(f"raise type({IMAGE!r}, (Exception,), {{}})({PROSE!r})")),
    _html("code", "right, scripts in comments", extra=f"# {SCRIPT} {IMAGE}\n'''{PROSE}'''"),
)  # fmt: skip
