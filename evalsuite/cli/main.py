"""The `evalsuite` command. Each command lives in its own file and imports what is heavy only when it runs."""

import sys

import typer

from evalsuite.cli import data, evaluate, grade, passk, prompts, table, tasks, track
from evalsuite.errors import RequestError, RunError

app = typer.Typer(
    help="Measure reasoning models with leak-proof baselines: both sides by the same ruler.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("eval")(evaluate.evaluate)
app.command("table")(table.table)
app.command("passk")(passk.passk)
app.command("grade")(grade.grade)
app.command("track")(track.track)
app.command("tasks")(tasks.tasks)
app.command("prompts")(prompts.prompts)
app.add_typer(data.app, name="data")


def main() -> None:
    """Run the command; what a user can cause ends in one line on standard error and exit code 2, a failed run in 1."""
    try:
        app()
    except RequestError as error:
        print(f"evalsuite: {error}", file=sys.stderr)
        sys.exit(2)
    except RunError as error:
        print(f"evalsuite: {error}", file=sys.stderr)
        sys.exit(1)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)


if __name__ == "__main__":
    main()
