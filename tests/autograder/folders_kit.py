"""Submission folders, filled by hand."""

import io
import zipfile
from pathlib import Path

from autograder.intake import Refusal, receive

NOTEBOOK = b'{"nbformat": 4, "cells": []}'


def make_folder(root: Path) -> Path:
    """submitted/bo/hw, empty."""
    made = root / "submitted" / "bo" / "hw"
    made.mkdir(parents=True)
    return made


def fill(folder: Path, **files: bytes) -> Path:
    for name, content in files.items():
        (folder / name.replace("__", ".")).write_bytes(content)
    return folder


def why(folder, *expected):
    refusal = receive(folder, expected or ["a"])
    assert isinstance(refusal, Refusal), refusal
    return refusal.reason


def zipped(*paths):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for path in paths:
            archive.writestr(path, NOTEBOOK)
    return buffer.getvalue()
