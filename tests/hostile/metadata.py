"""Metadata that lies: tags, points, types, ids, schema versions, kernels, stored outputs."""

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output

from tests.hostile.kit import (
    ALL,
    FIRST,
    KEEPS_ALL,
    NOTHING,
    REST,
    Attack,
    Expect,
    each_cell,
    each_graded,
    find,
    forged,
    grade_id_of,
    twin,
)

TESTS = tuple(f"test_{name}" for name in ALL)


def tag(*tags: str):
    return each_cell(lambda cell: cell.metadata.update(tags=list(tags)))


def edit_tests(source: str):
    def change(notebook: NotebookNode) -> None:
        for name in TESTS:
            find(notebook, name).source = source

    return change


def set_all(**values):
    return each_graded(lambda data: data.update(values))


def make_tests(**values):
    def change(notebook: NotebookNode) -> None:
        for name in TESTS:
            find(notebook, name).metadata["nbgrader"].update(values)

    return change


def retype(cell_type: str):
    def change(notebook: NotebookNode) -> None:
        for name in TESTS:
            find(notebook, name)["cell_type"] = cell_type

    return change


def delete(*names: str):
    def change(notebook: NotebookNode) -> None:
        notebook.cells = [cell for cell in notebook.cells if grade_id_of(cell) not in names]

    return change


def copy_tests(notebook: NotebookNode) -> None:
    """Each test twice: the copy that comes first holds nothing but a pass."""
    for name in TESTS:
        cell = find(notebook, name)
        notebook.cells.insert(notebook.cells.index(cell), twin(cell, source="print('✓ passed')"))


def copy_answers(notebook: NotebookNode) -> None:
    """What copy and paste of a cell in JupyterLab does, nbgrader's metadata included."""
    for name in ALL:
        cell = find(notebook, name)
        notebook.cells.insert(notebook.cells.index(cell) + 1, twin(cell))


def swap_ids(one: str, other: str):
    def change(notebook: NotebookNode) -> None:
        first, second = find(notebook, one), find(notebook, other)
        first.metadata["nbgrader"]["grade_id"] = other
        second.metadata["nbgrader"]["grade_id"] = one

    return change


def invent(**changes):
    """New graded cells, worth a lot, that nobody asked for."""
    plain = {"schema_version": 3, "grade": True, "solution": False, "locked": True, "task": False}

    def change(notebook: NotebookNode) -> None:
        for number in range(3):
            cell = new_code_cell("print('✓ passed')", id=f"bonus{number}")
            data = {**plain, "points": 100, "grade_id": f"bonus{number}", "cell_type": "code"}
            cell.metadata["nbgrader"] = {**data, **changes}
            notebook.cells.append(cell)

    return change


def replace_metadata(value):
    return each_cell(
        lambda cell: cell.metadata.update(nbgrader=value) if "nbgrader" in cell.metadata else None
    )


def lose_all(notebook: NotebookNode) -> None:
    """What Colab and VS Code leave: sources, and nothing of nbgrader's."""
    for cell in notebook.cells:
        cell["metadata"] = {}
        cell.pop("id", None)
    notebook["nbformat_minor"] = 4
    notebook["metadata"] = {"colab": {"provenance": []}}


def forge_outputs(notebook: NotebookNode) -> None:
    for number, cell in enumerate(notebook.cells):
        if cell.cell_type == "code":
            cell["execution_count"] = number
            cell["outputs"] = [new_output("stream", text="✓ passed. Well done.\n")]


def set_kernel(**spec):
    def change(notebook: NotebookNode) -> None:
        notebook.metadata["kernelspec"] = spec

    return change


def set_notebook_metadata(value):
    def change(notebook: NotebookNode) -> None:
        notebook["metadata"] = value

    return change


def reverse(notebook: NotebookNode) -> None:
    notebook.cells.reverse()


