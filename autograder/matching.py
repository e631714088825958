"""Which cell of a submission is which cell of the instructor's notebook.

By nbgrader's grade id; where that is lost, by the same text, by the function that a cell defines,
by its place between cells that are known.
"""

from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property

from nbformat import NotebookNode

from autograder.truth import Truth, defined, grade_id, tidy


@dataclass
class Match:
    """What became of the submitted cells; all indices.

    `chosen`: answer of the truth -> the submitted cells that make it up, in order. `place`: other
    submitted cell -> the cell of the truth that it is. `changed`: locked cells of the truth that
    came back changed. `lost`: answers found without their id. `beside`: answers in words that stand
    beside an untouched stub. `rivals`: answers with several texts, and how many. Whatever is in
    none of `chosen` and `place` is the learner's own.
    """

    truth: Truth
    cells: list[NotebookNode]
    chosen: dict[int, list[int]] = field(default_factory=dict)
    place: dict[int, int] = field(default_factory=dict)
    changed: set[int] = field(default_factory=set)
    lost: set[int] = field(default_factory=set)
    beside: set[int] = field(default_factory=set)
    rivals: dict[int, int] = field(default_factory=dict)

    @cached_property
    def texts(self) -> list[str]:
        """The submitted sources, tidy."""
        return [tidy(cell.source) for cell in self.cells]

    @cached_property
    def makes(self) -> list[frozenset[str]]:
        """What each submitted cell defines."""
        return [defined(cell.source) for cell in self.cells]

    def where(self) -> dict[int, int]:
        """Cell of the truth -> where it is first found in the submission."""
        found: dict[int, int] = {}
        for submitted, index in sorted(self.place.items()):
            found.setdefault(index, submitted)
        found.update((index, parts[0]) for index, parts in self.chosen.items())
        return found

    def free(self) -> list[int]:
        """The submitted cells that are nothing of the truth's, and not empty."""
        used = self.spots()
        return [index for index, text in enumerate(self.texts) if text and index not in used]

    def spots(self) -> dict[int, int]:
        """Submitted cell -> the cell of the truth that it is, or is part of."""
        parts = {part: answer for answer, parts in self.chosen.items() for part in parts}
        return self.place | parts

    def is_untouched(self, answer: int) -> bool:
        """Whether an answer is missing or as it was handed out."""
        parts = self.chosen.get(answer, [])
        return all(self.texts[part] == self.truth.stubs[answer] for part in parts)


def match(truth: Truth, cells: list[NotebookNode]) -> Match:
    """Find out which submitted cell is which."""
    found = Match(truth, cells)
    claims = _place_by_id_and_text(found)
    for answer, claimed in claims.items():
        _choose(found, answer, claimed)
    if len(found.chosen) < len(truth.answers):
        _find_by_name(found)
        _find_by_place(found)
    _find_words_beside_stubs(found)
    return found


def _place_by_id_and_text(found: Match) -> dict[int, list[int]]:
    """Place what is the instructor's; return the cells that claim to be each answer."""
    truth = found.truth
    by_id = {name: index for index, name in (truth.answers | truth.locked).items()}
    copies = defaultdict(int)
    claims = defaultdict(list)
    for submitted, cell in enumerate(found.cells):
        index = by_id.get(grade_id(cell))
        text = found.texts[submitted]
        if index in truth.answers and _is_believable(truth, index, cell.source):
            claims[index].append(submitted)
        elif text in truth.texts:
            same = truth.texts[text]
            own = index if index in same else same[min(copies[text], len(same) - 1)]
            copies[text] += 1
            # A further copy of a plain code cell is the learner's: it may set something back.
            if copies[text] <= len(same) or own in truth.locked or cell.cell_type != "code":
                found.place[submitted] = own
        elif index in truth.locked and truth.cells[index].cell_type == "code":
            found.place[submitted] = index  # a changed check must not run as a cell of their own
            found.changed.add(index)
    return claims


def _is_believable(truth: Truth, answer: int, source: str) -> bool:
    """Not where the cell defines another question's function in place of its own."""
    own = truth.names[answer]
    if not own:
        return True
    made = defined(source)
    return bool(made & own) or not any(made & other for other in truth.names.values())


def _choose(found: Match, answer: int, claimed: list[int]) -> None:
    """Of several cells for one answer, the last that was written and stands above its check.

    That is the one which the check meets when the notebook runs from top to bottom. Other written
    ones stay in their places as cells of the learner's own; untouched copies are dropped.
    """
    stub, texts = found.truth.stubs[answer], found.texts
    written = [each for each in claimed if texts[each] not in (stub, "")]
    check = found.where().get(found.truth.check_of(answer), len(found.cells))
    above = [each for each in written if each < check]
    best = (above or written or claimed)[-1]
    found.chosen[answer] = [best]
    found.place.update((each, answer) for each in claimed if texts[each] == stub and each != best)
    if len({texts[each] for each in written}) > 1:
        found.rivals[answer] = len(written)


def _find_by_name(found: Match) -> None:
    """Answers that lost their id: the cell that defines the function."""
    free = {each: found.makes[each] for each in found.free()}
    for answer, names in found.truth.names.items():
        if answer in found.chosen:
            continue
        claimed = [each for each, made in free.items() if made & names]
        if claimed:
            _choose(found, answer, claimed)
            free = {each: made for each, made in free.items() if each not in claimed}
        elif shared := _shared(found, names):
            found.chosen[answer] = shared
        else:
            continue
        found.lost.add(answer)


def _shared(found: Match, names: frozenset[str]) -> list[int]:
    """The cell of another answer that defines this one too: two cells were merged."""
    parts = [part for parts in found.chosen.values() for part in parts]
    return [part for part in sorted(parts) if found.makes[part] & names][-1:]


def _find_by_place(found: Match) -> None:
    """Answers that lost their id and define nothing known: what stands where they stood.

    A code answer is the first such cell: what follows it runs after it, as it did. An answer in
    words is all that was written there.
    """
    truth = found.truth
    for answer in truth.answers:
        if answer in found.chosen:
            continue
        between = _between(found, answer)
        if truth.names[answer]:  # renamed at most: it still defines something
            between = [each for each in between if found.makes[each]]
        if not between:
            continue
        found.lost.add(answer)
        if truth.cells[answer].cell_type == "code":
            found.chosen[answer] = between[:1]
            continue
        stub = truth.stubs[answer]
        written = [each for each in between if found.texts[each] != stub]
        found.chosen[answer] = written or between[:1]
        found.place.update((each, answer) for each in between if each not in written)


def _between(found: Match, answer: int) -> list[int]:
    """The learner's own cells of its type between the known neighbours of an answer."""
    where = found.where()
    last = len(found.truth.cells)
    low = next((where[each] for each in range(answer - 1, -1, -1) if each in where), -1)
    high = next(
        (where[each] for each in range(answer + 1, last) if each in where), len(found.cells)
    )
    code = found.truth.cells[answer].cell_type == "code"
    own = [each for each in found.free() if low < each < high]
    return [each for each in own if (found.cells[each].cell_type == "code") == code]


def _find_words_beside_stubs(found: Match) -> None:
    """An answer in words that was left as a stub, with words of the learner's own beside it."""
    truth = found.truth
    for answer in truth.answers:
        if truth.cells[answer].cell_type == "code" or not found.is_untouched(answer):
            continue
        if words := _between(found, answer):
            found.place.update((each, answer) for each in found.chosen.get(answer, []))
            found.chosen[answer] = words
            found.beside.add(answer)
