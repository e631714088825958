"""start.py makes one environment, then opens JupyterLab with the settings of a room."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def start(tmp_path):
    """start.py as a module, in a project of its own."""
    project = tmp_path / "project"
    (project / "course" / "jupyter").mkdir(parents=True)
    (project / "autograder" / "jupyter").mkdir(parents=True)
    for name in ("requirements.lock", "pyproject.toml", "setup.py", "course/jupyter/start.py"):
        (project / name).write_text((ROOT / name).read_text())
    path = project / "course" / "jupyter" / "start.py"
    spec = importlib.util.spec_from_file_location("start", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def names(start, folders) -> list[str]:
    return [folder.relative_to(start.ROOT).as_posix() for folder in folders]


def test_a_learner_without_an_exchange_sees_no_assignment_list(start):
    folders = names(start, start.settings_folders(False, {}))
    assert folders == ["course/jupyter/no_exchange", "course/jupyter"]


@pytest.mark.parametrize("told", [True, False])
def test_a_learner_with_an_exchange_sees_it(start, tmp_path, told):
    (start.ROOT / "autograder" / "exchange").mkdir()
    environ = {"COURSE_EXCHANGE": str(tmp_path)} if told else {}
    assert names(start, start.settings_folders(False, environ)) == ["course/jupyter"]


def test_an_instructors_settings_are_stronger_than_the_learners_that_they_build_on(start):
    folders = names(start, start.settings_folders(True, {"COURSE_LANGUAGE": "zh"}))
    assert folders == ["autograder/jupyter", "course/jupyter/zh", "course/jupyter"]


def test_an_unknown_language_is_refused_with_the_choices(start):
    with pytest.raises(SystemExit, match="expected en or zh, got 'fr'"):
        start.settings_folders(False, {"COURSE_LANGUAGE": "fr"})


def test_teaching_needs_the_whole_project(start):
    (start.ROOT / "autograder" / "jupyter").rmdir()
    with pytest.raises(SystemExit, match="autograder/jupyter"):
        start.settings_folders(True, {})


@pytest.fixture
def commands(start, monkeypatch):
    """The commands that start.py runs, without running them; a venv is a folder with notes."""
    ran = []

    def run(*command):
        ran.append(" ".join(map(str, command)))
        if "venv" in command:
            start.VENV.mkdir(exist_ok=True)
            version = ".".join(map(str, sys.version_info[:3]))
            notes = f"version = {version}\ncommand = python -m venv {start.VENV}\n"
            (start.VENV / "pyvenv.cfg").write_text(notes)

    monkeypatch.setattr(start, "run", run)
    return ran


def test_the_second_run_installs_nothing(start, commands):
    start.make_environment()
    assert any("requirements.lock" in command for command in commands)
    commands.clear()
    start.make_environment()
    assert commands == []


def test_new_pins_are_installed_into_the_same_environment(start, commands):
    start.make_environment()
    (start.VENV / "kept").touch()
    with (start.ROOT / "requirements.lock").open("a") as pins:
        pins.write("nothing==1\n")
    start.make_environment()
    assert (start.VENV / "kept").exists()


def test_the_environment_of_another_python_is_made_anew(start, commands):
    start.make_environment()
    (start.VENV / "left").touch()
    (start.VENV / "pyvenv.cfg").write_text("version = 3.9.0\n")
    start.STAMP.unlink()
    start.make_environment()
    assert not (start.VENV / "left").exists()


def test_the_running_environment_is_never_deleted(start, commands, monkeypatch):
    """`.venv/bin/python course/jupyter/start.py` installs into the very environment it runs in."""
    start.VENV.mkdir()
    (start.VENV / "kept").touch()
    monkeypatch.setattr(sys, "prefix", str(start.VENV))
    start.make_environment()
    assert (start.VENV / "kept").exists()
    assert not any("-m venv" in command for command in commands)


def test_an_old_python_is_told_what_to_install(start, commands, monkeypatch):
    monkeypatch.setattr(sys, "version_info", (3, 9, 1))
    with pytest.raises(SystemExit, match=r"needs Python 3\.11, 3\.12 or 3\.13"):
        start.make_environment()


def test_its_own_options_stay_and_the_others_go_to_jupyterlab(start, monkeypatch):
    opened = []
    monkeypatch.setattr(start, "open_lab", lambda *given: opened.append(given))
    options = ["--here", "--teach", "--no-browser", "--port=8899"]
    monkeypatch.setattr(sys, "argv", ["start.py", *options])
    start.main()
    assert opened == [(Path(sys.executable), True, ["--no-browser", "--port=8899"])]


def test_a_wrong_language_is_told_before_anything_is_installed(start, commands, monkeypatch):
    monkeypatch.setenv("COURSE_LANGUAGE", "fr")
    monkeypatch.setattr(sys, "argv", ["start.py"])
    with pytest.raises(SystemExit, match="expected en or zh"):
        start.main()
    assert commands == []


def test_it_needs_nothing_installed():
    """A Python without site-packages can read it and name its options."""
    command = [sys.executable, "-I", "-S", str(ROOT / "course" / "jupyter" / "start.py"), "--help"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "--teach" in done.stdout