def point_out(path: str):
    """Ids that are paths: whoever makes a file of a grade id writes outside."""
    return each_graded(lambda data: data.update(grade_id=path + data["grade_id"]))


def answer_in_words(notebook: NotebookNode) -> None:
    cell = find(notebook, "in_words")
    cell.source = "The seed, and the memory."
    cell.metadata["nbgrader"].update(points=100, grade=True, solution=False, auto_score=100)


def put_answers_in_prose(notebook: NotebookNode) -> None:
    for name in ALL:
        find(notebook, name)["cell_type"] = "markdown"


def many_cells(notebook: NotebookNode) -> None:
    notebook.cells += [new_code_cell("0", id=f"n{number}") for number in range(30_000)]


def notes_on_cells(notebook: NotebookNode) -> None:
    """Metadata that steers tools: hidden input, slides, papermill's and nbconvert's tags."""
    for cell in notebook.cells:
        cell.metadata.update(
            tags=["remove_cell", "parameters", "nbval-skip", "hide-output"],
            papermill={"status": "completed"},
            execution={"iopub.execute_input": "2020-01-01T00:00:00Z"},
            jupyter={"source_hidden": True},
            editable=False,
        )


def attach_provisioner(notebook: NotebookNode) -> None:
    provisioner = {"provisioner_name": "local-provisioner"}
    notebook.metadata["kernelspec"] = {
        "name": "python3",
        "display_name": "mine",
        "argv": ["sh", "-c", "touch @SECRET@.pwned"],
        "metadata": {"kernel_provisioner": provisioner},
    }
    notebook.metadata["execution"] = {"timeout": -1, "allow_errors": False}


def _untouched(name: str, does: str, change, expect: Expect = NOTHING) -> Attack:
    return Attack(f"meta-{name}", "metadata", does, forged(change=change), expect)


def _right(name: str, does: str, change, expect: Expect = KEEPS_ALL) -> Attack:
    return Attack(f"meta-{name}", "metadata", does, forged(right=ALL, change=change), expect)


