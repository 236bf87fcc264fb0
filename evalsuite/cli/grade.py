"""`evalsuite grade`: verdicts for a run's rollouts, without a model."""

from evalsuite.cli.options import JsonOption, RunArgument


def grade(run: RunArgument, as_json: JsonOption = False) -> None:
    """Grade what the present grader has not graded yet. Verdicts of older graders stay beside the new ones."""
    from evalsuite.cli.console import print_json, print_rich
    from evalsuite.cli.progress import RunProgress
    from evalsuite.evaluate.regrade import grade_missing, make_pool
    from evalsuite.evaluate.run import load_run, verdict_file
    from evalsuite.grading.grade import grader_hash
    from evalsuite.report.from_run import summarise_run
    from evalsuite.report.tables import summary_json, summary_table
    from evalsuite.rollouts import store

    store.read_manifest(run)  # before the lock, which would make the folder of a mistyped name
    with store.lock(run), RunProgress() as progress, make_pool() as pool:
        count = grade_missing(load_run(run), pool, progress)
        where = verdict_file(run, grader_hash())
        progress.say(f"{count:,} rollouts graded ({where})" if count else f"everything is graded already ({where})")
    summary = summarise_run(load_run(run))
    if as_json:
        print_json(summary_json(summary))
    else:
        print_rich(summary_table(summary))
