"""A class graded into PostgreSQL, named by AUTOGRADER_DB, has the scores that SQLite has."""

import os
import pwd
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from tests.hostile.arena import arena
from tests.hostile.conftest import unavailable
from tests.hostile.faultkit import CLASS, book_of, outcome
from tests.hostile.gradebooks import differences, read_book

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
HOME = Path("/usr/lib/postgresql")


def programs() -> Path:
    """The folder of PostgreSQL's programs, of the newest version that is there."""
    found = sorted(HOME.glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    if not found:
        unavailable(f"no PostgreSQL under {HOME}: install Debian's postgresql")
    return found[-1].parent


@pytest.fixture(scope="module")
def server():
    """A cluster of its own, on a Unix socket only; yields the address of its database."""
    pytest.importorskip("psycopg", reason="no driver: pip install 'psycopg[binary]'")
    folder = Path(tempfile.mkdtemp(prefix="pg-", dir="/tmp"))  # a socket's path must be short
    user = pwd.getpwuid(os.geteuid()).pw_name
    options: dict = {"check": True, "capture_output": True, "cwd": folder}
    if os.geteuid() == 0:  # PostgreSQL refuses to run as root
        user = next((name for name in ("postgres", "nobody") if is_user(name)), "")
        shutil.chown(folder, user)
        options |= {"user": user, "group": pwd.getpwnam(user).pw_gid, "extra_groups": []}
    bin_ = programs()
    data = folder / "data"
    subprocess.run([bin_ / "initdb", "-D", data, "-A", "trust", "-U", "grader"], **options)
    settings = f"-k {folder} -c listen_addresses='' -c fsync=off"
    control = [bin_ / "pg_ctl", "-D", data, "-w", "-l", folder / "log"]
    subprocess.run([*control, "-o", settings, "start"], **options)
    try:
        yield f"postgresql+psycopg://grader@/postgres?host={folder}"
    finally:
        subprocess.run([*control, "-m", "immediate", "stop"], **options)
        shutil.rmtree(folder, ignore_errors=True)


def is_user(name: str) -> bool:
    try:
        pwd.getpwnam(name)
    except KeyError:
        return False
    return True


def test_postgresql_holds_the_scores_that_sqlite_holds(sandbox, server):
    with arena() as lite, arena() as other:
        for made in (lite, other):
            made.plant(CLASS)
        here = lite.grade()
        there = other.grade({"AUTOGRADER_DB": server})
        assert there.code == 0, there.err[-2000:]
        assert outcome(there) == outcome(here)
        assert differences(read_book(server), book_of(lite)) == {}
        assert not (other.root / "autograder" / "gradebook.db").exists()
        again = other.grade({"AUTOGRADER_DB": server})
        assert outcome(again) == outcome(here)
        assert other.breaches() == []
