"""Asking a kernel's witness, and wording what looks like tampering; for the instructor."""

import asyncio
import json
import secrets

from autograder.engine.outputs import safe_text

MOST_SIGNS, LONGEST_SIGN = 20, 300
TRIES = 3  # on a machine without a free moment, an honest kernel may be late
SILENT = (
    "The check inside the process gave no answer: its thread was stopped, or kept from running."
)
WRONG = "The check inside the process gave an answer that it cannot give: it was replaced."
FORGED = {
    "twice": "The kernel answered twice for one cell: code in it sent a reply in its name.",
    "unasked": "The kernel sent a reply that nobody asked for: code in it forges messages.",
}


async def inspect(kernel, death: asyncio.Future) -> list[str]:
    """The signs of tampering that the kernel's witness sees now; none where there is no witness.

    The answer comes out of a process that may be hostile: it is text of bounded length, no more.
    """
    if not getattr(kernel, "inspects", True):
        return []
    for _ in range(TRIES):
        nonce = secrets.token_hex(16)
        answer = await kernel.inspect(nonce)
        if answer is not None:
            return signs_in(answer, nonce)
        if death.done() or kernel.ended:
            return []
    return [SILENT]


def signs_in(answer: object, nonce: str) -> list[str]:
    """The sentences of a witness's answer to the question `nonce`."""
    if isinstance(answer, str | bytes):
        try:
            answer = json.loads(answer)
        except (ValueError, RecursionError):
            return [WRONG]
    if not isinstance(answer, dict) or answer.get("nonce") != nonce:
        return [WRONG]
    signs = answer.get("signs")
    if not (isinstance(signs, list) and all(isinstance(sign, str) for sign in signs)):
        return [WRONG]
    return [safe_text(sign, LONGEST_SIGN) for sign in signs[:MOST_SIGNS]]


def signs_of_forgery(kinds: set[str]) -> list[str]:
    return [FORGED[kind] for kind in sorted(kinds)]
