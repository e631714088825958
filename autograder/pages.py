"""What a learner wrote, as HTML that cannot act: for the grading page and the feedback.

nbconvert's `sanitize_html` covers the outputs of cells; nbgrader's templates leave prose alone.
"""

import html
import re

import bleach
from jinja2 import pass_context
from nbconvert.filters.markdown_mistune import (
    InvalidNotebook,
    IPythonRenderer,
    MarkdownWithMath,
)

TEXT = {"p", "br", "hr", "pre", "div", "span", "details", "summary"}
HEADINGS = {f"h{level}" for level in range(1, 7)}
MARKS = {"del", "sub", "sup", "kbd", "u", "img"}
LONGEST = 20_000  # characters of prose, pictures aside: rendering takes time by their square
PICTURE = re.compile(r"data:image/[a-z+]{1,20};base64,[A-Za-z0-9+/=]*+")
TABLE = {"table", "thead", "tbody", "tr", "th", "td"}
TAGS = bleach.ALLOWED_TAGS | TEXT | HEADINGS | MARKS | TABLE


def may_stay(tag: str, name: str, value: str) -> bool:
    """Whether an attribute is kept. Pictures only from within the page: a page loads nothing."""
    if tag == "img":
        return name == "alt" or (name == "src" and value.startswith("data:image/"))
    if tag == "a" and name == "href":
        return not value.lstrip().lower().startswith("data:")
    return name in ("class", "id", "title", "align")


class Renderer(IPythonRenderer):
    """nbconvert's; a picture that is not attached is no error: grading leaves some out."""

    def _embed_image_or_attachment(self, src: str) -> str:
        try:
            return super()._embed_image_or_attachment(src)
        except InvalidNotebook:
            return ""


@pass_context
def safe_markdown(context, source: str) -> str:
    """Markdown to HTML, without scripts, forms, frames, styles and anything from elsewhere.

    What cannot be rendered is shown as it was written: the rest of the page must come out.
    """
    if len(PICTURE.sub("", source)) > LONGEST:
        return f"<pre>{html.escape(source)}</pre>"
    attachments = context.get("cell", {}).get("attachments", {})
    renderer = Renderer(escape=False, attachments=attachments)
    protocols = bleach.ALLOWED_PROTOCOLS | {"data"}
    try:
        page = MarkdownWithMath(renderer=renderer).render(source)
        return bleach.clean(page, tags=TAGS, attributes=may_stay, protocols=protocols)
    except Exception:  # whatever a learner's prose provokes
        return f"<pre>{html.escape(source)}</pre>"
