"""nbgrader's collecting, that believes the server and not what a learner's folder says of itself.

The time of receipt is the one that the server's file system recorded. A folder named after one
person and owned by another is left where it is; so is one whose name says nothing.
"""

import contextlib
import itertools
import os
import pwd
import shutil
import stat
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from nbgrader.exchange.default import ExchangeCollect
from nbgrader.utils import ignore_patterns

from autograder.folders import FILE_FLAGS, shown
from autograder.intake import TIMESTAMP, may_be_student

SIZE_UNIT = 1000  # bytes in what nbgrader's limits call a kilobyte
MAX_FOLDERS, MAX_FILES = 200, 5000  # looked at for the time of receipt
SLACK_SECONDS = 600  # between what a folder's name and the server say


class SafeCollect(ExchangeCollect):
    """Collects from an exchange whose inbound folder is anybody's to write to."""

    def _path_to_record(self, path: str) -> dict:
        """As nbgrader's; a folder that must not be collected has no user name."""
        filename = os.path.basename(path)
        received = received_at(path)
        record = {"username": None, "filename": filename, "timestamp": received}
        if reason := self._why_not(path, filename):
            self.log.error("Set aside %s: %s", shown(filename), reason)
            return record
        said, record["username"] = filename.rsplit("+", 3)[2], filename.rsplit("+", 3)[0]
        self._compare(filename, said, received)
        return record

    def _why_not(self, path: str, filename: str) -> str:
        parts = filename.rsplit("+", 3)
        if len(parts) < 4 or parts[1] != self.coursedir.assignment_id:
            return "its name is not student+assignment+time+key. Ask who submitted it."
        if parts[0][:1] in ("", ".") or not may_be_student(parts[0]):
            return "its name holds no student's. Ask who submitted it."
        status = os.lstat(path)
        if not stat.S_ISDIR(status.st_mode):
            return "it is a link or a file, not a folder. Nothing of it was read."
        if self.check_owner and (owner := owner_of(status)) not in (parts[0], None):
            return (
                f"it says that it is {parts[0]}'s and belongs to {owner}. Ask both; to collect it "
                "all the same, set ExchangeCollect.check_owner = False."
            )
        return ""

    def _compare(self, filename: str, said: str, received: datetime) -> None:
        from nbgrader.utils import parse_utc

        try:
            apart = abs((received - parse_utc(said)).total_seconds())
        except (ValueError, OverflowError, TypeError):
            apart = None
        if apart is None or apart > SLACK_SECONDS:
            self.log.warning(
                "%s: its name says %s, the server received it at %s UTC; the server's time counts",
                *(shown(filename), shown(said), received),
            )

    def init_src(self) -> None:
        super().init_src()
        self.src_records = [each for each in self.src_records if each["username"]]

    def copy_files(self) -> None:
        check_owner, self.check_owner = self.check_owner, False  # it was checked before
        try:
            super().copy_files()
        finally:
            self.check_owner = check_owner

    def do_copy(self, src: str, dest: str, log=None) -> None:
        """Ordinary files only, no links; timestamp.txt by the server's clock."""
        limit = SIZE_UNIT * self.coursedir.max_dir_size
        received, copied = received_at(src), 0
        os.makedirs(dest)
        ignore = ignore_patterns(
            exclude=self.coursedir.ignore,
            include=self.coursedir.include,
            max_file_size=self.coursedir.max_file_size,
            log=self.log,
        )
        for folder, name, opened in ordinary_files(src, ignore):
            with opened:
                copied += os.fstat(opened.fileno()).st_size
                if copied > limit:
                    self.log.error(
                        "%s: more than %d bytes; the rest of it was left out", shown(src), limit
                    )
                    break
                target = Path(dest, os.path.relpath(folder, src), name)
                target.parent.mkdir(parents=True, exist_ok=True)
                with target.open("wb") as writing:
                    shutil.copyfileobj(opened, writing)
        stamp = Path(dest, TIMESTAMP)
        stamp.unlink(missing_ok=True)
        stamp.write_text(f"{received:%Y-%m-%d %H:%M:%S.%f} UTC")
        if self.coursedir.groupshared:
            share(dest)


def received_at(path: str) -> datetime:
    """When the server last wrote something of this folder, in UTC without saying so.

    The change time (ctime) is set by the server's kernel: nobody can give a file an earlier one.
    """
    latest = os.lstat(path).st_ctime
    for _, names, files, directory in itertools.islice(os.fwalk(path), MAX_FOLDERS):
        for name in itertools.islice((*names, *files), MAX_FILES):
            with contextlib.suppress(FileNotFoundError):  # removed meanwhile
                status = os.stat(name, dir_fd=directory, follow_symlinks=False)
                latest = max(latest, status.st_ctime)
    return datetime.fromtimestamp(latest, UTC).replace(tzinfo=None)


def owner_of(status: os.stat_result) -> str | None:
    """The owner's name; None for the one who collects, who may put folders there for others."""
    if status.st_uid == os.geteuid():
        return None
    try:
        return pwd.getpwuid(status.st_uid).pw_name
    except KeyError:
        return f"user {status.st_uid}"


def ordinary_files(source: str, ignore) -> Iterator[tuple]:
    """(folder, name, the file opened for reading) of every ordinary file; no link is followed."""
    for folder, names, files, directory in os.fwalk(source):
        left_out = ignore(folder, [*names, *files])
        names[:] = [name for name in names if name not in left_out]
        for name in files:
            if name in left_out:
                continue
            try:
                descriptor = os.open(name, FILE_FLAGS, dir_fd=directory)
            except OSError:  # a link, a socket, gone
                continue
            if stat.S_ISREG(os.fstat(descriptor).st_mode):
                yield folder, name, os.fdopen(descriptor, "rb")
            else:
                os.close(descriptor)


def share(folder: str) -> None:
    """Let the group of the instructors change what was collected."""
    for parent, _, files in os.walk(folder):
        os.chmod(parent, stat.S_IMODE(os.stat(parent).st_mode) | 0o2770)
        for name in files:
            path = os.path.join(parent, name)
            os.chmod(path, stat.S_IMODE(os.stat(path).st_mode) | 0o660)
