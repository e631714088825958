import json
import subprocess
import sys

import pytest

from lens.doctor.command import main

FAILS = """
import sys, torch
print('hello', sys.argv[1:], __name__)
torch.ones(2, 3) @ torch.ones(4, 3)
""".lstrip()


@pytest.fixture
def script(tmp_path):
    def write(source):
        path = tmp_path / "program.py"
        path.write_text(source, encoding="utf-8")
        return str(path)

    return write


def test_an_error_is_explained_and_the_status_is_1(script, capsys):
    assert main([script(FAILS), "a", "--b"]) == 1
    out, err = capsys.readouterr()
    assert "hello ['a', '--b'] __main__" in out
    assert "program.py:3  error: matmul-shapes" in out and ".T" in out
    assert "RuntimeError: mat1 and mat2" in err and "command.py" not in err


def test_json_is_all_that_stands_on_standard_output(script, capsys):
    assert main(["--json", script(FAILS)]) == 1
    out, err = capsys.readouterr()
    (finding,) = [each for each in json.loads(out) if each["kind"] == "error"]
    assert (finding["family"], finding["line"]) == ("matmul-shapes", 3)
    assert finding["operands"][0]["shape"] == [2, 3]
    assert "hello" in err


def test_options_may_stand_after_the_program_and_two_dashes_end_them(script, capsys):
    assert main([script(FAILS), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)
    assert main([script(FAILS), "--", "--json"]) == 1
    assert "hello ['--json']" in capsys.readouterr().out


def test_a_right_program_has_nothing_said_about_it(script, capsys):
    assert main([script("print('fine')")]) == 0
    assert capsys.readouterr().out == "fine\n"
    assert main(["--json", script("print('fine')")]) == 0
    assert json.loads(capsys.readouterr().out) == []


def test_a_file_that_is_not_there_is_misuse(capsys):
    assert main(["nowhere.py"]) == 2
    assert "there is no file nowhere.py" in capsys.readouterr().err


@pytest.mark.parametrize("source", ["1 / 0\n", "def f(:\n"])
def test_an_error_that_is_not_about_tensors_is_said_to_be_unexplained(script, capsys, source):
    assert main(["--json", script(source)]) == 1
    out, err = capsys.readouterr()
    (finding,) = json.loads(out)
    assert finding["family"] == "other" and "no explanation" in finding["cause"]
    assert "Error" in err


def test_the_program_finds_its_neighbours_and_its_own_status_passes(script, tmp_path):
    (tmp_path / "neighbour.py").write_text("value = 7\n")
    assert main([script("import sys, neighbour\nsys.exit(neighbour.value)")]) == 7


def test_an_interrupt_passes(script):
    with pytest.raises(KeyboardInterrupt):
        main([script("raise KeyboardInterrupt")])


def test_what_the_command_changes_is_put_back(script):
    before = sys.argv, sys.path[:], sys.modules["__main__"]
    main([script(FAILS)])
    assert (sys.argv, sys.path[:], sys.modules["__main__"]) == before


def test_the_language_can_be_chosen(script, capsys):
    main(["--language", "zh", script(FAILS)])
    assert "原因：" in capsys.readouterr().out


def test_a_doctor_that_fails_does_not_hide_the_error(script, capsys, monkeypatch):
    monkeypatch.setattr("lens.doctor.command.explain", lambda error: 1 / 0)
    assert main([script(FAILS)]) == 1
    assert "RuntimeError: mat1 and mat2" in capsys.readouterr().err


@pytest.mark.slow
def test_it_runs_as_a_module(script):
    command = [sys.executable, "-m", "lens.doctor.command", script(FAILS)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1 and "Cause:" in done.stdout
