"""Whether a page of feedback is dead: nothing in it runs, nothing is fetched, nothing is sent."""

import html
from html.parser import HTMLParser
from pathlib import Path

SENDING = {"iframe", "object", "embed", "form", "base", "frame", "applet", "portal"}
ADDRESSES = {"src", "href", "action", "formaction", "data", "poster", "srcset", "background"}
ALIVE = "ALIVE"  # what every script of the corpus would say


class _Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found: list[str] = []
        self.inside = ""

    def handle_starttag(self, tag, attributes):
        self.inside = tag
        if tag in SENDING:
            self.found.append(f"<{tag}>")
        for name, value in attributes:
            value = "".join((value or "").split()).lower()
            if name.startswith("on") or name == "srcdoc":
                self.found.append(f"<{tag} {name}>")
            if name in ADDRESSES and value.startswith(("javascript:", "data:text", "http://127")):
                self.found.append(f"<{tag} {name}={value[:60]}>")
            if name == "http-equiv" and value == "refresh":
                self.found.append("<meta refresh>")

    def handle_endtag(self, tag):
        self.inside = ""

    def handle_data(self, data):
        if self.inside == "script" and ALIVE in data:
            self.found.append("a script of the submission")
        if self.inside == "style" and "127.0.0.1" in data:
            self.found.append("a style sheet of the submission")


def signs_of_life(path: Path) -> list[str]:
    """What would run, fetch or send in the page."""
    page = _Page()
    page.feed(path.read_text(encoding="utf-8"))
    page.close()
    return page.found


def words(path: Path) -> str:
    """All of the page's text, as it would be searched for a hidden line."""
    return html.unescape(path.read_text(encoding="utf-8"))
