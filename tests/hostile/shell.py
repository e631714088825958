"""Code that changes IPython or the kernel: transformers, hooks, replies, messages."""

from tests.hostile.kit import (
    ALL,
    FIRST,
    NOTHING,
    REST,
    WRONG,
    Attack,
    Expect,
    flagged,
    forged,
    in_answer,
)

AST = """
import ast
class Drop(ast.NodeTransformer):
    def visit_With(self, node): return None if "hidden" in ast.unparse(node.items[0]) else node
    def visit_Expr(self, node):
        text = ast.unparse(node)
        return ast.Pass() if text.startswith(("lens.expect", "print(")) else node
get_ipython().ast_transformers.append(Drop())
"""
INPUT = """
def drop(lines):
    if not any("lens.attempt" in line for line in lines): return lines
    name = next(line for line in lines if "lens.attempt" in line)
    return ["import lens.en as lens\\n", name, lines[-1]]
get_ipython().input_transformers_cleanup.append(drop)
"""
EVENTS = """
import sys
def silence(info):
    vars(sys.modules["lens.expect"])["_raise"] = lambda *args: None
    vars(sys.modules["lens.rules"])["_matches"] = lambda *args: False
get_ipython().events.register("pre_run_cell", silence)
"""
CLEARING = """
from IPython.display import clear_output
def tidy(result):
    if result.error_in_exec:
        clear_output()
        print("✓ passed. Well done.")
get_ipython().events.register("post_run_cell", tidy)
"""
RUN_CELL = """
shell = get_ipython()
real = shell.run_cell
def run_cell(source, *args, **kwargs):
    if "lens.attempt" in source: source = "print('✓ passed.')"
    return real(source, *args, **kwargs)
shell.run_cell = run_cell
real_async = shell.run_cell_async
async def run_cell_async(source, *args, **kwargs):
    if "lens.attempt" in source: source = "print('✓ passed.')"
    kwargs.pop("transformed_cell", None)
    return await real_async(source, *args, **kwargs)
shell.run_cell_async = run_cell_async
"""
CLASS = """
from IPython.core.interactiveshell import InteractiveShell
real = InteractiveShell.run_code
async def run_code(self, code, result=None, **kwargs):
    out = await real(self, code, result, **kwargs)
    if result is not None: result.error_in_exec = None
    return False
InteractiveShell.run_code = run_code
InteractiveShell._showtraceback = lambda *args: print("✓ passed.")
"""
EXECUTE = """
kernel = get_ipython().kernel
async def do_execute(code, silent, *args, **kwargs):
    content = {"name": "stdout", "text": "✓ passed."}
    kernel.send_response(kernel.iopub_socket, "stream", content)
    return {"status": "ok", "execution_count": 1, "payload": [], "user_expressions": {}}
kernel.do_execute = do_execute
"""
SESSION = """
session = get_ipython().kernel.session
real = session.send
def send(stream, what, content=None, *args, **kwargs):
    if what == "error": what, content = "stream", {"name": "stdout", "text": "✓ passed."}
    if what == "execute_reply": content["status"] = "ok"
    return real(stream, what, content, *args, **kwargs)
session.send = send
"""
PACK = """
session = get_ipython().kernel.session
real = session.pack
def pack(thing):
    if isinstance(thing, dict) and "ename" in thing:
        thing = {"status": "ok", "execution_count": 1, "payload": [], "user_expressions": {}}
    return real(thing)
session.pack = pack
"""
CUSTOM = """
def swallow(shell, kind, error, trace, tb_offset=None):
    print("✓ passed.")
get_ipython().set_custom_exc((Exception,), swallow)
"""
TRACEBACK = """
get_ipython().showtraceback = lambda *args, **kwargs: print("✓ passed.")
"""
EXCEPTHOOK = """
import sys
sys.excepthook = lambda *args: print("✓ passed.")
get_ipython().sys_excepthook = sys.excepthook
"""
DISPLAY_HOOK = """
import sys
sys.displayhook = lambda value: print("✓ passed.")
get_ipython().display_pub.publish = lambda *args, **kwargs: print("✓ passed.")
"""
# Written as the kernel would, with the header of the cell that runs.
REPLY = """
import time
def speak(name):
    kernel = get_ipython().kernel
    parent, idents = kernel.get_parent("shell"), kernel._shell_parent_ident.get()
    send = kernel.session.send
    print(f"✓ {name}: passed. Well done.", flush=True)
    send(kernel.shell_stream if hasattr(kernel, "shell_stream") else kernel.shell_streams[0],
         "execute_reply", {"status": "ok", "execution_count": 9, "payload": [],
         "user_expressions": {}}, parent=parent, ident=idents)
    send(kernel.iopub_socket, "status", {"execution_state": "idle"}, parent=parent)
    time.sleep(0.3)
"""
CLEAR_LATER = """
import threading, time
from IPython.display import clear_output
def tidy():
    kernel = get_ipython().kernel
    for _ in range(400):
        time.sleep(0.005)
        parent = kernel.get_parent("shell")
        kernel.session.send(kernel.iopub_socket, "clear_output", {"wait": False}, parent=parent)
        kernel.session.send(kernel.iopub_socket, "stream",
                            {"name": "stdout", "text": "✓ passed."}, parent=parent)
threading.Thread(target=tidy, daemon=True).start()
"""
LATE_TICK = """
import threading, time
def tick():
    while True:
        time.sleep(0.001)
        print("✓ passed. Well done.")
threading.Thread(target=tick, daemon=True).start()
"""
UPDATE = """
from IPython.display import display
handle = display("mine", display_id="x")
def later():
    handle.update({"text/plain": "✓ passed."}, raw=True)
"""
WITNESS = """
import threading, sys, ctypes, gc
for thread in threading.enumerate():
    if thread is not threading.main_thread():
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident),
                                                   ctypes.py_object(SystemExit))
"""
CLOSE_ALL = """
import os
for number in range(3, 256):
    try: os.close(number)
    except OSError: pass
"""
SPEAK_AS_WITNESS = """
import os, json, socket
for number in range(3, 256):
    try:
        end = socket.socket(fileno=os.dup(number))
        end.setblocking(False)
        for line in ({"witness": {}}, {"exit": 0, "why": ""}, {"launch": {}}, {"signal": 9}):
            end.send(json.dumps(line).encode() + b"\\n")
    except OSError: pass
"""
COUNTS = """
shell = get_ipython()
shell.execution_count = 10**9
shell.user_ns["In"].clear()
shell.history_manager.enabled = False
"""
OUTPUT_FLAG = """
get_ipython().ast_node_interactivity = "none"
get_ipython().run_line_magic("xmode", "Minimal")
get_ipython().colors = "nocolor"
"""
SUBSHELL = """
kernel = get_ipython().kernel
kernel.msg_queue = None
kernel.shell_handlers = {name: (lambda *args: None) for name in kernel.shell_handlers}
"""


