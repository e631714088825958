"""The four outcomes of an answer, as a learner reads them: passed, failed, raised, not attempted.

The three that are not a pass are exceptions, so that nbgrader counts the cell as not solved. The
class tells the outcome; `str(outcome)` is the whole message, and in IPython it is all that the cell
shows.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from lens import calls
from lens.frames import own_frames, where
from lens.language import say

NO_CALL = object()  # a check of the source, not of a result


class Outcome(Exception):
    """An answer that did not pass. `status` is the word that the grading uses."""

    status = ""

    def _render_traceback_(self) -> list[str]:
        """What IPython shows in place of a traceback."""
        return str(self).splitlines()


class NotAttempted(Outcome):
    """The stub is as it was handed out."""

    status = "not_attempted"


class CheckFailed(Outcome):
    """The answer ran, and an expectation does not hold."""

    status = "failed"


class AnswerRaised(Outcome):
    """The learner's code raised `error`, or the answer is not there at all (`error` is None)."""

    status = "raised"

    def __init__(self, message: str, error: BaseException | None = None, where: str = ""):
        super().__init__(message)
        self.error = error
        self.where = where


def pick(text: str) -> str:
    """The half of "English || 中文" in the language in use; a text without ` || ` as it is."""
    english, parted, chinese = text.partition(" || ")
    return say(english, chinese) if parted else text


def compose(symbol: str, name: str | None, word: str, headline: str, rows: list[tuple]) -> str:
    """The text of an outcome: one line that says what, then a line for each (label, text)."""
    colon, stop = say(": ", "："), say(". ", "。")
    head = f"{symbol} {name}{colon}{word}{stop}" if name else f"{symbol} {word}{stop}"
    lines = [(head + headline).rstrip()]
    for label, text in rows:
        if text:
            lines.append(f"  {label}{colon}" + str(text).strip().replace("\n", "\n    "))
    return "\n".join(lines).rstrip()


def failed(headline: str, *, expected="", got="", then="", about=None) -> CheckFailed:
    """A failed check, to be raised; the call shown is the one that `about` came from."""
    call = None if about is NO_CALL else calls.call_of(about)
    rows = [
        (say("Call", "调用"), call.text if call else ""),
        (say("Expected", "期望"), expected),
        (say("Got", "得到"), got),
        (say("Next", "下一步"), then),
    ]
    name = call.name if call else calls.current()
    return CheckFailed(compose("✗", name, say("failed", "未通过"), headline, rows))


def raised(name: str, headline: str, rows: list[tuple], error=None, where="") -> AnswerRaised:
    """An answer that stopped with an error, to be raised."""
    text = compose("⚠", name, say("raised an error", "运行出错"), headline, rows)
    return AnswerRaised(text, error, where)


def error_rows(call: str, error: BaseException, where: str, then: str) -> list[tuple]:
    """The lines about an error."""
    return [
        (say("Call", "调用"), call),
        (say("Error", "错误"), error_text(error)),
        (say("Your line", "出错的行"), where),
        (say("Next", "下一步"), then),
    ]


def explained(message: str, why: str) -> str:
    """The message with an explanation at the end of its first line, in place of a next step."""
    first, *rest = message.splitlines()
    next_step = f"  {say('Next: ', '下一步：')}"
    rest = list(itertools.takewhile(lambda line: not line.startswith(next_step), rest))
    return "\n".join([first.rstrip() + say(" ", "") + why, *rest])


def not_attempted(name: str, untouched: list[str]) -> NotAttempted:
    """An untouched stub, to be raised; `untouched` names the functions that are still stubs."""
    if untouched == [name]:
        headline = say(
            "Write your code in its cell, in place of `raise NotImplementedError()`, and run it."
            " Already written? Then its cell did not run, or it shows an error: mend that first.",
            "请在它的单元格里写代码，替换 `raise NotImplementedError()`，然后运行。"
            "已经写了？那就是这个单元格没有运行，或者报了错：先把它改好。",
        )
    else:
        names = say(", ", "、").join(f"`{each}`" for each in untouched)
        headline = say(
            f"Still to be written: {names}, in place of `raise NotImplementedError()`.",
            f"还没有写：{names}，请替换其中的 `raise NotImplementedError()`。",
        )
    return NotAttempted(compose("○", name, say("not attempted", "未作答"), headline, []))


def passed(why: str = "") -> None:
    """Print the tick and why the reference answer is as it is."""
    print(compose("✓", calls.current(), say("passed", "通过"), pick(why), []))


@contextmanager
def hidden(property: str) -> Iterator[None]:
    """Run hidden tests: a failure names the `property`, and neither inputs nor expected values.

    The outcome stays what it was: a failed check stays failed, an error stays raised and keeps its
    type, its message and the learner's own line. NotAttempted passes through. An error outside an
    attempt is counted as raised, so that no traceback shows the hidden lines.
    """
    cell = sys._getframe(2)
    try:
        yield
        return
    except NotAttempted:
        raise
    except (CheckFailed, AssertionError):
        outcome = _hidden_failure(pick(property))
    except AnswerRaised as error:
        if error.error is None:
            raise
        outcome = _hidden_error(pick(property), error.error, error.where)
    except Exception as error:
        own = [step for step in own_frames(error, cell.f_globals) if step[0] is not cell]
        outcome = _hidden_error(pick(property), error, where(*own[-1]) if own else "")
    raise outcome from None


def _hidden_failure(property: str) -> CheckFailed:
    rows = [
        (say("Property", "性质"), property),
        (
            say("Next", "下一步"),
            say(
                "Make small inputs of your own that test this property, and compare with what you"
                " work out by hand.",
                "请自己构造几个小输入来检验这条性质，与手算的结果对照。",
            ),
        ),
    ]
    headline = say("A hidden test does not hold.", "有一个隐藏测试没有通过。")
    word = say("failed", "未通过")
    return CheckFailed(compose("✗", calls.current(), word, headline, rows))


def _hidden_error(property: str, error: BaseException, place: str) -> AnswerRaised:
    then = say(
        "Make small inputs of your own that test this property, and call your function.",
        "请自己构造几个小输入来检验这条性质，调用你的函数。",
    )
    rows = [(say("Property", "性质"), property), *error_rows("", error, place, then)]
    headline = say("It happened in a hidden test.", "错误出现在一个隐藏测试中。")
    return raised(calls.current(), headline, rows, error, place)


def error_text(error: BaseException) -> str:
    """`ValueError: text`, at most a few lines of it."""
    lines = [line for line in str(error).splitlines() if line.strip()]
    text = "\n".join(lines[:8]) + ("\n…" if len(lines) > 8 else "")
    kind = type(error).__name__
    return f"{kind}: {text}" if text else kind
