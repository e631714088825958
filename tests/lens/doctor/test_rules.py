"""Each rule knows its message, and the message is torch's: the rules' own programs are run."""

import inspect
import re
import string
import tomllib
from pathlib import Path

import pytest

from lens.doctor import diagnosis, rules
from lens.doctor.rules import FAMILIES
from lens.doctor.scene import scene_of
from lens.language import speak
from tests.lens.doctor.programs import SETUP, run
from tests.lens.notebook import chinese_left, english_left

RULES = rules.rules()
every_rule = pytest.mark.parametrize("rule", RULES, ids=lambda r: f"{r.family}-{r.name}")
HOME = Path(rules.__file__).parent


def here(rule):
    """The messages that need no other machine."""
    data = tomllib.loads((HOME / f"{rule.family}.toml").read_text(encoding="utf-8"))
    return next(each.get("message", []) for each in data["rule"] if each["name"] == rule.name)


def blanks(text):
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


every_trigger = pytest.mark.parametrize(
    ("rule", "trigger"),
    [(rule, trigger) for rule in RULES for trigger in rule.triggers],
    ids=lambda x: x if isinstance(x, str) else f"{x.family}-{x.name}",
)


@every_trigger
def test_a_trigger_raises_a_message_of_this_rule(rule, trigger):
    error, _ = run(SETUP + trigger)
    assert error is not None
    recognised, _ = diagnosis.recognise(error)
    assert recognised is rule, f"{type(error).__name__}: {error}"


@every_rule
def test_every_message_of_torch_that_is_known_still_comes(rule):
    errors = [run(SETUP + trigger)[0] for trigger in rule.triggers]
    texts = [f"{type(error).__name__}: {error}" for error in errors]
    missing = [m for m in here(rule) if not any(re.search(m, text, re.DOTALL) for text in texts)]
    assert missing == []


@every_rule
def test_the_program_that_is_right_does_not_raise(rule):
    error, _ = run(SETUP + rule.passes)
    assert error is None


@every_trigger
def test_looking_at_the_scene_of_a_trigger_works(rule, trigger, language):
    error, _ = run(SETUP + trigger)
    scene = scene_of(error)
    found = rule.match(error)
    told = rule.look(scene, found) if rule.look else None
    if told:
        rule.says[told.text]["en"].format(**{**found.groupdict(), **told.blanks})


@every_rule
def test_both_languages_of_a_cause_have_the_same_blanks(rule):
    for key, text in rule.says.items():
        assert blanks(text["en"]) == blanks(text["zh"]), key
        assert not chinese_left(text["en"]), key


@every_rule
def test_the_plain_cause_needs_the_groups_of_the_message_only(rule):
    assert blanks(rule.says["plain"]["en"]) <= set(rule.regex.groupindex)


@every_trigger
def test_a_chinese_explanation_is_chinese(rule, trigger):
    speak("zh")
    error, _ = run(SETUP + trigger)
    cause = diagnosis.explain(error).cause
    assert re.search(r"[\u4e00-\u9fff]", cause)
    assert not english_left(re.sub(r"[（(][^（）()]*[）)]|\"[^\"]*\"", "", cause)), cause


def test_every_family_has_its_file_and_names_its_rules_once():
    assert {path.stem for path in HOME.glob("*.toml")} == set(FAMILIES)
    names = [(rule.family, rule.name) for rule in RULES]
    assert len(set(names)) == len(names)


@every_rule
def test_the_texts_that_a_look_names_are_there(rule):
    code = inspect.getsource(inspect.unwrap(rule.look)) if rule.look else ""
    named = set(re.findall(r'told\(\s*"(\w+)"', code))
    assert named <= set(rule.says)


def test_a_rule_has_no_text_that_nothing_uses():
    code = "\n".join(path.read_text(encoding="utf-8") for path in HOME.glob("*.py"))
    for family in FAMILIES:
        data = tomllib.loads((HOME / f"{family}.toml").read_text(encoding="utf-8"))
        texts = {*data.get("says", {}), *(key for rule in data["rule"] for key in rule["says"])}
        unused = {key for key in texts - {"plain"} if f'"{key}"' not in code}
        assert unused == set(), family
