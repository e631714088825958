"""Which cells to run, in one kernel after another, and what each of them has earned.

A cell that ends its kernel, or is stopped, costs its own points. A fresh kernel then runs the
others from the top: what was earned before stands, and the outputs of the second run are dropped.

Two things are not known for sure, and both are decided by running again:

- Whether a cell's answer was honest. Code in a cell can forge the kernel's reply and then end the
  process, so that the next cell seems to be at fault, or nobody. An answer is *settled* when the
  kernel has taken up something else after it. Where a kernel ends with its last answer unsettled,
  that cell runs again in the next kernel, and is asked at once whether it really is done.
- Which cell was at fault when a thread or a timer ends the kernel. The cell that was running is
  taken for it, as far as it has not earned its verdict. That may be an innocent one; all of them
  belong to one submission, and no other loses by it.

Every kernel that ends early makes one more cell be left out or be doubted, so that there is an end:
at most two kernels a cell, and long before that the limits of the submission.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass
class Replay:
    """The state of a notebook's run; cells are known by their index.

    `ends` has one word a cell, how it ended; None until it has a verdict, "" where there is
    nothing to run.
    """

    ends: list[str | None]
    left_out: set[int] = field(default_factory=set)  # they ended a kernel
    doubted: set[int] = field(default_factory=set)  # to be asked whether they are done
    last: int | None = None  # the cell that this kernel ran last
    _settled: bool = True  # and whether its answer is

    def waiting(self) -> list[int]:
        """The cells that have no verdict yet."""
        return [index for index, end in enumerate(self.ends) if end is None]

    def cells(self) -> Iterator[int]:
        """The cells for a fresh kernel, in order, up to the last that waits for its verdict."""
        self.last, self._settled = None, True
        last = max(self.waiting(), default=-1)
        for index, end in enumerate(self.ends[: last + 1]):
            if end != "" and index not in self.left_out:
                yield index

    def earn(self, index: int, end: str) -> bool:
        """A cell ended by itself. Says whether this is its verdict, or one more run of it."""
        self.last, self._settled = index, self.ends[index] is not None
        if self._settled:
            return False
        self.ends[index] = end
        return True

    def settle(self) -> None:
        """The kernel has taken up something after its last answer."""
        self._settled = True

    def blame(self, index: int, end: str) -> int | None:
        """A cell ended the kernel. Returns it where that is its verdict, else None."""
        self.left_out.add(index)
        if self.ends[index] is None or (index == self.last and not self._settled):
            self.ends[index] = end
            return index
        return None

    def fail(self, index: int, end: str, started: bool) -> int | None:
        """The kernel ended when a cell was to run; `started` says whether it was seen to start.

        Returns the cell whose verdict has changed, None where none has.
        """
        if started or self.last is None or self.last in self.doubted:
            return self.blame(index, end)
        return self.doubt()

    def doubt(self) -> int | None:
        """The kernel ended after a cell's answer; the cell may have lied: run and ask it.

        Returns the cell whose verdict does not count any more, None where none is taken back.
        """
        last, settled = self.last, self._settled
        if last is None or last in self.doubted:  # it was asked: a thread or a timer was the cause
            self.left_out.update(() if last is None else (last,))
            return None
        self.doubted.add(last)
        if settled:
            return None
        self.ends[last] = None
        return last
