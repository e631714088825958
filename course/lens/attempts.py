"""Calling a learner's answer so that whatever happens is one of the four outcomes."""

from __future__ import annotations

import difflib
import functools
import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from lens import calls
from lens.frames import homes_of, own_frames, raised_by_statement, where
from lens.language import say
from lens.outcomes import AnswerRaised, Outcome, error_rows, not_attempted, raised
from lens.stubs import is_stub, untouched


def attempt(answer: str | Callable) -> Answer:
    """The learner's function or class of that name, ready to be called by a test.

    Looks the name up among the caller's globals. Raises NotAttempted for an untouched stub (for a
    class: when one of its methods is one), AnswerRaised when the name is missing. Calling the
    result returns what the learner's code returns, and raises AnswerRaised for an error in it; an
    instance made by a learner's class is that class's own instance. To guard later calls too, give
    a callable: `model = attempt(model)`.
    """
    namespace = sys._getframe(1).f_globals
    if not isinstance(answer, str):
        target = answer.target if isinstance(answer, Answer) else answer
        name = getattr(target, "__name__", type(target).__name__)
        return Answer(name, target, namespace)
    calls.begin(answer)
    if answer not in namespace:
        raise _missing(answer, namespace)
    target = namespace[answer]
    if isinstance(target, Answer):  # the test cell ran before, and bound its own name to it
        target = target.target
    if not callable(target):
        raise _overwritten(answer, target)
    if stubs := untouched(target):
        raise not_attempted(answer, stubs)
    return Answer(answer, target, namespace)


class Answer:
    """A learner's function, class or callable, called on behalf of a test."""

    _running = False  # one answer calling another: errors pass as they are, to the outer one

    def __init__(self, name: str, target: Callable, namespace: dict):
        functools.update_wrapper(self, target, updated=())
        self.name, self.target, self.namespace = name, target, namespace

    def __call__(self, *args, **kwargs):
        if Answer._running:
            return self.target(*args, **kwargs)
        call = calls.begin_call(self.name, args, kwargs)
        with self._outcomes(call):
            result = self.target(*args, **kwargs)
        call.returned(result)
        return self._each(call, result) if inspect.isgenerator(result) else result

    @contextmanager
    def _outcomes(self, call: calls.Call) -> Iterator[None]:
        own = self.namespace.get(self.name)
        if own is self:  # inside, the name is the learner's own: recursion, super(Name, self)
            self.namespace[self.name] = self.target
        Answer._running = True
        try:
            yield
            return
        except Outcome:
            raise
        except (Exception, SystemExit) as error:
            outcome = outcome_of(error, call, [self.namespace, *homes_of(self.target)])
        finally:
            Answer._running = False
            if own is self:
                self.namespace[self.name] = self
        raise outcome from None

    def _each(self, call: calls.Call, generator: Iterator) -> Iterator:
        done = object()
        while True:
            with self._outcomes(call):
                item = next(generator, done)
            if item is done:
                return
            yield item

    def __getattr__(self, name: str):
        if name == "target":  # not yet set, as in copy and pickle
            raise AttributeError(name)
        return getattr(self.target, name)

    def __repr__(self) -> str:
        return repr(self.target)

    def __instancecheck__(self, instance: object) -> bool:
        return isinstance(instance, self.target)

    def __subclasscheck__(self, subclass: type) -> bool:
        return issubclass(subclass, self.target)

    def __mro_entries__(self, bases: tuple) -> tuple:
        return (self.target,)


def outcome_of(error: BaseException, call: calls.Call, homes: list[dict]) -> Outcome:
    """The outcome that an error in the learner's code stands for."""
    own = own_frames(error, *homes)
    place = where(*own[-1], call.name) if own else ""
    if own and isinstance(error, NotImplementedError) and raised_by_statement(error, own[-1][0]):
        code = own[-1][0].f_code
        if is_stub(code):
            return not_attempted(call.name, [code.co_qualname])
        left = "`raise NotImplementedError()`"
        headline = say(f"{left} is still there.", f"{left} 还在代码里。")
        then = say("Delete that line: your code takes its place.", "删掉这一行，换成你的代码。")
    else:
        headline, then = "", _next_step(error, bool(own))
    return raised(call.name, headline, error_rows(call.text, error, place, then), error, place)


def _next_step(error: BaseException, reached: bool) -> str:
    if not reached and isinstance(error, TypeError):
        return say(
            "The call does not fit the parameters: keep the `def` line as it was handed out.",
            "调用与参数对不上：请保持 `def` 那一行与发下来时一样。",
        )
    if isinstance(error, NameError) and error.name in sys.stdlib_module_names:
        line = f"`import {error.name}`"
        return say(
            f"`{error.name}` is a module: write {line} in your cell.",
            f"`{error.name}` 是模块：请在你的单元格里写上 {line}。",
        )
    if isinstance(error, NameError):
        return say(
            "Check the spelling, and whether the cell that defines this name has been run.",
            "检查拼写，并确认定义这个名字的单元格已经运行。",
        )
    if isinstance(error, RecursionError):
        return say(
            "The function calls itself without end: give it a case that stops.",
            "函数无休止地调用自己：请让它在某种情形下停止。",
        )
    if isinstance(error, SystemExit):
        return say("Use `return` in place of `exit`.", "用 `return`，不要用 `exit`。")
    if isinstance(error, TypeError):
        return say(
            "Something on that line is of a kind that the call does not take: print the `type` of"
            " each part, and compare with what the error expected.",
            "这一行里有个量的类型不对：打印每一部分的 `type`，对照报错里要求的类型。",
        )
    return say(
        "Call your function on a small input of your own in a new cell, and print `shape` and"
        " `dtype` of what stands on that line.",
        "在新的单元格里用自己的小输入调用你的函数，打印这一行里各个量的 `shape` 和 `dtype`。",
    )


def _missing(name: str, namespace: dict) -> AnswerRaised:
    own = [
        key
        for key, value in namespace.items()
        if inspect.isroutine(value) or isinstance(value, type)
    ]
    near = difflib.get_close_matches(name, own, n=1)
    rows = []
    if near:
        rows = [
            (
                say("Did you mean", "名字写错了吗"),
                say(
                    f"`{near[0]}` is defined; the test asks for `{name}`.",
                    f"已定义的是 `{near[0]}`，而测试要找的是 `{name}`。",
                ),
            )
        ]
    headline = say(
        f"`{name}` is not defined here: run the cell above that defines it; if that cell shows an"
        " error, mend that first.",
        f"这里没有定义 `{name}`：请先运行上面定义它的单元格；如果那个单元格报错，先把它改好。",
    )
    return raised(name, headline, rows)


def _overwritten(name: str, value: object) -> AnswerRaised:
    headline = say(
        f"`{name}` is not a function here but a value of type `{type(value).__name__}`: a later"
        " line gave its name away. Rename that variable, and run the function's cell again.",
        f"这里的 `{name}` 不是函数，而是 `{type(value).__name__}` 类型的值："
        "后面某一行占用了它的名字。请给那个变量改名，再运行定义函数的单元格。",
    )
    return raised(name, headline, [])
