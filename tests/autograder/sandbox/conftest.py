"""Boxes of each level, where this machine gives them."""

import atexit
import functools
import os
import shutil
import sys
import tempfile

import pytest

from autograder.sandbox import why_not
from tests.autograder.sandbox.boxkit import Box, python_of_user


def unavailable(reason: str):
    """Skip and say so; on a build machine, where everything must be there, fail."""
    if os.environ.get("CI") and sys.platform.startswith("linux"):
        pytest.fail(f"{reason} (CI is set, so this is not skipped)")
    pytest.skip(reason)


@functools.cache
def top() -> str:
    """A folder in which every user may make folders, for this session."""
    made = tempfile.mkdtemp(prefix="boxes-")
    os.chmod(made, 0o1777)
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return made


def make_box(level: str, who: str) -> Box:
    if reason := why_not(level):
        unavailable(f"this machine does not give the level {level}: {reason}")
    if who == "root":
        if os.geteuid() != 0:
            pytest.skip("only root can test what root gets")
        return Box(level, (sys.executable,), True, top())
    python = python_of_user()
    if python is None:
        unavailable("no Python 3.11 that an ordinary user can read, or no setpriv")
    return Box(level, tuple(python), False, top())


@pytest.fixture(params=["root", "user"])
def box(request):
    """A box of namespaces."""
    return make_box("namespaces", request.param)


@pytest.fixture(params=["root", "user"])
def landlock_box(request):
    return make_box("landlock", request.param)


@pytest.fixture
def user_box():
    """A box of namespaces where it does not matter whose."""
    return make_box("namespaces", "user")
