"""Noticing that something was replaced, without touching it.

A process has some 20 000 callables worth watching. Comparing them one by one, as Python does,
writes to the reference count of each: in a forked process every page so written is copied, which
takes 18 ms and 14 MB a kernel. So the words of memory that point to them are compared instead, all
at once.

The places of these words inside CPython's objects are found by looking for known pointers, never
assumed; where one is not found, its object is compared as Python does.
"""

import builtins
import ctypes
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy

__builtins__ = dict(vars(builtins))  # replacing Python's own changes nothing for the functions here

WORD = 8  # bytes of a pointer
_EMPTY = {}.__sizeof__()


def _read(address: int, size: int) -> list[int]:
    """The words from an address on; `size` is in bytes."""
    data = ctypes.string_at(address, size // WORD * WORD)
    return [int.from_bytes(data[at : at + WORD], "little") for at in range(0, len(data), WORD)]


def offset_of(holder: object, held: object) -> int | None:
    """Where in `holder` the pointer to `held` stands, in bytes; None where that is not plain."""
    words = _read(id(holder), type(holder).__basicsize__)
    return words.index(id(held)) * WORD if words.count(id(held)) == 1 else None


def _sample(first=(1,), *, second=(2,)):
    return _sample_cell


_sample_cell = object()


def _closed_over(held):
    return lambda: held


_CELL = _closed_over(_sample_cell).__closure__[0]


class _SampleClass:
    pass


OF_FUNCTION = [
    offset_of(_sample, held)
    for held in (_sample.__code__, _sample.__defaults__, _sample.__kwdefaults__)
]
OF_CELL = offset_of(_CELL, _sample_cell)
OF_MRO = offset_of(_SampleClass, _SampleClass.__mro__)
OF_CLASS = offset_of(_sample_cell, object)  # the pointer from any object to its class


def _offset_of_table() -> int | None:
    """Where in a dict the pointer to its table stands: the table holds known pointers."""
    key, value = "a key that is looked for", object()
    probe = {key: value}
    size = probe.__sizeof__() - _EMPTY
    for number, word in enumerate(_read(id(probe), _EMPTY)):
        if number > 1 and word > 1 << 16 and word % WORD == 0 and word != id(dict):
            words = _read(word, size) if _is_readable(word, size) else []
            if (id(key), id(value)) in zip(words, words[1:], strict=False):
                return number * WORD
    return None


def _is_readable(address: int, size: int) -> bool:
    """Whether these bytes are memory of this process."""
    try:
        with open("/proc/self/maps") as maps:
            spans = [line.split()[0].split("-") for line in maps if line.split()[1][0] == "r"]
    except OSError:
        return False
    return any(int(low, 16) <= address and address + size <= int(high, 16) for low, high in spans)


OF_TABLE = _offset_of_table()


def _offset_of_count() -> int | None:
    """Where in a dict's table the count of entries ever made stands."""
    if OF_TABLE is None:
        return None
    probe = {str(number): number for number in range(3)}
    table = _read(id(probe) + OF_TABLE, WORD)[0]
    before = _read(table, 6 * WORD)
    probe["3"] = 3  # there is room for it
    after = _read(table, 6 * WORD)
    grown = [number for number in range(6) if after[number] == before[number] + 1]
    same = _read(id(probe) + OF_TABLE, WORD)[0] == table
    return grown[0] * WORD if same and len(grown) == 1 and before[grown[0]] == 3 else None


OF_COUNT = _offset_of_count()


def never(now: object, before: object) -> bool:
    return False


@dataclass(frozen=True)
class Watched:
    """Some entries of a dict, and the names that a person reads for them."""

    entries: dict
    keys: tuple
    values: tuple
    names: tuple[str, ...]
    judge: Callable[[set], list[str]] | None = None  # names those of the new keys that are signs
    known: frozenset = frozenset()  # all keys, where there is a judge
    excuse: Callable[[object, object], bool] = never  # whether one may take another's place

    def changed(self) -> list[str]:
        """What was replaced, and what was put before something else."""
        get = self.entries.get
        names = [
            name
            for key, value, name in zip(self.keys, self.values, self.names, strict=True)
            if get(key) is not value and not self.excuse(get(key), value)
        ]
        if self.judge is not None and (new := self.entries.keys() - self.known):
            names += self.judge(new)
        return names


@dataclass
class Words:
    """The words that must stay as they are; `seal` it when all are added, then ask `changed`."""

    excuse: Callable[[object, object], bool] = never
    tables: list[Watched] = field(default_factory=list)  # dicts whose entries are watched as words
    plain: list[Watched] = field(default_factory=list)  # dicts that are compared as Python does
    _addresses: list[int] = field(default_factory=list)
    _names: list[str] = field(default_factory=list)
    _owners: list[int] = field(default_factory=list)  # the table of each word, -1 for none
    _kept: list[object] = field(default_factory=list)  # whose memory it is: it must live on

    def add(self, holder: object, offset: int | None, name: str) -> None:
        """Watch the pointer that stands `offset` bytes from the start of `holder`."""
        if offset is not None:
            self._kept.append(holder)
            self._put(id(holder) + offset, name, -1)

    def add_entries(
        self,
        entries: dict,
        keys: Iterable,
        names: Iterable[str],
        judge: Callable[[set], list[str]] | None = None,
    ) -> None:
        """Watch which objects a dict has under these keys; `judge` is asked about new keys."""
        keys, known = tuple(keys), frozenset(entries if judge else ())
        values = tuple(map(entries.get, keys))
        watched = Watched(entries, keys, values, tuple(names), judge, known, self.excuse)
        places = _places(entries)
        pairs = zip(watched.keys, watched.values, strict=True)
        found = [places.get((id(key), id(value))) for key, value in pairs]
        if None in found or not places:
            self.plain.append(watched)
            return
        self.tables.append(watched)
        for address, name in zip(found, watched.names, strict=True):
            self._put(address, name, len(self.tables) - 1)

    def _put(self, address: int, name: str, owner: int) -> None:
        self._addresses.append(address)
        self._names.append(name)
        self._owners.append(owner)

    def seal(self) -> None:
        """Note how everything is now."""
        pointers = [id(watched.entries) + (OF_TABLE or 0) for watched in self.tables]
        counts = [_read(pointer, WORD)[0] + (OF_COUNT or 0) for pointer in pointers]
        every = [*pointers, *counts, *self._addresses]
        self._low = min(every, default=0)
        self._span = _memory(self._low, (max(every) - self._low) // WORD + 1) if every else _NONE
        self._pointers, self._counts = self._column(pointers), self._column(counts)
        self._words = self._column(self._addresses)
        self._owner = numpy.array(self._owners, dtype=numpy.int64)
        self._addresses, self._owners = [], []

    def _column(self, addresses: list[int]) -> "Column":
        places = (numpy.array(addresses, dtype=numpy.int64) - self._low) // WORD
        return Column(self._span, places, self._span[places].tobytes())

    def changed(self) -> list[str]:
        """The names of what was replaced since `seal`."""
        names = [name for watched in self.plain for name in watched.changed()]
        # A dict that has got a new table may have freed the old one: nothing there is read.
        moved = self._pointers.differs()
        grown = moved if moved.size else self._counts.differs()
        kept = None
        if grown.size:
            whole = numpy.ones(len(self.tables) + 1, dtype=bool)  # the last is for -1: no table
            whole[moved] = False
            counted = self._counts.differs(whole[:-1].nonzero()[0])
            whole[counted] = False
            grown = (~whole).nonzero()[0]
            kept = whole[self._owner].nonzero()[0]
        differing = self._words.differs(kept)
        owners = self._owner[differing]
        tables = dict.fromkeys([*grown.tolist(), *owners[owners >= 0].tolist()])
        names += [name for number in tables for name in self.tables[number].changed()]
        return names + [self._names[number] for number in differing[owners < 0].tolist()]


@dataclass(frozen=True)
class Column:
    """Some words of memory and what they were."""

    span: numpy.ndarray
    places: numpy.ndarray
    before: bytes

    def differs(self, among: numpy.ndarray | None = None) -> numpy.ndarray:
        """The numbers of the words that have changed; only those `among` are read."""
        if among is None:
            now = self.span[self.places].tobytes()
            if now == self.before:
                return _NONE
            return (numpy.frombuffer(now, "<u8") != numpy.frombuffer(self.before, "<u8")).nonzero()[
                0
            ]
        before = numpy.frombuffer(self.before, "<u8")[among]
        return among[(self.span[self.places[among]] != before).nonzero()[0]]


_NONE = numpy.empty(0, dtype=numpy.int64)


def _places(entries: dict) -> dict[tuple[int, int], int]:
    """(id of a key, id of its value) -> the address of the pointer to the value."""
    size = entries.__sizeof__() - _EMPTY
    if OF_TABLE is None or OF_COUNT is None or size <= 0:
        return {}
    table = _read(id(entries) + OF_TABLE, WORD)[0]
    words = _read(table, size)
    pairs = zip(words, words[1:], strict=False)
    return {pair: table + (number + 1) * WORD for number, pair in enumerate(pairs)}


def _memory(address: int, words: int) -> numpy.ndarray:
    """A view of memory as words; nothing is read until it is indexed."""

    class View:
        __array_interface__ = {
            "version": 3,
            "typestr": "<u8",
            "shape": (words,),
            "data": (address, True),
        }

    return numpy.asarray(View())
