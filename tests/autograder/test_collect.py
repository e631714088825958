"""Collecting from an exchange in which everybody may write."""

import logging
import os
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config

from autograder.collect import SafeCollect, received_at

STAMP = "2031-01-01 00:00:00.000000 UTC"


class Exchange:
    """A course's exchange, and a collection of what learners put into it."""

    def __init__(self, top: Path):
        self.inbound = top / "exchange" / "tensor-course" / "inbound"
        self.inbound.mkdir(parents=True)
        self.inbound.parents[1].chmod(0o777)
        self.root = top / "course"
        self.root.mkdir()

    def hand_in(self, name: str, content: str = "{}", stamp: str = STAMP) -> Path:
        folder = self.inbound / name
        folder.mkdir()
        (folder / "tiny.ipynb").write_text(content)
        (folder / "timestamp.txt").write_text(stamp)
        return folder

    def collect(self, **options) -> None:
        config = Config()
        config.CourseDirectory.root = str(self.root)
        config.CourseDirectory.course_id = "tensor-course"
        config.CourseDirectory.assignment_id = "tiny"
        config.CourseDirectory.submitted_directory = "submitted"
        config.CourseDirectory.db_url = f"sqlite:///{self.root / 'gradebook.db'}"
        config.Exchange.root = str(self.inbound.parents[1])
        coursedir = CourseDirectory(config=config)
        SafeCollect(coursedir=coursedir, config=config, **options).start()

    def collected(self, student: str) -> Path:
        return self.root / "submitted" / student / "tiny"

    def students(self) -> set[str]:
        folder = self.root / "submitted"
        return set(os.listdir(folder)) if folder.exists() else set()


class NoGradebook:
    """In place of nbgrader's, which is asked for the due date alone."""

    def __init__(self, *given):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass

    def find_assignment(self, name):
        from nbgrader.api import MissingEntry

        raise MissingEntry


@pytest.fixture
def exchange(tmp_path, monkeypatch):
    monkeypatch.setattr("nbgrader.exchange.default.collect.Gradebook", NoGradebook)
    return Exchange(tmp_path)


def test_a_submission_is_collected_with_its_files(exchange):
    folder = exchange.hand_in("ada+tiny+2031-01-01 00:00:00 UTC+key", "mine")
    (folder / "data").mkdir()
    (folder / "data" / "x.csv").write_text("1")
    exchange.collect()
    assert (exchange.collected("ada") / "tiny.ipynb").read_text() == "mine"
    assert (exchange.collected("ada") / "data" / "x.csv").read_text() == "1"


@pytest.mark.parametrize("said", ["1999-01-01 00:00:00 UTC", "2999-01-01 00:00:00 UTC", "soon"])
def test_the_time_of_receipt_is_the_servers_whatever_name_and_file_say(exchange, said, caplog):
    before = datetime.now(UTC).replace(tzinfo=None, microsecond=0)
    exchange.hand_in(f"ada+tiny+{said}+key", stamp=said)
    exchange.collect()
    stamp = (exchange.collected("ada") / "timestamp.txt").read_text()
    received = datetime.strptime(stamp, "%Y-%m-%d %H:%M:%S.%f UTC")
    assert before <= received <= datetime.now(UTC).replace(tzinfo=None)
    assert "the server's time counts" in caplog.text


def test_a_file_that_changes_later_moves_the_time_of_receipt(exchange):
    folder = exchange.hand_in("ada+tiny+2031-01-01 00:00:00 UTC+key")
    first = received_at(str(folder))
    time.sleep(0.05)  # file systems tell times apart that are a hundredth of a second apart
    with (folder / "tiny.ipynb").open("a") as writing:
        writing.write("more")
    os.utime(folder / "tiny.ipynb", (0, 0))
    assert received_at(str(folder)) > first


