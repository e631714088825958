"""JupyterLab servers and a browser's pages, driven as a person would."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

TOKEN = "a-token-for-tests"
START_SECONDS = 120
RUN_SECONDS = 300


@dataclass(frozen=True)
class Server:
    """A running JupyterLab."""

    url: str
    log: Path

    def read(self, path: str) -> str:
        """A page of the server, as text."""
        joint = "&" if "?" in path else "?"
        with urllib.request.urlopen(f"{self.url}{path}{joint}token={TOKEN}", timeout=20) as reply:
            return reply.read().decode()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def serve(course: Path, home: Path, *options: str, **environment: str):
    """Run the course's own start.py in `course`, with a new home; end it after use."""
    home.mkdir(parents=True, exist_ok=True)
    mine = ("COURSE_", "AUTOGRADER_", "JUPYTER")
    clean = {name: value for name, value in os.environ.items() if not name.startswith(mine)}
    clean |= {"HOME": str(home), "JUPYTER_RUNTIME_DIR": str(home / "runtime"), **environment}
    port = free_port()
    command = [sys.executable, "course/jupyter/start.py", "--here", *options, "--no-browser"]
    command += [f"--port={port}", "--ServerApp.port_retries=0", f"--IdentityProvider.token={TOKEN}"]
    command += ["--LabApp.expose_app_in_browser=True"]
    log = home / "server.log"
    with log.open("wb") as writer:
        process = subprocess.Popen(
            command, cwd=course, env=clean, stdout=writer, stderr=writer, start_new_session=True
        )
    try:
        server = Server(f"http://127.0.0.1:{port}", log)
        wait_until_up(server, process)
        yield server
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def wait_until_up(server: Server, process: subprocess.Popen) -> None:
    deadline = time.monotonic() + START_SECONDS
    while True:
        with contextlib.suppress(OSError):
            server.read("/api/status")
            return
        if process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"JupyterLab did not start:\n{server.log.read_text()[-4000:]}")
        time.sleep(0.2)


def has_run(cell: dict) -> bool:
    """A cell that needs no running counts as run; scheduling clears the stored numbers."""
    code = cell["cell_type"] == "code" and "".join(cell["source"]).strip()
    return not code or cell["execution_count"] is not None


class Lab:
    """One browser page in a JupyterLab, and the addresses that it asked for."""

    def __init__(self, context, server: Server):
        self.page = context.new_page()
        self.server = server
        self.requests: list[str] = []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("websocket", lambda websocket: self.requests.append(websocket.url))

    def outside_requests(self) -> list[str]:
        """Requests to another machine than this one."""
        parts = [(urlsplit(url), url) for url in self.requests]
        local = ("data", "blob", "about")
        return [
            url
            for part, url in parts
            if part.scheme not in local and part.hostname not in ("127.0.0.1", "localhost")
        ]

    def open(self, path: str) -> None:
        joint = "&" if "?" in path else "?"
        self.page.goto(f"{self.server.url}{path}{joint}token={TOKEN}")
        self.page.wait_for_selector("#jupyterlab-splash", state="detached")
        self.page.wait_for_function("() => window.jupyterapp?.restored.then(() => true)")

    def execute(self, command: str) -> None:
        """Run one of JupyterLab's commands and wait for its end."""
        run = "id => window.jupyterapp.commands.execute(id).then(() => true)"
        self.page.evaluate(run, command)

    def wait_for_kernel(self) -> None:
        """The notebook in front has a kernel with nothing to do."""
        self.page.wait_for_function(
            """() => {
              const kernel = window.jupyterapp.shell.currentWidget?.sessionContext?.session?.kernel;
              return kernel?.connectionStatus === "connected" && kernel.status === "idle";
            }""",
            timeout=120_000,
        )

    def cells(self) -> list[dict]:
        """The cells of the notebook in front, as its model holds them."""
        return self.page.evaluate(
            "() => window.jupyterapp.shell.currentWidget.content.model.toJSON().cells"
        )

    def run_all(self) -> list[dict]:
        """Run the notebook in front to its end; its cells."""
        self.execute("notebook:run-all-cells")  # its promise may resolve before the last cell ran
        deadline = time.monotonic() + RUN_SECONDS
        while waiting := [cell for cell in self.cells() if not has_run(cell)]:
            if time.monotonic() > deadline:
                source = "".join(waiting[0]["source"])
                raise AssertionError(f"{len(waiting)} cells did not run; the first one:\n{source}")
            self.page.wait_for_timeout(500)
        self.wait_for_kernel()
        return self.cells()

    def type_into(self, index: int, source: str) -> None:
        """Replace a cell's text by typing."""
        cell = self.page.locator(".jp-NotebookPanel:visible .jp-Cell").nth(index)
        cell.scroll_into_view_if_needed()
        cell.locator(".cm-content").click()
        self.page.keyboard.press("Control+a")
        self.page.keyboard.insert_text(source)