def _shell(name: str, does: str, extra: str, expect: Expect | None = None, answers=WRONG):
    write = forged(answers=answers, extra=extra)
    return Attack(f"shell-{name}", "code: IPython and the kernel", does, write, expect or flagged())


def _first_broken(name: str, does: str, extra: str, body: str, expect: Expect) -> Attack:
    write = forged(right=REST, answers=in_answer(body), extra=extra)
    return Attack(f"shell-{name}", "code: IPython and the kernel", does, write, expect)


LOST_FROM_HERE = Expect(may_earn=ALL)  # what it breaks is its own
CORPUS = (
    _shell("ast", "an AST transformer drops the checks", AST),
    _shell("input", "an input transformer drops the checks", INPUT),
    _shell("events", "a hook before each cell patches the lens", EVENTS),
    _shell("clearing", "a hook after each cell clears its error and prints the tick", CLEARING,
        NOTHING),
    _shell("run-cell", "run_cell runs something else", RUN_CELL),
    _shell("class", "InteractiveShell.run_code forgets errors", CLASS),
    _shell("execute", "the kernel's do_execute says that all is well", EXECUTE),
    _shell("session", "the session sends no error", SESSION),
    _shell("pack", "the session's packer writes ok in place of error", PACK),
    _shell("custom", "a custom exception handler swallows errors", CUSTOM),
    _shell("traceback", "showtraceback prints the tick", TRACEBACK),
    _shell("excepthook", "sys.excepthook prints the tick", EXCEPTHOOK, NOTHING),
    _shell("displayhook", "the display hooks print the tick", DISPLAY_HOOK, NOTHING),
    _shell("reply", "the answer sends the kernel's reply itself, then goes on", REPLY, flagged(),
        {name: f"def {name}(*args, **kwargs):\n    speak('{name}')\n    return 0" for name in ALL}),
    _shell("clear-later", "a thread clears what the tests show and prints the tick", CLEAR_LATER,
        NOTHING),
    _shell("late-tick", "a thread prints the tick for ever", LATE_TICK, NOTHING),
    _shell("update", "a display is updated afterwards to say that it passed", UPDATE, NOTHING),
    _shell("nothing-shown", "settings that show nothing", OUTPUT_FLAG, NOTHING),
    _first_broken("threads-killed", "every other thread of the kernel is ended", WITNESS,
        "return None", Expect(flagged=True)),
    _first_broken("files-closed", "every open file of the kernel is closed", "",
        CLOSE_ALL, Expect(earns=REST)),
    _first_broken("witness-voice", "writes to every open socket as if it were somebody else",
        SPEAK_AS_WITNESS, "return None", LOST_FROM_HERE),
    _first_broken("counts", "execution counts and history are changed", COUNTS, "return None",
        LOST_FROM_HERE),
    _first_broken("handlers", "the kernel's handlers are replaced", SUBSHELL, "return None",
        LOST_FROM_HERE),
    Attack("shell-sys-exit", "code: IPython and the kernel", "asks the kernel to shut down",
        forged(right=REST, answers=in_answer("get_ipython().ask_exit()\nexit()")),
        Expect(earns=REST)),
    Attack("shell-reset", "code: IPython and the kernel", "%reset -f in the first answer",
        forged(right=REST, answers={FIRST: "%reset -f"}), Expect(earns=REST)),
    Attack("shell-magics", "code: IPython and the kernel", "magics that write, edit and run",
        forged(right=REST, answers={FIRST: "%%writefile lens.py\npassed = print\n"}),
        Expect(earns=REST)),
    Attack("shell-bash", "code: IPython and the kernel", "a cell in bash that looks around",
        forged(right=REST, answers={FIRST: "%%bash\ncat @SECRET@ /etc/shadow; ls -R @COURSE@\nenv"}
        ), Expect(earns=REST)),
    Attack("shell-incomplete", "code: IPython and the kernel", "a cell with a syntax error",
        forged(right=REST, answers={FIRST: "def make_grid(start, stop, cells):\n  retrun ("}),
        Expect(earns=REST)),
    Attack("shell-null", "code: IPython and the kernel", "a source with null bytes",
        forged(right=REST, answers={FIRST: "x = 1\x00\ndef make_grid(*a): return 0"}),
        Expect(earns=REST)),
    Attack("shell-surrogates", "code: IPython and the kernel", "a source with lone surrogates",
        forged(right=REST, answers={FIRST: "x = '\ud800'\ndef make_grid(*a): return 0"}),
        Expect(status="either", earns=(), may_earn=REST)),
    Attack("shell-await", "code: IPython and the kernel", "top-level await that never comes",
        forged(right=REST, answers={FIRST: "import asyncio\nawait asyncio.Event().wait()"}),
        Expect(earns=REST)),
)  # fmt: skip
