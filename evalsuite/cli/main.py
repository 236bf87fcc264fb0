"""The `evalsuite` command. Each command lives in its own file and imports what is heavy only when it runs."""

import sys

import typer

from evalsuite.cli import (
    baseline,
    claims,
    compare,
    data,
    evaluate,
    exchange,
    grade,
    passk,
    plan,
    prompts,
    series,
    sweep,
    table,
    tasks,
    track,
)
from evalsuite.errors import RequestError, RunError

app = typer.Typer(
    help="Measure reasoning models with leak-proof baselines: both sides by the same ruler.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("eval")(evaluate.evaluate)
app.command("sweep")(sweep.sweep)
app.command("compare")(compare.compare)
app.command("table")(table.table)
app.command("passk")(passk.passk)
app.command("series")(series.series)
app.command("plan")(plan.plan)
app.command("grade")(grade.grade)
app.command("track")(track.track)
app.command("tasks")(tasks.tasks)
app.command("prompts")(prompts.prompts)
app.add_typer(baseline.app, name="baseline")
app.add_typer(claims.app, name="claims")
app.add_typer(data.app, name="data")
app.add_typer(exchange.importing, name="import")
app.add_typer(exchange.exporting, name="export")


def main() -> None:
    """Run the command; what a user can cause ends in one line on standard error and exit code 2, a failed run in 1."""
    try:
        sys.exit(app(prog_name="evalsuite", standalone_mode=False))
    except RequestError as error:
        _say(error)
        sys.exit(2)
    except typer.TyperException as error:  # an unknown option or command, or a value out of its range
        if message := error.format_message():  # empty where the help was printed instead
            _say(f"{message} (`--help` lists what there is)")
        sys.exit(error.exit_code)
    except RunError as error:
        _say(error)
        sys.exit(1)
    except (typer.Abort, KeyboardInterrupt):
        _say("stopped")
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)


def _say(message: object) -> None:
    print(f"evalsuite: {' '.join(str(message).splitlines())}", file=sys.stderr)


if __name__ == "__main__":
    main()
