"""How one task's setting is chosen: a race of cells on the choice items, or one race for each fold."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalsuite.baselines.choose import best
from evalsuite.baselines.race import is_over, rounds, survivors
from evalsuite.baselines.scores import ScoreTable


@dataclass(frozen=True, slots=True)
class Race:
    """Where one race stands after a round.

    `chooses` marks the items it may look at, shape [items]; those it does not look at are scored with its winner where
    the task is cross-fitted. `alive` marks the cells still in it, shape [cells]. `looked` is how many of its items it
    has seen of all cells alive, `decided` whether more of them would not change the choice.
    """

    chooses: NDArray[np.bool_]
    alive: NDArray[np.bool_]
    looked: int = 0
    decided: bool = False


@dataclass(frozen=True, slots=True)
class Course:
    """A task's races after as many rounds as its scores allow.

    `needs` marks what must be generated for the next round, shape [cells, items]; nothing when the races are over.
    """

    races: tuple[Race, ...]
    needs: NDArray[np.bool_]
    round: int
    of_rounds: int

    @property
    def over(self) -> bool:
        """Whether nothing more needs to be generated."""
        return not self.needs.any()


def run_course(table: ScoreTable, folds: int | None, *, racing: bool) -> Course:
    """Replay the races from the scores that there are: the same scores always give the same course.

    Without a race, the one round is the whole grid.
    """
    n = len(table.items)
    races = [Race(chooses, np.ones(len(table.protocols), bool)) for chooses in _choosers(n, folds)]
    looks = rounds(n) if racing else [n]
    for number, look in enumerate(looks, start=1):
        needs = np.zeros(table.tokens.shape, bool)
        for race in races:
            if not race.decided:
                needs |= race.alive[:, None] & _first(race.chooses, look)
        lacking = needs & np.isnan(table.values).any(axis=1)
        if lacking.any():
            return Course(tuple(races), needs, number, len(looks))
        races = [race if race.decided else _after(race, table, look) for race in races]
    return Course(tuple(races), np.zeros(table.tokens.shape, bool), len(looks), len(looks))


def winners(table: ScoreTable, course: Course) -> list[int]:
    """The setting that wins each race, as a row of `table.flat`; of the items that the race has seen.

    Raises:
        ValueError: a race has seen no items yet.
    """
    found = []
    for race in course.races:
        seen = np.flatnonzero(race.chooses)[: race.looked]
        scores = table.values[:, :, seen].copy()
        scores[~race.alive] = np.nan
        found.append(best(scores.reshape(-1, len(seen))))
    return found


def _choosers(n: int, folds: int | None) -> Iterator[NDArray[np.bool_]]:
    """The items of each race: all of them, or all but those of one fold."""
    if folds is None:
        yield np.ones(n, bool)
        return
    for fold in range(folds):
        yield fold_numbers(n, folds) != fold


def fold_numbers(n: int, folds: int) -> NDArray[np.int64]:
    """The fold of each item, shape [items]: they stand in the order of their hashes, and are dealt out."""
    return np.arange(n) % folds


def _first(chooses: NDArray[np.bool_], look: int) -> NDArray[np.bool_]:
    """Those of the first `look` items that a race may look at."""
    return chooses & (np.arange(len(chooses)) < look)


def _after(race: Race, table: ScoreTable, look: int) -> Race:
    seen = np.flatnonzero(_first(race.chooses, look))
    if not seen.size:
        return race
    scores = np.where(race.alive[:, None, None], table.values[:, :, seen], np.nan)
    total = int(race.chooses.sum())
    return Race(race.chooses, survivors(scores, total), len(seen), is_over(scores, total))
