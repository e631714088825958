"""One run of the watch: what it knows, whom it tells, and what was found."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from types import FrameType

import torch

from lens.doctor.finding import Finding, Operand, operand_of
from lens.doctor.silent import signals
from lens.doctor.silent.catalogue import FAULTS
from lens.doctor.silent.event import Event
from lens.doctor.silent.facts import Fact, Facts
from lens.doctor.silent.places import is_own, own_frame
from lens.doctor.silent.source import Source
from lens.outcomes import pick

MOST = 200


class Session:
    """State of one watch. Detectors keep their own notes in `memo`, by their own key."""

    def __init__(self, findings: list[Finding], strict: bool = False):
        self.findings = findings
        self.strict = strict
        self.facts = Facts()
        self.memo: dict[str, dict] = defaultdict(dict)
        self.files: dict[str, Source] = {}
        self.home: FrameType | None = None
        self.main = ""
        self.span: tuple[int, int] | None = None
        self.stepping = 0
        self.running: list[torch.nn.Module] = []  # modules under way, innermost last
        self.lines: set[tuple[str, int]] = set()
        self.spaces: dict[str, dict] = {}  # the global names of each file that ran
        self._told: set[tuple[str, str, int]] = set()

    def source(self, filename: str) -> Source:
        """The source of a file, read once."""
        if filename not in self.files:
            self.files[filename] = Source(filename)
        return self.files[filename]

    def before(self, event: Event) -> None:
        """Tell the detectors that an operation is about to run."""
        detectors = signals.BEFORE.get(event.name)
        if detectors:
            self._tell(detectors, event)

    def after(self, event: Event) -> None:
        """Remember what was made, then tell the detectors."""
        made = event.result
        place = event.place
        if place not in self.lines and event.frame is not None:
            self.lines.add(place)
            self.spaces[place[0]] = event.frame.f_globals
            if not is_own(self.main):  # entered on behalf of a program, which begins here
                self.main, self.span = place[0], None
        if isinstance(made, torch.Tensor) or type(made) is tuple or hasattr(made, "_fields"):
            self._remember(event)
            self._tell([*signals.EVERY, *signals.AFTER.get(event.name, ())], event)
        elif event.name in signals.AFTER:
            self._tell(signals.AFTER[event.name], event)

    def moment(self, name: str, *details: object) -> None:
        """Tell the detectors that a moment of the program has come."""
        self._tell(signals.MOMENTS[name], self, *details)

    def _tell(self, detectors: list[Callable], *details: object) -> None:
        """A detector that fails must not disturb the learner's program."""
        with torch.no_grad(), torch._C.DisableTorchFunction():
            for detector in detectors:
                try:
                    detector(*details)
                except Exception:
                    if self.strict:
                        raise

    def _remember(self, event: Event) -> None:
        made = event.result
        file, line = event.place
        known = self.facts
        parents = tuple(f for f in map(known.of, event.tensors[:8]) if f)
        for each in (made,) if isinstance(made, torch.Tensor) else made:
            if not isinstance(each, torch.Tensor) or known.of(each) is not None:
                continue
            fact = Fact(event.name, file, line, parents, tuple(each.shape))
            known.put(each, fact)

    def report(
        self,
        fault: str,
        file: str,
        line: int,
        expression: str = "",
        named: list[tuple[str, torch.Tensor] | Operand] = (),
        blanks: dict | None = None,
    ) -> None:
        """One finding, once for each family and line; `# watch: ok` on the line accepts it."""
        entry = FAULTS[fault]
        key = (entry.family, file, line)
        source = self.source(file)
        if not line or key in self._told or len(self.findings) >= MOST or source.accepted(line):
            return
        self._told.add(key)
        filled = dict(blanks or {}) if self.strict else _Blanks(blanks or {})
        self.findings.append(
            Finding(
                kind="warning",
                family=entry.family,
                line=line,
                expression=expression or source.text(line),
                operands=tuple(n if isinstance(n, Operand) else operand_of(*n) for n in named),
                cause=pick(entry.cause).format_map(filled),
                fix=pick(entry.fix).format_map(filled),
                file=file,
            )
        )

    def told(self, place: tuple[str, int]) -> bool:
        """Whether something was reported for this line already."""
        return any((f.file, f.line) == place for f in self.findings)

    def here(self) -> tuple[FrameType | None, tuple[str, int]]:
        """The learner's frame that runs now, and its (file, line)."""
        frame = own_frame(2)
        return frame, (frame.f_code.co_filename, frame.f_lineno or 0) if frame else ("", 0)

    def watched(self, file: str, line: int) -> bool:
        """Whether a line belongs to the watched code: inside the block, or run while it lasted."""
        first, last = self.span or (1, line)
        return (file == self.main and first <= line <= last) or (file, line) in self.lines

    def close(self) -> None:
        """Let go of everything that a detector remembered."""
        self.facts.clear()
        self.memo.clear()
        self.running.clear()
        self.spaces.clear()
        self.home = None


class _Blanks(dict):
    def __missing__(self, key: str) -> str:
        return "…"
