"""What stands in two places of the project says the same in both."""

import re
import subprocess
import sysconfig
import tomllib
from importlib.metadata import distributions
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CONDA_NAMES = {"pytorch": "torch"}


def ranges(lines):
    """{package: its range}, names and commas in one form."""
    found = {}
    for line in lines:
        name, specifier = re.fullmatch(r"([A-Za-z0-9_.-]+)(?:\[\w+\])?\s*(.*)", line).groups()
        name = CONDA_NAMES.get(name, name).lower().replace("_", "-")
        found[name] = set(filter(None, specifier.split(",")))
    return found


def project_ranges():
    extras = PROJECT["optional-dependencies"].values()
    return ranges([*PROJECT["dependencies"], *(line for extra in extras for line in extra)])


def pinned():
    lines = (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines()
    wanted = [Requirement(line) for line in lines if line and not line.startswith("#")]
    return {each.name.lower().replace("_", "-"): each for each in wanted}


def test_conda_gets_the_ranges_of_the_project():
    listed = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))["dependencies"]
    pip = next(entry["pip"] for entry in listed if isinstance(entry, dict))
    assert "--editable ." in pip
    lines = [line for line in listed if isinstance(line, str)]
    conda = ranges([*lines, *(line for line in pip if not line.startswith("--"))])
    assert conda.pop("python") == set(PROJECT["requires-python"].split(","))
    assert conda.pop("pip") == set()
    assert conda == project_ranges()


def test_every_pinned_version_lies_in_its_range():
    versions = pinned()
    for name, wanted in project_ranges().items():
        (pin,) = versions[name].specifier
        assert pin.operator == "==", name
        assert Requirement(f"x{','.join(wanted)}").specifier.contains(pin.version), name


def test_everything_installed_is_pinned():
    here = distributions(path=[sysconfig.get_path("purelib")])
    installed = {each.metadata["Name"].lower().replace("_", "-") for each in here}
    assert installed - set(pinned()) - {"pip", "tensor-course"} == set()


def tracked():
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("not a git checkout")
    return [ROOT / name for name in listed.stdout.splitlines()]


def test_generated_notebooks_are_marked_as_generated():
    assert "*.ipynb linguist-generated" in (ROOT / ".gitattributes").read_text()


@pytest.mark.parametrize("word", ["README.md", "CONTRIBUTING.md"])
def test_every_make_target_that_a_page_names_exists(word):
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    text = (ROOT / word).read_text(encoding="utf-8")
    named = set(re.findall(r"`make ([a-z-]+)|^make ([a-z-]+)", text, re.MULTILINE))
    assert named
    assert {a or b for a, b in named} <= targets


def test_the_number_of_wrong_answers_in_the_readme_is_right():
    answers = [path for path in tracked() if path.name == "answers.py" and "chapters" in path.parts]
    wrong = sum(path.read_text(encoding="utf-8").count("# %% wrong=") for path in answers)
    told = re.findall(
        r"(\d+) so far|目前 (\d+) 种", (ROOT / "README.md").read_text(encoding="utf-8")
    )
    assert [int(en or zh) for en, zh in told] == [wrong, wrong]


def test_no_module_outgrows_one_idea():
    long = {
        str(path.relative_to(ROOT)): lines
        for path in tracked()
        if path.suffix == ".py" and "chapters" not in path.parts and path.exists()
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) > 300
    }
    assert long == {}
