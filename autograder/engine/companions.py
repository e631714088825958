"""The files beside a notebook, to be copied into the sandbox where it runs."""

import os
import stat


def read_companions(folder: str, most: int) -> dict[str, bytes]:
    """Relative path -> content of the regular files in `folder`, without notebooks.

    Links are not followed; hidden files and folders are left out. Raises ValueError where they
    hold more than `most` bytes together.
    """
    found: dict[str, bytes] = {}
    for parent, folders, files, parent_fd in os.fwalk(folder):
        folders[:] = [name for name in folders if not name.startswith((".", "__pycache__"))]
        for name in files:
            if name.startswith(".") or name.endswith(".ipynb"):
                continue
            path = os.path.relpath(os.path.join(parent, name), folder)
            data = _read_regular(name, parent_fd, most + 1)
            if data is None:
                continue
            most -= len(data)
            if most < 0:
                raise ValueError(
                    f"expected files that fit into the sandbox beside the notebook; {path} in "
                    f"{folder} is too much. Take large files away, or raise the limit `disk`."
                )
            found[path] = data
    return found


def _read_regular(name: str, parent_fd: int, most: int) -> bytes | None:
    """At most `most` bytes of a file; None for what is no regular file."""
    try:
        opened = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=parent_fd)
    except OSError:
        return None
    with open(opened, "rb") as file:
        return file.read(most) if stat.S_ISREG(os.fstat(opened).st_mode) else None
