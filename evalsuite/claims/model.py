"""A claim: a published table as data, one YAML file in `results/published/`."""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator


class Measure(StrEnum):
    """What the numbers of a table are: shares of right answers, mean scores, or differences alone."""

    ACCURACY = "accuracy"
    SCORE = "score"
    GAIN = "gain"


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Column(_Data):
    """A benchmark: `items` is its size, `samples` the answers an item (None where the source does not say)."""

    name: str
    task: str | None = None
    items: Annotated[int, Field(ge=1)] | Literal["unknown"]
    samples: Annotated[int, Field(ge=1)] | None = None

    @property
    def size(self) -> int | None:
        """The number of items, None where it is not known."""
        return self.items if isinstance(self.items, int) else None


class Average(_Data):
    """The table's own average: over how many benchmarks, which need not all be columns here."""

    name: str
    of: int = Field(ge=1)


class Row(_Data):
    """A method: its numbers in per cent (of gains: points) by column, and its average as stated.

    `decimals` is for a row that is rounded otherwise than the table.
    """

    name: str
    values: dict[str, float] = {}
    average: float | None = None
    decimals: int | None = Field(default=None, ge=0, le=6)


class Before(Row):
    """The model before training. `same_protocol` says whether it was measured as the other rows were."""

    source: str
    same_protocol: bool = False


class Claim(_Data):
    """A table. `known` and `unknown` say what the source tells of the protocol; `decimals` how numbers are rounded.

    `training` is False where the rows are not what some training brought, so that a row before it would mean nothing.
    """

    name: str
    title: str
    source: str
    model: str
    training: bool = True
    measure: Measure = Measure.ACCURACY
    decimals: int = Field(default=2, ge=0, le=6)
    known: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    columns: tuple[Column, ...] = ()
    average: Average | None = None
    reference: str | None = None
    rows: tuple[Row, ...] = Field(min_length=1)
    before: tuple[Before, ...] = ()

    @model_validator(mode="after")
    def _consistent(self) -> "Claim":
        names = [row.name for row in (*self.rows, *self.before)]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise ValueError(f"row `{twice}` is there twice")
        if self.reference is not None and self.reference not in names:
            raise ValueError(f"reference `{self.reference}` is no row; there are {', '.join(names)}")
        columns = {column.name for column in self.columns}
        low, high = (-100.0, 100.0) if self.measure is Measure.GAIN else (0.0, 100.0)
        for row in (*self.rows, *self.before):
            for name, value in row.values.items():
                if name not in columns:
                    raise ValueError(f"row `{row.name}`: `{name}` is no column; a column says how many items it has")
                if not low <= value <= high:
                    raise ValueError(f"row `{row.name}`: {value:g} for {name} is not between {low:g} and {high:g}")
            if row.average is not None and self.average is None:
                raise ValueError(f"row `{row.name}` has an average, but `average:` does not say over how many")
        if self.average and self.average.of < len(self.columns):
            raise ValueError(f"`average: of` is {self.average.of}, fewer than the {len(self.columns)} columns")
        return self
