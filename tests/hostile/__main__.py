"""The table of hostile submissions: python -m tests.hostile [--language zh] [--only 'code-*'] …"""

import argparse
import fnmatch
import sys

from rich.console import Console

from autograder.sandbox import Level, why_not
from tests.hostile.arena import arena
from tests.hostile.corpus import HONEST, HOSTILE
from tests.hostile.verdicts import markdown, rows, table


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--language", choices=("en", "zh"), default="en")
    parser.add_argument("--only", action="append", default=[], help="a pattern of names")
    parser.add_argument("--markdown", action="store_true", help="for a report")
    options = parser.parse_args()
    if reason := why_not(Level.NAMESPACES):
        parser.error(f"hostile code runs in a sandbox of namespaces only: {reason}")
    wanted = options.only or ["*"]
    chosen = [
        each
        for each in HOSTILE + HONEST
        if any(fnmatch.fnmatch(each.name, pattern) for pattern in wanted)
        and each.expect.status != "ignored"
    ]
    with arena(options.language) as made:
        made.plant(chosen)
        run = made.grade()
        breaches = made.breaches()
    found = rows(chosen, run.students, options.language)
    if options.markdown:
        print(markdown(found))
    else:
        Console(width=None if sys.stdout.isatty() else 200).print(table(found))
    return conclude(found, breaches)


def conclude(found, breaches) -> int:
    """Say what is not as it is due; the exit status."""
    for row in found:
        for problem in row.problems:
            print(f"{row.attack.name}: {problem}")
    for breach in breaches:
        print(breach)
    wrong = sum(bool(row.problems) for row in found)
    looks = sum(bool((row.verdict or {}).get("look")) for row in found)
    print(
        f"{len(found)} submissions: {len(found) - wrong} verdicts as due, {wrong} not; "
        f"{looks} to be looked at; {len(breaches)} breaches of the sandbox."
    )
    return 1 if wrong or breaches else 0


if __name__ == "__main__":
    sys.exit(main())