@pytest.mark.parametrize(
    "name",
    [
        "nonsense",
        "x+tiny+2031",
        "+tiny+2031-01-01 00:00:00 UTC+key",
        "{student_id}+tiny+2031-01-01 00:00:00 UTC+key",
        "a+tiny+b+tiny+2031-01-01 00:00:00 UTC+k+tiny+key",
    ],
)
def test_a_malformed_name_is_set_aside_and_the_others_are_collected(exchange, name, caplog):
    exchange.hand_in(name)
    exchange.hand_in("ada+tiny+2031-01-01 00:00:00 UTC+key")
    exchange.collect()
    assert exchange.students() == {"ada"}
    assert name == "nonsense" or "Set aside" in caplog.text


def test_a_link_is_set_aside(exchange, caplog):
    (exchange.inbound / "eve+tiny+2031-01-01 00:00:00 UTC+key").symlink_to("/etc")
    exchange.collect()
    assert exchange.students() == set()
    assert "link" in caplog.text


def test_links_pipes_and_devices_in_a_folder_are_left_out(exchange, tmp_path):
    (tmp_path / "secret").write_text("secret")
    folder = exchange.hand_in("eve+tiny+2031-01-01 00:00:00 UTC+key")
    (folder / "link.txt").symlink_to(tmp_path / "secret")
    (folder / "folder").symlink_to(tmp_path)
    os.mkfifo(folder / "pipe")
    exchange.collect()
    found = {path.name for path in exchange.collected("eve").rglob("*")}
    assert found == {"tiny.ipynb", "timestamp.txt"}


def as_another(folder: Path, uid: int = 65534) -> None:
    if os.geteuid():
        reason = "only root can hand a folder to another user"
        pytest.fail(reason) if os.environ.get("CI") else pytest.skip(reason)
    os.chown(folder, uid, -1)


def test_a_folder_of_another_user_than_its_name_says_is_set_aside(exchange, caplog):
    as_another(exchange.hand_in("ada+tiny+2031-01-01 00:00:00 UTC+forged"))
    as_another(exchange.hand_in("nobody+tiny+2031-01-01 00:00:00 UTC+key"))
    as_another(exchange.hand_in("bo+tiny+2031-01-01 00:00:00 UTC+key"), uid=54321)
    exchange.collect()
    assert exchange.students() == {"nobody"}
    assert "it says that it is ada's and belongs to nobody" in caplog.text
    assert "belongs to user 54321" in caplog.text


def test_a_forged_folder_does_not_hide_the_real_one(exchange):
    exchange.hand_in("ada+tiny+2031-01-01 00:00:00 UTC+key", "real")
    as_another(exchange.hand_in("ada+tiny+2031-01-02 00:00:00 UTC+forged", "forged"))
    exchange.collect()
    assert (exchange.collected("ada") / "tiny.ipynb").read_text() == "real"


def test_owners_are_not_compared_where_the_settings_say_so(exchange):
    as_another(exchange.hand_in("ada+tiny+2031-01-01 00:00:00 UTC+key"))
    exchange.collect(check_owner=False)
    assert exchange.students() == {"ada"}


def test_a_newer_submission_replaces_the_collected_one_when_asked(exchange, caplog):
    caplog.set_level(logging.INFO)
    exchange.hand_in("ada+tiny+2031-01-01 00:00:00 UTC+key", "first")
    exchange.collect()
    exchange.hand_in("ada+tiny+2030-01-01 00:00:00 UTC+key", "second")
    exchange.collect()
    assert (exchange.collected("ada") / "tiny.ipynb").read_text() == "first"
    exchange.collect(update=True)
    assert (exchange.collected("ada") / "tiny.ipynb").read_text() == "second"
    exchange.collect(update=True)
    assert "No newer submission" in caplog.text


def test_a_folder_that_is_too_large_is_cut_and_does_not_end_the_run(exchange, caplog):
    folder = exchange.hand_in("eve+tiny+2031-01-01 00:00:00 UTC+key")
    (folder / "zeros").write_bytes(b"")
    os.truncate(folder / "zeros", 300_000_000)
    exchange.hand_in("ada+tiny+2031-01-01 00:00:00 UTC+key")
    exchange.collect()
    assert exchange.students() == {"ada", "eve"}
    assert not (exchange.collected("eve") / "zeros").exists()
