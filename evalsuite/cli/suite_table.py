"""What `table SUITE RUN…` does: it reads the sides, compares them with the baseline's, and prints the paper's table."""

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

from rich.console import Console

from evalsuite.baselines.compare import compare
from evalsuite.baselines.fairness import check_ruler
from evalsuite.baselines.sides import Side
from evalsuite.baselines.standing import restricted
from evalsuite.catalog.index import Catalog
from evalsuite.catalog.prompts import needing_chat
from evalsuite.catalog.suites import Suite
from evalsuite.claims.registry import find_claim
from evalsuite.cli.comparing import NAIVE, sides_of
from evalsuite.cli.console import print_json, print_rich
from evalsuite.cli.progress import RunProgress
from evalsuite.errors import RequestError
from evalsuite.evaluate.regrade import make_pool
from evalsuite.report.suite_table.build import suite_table
from evalsuite.report.suite_table.data import SuiteTable
from evalsuite.report.suite_table.markup import latex, markdown
from evalsuite.report.suite_table.page import html
from evalsuite.report.suite_table.plain import as_csv, as_json
from evalsuite.report.suite_table.published import published_rows
from evalsuite.report.suite_table.terminal import terminal


def print_suite_table(table: SuiteTable, form: str) -> None:
    """Print it in one of the formats of `table`."""
    if form == "json":
        print_json(as_json(table))
    elif form == "rich":
        print_rich(terminal(table, Console().width))
    else:
        print({"md": markdown, "latex": latex, "csv": as_csv, "html": html}[form](table), end="")


def table_of(
    name: str, runs: Sequence[Path], baseline: Path | None, published: Sequence[str], includes: Sequence[Path]
) -> SuiteTable:
    """The table of a suite over these runs and sealed files.

    Raises:
        RequestError: nothing to show, or sides that are measured by different rulers.
    """
    catalog = Catalog(includes)
    suite = catalog.suite(name)
    claims = [find_claim(one) for one in published]
    with RunProgress(None) as progress, make_pool(beside_engine=False) as pool:
        starts = _of_suite(suite, sides_of(baseline, pool, progress)) if baseline else []
        trained = _of_suite(suite, [side for run in runs for side in sides_of(run, pool, progress)])
        for one, other in combinations(trained, 2):
            if one.tasks.keys() & other.tasks.keys():
                check_ruler(one, other)
        pairs = [[compare(start, side, NAIVE, needing_chat(includes)) for start in starts] for side in trained]
        rows = [row for claim in claims for row in published_rows(claim, suite)]
        return suite_table(suite, catalog.tasks, starts, trained, pairs, rows)


def _of_suite(suite: Suite, sides: Sequence[Side]) -> list[Side]:
    for side in sides:
        if not side.tasks.keys() & set(suite.tasks):
            raise RequestError(
                f"{side.source}: has no task of {suite.name} ({', '.join(side.tasks)}); "
                f"{suite.name} is {', '.join(suite.tasks)}"
            )
    return [restricted(side, suite.tasks) for side in sides]
