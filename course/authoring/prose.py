"""Twins of prose: the same code, formulas and links; and Markdown that renders as meant."""

import re
from collections.abc import Iterator

from markdown_it import MarkdownIt
from markdown_it.token import Token

from authoring.problems import Problem
from authoring.source import Cell

_parser = MarkdownIt("commonmark").enable("table")
FORMULA = re.compile(r"\$\$.+?\$\$|\$[^$\n]+\$", re.DOTALL)


def twin_problems(cell: Cell) -> list[Problem]:
    """What the English and the Chinese of a prose cell do not have in common."""
    problems = []
    english, chinese = cell.sources["en"], cell.sources["zh"]
    for what, pick in (("code", code_in), ("formulas", formulas_in), ("links", twin_links_in)):
        ours, theirs = pick(english), pick(chinese)
        if ours != theirs:
            only = [sorted(map(str, ours - theirs)), sorted(map(str, theirs - ours))]
            problems.append(
                Problem(
                    cell.where,
                    f"twins name different {what}: only English {only[0]}, only Chinese {only[1]}",
                    "name the same in both",
                )
            )
    levels = [re.findall(r"^#+", text, re.MULTILINE) for text in (english, chinese)]
    if levels[0] != levels[1]:
        problems.append(Problem(cell.where, "twins have different headings", "same levels in both"))
    for text in (english, chinese):
        for line in unrendered_bold(text):
            problems.append(
                Problem(
                    cell.where,
                    f"`**` is shown as it stands, not as bold: {line[:60]}",
                    "put the mark beside a letter, or a space outside it",
                )
            )
    return problems


def code_in(text: str) -> set[str]:
    """The code spans and code blocks of a text."""
    return {t.content.strip() for t in _tokens(text) if t.type in ("code_inline", "fence")}


def formulas_in(text: str) -> set[str]:
    """The formulas between dollar signs, outside code."""
    return set(FORMULA.findall("\n".join(_words(text))))


def links_in(text: str) -> list[str]:
    """The targets of links and pictures, in order."""
    return [
        str(token.attrs.get("href") or token.attrs.get("src"))
        for token in _tokens(text)
        if token.type in ("link_open", "image")
    ]


def twin_links_in(text: str) -> set[str]:
    """Links with the language taken out of them: en/ and zh/ are the same place to a reader."""
    return {re.sub(r"(^|/)(en|zh)(?=/)", r"\1*", link) for link in links_in(text)}


def unrendered_bold(text: str) -> list[str]:
    """Words in which `**` is left over: CommonMark did not take it for a mark of bold."""
    return [words for words in _words(text) if "**" in words]


def _words(text: str) -> list[str]:
    return [token.content for token in _tokens(text) if token.type == "text"]


def _tokens(text: str) -> Iterator[Token]:
    for token in _parser.parse(text):
        yield token
        yield from token.children or ()
