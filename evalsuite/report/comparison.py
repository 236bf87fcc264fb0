"""A comparison for people: both readings, what the gain was made of, and what each seal says."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Group
from rich.table import Table
from rich.text import Text

from evalsuite.baselines.compare import Comparison, Reading
from evalsuite.baselines.evidence import Evidence
from evalsuite.baselines.sides import Side
from evalsuite.report.tables import TABLE_STYLE, interval_text
from evalsuite.stats.intervals import Estimate

MARK = "UNEQUAL EFFORT"
LEGEND = (
    "Per cent and points, with 95 % intervals; gains are paired over items. naive: both sides by the naive setting. "
    "matched: both under the trained model's settings, or both under the start's. best: each under its own. "
    "p: of tasks after Holm's correction, of the average, the primary test, as it is. detectable: the smallest true "
    "difference that such a comparison shows in 80 % of cases."
)
READINGS = {
    "naive": "naive",
    "matched_trained": "matched, trained's",
    "matched_start": "matched, start's",
    "best": "best against best",
}
PART_NAMES = {
    "parser": "a parser that takes any unambiguous form",
    "format": "each side's own prompt format",
    "tokens": "each side's own token limit",
    "temperature": "each side's own temperature and top-p",
}


def comparison_view(comparison: Comparison) -> Group:
    """Everything about one starting point against one trained model, for a terminal."""
    heading = f"{comparison.trained.name} against {comparison.start.name}"
    parts: list[Any] = [Text(_marked(heading, comparison), style="bold"), Text(), _gains(comparison), Text()]
    parts += [_verdicts(comparison), Text(), *_attribution(comparison), Text()]
    parts += [*(Text(line) for line in settings_used(comparison)), Text()]
    parts += [Text(line) for line in seals(comparison)]
    parts += [Text(line) for line in remarks(comparison)]
    return Group(*parts, Text(), Text(LEGEND, style="dim"))


def overview(comparisons: Sequence[Comparison]) -> Table:
    """One row a pair: what the naive comparison claims, and what is left."""
    table = Table(**TABLE_STYLE)
    table.add_column("trained")
    table.add_column("against")
    for header in ("naive gain", "best against best"):
        table.add_column(header, justify="right", no_wrap=True)
    for one in comparisons:
        readings = (one.average.naive, one.average.best)
        gains = [points(reading.gain) for reading in readings]
        table.add_row(one.trained.name, _marked(one.start.name, one), *gains)
    return table


def comparison_json(comparison: Comparison) -> dict[str, Any]:
    """Plain data: fractions, intervals at 95 %."""
    return {
        "start": _side(comparison.start),
        "trained": _side(comparison.trained),
        "unequal": list(comparison.unequal),
        "tasks": [asdict(row) for row in comparison.tasks],
        "average": asdict(comparison.average),
        "treatment": comparison.treatment,
        "impossible": list(comparison.impossible),
        "engines": comparison.engines,
        "only_one": list(comparison.only_one),
        "lacking": [
            {
                "side": lack.side,
                "task": lack.task,
                "setting": asdict(lack.setting),
                "items": len(lack.items),
                "impossible": lack.impossible,
            }
            for lack in comparison.lacking
        ],
        "seals": seals(comparison),
    }


def points(estimate: Estimate | None) -> str:
    """A difference as points, with its sign: "+3.1 [-0.4, +6.6]"."""
    if estimate is None:
        return "–"
    return f"{100 * estimate.value:+.1f} [{100 * estimate.low:+.1f}, {100 * estimate.high:+.1f}]"


def seals(comparison: Comparison) -> list[str]:
    """One line for each of the six seals: kept, broken and how, or not looked at."""
    sides = (comparison.start, comparison.trained)
    effort = (
        f"broken: {'; '.join(comparison.unequal)}" if comparison.unequal else "kept: same grid, items, samples, budget"
    )
    given = [side.source.name for side in sides if not side.sealed]
    peeking = (
        f"not known: the settings of {' and '.join(given)} were given, not chosen here" if given else _choice(sides)
    )
    return [
        "same ruler      kept: same items, data and grader, by hash",
        f"equal effort    {effort}",
        f"no peeking      {peeking}",
        "no format tax   kept: right in the wrong form is told apart (the parser's row above)",
        "no memory       not looked at here: overlap with training data is not measured",
        f"no luck         {_luck(comparison)}",
    ]


def settings_used(comparison: Comparison) -> list[str]:
    """Under which setting each side is scored, task by task."""
    said = []
    for row in comparison.tasks:
        trained = "the same" if row.trained_setting == row.start_setting else row.trained_setting
        said.append(f"{row.task}: start by {row.start_setting}; trained by {trained}")
    return said


def remarks(comparison: Comparison) -> list[str]:
    """Differences in treatment, engines, and what could not be read."""
    said = [
        f"treatment: {name} is {one} for {comparison.start.name}, {other} for {comparison.trained.name}"
        for name, (one, other) in comparison.treatment.items()
    ]
    said += [f"treatment: {line}" for line in comparison.impossible]
    if comparison.engines:
        said.append(f"engines: {comparison.engines[0]} against {comparison.engines[1]}")
    said += [f"{task}: only one side has it, so it is in no average" for task in comparison.only_one]
    said += [
        f"not generated: {lack.side}, {lack.task}: {len(lack.items):,} items under {lack.setting}"
        + (f": {lack.impossible}" if lack.impossible else "")
        for lack in comparison.lacking
    ]
    if any(not lack.impossible for lack in comparison.lacking):
        said.append("the same command with --generate generates what is missing")
    return said


def _gains(comparison: Comparison) -> Table:
    table = Table(**TABLE_STYLE)
    table.add_column("task", no_wrap=True)
    table.add_column("reading", no_wrap=True)
    for header in ("start", "trained", "gain in points", "items"):
        table.add_column(header, justify="right", no_wrap=True)
    several = len(comparison.tasks) > 1
    for row in (*comparison.tasks, *([comparison.average] if several else [])):
        for name, title in READINGS.items():
            reading: Reading = getattr(row, name)
            first = name == "naive"
            values = (_value(reading.start), _value(reading.trained), points(reading.gain))
            task, items = (row.task, f"{row.items:,}") if first else ("", "")
            table.add_row(task, title, *values, items, style="bold" if name == "best" else "")
        table.add_section()
    return table


def _verdicts(comparison: Comparison) -> Table:
    """What the test of best against best says of each task, and of the average."""
    rows = [(row.task, row.best.gain, row.best.evidence) for row in comparison.tasks]
    if len(rows) > 1:
        rows.append(("average", comparison.average.best.gain, comparison.average.best.evidence))
    return verdict_table("best against best", rows)


def verdict_table(title: str, rows: Sequence[tuple[str, Estimate | None, Evidence | None]]) -> Table:
    """The word for each difference, its p and the smallest difference that would have been seen; the average last."""
    table = Table(**TABLE_STYLE)
    table.add_column(title, no_wrap=True)
    for header in ("gain in points", "p", "detectable"):
        table.add_column(header, justify="right", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    for name, gain, evidence in rows:
        if name == "average":
            table.add_section()
        told = (p_text(evidence.adjusted), f"{100 * evidence.detectable:.1f}", evidence.word) if evidence else ()
        table.add_row(name, points(gain), *told, style="bold" if name == "average" else "")
    return table


def p_text(p: float) -> str:
    """A p-value to three places, "<0.001" below that."""
    return f"{p:.3f}" if p >= 0.0005 else "<0.001"


def _luck(comparison: Comparison) -> str:
    row = comparison.average if len(comparison.tasks) > 1 else comparison.tasks[0]
    if (evidence := row.best.evidence) is None:
        return "not known: rollouts are missing"
    several = " (Holm over the tasks)" if len(comparison.tasks) > 1 else ""
    return (
        f"kept: paired tests{several}; {row.task}: {evidence.word}, p = {p_text(evidence.adjusted)}, "
        f"{100 * evidence.detectable:.1f} points detectable".replace("= <", "< ")
    )


def _attribution(comparison: Comparison) -> list[Any]:
    """From the naive gain down to what is left. The steps are differences of rounded sums, so they add up as shown."""
    row = comparison.average if len(comparison.tasks) > 1 else comparison.tasks[0]
    naive, best = row.naive.gain, row.best.gain
    if naive is None or best is None or row.parts is None:
        return [Text("What the naive gain is made of cannot be told: rollouts are missing.")]
    table = Table(**TABLE_STYLE)
    table.add_column("from the naive gain to the fair one")
    for header in ("points", "95 % interval"):
        table.add_column(header, justify="right", no_wrap=True)
    table.add_row(f"naive gain, both by {_naive(comparison)}", *_step(naive, naive.value, 0.0))
    sum_so_far = naive.value
    for name, title in PART_NAMES.items():
        if (part := row.parts.get(name)) is None:
            table.add_row(f"  {title}", "0.0", "the same")
        else:
            table.add_row(f"  {title}", *_step(part, sum_so_far + part.value, sum_so_far))
            sum_so_far += part.value
    table.add_section()
    table.add_row("left: best against best", *_step(best, best.value, 0.0), style="bold")
    return [table]


def _step(estimate: Estimate, after: float, before: float) -> tuple[str, str]:
    shown = round(100 * after, 1) - round(100 * before, 1)
    return f"{shown:+.1f}", f"[{100 * estimate.low:+.1f}, {100 * estimate.high:+.1f}]"


def _choice(sides: Sequence[Side]) -> str:
    splits = {
        task: entry.offered["choice"]
        for side in sides
        for task, entry in side.tasks.items()
        if "choice" in entry.offered
    }
    dev = [task for task, choice in splits.items() if choice["folds"] is None]
    folds = [task for task, choice in splits.items() if choice["folds"] is not None]
    parts = ([f"chosen on dev items ({', '.join(dev)})"] if dev else []) + (
        [f"cross-fitted ({', '.join(folds)})"] if folds else []
    )
    return f"kept: {' and '.join(parts)}"


def _naive(comparison: Comparison) -> str:
    settings = dict.fromkeys(row.naive_setting for row in comparison.tasks)
    return next(iter(settings)) if len(settings) == 1 else "the trained model's settings, and a strict parser"


def _marked(text: str, comparison: Comparison) -> str:
    return f"{text} · {MARK}" if comparison.unequal else text


def _value(estimate: Estimate | None) -> str:
    return interval_text(estimate).split(" [")[0] if estimate else "–"


def _side(side: Side) -> dict[str, Any]:
    return {"name": side.name, "source": str(side.source), "checkpoint_sha256": side.sha256, "sealed": side.sealed}
