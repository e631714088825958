"""What a learner wrote, as HTML that cannot act: for the grading page and the feedback.

nbconvert's `sanitize_html` covers the outputs of cells; nbgrader's templates leave prose alone.
"""

import bleach
from jinja2 import pass_context
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

TEXT = {"p", "br", "hr", "pre", "div", "span", "details", "summary"}
HEADINGS = {f"h{level}" for level in range(1, 7)}
MARKS = {"del", "sub", "sup", "kbd", "u", "img"}
TABLE = {"table", "thead", "tbody", "tr", "th", "td"}
TAGS = bleach.ALLOWED_TAGS | TEXT | HEADINGS | MARKS | TABLE


def may_stay(tag: str, name: str, value: str) -> bool:
    """Whether an attribute is kept. Pictures only from within the page: a page loads nothing."""
    if tag == "img":
        return name == "alt" or (name == "src" and value.startswith("data:image/"))
    if tag == "a" and name == "href":
        return not value.lstrip().lower().startswith("data:")
    return name in ("class", "id", "title", "align")


@pass_context
def safe_markdown(context, source: str) -> str:
    """Markdown to HTML, without scripts, forms, frames, styles and anything from elsewhere."""
    attachments = context.get("cell", {}).get("attachments", {})
    renderer = IPythonRenderer(escape=False, attachments=attachments)
    html = MarkdownWithMath(renderer=renderer).render(source)
    protocols = bleach.ALLOWED_PROTOCOLS | {"data"}
    return bleach.clean(html, tags=TAGS, attributes=may_stay, protocols=protocols)
