import os
import time
from datetime import UTC, datetime, timedelta

import pytest

from autograder.intake import receive
from tests.autograder.folders_kit import NOTEBOOK, fill, make_folder


@pytest.fixture
def folder(tmp_path):
    return make_folder(tmp_path)


def test_the_recorded_time_is_the_time_of_receipt(folder):
    fill(folder, a__ipynb=NOTEBOOK, timestamp__txt=b"2015-02-02 15:58:23.948203 UTC\n")
    received = receive(folder, ["a"])
    assert received.received == datetime(2015, 2, 2, 15, 58, 23, 948203, UTC)
    assert received.notes == ()


@pytest.mark.parametrize(
    "text",
    [
        "2015-02-02 23:58:23 +0800",
        "2015-02-02 23:58:23 +08:00",
        "2015-02-02 23:58:23+08:00",
        "2015-02-02 23:58:23 Asia/Shanghai",
        "2015-02-02T15:58:23Z",
        "\ufeff2015-02-02 15:58:23\r\n",
    ],
)
def test_a_time_in_any_zone_is_read_as_utc(folder, text):
    for encoding in ("utf-8", "utf-16"):
        fill(folder, a__ipynb=NOTEBOOK, timestamp__txt=text.encode(encoding))
        assert receive(folder, ["a"]).received == datetime(2015, 2, 2, 15, 58, 23, tzinfo=UTC)


FORGED = [
    (b"", "holds no date"),
    (b"yesterday", "holds no date"),
    (b"10", "holds no date"),
    (b"2015-99-99 99:99 UTC", "holds no date"),
    (b"2015-02-02 15:58:23 +99:99", "holds no date"),
    (b"0001-01-01 00:00:00 UTC", "holds no date"),
    (b"\xff\xfe\x00", "holds no date"),
    (b"2" * 4000, "holds no date"),
    (b"2015-02-02 15:58 " + b"9" * 5000, "larger than"),
    (b"2999-01-01 00:00:00 UTC", "names a later time than it can"),
]


@pytest.mark.parametrize(("text", "says"), FORGED)
def test_a_forged_time_gives_way_to_the_servers(folder, text, says):
    before = time.time()
    fill(folder, a__ipynb=NOTEBOOK, timestamp__txt=text)
    os.utime(folder / "a.ipynb", (0, 0))  # what a learner can set
    received = receive(folder, ["a"])
    assert says in received.notes[0] and "on this machine" in received.notes[0]
    assert before - 2 < received.received.timestamp() <= time.time() + 2


@pytest.mark.parametrize(("minutes", "believed"), [(5, True), (60 * 24, False)])
def test_clocks_may_differ_by_minutes_and_not_by_a_day(folder, minutes, believed):
    said = datetime.now(UTC) + timedelta(minutes=minutes)
    fill(folder, a__ipynb=NOTEBOOK, timestamp__txt=f"{said:%Y-%m-%d %H:%M:%S.%f} UTC".encode())
    assert (receive(folder, ["a"]).received == said) is believed


def test_a_timestamp_that_is_a_link_gives_way_to_the_servers(tmp_path, folder):
    (tmp_path / "early").write_text("2015-02-02 15:58:23 UTC")
    fill(folder, a__ipynb=NOTEBOOK)
    (folder / "timestamp.txt").symlink_to(tmp_path / "early")
    assert receive(folder, ["a"]).received.year > 2015
