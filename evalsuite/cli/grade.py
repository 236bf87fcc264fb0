"""`evalsuite grade`: verdicts for a run's rollouts, or for answers of any origin, without a model."""

from pathlib import Path
from typing import Annotated

import typer

from evalsuite.catalog.items import AnswerFormat, AnswerKind
from evalsuite.cli.options import JsonOption
from evalsuite.errors import RequestError


def grade(
    what: Annotated[
        Path,
        typer.Argument(
            metavar="RUN|IN.jsonl", help="A run folder; or with --kind a file of answers, - with --explain: stdin."
        ),
    ],
    kind: Annotated[AnswerKind | None, typer.Option("--kind", help="What kind of answers a file holds.")] = None,
    answer_format: Annotated[
        AnswerFormat | None,
        typer.Option("--format", help="The form that a file's prompts asked for; default free: any form."),
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", help="A file's rows with their verdicts, as JSON lines.")] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show one row of a file, step by step, and why.")] = False,
    row: Annotated[int | None, typer.Option("--row", min=1, help="Which row to explain; default the first.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Grade what the present grader has not graded of a run yet. Verdicts of older graders stay beside the new ones.

    With --kind: grade a file of answers of any origin, one JSON object a line: {"gold": "18", "text": "…"}. Several
    golds are a list; choices need "options", a list, and as gold a letter; "finish_reason": "length" says that the text
    was cut off. Each row gets the fields correct, strict, score, extracted, how, status, format_ok and why.
    """
    if kind is None and (what.is_file() or str(what) == "-"):
        raise RequestError(f"{what}: say with --kind what kind of answers it holds ({', '.join(AnswerKind)})")
    if kind is None:
        if answer_format is not None or out is not None or explain or row is not None:
            raise RequestError("--format, --out, --explain and --row are for files of answers: name one, with --kind")
        _grade_run(what, as_json)
        return
    if what.is_dir():
        raise RequestError(f"{what}: --kind is for a file of answers; a run knows its kinds")
    from evalsuite.cli.grade_file import explain_row, grade_file

    answer_format = answer_format or AnswerFormat.FREE
    if explain:
        if out is not None:
            raise RequestError("--out is not for --explain: it shows one row")
        explain_row(what, kind, answer_format, row or 1, as_json)
        return
    if row is not None:
        raise RequestError("--row is for --explain")
    if str(what) == "-":
        raise RequestError("standard input is for --explain, one row of it: name a file")
    grade_file(what, kind, answer_format, out, as_json)


def _grade_run(run: Path, as_json: bool) -> None:
    from evalsuite.cli.console import print_json, print_rich
    from evalsuite.cli.progress import RunProgress
    from evalsuite.evaluate.regrade import grade_missing, make_pool
    from evalsuite.evaluate.run import load_run, verdict_file
    from evalsuite.grading.grade import grader_hash
    from evalsuite.report.from_run import summarise_run
    from evalsuite.report.tables import summary_json, summary_table
    from evalsuite.rollouts import store

    store.read_manifest(run)  # before the lock, which would make the folder of a mistyped name
    with store.lock(run), RunProgress() as progress, make_pool(beside_engine=False) as pool:
        count = grade_missing(load_run(run), pool, progress)
        where = verdict_file(run, grader_hash())
        progress.say(f"{count:,} rollouts graded ({where})" if count else f"everything is graded already ({where})")
    summary = summarise_run(load_run(run))
    if as_json:
        print_json(summary_json(summary))
    else:
        print_rich(summary_table(summary))
