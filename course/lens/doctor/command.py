"""`tensor-doctor SCRIPT.py [arguments]`: run a program and explain what goes wrong in it."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
from pathlib import Path
from types import TracebackType

from lens.doctor.diagnosis import explain
from lens.doctor.finding import Finding, render
from lens.doctor.folding import plain_traceback
from lens.doctor.scene import scene_of
from lens.language import LANGUAGES, say, speak

USAGE = """
The program runs as it would under `python SCRIPT.py`, with its own arguments, and its operations
are watched for faults that raise nothing. With --json, standard output holds the findings and
nothing else; what the program prints goes to standard error. These options may also stand right
after the program; what follows `--` is the program's own.

Exit status: 0 nothing to say, 1 findings, 2 no such program; without findings, a program that ends
by sys.exit keeps its own.
"""


def main(argv: list[str] | None = None) -> int:
    """Run the command; returns the exit status."""
    options = _parsed(argv)
    speak(options.language)
    script = Path(options.script)
    if not script.is_file():
        print(say(f"tensor-doctor: there is no file {script}", f"tensor-doctor：没有文件 {script}"),
              file=sys.stderr)  # fmt: skip
        return 2
    real = sys.stdout
    out = contextlib.redirect_stdout(sys.stderr) if options.json else contextlib.nullcontext()
    with out:
        findings, left = run(script, options.arguments, warn=not options.no_watch)
    if options.json:
        json.dump([each.to_json() for each in findings], real, ensure_ascii=False, indent=2)
        print(file=real)
    else:
        report(findings, script)
    if isinstance(left, KeyboardInterrupt):
        raise left
    if left is not None and not findings:
        return _status(left)
    return 1 if findings else 0


def _parsed(argv: list[str] | None) -> argparse.Namespace:
    """The options; --json and --no-watch count as ours also right after the program."""
    given = list(sys.argv[1:] if argv is None else argv)
    at = given.index("--") if "--" in given else len(given)
    options = _options().parse_args(given[:at])
    rest = options.arguments
    while rest and rest[0] in ("--json", "--no-watch"):
        setattr(options, rest.pop(0)[2:].replace("-", "_"), True)
    options.arguments = [*rest, *given[at + 1 :]]
    return options


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tensor-doctor",
        description=__doc__,
        epilog=USAGE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--json", action="store_true", help="print the findings as a JSON list")
    parser.add_argument("--no-watch", action="store_true", help="explain errors only")
    language = os.environ.get("COURSE_LANGUAGE", "en")
    parser.add_argument(
        "--language", choices=LANGUAGES, default=language if language in LANGUAGES else "en"
    )
    parser.add_argument("script", help="the program")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="its own arguments")
    return parser


def run(script: Path, arguments: list[str], warn: bool = True):
    """(findings, the SystemExit or KeyboardInterrupt that ended the program, or None)."""
    before = sys.argv, sys.path[:], sys.modules.get("__main__")
    module = type(sys)("__main__")
    module.__file__ = str(script)
    sys.argv = [str(script), *arguments]
    sys.path[0:1] = [str(script.resolve().parent)]
    sys.modules["__main__"] = module
    findings: list[Finding] = []
    left = None
    try:
        code = compile(script.read_bytes(), str(script), "exec")
        with _watching(script, warn) as report:
            exec(code, module.__dict__)
    except (SystemExit, KeyboardInterrupt) as end:
        left = end
    except BaseException as error:
        findings.append(_explained(error, script))
    finally:
        sys.argv, sys.path[:], main = before
        sys.modules["__main__"] = main
    with contextlib.suppress(NameError):
        findings = [*getattr(report, "findings", []), *findings]
    return findings, left


@contextlib.contextmanager
def _watching(script: Path, warn: bool):
    if not warn:
        yield None
        return
    from lens.doctor.watch import watch

    with watch(filename=str(script), show=False) as report:
        yield report


def _explained(error: BaseException, script: Path) -> Finding:
    _print_traceback(error)
    try:
        finding = explain(error)
    except Exception:
        finding = None
    return finding or _other(error, script)


def _print_traceback(error: BaseException) -> None:
    """The traceback from the program on: the frames of this command are left out."""
    here: TracebackType | None = error.__traceback__
    while here and here.tb_frame.f_code.co_filename in (__file__, contextlib.__file__):
        here = here.tb_next
    print("".join(plain_traceback(error, here)), end="", file=sys.stderr)


def _other(error: BaseException, script: Path) -> Finding:
    scene = scene_of(error)
    line = getattr(error, "lineno", None) or scene.line
    cause = say(
        "the doctor has no explanation: this is not about tensors, as far as it can tell.",
        "诊断器给不出解释：就它所知，这与张量无关。",
    )
    return Finding(
        "error", "other", line or 0, scene.text(scene.node), (), cause, "", file=str(script)
    )


def report(findings: list[Finding], script: Path) -> None:
    """Print the findings for a person to read."""
    for each in findings:
        print("\n" + "─" * 72)
        place = each.file or str(script)
        kind = say("error", "错误") if each.kind == "error" else say("warning", "警告")
        print(f"{place}:{each.line}  {kind}: {each.family}")
        print("\n".join(render(each)))


def _status(end: BaseException) -> int:
    code = getattr(end, "code", None)
    if code is None:
        return 0
    if isinstance(code, int):
        return code
    print(code, file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
