"""All the submissions: the honest ones, and the hostile and broken ones."""

from tests.hostile import (
    archives,
    files,
    formats,
    honest,
    html,
    metadata,
    objects,
    outputs,
    patches,
    processes,
    reading,
    shell,
)

THEMES = (
    metadata,
    patches,
    objects,
    shell,
    reading,
    processes,
    outputs,
    formats,
    files,
    archives,
    html,
)
HOSTILE = tuple(attack for theme in THEMES for attack in theme.CORPUS)
HONEST = honest.CORPUS
