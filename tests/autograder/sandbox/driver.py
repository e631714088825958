"""Run as a program: a fork server in small. Executes the code that it is handed on stdin.

The code finds `launch(code, slot=0)`, which confines a child, executes `code` in it and returns its
pid; the child's code finds `home`. Both print to standard output.
"""

import json
import os
import shutil
import sys
import tempfile
import textwrap
import traceback

asked = json.load(sys.stdin)
sys.path.insert(0, asked["packages"])

import autograder.sandbox as sandbox  # noqa: E402
from autograder.limits import Limits  # noqa: E402


def mask_proc():
    """As on machines where nobody may mount /proc."""
    from autograder.sandbox import syscalls

    mount = syscalls.mount

    def refuse_proc(source, target, kind=None, flags=0, options=None):
        if kind == "proc":
            raise PermissionError(1, "mount proc")
        mount(source, target, kind, flags, options)

    syscalls.mount = refuse_proc


def launch(code, slot=0, files=None):
    sys.stdout.flush()
    sandbox.before_fork(server)
    pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        given = {name: text.encode() for name, text in (files or {}).items()}
        home = sandbox.confine(server, slot, limits, given)
        exec(textwrap.dedent(code), {"home": home, "limits": limits, "os": os, "sys": sys})
        status = 0
    except BaseException:
        traceback.print_exc()
    sys.stdout.flush()
    os._exit(status)


top = tempfile.mkdtemp(prefix="box-")
os.chmod(top, 0o755)
owner = os.getpid()
limits = Limits(**asked["limits"])
if asked["mask_proc"]:
    mask_proc()
try:
    server = sandbox.enter_server(asked["level"], f"{top}/base", asked["readable"])
    exec(asked["code"], globals())
finally:
    sys.stdout.flush()
    shutil.rmtree(top, ignore_errors=True)
