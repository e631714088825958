"""`python -m autograder …`, and the command `autograder`."""

import sys


def main() -> int:
    from autograder.commands import app  # late: whoever imports this module need not load it

    return app()


if __name__ == "__main__":
    sys.exit(main())
