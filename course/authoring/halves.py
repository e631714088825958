"""Code stands once; its comments and strings hold both languages, parted by ` || `.

`half` gives the code of one language. Only comments and plain string literals can be parted:
an f-string is parsed differently from one Python to the next, so it is refused.
"""

import io
import re
import tokenize

PARTING = "||"


class NotParted(ValueError):
    """A text that cannot be parted in two; `line` counts from 1 within the cell."""

    def __init__(self, message: str, line: int):
        super().__init__(message)
        self.line = line


def half(source: str, language: str) -> str:
    """The source with every parted comment and string reduced to one language ("en" or "zh")."""
    lines = source.splitlines(keepends=True)
    for token in reversed(parted_tokens(source)):
        text = _choose(token, language)
        (first, start), (last, end) = token.start, token.end
        lines[first - 1 : last] = [lines[first - 1][:start] + text + lines[last - 1][end:]]
    return "".join(lines)


def parted_tokens(source: str) -> list[tokenize.TokenInfo]:
    """The comments and strings of a cell that hold two languages, in order."""
    found = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if PARTING not in token.string:
            continue
        if token.type == tokenize.COMMENT or _is_plain_string(token):
            found.append(token)
        else:
            message = "` || ` stands in an f-string; only comments and plain strings are parted"
            raise NotParted(message, token.start[0])
    return found


def _is_plain_string(token: tokenize.TokenInfo) -> bool:
    prefix = re.match(r"[a-zA-Z]*", token.string)[0].lower()
    return token.type == tokenize.STRING and "f" not in prefix


def _choose(token: tokenize.TokenInfo, language: str) -> str:
    opening = re.match(r"#\s*|[a-zA-Z]*('''|\"\"\"|'|\")", token.string)[0]
    closing = "" if token.type == tokenize.COMMENT else opening.lstrip("rRbBuU")
    body = token.string[len(opening) : len(token.string) - len(closing)]
    parts = body.split(PARTING)
    if len(parts) != 2 or not all(part.strip() for part in parts):
        raise NotParted(
            f"expected English || Chinese in {token.string[:60]!r}, got {len(parts)} parts",
            token.start[0],
        )
    english, chinese = parts
    fields = [sorted(re.findall(r"\{[^{}]*\}", part)) for part in parts]
    if fields[0] != fields[1]:
        raise NotParted(
            f"the halves of {token.string[:60]!r} hold different placeholders: {fields[0]} and "
            f"{fields[1]}",
            token.start[0],
        )
    if language == "zh":
        return opening + chinese.lstrip() + closing
    # The white space before the closing quotes belongs to both languages.
    return opening + english.rstrip() + body[len(body.rstrip()) :] + closing
