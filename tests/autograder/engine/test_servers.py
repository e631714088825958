"""What is decided on the way to a server: folders, environments, answers."""

from pathlib import Path

import pytest

from autograder.engine import servers, wire
from autograder.engine.environment import for_kernel, for_server
from autograder.engine.link import Link, parse_testimony


def test_only_its_user_reaches_a_socket():
    folder = servers.make_private_folder()
    with wire.listen(str(folder / "s")):
        assert (folder / "s").stat().st_mode & 0o777 == 0o600
        assert folder.stat().st_mode & 0o777 == 0o700
    (folder / "s").unlink()
    folder.rmdir()


def test_a_long_folder_for_temporary_files_is_not_used_for_sockets(monkeypatch, tmp_path):
    long = tmp_path / ("x" * 90)
    long.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(long))
    folder = servers.make_private_folder()
    assert folder.parent == Path("/tmp")
    folder.rmdir()


def test_no_token_of_the_environment_reaches_a_server_or_a_confined_kernel():
    environ = {"PATH": "/bin", "LC_ALL": "C", "HOME": "/h", "API_TOKEN": "t", "AUTOGRADER_DB": "d"}
    assert for_kernel(environ) == {"PATH": "/bin", "LC_ALL": "C"}
    assert set(for_server(environ)) == {"PATH", "LC_ALL", "HOME", "OPENBLAS_NUM_THREADS"}


@pytest.mark.parametrize("text", [None, "", "no json", "[1]", "3", "[" * 90_000])
def test_a_testimony_that_is_no_object_is_none(text):
    assert parse_testimony(text) is None


def test_a_server_that_is_gone_says_what_to_do():
    with pytest.raises(RuntimeError, match="start it again"):
        Link("/no/such/socket")
