"""What the authoring code and the grading code must agree on. Imports nothing heavy.

The directories and stubs are nbgrader's: `autograder/jupyter/nbgrader_config.py` hands them to its
commands, `authoring` makes with them the very exercises that those commands would make.
"""

import os
import time
from collections.abc import Mapping
from pathlib import Path

LANGUAGES = ("en", "zh")

# What stands in an exercise in place of the reference answer.
CODE_STUB = {
    "en": "# Write your code here\nraise NotImplementedError()",
    "zh": "# 在这里写你的代码\nraise NotImplementedError()",
}
TEXT_STUB = {
    "en": "Write your answer here",
    "zh": "在这里写你的回答",
}


def course_language(environ: Mapping[str, str] = os.environ) -> str:
    """The language of the class, "en" or "zh": COURSE_LANGUAGE, English where it is unset."""
    language = environ.get("COURSE_LANGUAGE") or "en"
    if language not in LANGUAGES:
        raise ValueError(
            f"COURSE_LANGUAGE: expected {' or '.join(LANGUAGES)}, got {language!r}. "
            "Set it to one of them, or unset it for English."
        )
    return language


def source_directory(language: str) -> str:
    """nbgrader's source: the notebooks with the answers, relative to the project's folder."""
    return f"solutions/{language}"


def release_directory(language: str) -> str:
    """nbgrader's release: the notebooks that learners get, relative to the project's folder."""
    return f"exercises/{language}"


def local_timezone(environ: Mapping[str, str] = os.environ) -> str:
    """The name of this machine's time zone, as nbgrader wants it to show times: "Asia/Shanghai"."""
    if environ.get("TZ"):
        return environ["TZ"].lstrip(":")
    linked = Path("/etc/localtime")
    _, zoneinfo, name = linked.resolve().as_posix().partition("/zoneinfo/")
    return name if zoneinfo and linked.is_symlink() else time.tzname[0]


def why_unreachable(url: str) -> str:
    """Why no gradebook can be opened at this SQLAlchemy address; "" where it can."""
    from sqlalchemy import create_engine  # only where an address was given

    try:
        engine = create_engine(url)
        engine.connect().close()
        engine.dispose()
    except Exception as error:  # a wrong address, a missing driver, a server that does not answer
        reason = str(error).splitlines()[0]
        return (
            "AUTOGRADER_DB: expected the SQLAlchemy address of a database that answers, such as "
            f"sqlite:////home/me/gradebook.db; got {type(error).__name__}: {reason}\n"
            "Mend the address, install its driver into .venv, or unset AUTOGRADER_DB for SQLite."
        )
    return ""
