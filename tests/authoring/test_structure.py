import pytest

from authoring.notebooks import SETUP
from authoring.skeleton import EXERCISES
from authoring.source import EXERCISE_OPTIONS, read_cells
from authoring.structure import structure_problems


def faults(tmp_path, text):
    file = tmp_path / "exercises.py"
    file.write_text(text, encoding="utf-8")
    return [problem.wrong for problem in structure_problems(read_cells(file, EXERCISE_OPTIONS))]


def test_the_skeleton_has_no_fault(tmp_path):
    assert faults(tmp_path, EXERCISES) == []


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (SETUP, "import torch", "not the set-up"),
        ("    ### BEGIN SOLUTION\n", "", "expected pairs"),
        (
            "    ### BEGIN SOLUTION\n    return 2 * x\n    ### END SOLUTION",
            "    return 2 * x",
            "pairs",
        ),
        ("### END HIDDEN TESTS\n", "", "expected pairs of `### BEGIN HIDDEN TESTS`"),
        (" points=1", "", "no points="),
        (" level=1", "", "lacks: level=1 to 4"),
        (" level=1", " level=5", "lacks: level=1 to 4"),
        ('test="double" points=1', 'test="treble" points=1', "lacks: test"),
        ('test="double" points=1', 'test="treble" points=1', "belongs to no exercise="),
        ('exercise="double"', 'exercise="2x"', "not a name"),
        ("lens.passed(", "print(", "does not end with lens.passed"),
    ],
)
def test_a_fault_is_named(tmp_path, old, new, says):
    assert old in EXERCISES
    assert any(says in fault for fault in faults(tmp_path, EXERCISES.replace(old, new, 1)))


@pytest.mark.parametrize("name", ["double", "test_double"])
def test_a_question_in_words_may_not_share_its_grade_id(tmp_path, name):
    manual = f'# %% [markdown] manual="{name}" points=1\n# A\n# %% [markdown] lang="zh"\n# 甲\n'
    found = faults(tmp_path, EXERCISES + manual)
    assert any(f"'{name}' stands more than once" in fault for fault in found)


def test_two_answers_of_one_name_are_refused(tmp_path):
    start = EXERCISES.index('# %% answer="double"')
    end = EXERCISES.index('# %% test="double"')
    twice = EXERCISES[:end] + EXERCISES[start:end] + EXERCISES[end:]
    assert any("'double' stands more than once" in fault for fault in faults(tmp_path, twice))