NO_FIRST = Expect(earns=REST, may_earn=(FIRST,))
MENDED_OR_NOT = Expect("either", may_earn=ALL)
CORPUS = (
    _untouched("skip-tags", "every cell tagged skip-execution", tag("skip-execution")),
    _untouched("tool-tags", "tags and settings of other tools on every cell", notes_on_cells),
    _right("skip-right", "right, every cell tagged skip-execution", tag("skip-execution")),
    _right("raises-tags", "right, every cell tagged raises-exception", tag("raises-exception")),
    _right("tags-text", "right, the tags of every cell are a text", each_cell(
        lambda cell: cell.metadata.update(tags="skip-execution"))),
    _untouched("tests-edited", "every test says that it passed", edit_tests("print('✓ passed')")),
    _untouched("tests-emptied", "every test is empty", edit_tests("")),
    _untouched("points-up", "every test worth 1000 points", make_tests(points=1000)),
    _right("points-up-right", "right, every test worth 1000 points", make_tests(points=1000)),
    _right("points-negative", "right, every test worth -5 points", make_tests(points=-5)),
    _right("points-text", "right, the points are a text", make_tests(points="many")),
    _right("points-infinite", "right, the points are infinite", make_tests(points=float("inf"))),
    _untouched("tests-markdown", "tests turned into prose", retype("markdown")),
    _untouched("tests-raw", "tests turned into raw cells", retype("raw")),
    _untouched("tests-solutions", "tests marked as answers, with sources of their own",
        lambda notebook: (make_tests(solution=True, locked=False)(notebook),
                          edit_tests("print('✓ passed')")(notebook))),
    _untouched("tests-ungraded", "tests marked as not graded", make_tests(grade=False)),
    _untouched("tests-tasks", "tests marked as tasks", make_tests(task=True, grade=False)),
    _right("answers-prose", "right answers in cells turned into prose", put_answers_in_prose,
        Expect("either", may_earn=ALL)),
    _untouched("tests-deleted", "no test is left", delete(*TESTS)),
    _right("tests-deleted-right", "right, and no test is left", delete(*TESTS)),
    _right("answer-deleted", "right, but the first answer's cell is gone", delete(FIRST),
        Expect(earns=REST)),
    _untouched("all-graded-deleted", "no graded cell is left", delete(*ALL, *TESTS)),
    _untouched("tests-copied", "each test twice, the first only says passed", copy_tests),
    _right("answers-copied", "right, each answer's cell copied with its id", copy_answers),
    _right("ids-swapped", "right, two answers have each other's id", swap_ids(FIRST, "one_hot"),
        Expect(earns=tuple(n for n in REST if n != "one_hot"), may_earn=(FIRST, "one_hot"))),
    _untouched("ids-crossed", "an answer has its test's id", swap_ids(FIRST, TESTS[0])),
    _right("ids-crossed-right", "right, an answer has its test's id", swap_ids(FIRST, TESTS[0]),
        NO_FIRST),
    _untouched("invented", "three more graded cells of 100 points", invent()),
    _untouched("invented-manual", "three more manual cells of 100 points",
        invent(solution=True, locked=False, points=100)),
    _untouched("invented-twice", "three graded cells of one id", invent(grade_id="test_one_hot")),
    _right("schema-0", "right, schema version 0", set_all(schema_version=0)),
    _right("schema-99", "right, schema version 99", set_all(schema_version=99)),
    _right("schema-text", "right, schema version is a text", set_all(schema_version="three")),
    _right("schema-none", "right, schema version is null", set_all(schema_version=None)),
    _right("string", "right, nbgrader's metadata is a text", replace_metadata("solution")),
    _right("list", "right, nbgrader's metadata is a list", replace_metadata([1, 2])),
    _right("null", "right, nbgrader's metadata is null", replace_metadata(None)),
    _right("ids-lists", "right, every grade id is a list",
        each_graded(lambda data: data.update(grade_id=[data["grade_id"]]))),
    _right("lost", "right, all metadata lost, as in Colab", lose_all),
    _untouched("lost-untouched", "untouched, all metadata lost", lose_all),
    _right("reversed", "right, the cells in reverse order", reverse),
    _right("checksums", "right, false checksums", set_all(checksum="0" * 32)),
    _right("one-cell-id", "right, all cells with one id", each_cell(
        lambda cell: cell.update(id="same"))),
    _untouched("outputs-forged", "untouched, stored outputs say that all passed", forge_outputs),
    _right("kernel-false", "right, asks for the kernel of another language",
        set_kernel(name="bash", display_name="Bash", language="bash")),
    _right("kernel-none", "right, asks for a kernel that nobody has",
        set_kernel(name="../../kernels/own", display_name="x")),
    _right("kernel-provisioner", "right, brings a kernel's command line", attach_provisioner),
    _right("notebook-metadata-list", "right, the notebook's metadata is a list",
        set_notebook_metadata([]), MENDED_OR_NOT),
    _right("notebook-metadata-null", "right, the notebook's metadata is null",
        set_notebook_metadata(None), MENDED_OR_NOT),
    _right("ids-paths", "right, every grade id is a path",
        point_out("../../../../autograder/"), MENDED_OR_NOT),
    _untouched("words-worth-100", "an answer in words that sets its own points", answer_in_words,
        Expect(statuses={"in_words": "needs_manual"})),
    _right("prose-inserted", "right, a markdown cell with a test's id",
        lambda notebook: notebook.cells.insert(0, _prose_as_test())),
    _untouched("many-cells", "30,000 further cells", many_cells, Expect("either")),
)  # fmt: skip


def _prose_as_test() -> NotebookNode:
    cell = new_markdown_cell("passed", id="prose")
    cell.metadata["nbgrader"] = {"grade_id": TESTS[0], "grade": True, "points": 50}
    return cell
