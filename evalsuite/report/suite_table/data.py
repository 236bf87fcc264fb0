"""What is in the paper's table, whatever it is written as."""

from dataclasses import dataclass
from enum import StrEnum

from evalsuite.stats.intervals import Estimate


class Mark(StrEnum):
    """What a number's mark says; `HIGHEST` is for the highest of a column that is not better beyond noise."""

    BETTER = "better"
    HIGHEST = "highest"
    NONE = ""


class Kind(StrEnum):
    """Where the numbers of a row come from."""

    START = "start"
    TRAINED = "trained"
    PUBLISHED = "published"


@dataclass(frozen=True, slots=True)
class Gain:
    """How far a number lies above that of the starting point, paired over items.

    Of several starting points it is the one with the largest p. `adjusted` is `p` corrected for all tests of the table
    of its kind: those of benchmarks, or those of averages.
    """

    against: str
    difference: Estimate
    p: float
    adjusted: float
    detectable: float
    word: str


@dataclass(frozen=True, slots=True)
class Cell:
    """One number. `of` holds, for an average, how many benchmarks it is the mean of, and of how many it should be.

    A published average is only `stated`: it has no interval.
    """

    estimate: Estimate | None = None
    samples: int | None = None
    gain: Gain | None = None
    mark: Mark = Mark.NONE
    of: tuple[int, int] | None = None
    stated: bool = False

    @property
    def incomplete(self) -> bool:
        """Whether it is an average that lacks benchmarks."""
        return self.of is not None and self.of[0] < self.of[1]


@dataclass(frozen=True, slots=True)
class Method:
    """A row. `notes` are the footnotes of its name."""

    name: str
    kind: Kind
    cells: dict[str, Cell]
    average: Cell
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Column:
    """A benchmark: `items` that were asked, of `official`; `samples` an item, one number for each way it was done."""

    task: str
    title: str
    items: int | None
    official: int | None
    samples: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SuiteTable:
    """The table. `remarks` concern all of it."""

    suite: str
    title: str
    columns: tuple[Column, ...]
    methods: tuple[Method, ...]
    remarks: tuple[str, ...]

    @property
    def footnotes(self) -> tuple[str, ...]:
        """The notes of all rows, each once; a note's number is its place here, from 1."""
        return tuple(dict.fromkeys(note for method in self.methods for note in method.notes))

    def numbers(self, method: Method) -> list[int]:
        """The numbers of a row's footnotes."""
        return [self.footnotes.index(note) + 1 for note in method.notes]
