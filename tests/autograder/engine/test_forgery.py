"""Code that lies to whoever runs it: forged replies, floods, messages of any shape."""

import json

import nbformat
import pytest

from autograder.limits import Limits
from tests.autograder.engine.runkit import FORGE, run, shown, test_cell

pytestmark = pytest.mark.slow
ORDINARY = "python3"


def test_a_test_that_forges_its_reply_and_fails_gets_an_error_and_a_sign():
    ran = run(FORGE, test_cell("forge(); 1 / 0"), test_cell("2"))
    assert ran.ends[2] == "error" and "ForgedReplyError" in shown(ran, 2)
    assert "answered twice" in ran.signs[0]


def test_the_last_cell_is_asked_too():
    ran = run(FORGE, test_cell("forge(); time.sleep(1); 1 / 0"))
    assert ran.ends[2] == "error" and ran.signs


@pytest.mark.parametrize(
    "then", ["time.sleep(0.2); os._exit(0)", "os._exit(0)", "while True: pass"]
)
def test_a_test_that_forges_its_reply_and_never_ends_gets_nothing(then):
    ran = run(FORGE, test_cell("'before'"), test_cell(f"forge()\n{then}"), test_cell("'after'"))
    assert ran.ends[1:3] == ("ok", "ok") and ran.ends[4] == "ok"
    assert ran.ends[3] in ("died", "timeout")


def test_an_idle_state_that_is_forged_hides_no_error():
    ran = run(FORGE, test_cell("forge(reply=False); 1 / 0"), "2")
    assert ran.ends[2:] == ("error", "ok") and "ZeroDivisionError" in shown(ran, 2)


def test_a_reply_for_a_cell_to_come_cannot_be_forged():
    guess = """
def guess():
    kernel = get_ipython().kernel
    first = kernel.get_parent()["header"]["msg_id"]
    stem, _, number = first.rpartition("_")
    return f"{stem}_{int(number) + 1}"
print(guess())
"""
    ran = run(guess)
    assert ran.ends == ("", "error")  # the ids are random: there is no number to count up


def test_a_kernel_whose_execution_is_replaced_runs_nothing():
    replaced = """
async def pretend(*args, **kwargs):
    return {"status": "ok", "execution_count": 1, "user_expressions": {}, "payload": []}
get_ipython().kernel.do_execute = pretend
"""
    ran = run(replaced, test_cell("1 / 0"))
    assert ran.ends == ("", "ok", "not_run") and "CellNotRun" in shown(ran, 2)
    assert any("do_execute" in sign for sign in ran.signs)


def test_an_error_whose_output_was_swallowed_still_shows():
    swallow = "get_ipython().set_custom_exc((Exception,), lambda *args, **kwargs: None)"
    ran = run(swallow, test_cell("1 / 0"))
    assert ran.ends[2] == "error" and "ZeroDivisionError" in shown(ran, 2)


def test_a_flood_is_cut_and_the_next_cell_runs():
    ran = run("for _ in range(10**6): print('x' * 100)", "2", limits=Limits(cell_output=10_000))
    assert ran.ends[2] == "ok" and len(shown(ran, 1)) < 11_000


def test_a_flood_past_the_kernels_own_cap_ends_its_cell():
    flood = """
kernel = get_ipython().kernel
send = type(kernel.session).send
while True:
    content = {"name": "stdout", "text": "y" * 10_000}
    send(kernel.session, kernel.iopub_socket, "stream", content, kernel.get_parent())
"""
    ran = run(flood, "2", limits=Limits(cell_output=100_000))
    assert ran.ends == ("", "output", "ok")
    assert len(shown(ran, 1)) < 102_000 and "printed without end" in shown(ran, 1)


def test_every_cell_may_show_something_though_the_notebooks_share_is_used_up():
    limits = Limits(cell_output=50_000, output=60_000)
    cells = ["print('x' * 40_000)"] * 3
    ran = run(*cells, test_cell("print('passed')"), limits=limits, kernel=ORDINARY)
    assert shown(ran, 4) == "passed\n"
    assert sum(len(shown(ran, index)) for index in range(1, 5)) < 80_000


def test_messages_of_any_shape_are_survived():
    garbage = """
import json
kernel = get_ipython().kernel
session, socket = kernel.session, kernel.iopub_socket
bodies = [b"{}", b"[]", b"nonsense", b"[" * 100_000, b'{"execution_state": []}', b"1" * 5000]
contents = [{"data": {"text/plain": "\\ud800"}, "metadata": 1, "transient": 1}]
contents += [{"data": 1, "transient": {"display_id": []}, "name": [], "text": {}}]
bodies += [json.dumps(content).encode() for content in contents]
kinds = ["stream", "display_data", "execute_result", "error", "status", "clear_output"]
kinds += ["comm_open", "update_display_data", "comm_msg", "nonsense", None, 3]
for kind in kinds:
    for body in bodies:
        header = {"msg_id": "x", "msg_type": kind, "version": "5.3"}
        parent = session.pack({"msg_id": kernel.get_parent()["header"]["msg_id"]})
        parts = [session.pack(header), parent, b"{}", body]
        socket.send_multipart([b"<IDS|MSG>", session.sign(parts), *parts])
socket.send_multipart([b"no message"])
socket.send_multipart([b"<IDS|MSG>", b"", b"", b"", b"", b""])
"""
    ran = run(garbage, "2")
    assert ran.ends[2] == "ok"
    json.dumps(ran.notebook, ensure_ascii=False, allow_nan=False).encode()
    nbformat.validate(ran.notebook)


def test_displays_are_updated_and_cleared_within_their_cell():
    ran = run(
        "shown = display('a', display_id='x'); shown.update('b')",
        "from IPython.display import clear_output; print(1); clear_output(wait=True); print(2)",
        "shown.update('c'); print(3)",
    )
    assert [shown(ran, index) for index in (1, 2, 3)] == ["'b'", "2\n", "3\n"]


def test_widgets_do_no_harm():
    opened = """
from comm import create_comm
model = {"_model_module": "@jupyter-widgets/output", "_model_name": "OutputModel"}
comm = create_comm(target_name="jupyter.widget", data={"state": model})
parent = get_ipython().kernel.get_parent()["header"]["msg_id"]
comm.send({"method": "update", "state": {"msg_id": parent}})
print("seen")
"""
    assert shown(run(opened), 1) == "seen\n"


def test_inline_figures_are_kept():
    ran = run("%matplotlib inline\nimport matplotlib.pyplot as plt; plt.plot([1, 2]); plt.show()")
    assert "image/png" in ran.notebook.cells[1].outputs[-1].data
