"""The table as one HTML page that needs nothing else."""

from importlib.resources import files

from jinja2 import Environment

from evalsuite.report.suite_table.data import Cell, SuiteTable
from evalsuite.report.suite_table.words import average_counts, counts, interval, legend, numbered_notes, value


def html(table: SuiteTable) -> str:
    """The page; everything that comes from data is escaped."""
    page = files("evalsuite.report.suite_table").joinpath("page.html.j2").read_text(encoding="utf-8")
    template = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True).from_string(page)
    return template.render(
        table=table,
        nothing=Cell(),
        value=value,
        interval=interval,
        counts=counts,
        average_counts=average_counts(table),
        notes=numbered_notes(table),
        remarks=[legend(table, "Bold", "Underlined"), *table.remarks],
    )
