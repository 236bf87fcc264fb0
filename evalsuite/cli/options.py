"""Options that several commands share, so that they read the same everywhere."""

from pathlib import Path
from typing import Annotated

import typer

RESULTS = Path("results")
"""Where runs and the MLflow store go unless told otherwise: below the folder in which the command is given."""

RunsArgument = Annotated[
    list[Path], typer.Argument(metavar="RUN...", help="Run folders, as `evalsuite eval` makes them.")
]
RunArgument = Annotated[Path, typer.Argument(metavar="RUN", help="A run folder, as `evalsuite eval` makes it.")]
SuiteOption = Annotated[str | None, typer.Option("--suite", help="A suite, such as avg8 or contests.")]
TasksOption = Annotated[str | None, typer.Option("--tasks", help="Tasks, comma-separated, instead of a suite.")]
PromptOption = Annotated[
    str | None, typer.Option("--prompt", help="Prompt formats, comma-separated. Default: each task's own.")
]
ChatOption = Annotated[
    str | None,
    typer.Option("--chat-template", metavar="on|off", help="Default: where the prompt format and checkpoint have one."),
]
ShotsOption = Annotated[
    int | None, typer.Option("--shots", min=0, help="Examples shown. Default: the prompt format's own number.")
]
DataDirOption = Annotated[
    Path | None,
    typer.Option("--data-dir", envvar="EVALSUITE_DATA", file_okay=False, help="The folder of the local mirror."),
]
IncludeOption = Annotated[
    list[Path] | None, typer.Option("--include", help="A folder with your own task, suite and prompt files.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="One JSON object on standard output instead of a table.")]
