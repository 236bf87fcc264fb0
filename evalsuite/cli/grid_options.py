"""The options of a grid, for the commands that sweep."""

from typing import TYPE_CHECKING, Annotated

import typer

from evalsuite.cli.pick import names, numbers, one_of, whole_numbers
from evalsuite.errors import RequestError

if TYPE_CHECKING:
    from evalsuite.catalog.grids import GridAxes

LIST = "A,B,…"
PromptsOption = Annotated[
    str | None, typer.Option("--prompts", metavar=LIST, help="Prompt formats. Default: the suite's own grid.")
]
ChatAxisOption = Annotated[str | None, typer.Option("--chat-template", metavar="on,off", help="With it, without it.")]
ShotsAxisOption = Annotated[
    str | None, typer.Option("--shots", metavar="N,N,…", help="Examples, for prompt formats that show some.")
]
TemperaturesOption = Annotated[str | None, typer.Option("--temperatures", metavar="T,T,…", help="0 is greedy.")]
TopPOption = Annotated[str | None, typer.Option("--top-p", metavar="P,P,…", help="Nucleus sampling.")]
LimitsOption = Annotated[
    str | None, typer.Option("--max-tokens", metavar="N,N,…", help="Token limits: all are read from one generation.")
]
ParsersOption = Annotated[
    str | None, typer.Option("--parsers", metavar="lenient,strict", help="Which scores may be chosen by.")
]
SamplesOption = Annotated[int, typer.Option(min=1, help="Answers per item; a greedy cell needs but one.")]
LimitOption = Annotated[int | None, typer.Option(min=1, help="Score only N items of each task.")]
DevItemsOption = Annotated[
    int, typer.Option(min=20, help="Choose on at most N items of a task's dev source; fewer than 20 say too little.")
]
BudgetOption = Annotated[
    int | None, typer.Option(min=1, metavar="TOKENS", help="Start no round of the races that would go beyond.")
]
FullOption = Annotated[
    bool, typer.Option("--full", help="Run every cell on every item, without a race that drops those that cannot win.")
]
SeedOption = Annotated[int, typer.Option(help="Another seed gives other samples.")]


def axes(
    suites_own: "GridAxes",
    prompts: str | None,
    chat_template: str | None,
    shots: str | None,
    temperatures: str | None,
    top_p: str | None,
    max_tokens: str | None,
    parsers: str | None,
) -> "GridAxes":
    """The suite's own axes, with those that the user named in their place.

    Raises:
        RequestError: a value that is no number, out of its range, or named twice.
    """
    from pydantic import ValidationError

    from evalsuite.catalog.grids import GridAxes

    given = {
        "prompts": names(prompts) if prompts is not None else None,
        "chat_template": one_of("--chat-template", chat_template, ("on", "off")),
        "shots": whole_numbers("--shots", shots),
        "temperatures": numbers("--temperatures", temperatures),
        "top_p": numbers("--top-p", top_p),
        "max_tokens": whole_numbers("--max-tokens", max_tokens),
        "parsers": one_of("--parsers", parsers, ("lenient", "strict")),
    }
    named = {name: value for name, value in given.items() if value is not None}
    try:
        return GridAxes.model_validate(suites_own.model_dump() | named)
    except ValidationError as error:
        fault = error.errors()[0]
        option = str(fault["loc"][0]).replace("_", "-") if fault["loc"] else "grid"
        raise RequestError(f"--{option}: {fault['msg'].removeprefix('Value error, ')}") from None
