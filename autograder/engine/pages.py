"""Large pages of memory: what makes forking a large process cheap."""

import ctypes

LARGE = 2 << 20  # bytes
COLLAPSE = 25  # MADV_COLLAPSE, of Linux 6.1


def use_large_pages() -> int:
    """Gather this process's own memory in large pages; returns their number.

    A fork copies an entry for each page, and the end of the child gives each back: 50,000 of them
    after importing torch. A page of 2 MiB is split again where the child writes. Where the system
    does not do that, everything works as before.
    """
    advise = ctypes.CDLL(None, use_errno=True).madvise
    advise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    made = 0
    with open("/proc/self/maps") as listed:
        regions = [line.split() for line in listed]
    for place, rights, _, _, inode, *name in regions:
        if rights != "rw-p" or inode != "0" or name[:1] == ["[stack]"]:
            continue
        begin, end = (int(bound, 16) for bound in place.split("-"))
        for address in range(-(-begin // LARGE) * LARGE, end // LARGE * LARGE, LARGE):
            made += advise(address, LARGE, COLLAPSE) == 0
    return made
