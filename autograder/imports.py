"""Imports nbformat and what builds on it without a grammar that no notebook needs.

jsonschema imports a checker of international addresses where one is installed, and that package
builds its grammar at import: over a second of CPU in every process.
"""

import sys

GRAMMAR = "rfc3987_syntax"


def import_quickly() -> None:
    """To be called before anything imports nbformat; does nothing afterwards."""
    if GRAMMAR in sys.modules or "jsonschema" in sys.modules:
        return
    sys.modules[GRAMMAR] = None  # jsonschema does without what cannot be imported
    try:
        import jsonschema  # noqa: F401
    finally:
        del sys.modules[GRAMMAR]
