"""Which files of the machine a child needs to run Python, and no more."""

import os
import site
import sys
from collections.abc import Iterable, Iterator

SYSTEM = (
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/nix/store",
    "/gnu/store",
)
SETTINGS = (
    "/etc/alternatives",
    "/etc/fonts",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/etc/mime.types",
    "/etc/os-release",
    "/etc/ssl/openssl.cnf",
    "/etc/timezone",
)
PROCESSORS = ("/sys/devices/system/cpu", "/sys/devices/system/node")
DEVICES = ("null", "zero", "full", "random", "urandom")
MACHINE = ("cpuinfo", "meminfo", "stat", "uptime", "version", "loadavg", "filesystems")  # of /proc
# Of an environment only these: somebody may have made it around a whole project.
_PARTS = ("bin", "etc", "include", "lib", "lib64", "libexec", "pyvenv.cfg", "share", "ssl")


def python_folders() -> list[str]:
    """What belongs to the Python in use and to its packages, outside the system's folders."""
    prefixes = {sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix}
    found = [os.path.join(prefix, part) for prefix in sorted(prefixes) for part in _PARTS]
    if site.ENABLE_USER_SITE and site.getusersitepackages() in sys.path:
        found.append(site.getusersitepackages())
    return [path for path in found if os.path.exists(path) and not _within(path, SYSTEM)]


def _within(path: str, folders: Iterable[str]) -> bool:
    return any(path == folder or path.startswith(folder.rstrip("/") + "/") for folder in folders)


def outermost(paths: Iterable[str]) -> Iterator[tuple[str, str]]:
    """(where it lies, where to show it), absolute, without what lies in another of them.

    What is reached through a link is shown in both places, as programs may use either.
    """
    wanted = set()
    for path in map(os.path.abspath, paths):
        real = os.path.realpath(path)
        if os.path.exists(real):
            wanted |= {(real, path), (real, real)}
    shown: list[str] = []
    for real, path in sorted(wanted, key=lambda pair: (len(pair[1]), pair)):
        if not _within(path, shown):
            shown.append(path)
            yield real, path
