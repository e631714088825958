"""The language in which the lens speaks: one kernel runs one notebook, in one language."""

LANGUAGES = ("en", "zh")
_current = "en"


def speak(language: str) -> None:
    """Choose the language of every message from here on: "en" or "zh"."""
    global _current
    if language not in LANGUAGES:
        raise ValueError(f"language: expected one of {', '.join(LANGUAGES)}, got {language!r}")
    _current = language


def say(en: str, zh: str) -> str:
    """The text in the language in use."""
    return zh if _current == "zh" else en
