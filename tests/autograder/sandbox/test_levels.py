"""The levels: which there are here, what each is worth, and that none is needed to import."""

import subprocess
import sys

import pytest

from autograder.sandbox import Level, best_level, describe, probe, why_not
from tests.autograder.sandbox.boxkit import ROOT
from tests.autograder.sandbox.conftest import make_box, unavailable

# What attacks reach at the weaker levels, depending on the kernel's age and on who grades.
LANDLOCK_MAY_LEAK = {
    "connect to a program's Unix socket",
    "fill the disk",
    "fill the disk with empty files",
    "start more processes than allowed",
}
RLIMITS_MUST_STOP = {
    "connect to a TCP port of this machine",
    "take more memory than allowed",
    "trace a process outside",
    "make namespaces and mounts of its own",
}
PROBE = """
import json, sys
sys.path.insert(0, sys.argv[1])
from autograder.sandbox import probe
print(json.dumps([[each.name, each.stopped] for each in probe(sys.argv[2])]))
"""


def through(level: str, who: str) -> set[str]:
    """The attacks that got through, for this user."""
    import json

    box = make_box(level, who)
    command = [*box.python, "-I", "-c", PROBE, str(ROOT), level]
    ran = subprocess.run(command, capture_output=True, text=True, cwd="/", timeout=200)
    assert ran.returncode == 0, ran.stderr
    found = json.loads(ran.stdout)
    assert len(found) == 17
    return {name for name, stopped in found if not stopped}


@pytest.mark.parametrize("who", ["root", "user"])
def test_namespaces_stop_every_attack(who):
    assert through("namespaces", who) == set()


@pytest.mark.parametrize("who", ["root", "user"])
def test_landlock_stops_all_but_what_its_description_names(who):
    assert through("landlock", who) <= LANDLOCK_MAY_LEAK


@pytest.mark.parametrize("who", ["root", "user"])
def test_resource_limits_stop_little_and_stop_that(who):
    leaks = through("rlimits", who)
    assert leaks & RLIMITS_MUST_STOP == set()
    assert "read a file outside" in leaks


@pytest.mark.slow
def test_without_a_sandbox_every_attack_succeeds_so_the_attacks_are_real():
    if not sys.platform.startswith("linux"):
        unavailable("Linux")
    assert len(through("none", "user")) >= 16  # tracing may be forbidden to all (yama)


def test_a_level_that_this_machine_gives_needs_no_reason():
    assert why_not(best_level()) == ""
    assert why_not(Level.NONE) == ""


def test_a_level_that_fails_says_why(monkeypatch):
    from autograder.sandbox import probe as _  # noqa: F401

    module = sys.modules["autograder.sandbox.probe"]
    monkeypatch.setattr(module, "_START", "raise SystemExit('OSError: unshare is not allowed')")
    why_not.cache_clear()
    try:
        assert why_not("namespaces") == "OSError: unshare is not allowed"
        assert best_level() is Level.NONE
    finally:
        why_not.cache_clear()


@pytest.mark.parametrize("level", list(Level))
def test_each_level_says_in_sentences_what_it_stops_and_lets_through(level):
    told = describe(level.value)
    for sentence in (told.line, *told.stops, *told.lets_through):
        assert sentence.endswith(".") and sentence[0].isupper()
    assert told.lets_through
    assert bool(told.stops) == (level is not Level.NONE)


@pytest.mark.parametrize("system", ["darwin", "win32"])
def test_it_can_be_imported_where_there_is_no_linux(system):
    code = f"""
import os, sys
sys.platform = {system!r}
if sys.platform == "win32":
    sys.modules["resource"] = None
    del os.fork
sys.path.insert(0, {str(ROOT)!r})
from autograder.sandbox import Level, best_level, probe, why_not
if sys.platform == "win32":
    print(best_level(), why_not("namespaces"))
"""
    ran = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    if system == "win32":
        assert ran.stdout.startswith("none it needs processes that fork")


def test_an_unknown_level_is_refused_by_name():
    with pytest.raises(ValueError, match="strong"):
        probe("strong")
