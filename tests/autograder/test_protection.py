"""A level of protection is chosen by its name, and never less than was asked for."""

import pytest

from autograder import protection
from autograder.sandbox import Level


@pytest.fixture
def weak_machine(monkeypatch):
    """One that gives Landlock at best."""
    reasons = {Level.NAMESPACES: "user namespaces are forbidden"}
    monkeypatch.setattr(protection, "why_not", lambda level: reasons.get(Level(level), ""))
    monkeypatch.setattr(protection, "best_level", lambda: Level.LANDLOCK)
    monkeypatch.delenv("AUTOGRADER_SANDBOX", raising=False)


def test_a_weaker_sandbox_is_never_taken_without_asking(weak_machine):
    with pytest.raises(protection.Unprotected) as told:
        protection.choose_level()
    text = str(told.value)
    assert "user namespaces are forbidden" in text
    assert "It gives 'landlock'" in text and "Unix sockets" in text
    assert "--sandbox landlock" in text


def test_a_weaker_sandbox_is_taken_where_it_is_named(weak_machine, monkeypatch):
    assert protection.choose_level("landlock") is Level.LANDLOCK
    monkeypatch.setenv("AUTOGRADER_SANDBOX", "none")
    assert protection.choose_level() is Level.NONE
    with pytest.raises(protection.Unprotected, match="forbidden"):
        protection.choose_level("namespaces")


def test_an_unknown_level_is_refused_with_the_choices(weak_machine):
    with pytest.raises(protection.Unprotected, match="namespaces, landlock, rlimits, none"):
        protection.choose_level("bubblewrap")
