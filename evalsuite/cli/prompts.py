"""`evalsuite prompts`: how items are put to a model; list the formats, or print exactly what a model receives."""

from pathlib import Path
from typing import Annotated, Any

import typer

from evalsuite.cli.options import DataDirOption, IncludeOption, JsonOption


def prompts(
    name: Annotated[str | None, typer.Argument(help="Show this prompt format.")] = None,
    task: Annotated[str | None, typer.Option(help="Show it for an item of this task.")] = None,
    item: Annotated[str | None, typer.Option(help="Which item, by id. Default: the first.")] = None,
    checkpoint: Annotated[
        str | None, typer.Option(help="Show the string and token ids that this model receives.")
    ] = None,
    data_dir: DataDirOption = None,
    include: IncludeOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the prompt formats; with a name, print its file; with a task and a checkpoint, the model's exact input."""
    from evalsuite.catalog.items import AnswerKind
    from evalsuite.catalog.prompts import find_prompt, load_prompts
    from evalsuite.cli.console import add_row, plain_table, print_json, print_rich
    from evalsuite.errors import RequestError

    formats = load_prompts(tuple(include or ()))
    if name is None:
        if task or item or checkpoint:
            raise RequestError("name the prompt format too: evalsuite prompts NAME --task …")
        if as_json:
            print_json({"prompts": {n: f.head.model_dump(mode="json") for n, f in formats.items()}})
            return
        table = plain_table(
            "prompt", "what it is", "answer as", "template", "shots", right=("shots",), whole=("answer as",)
        )
        for n, f in formats.items():
            kinds = "" if len(f.head.kinds) == len(AnswerKind) else f" (for {' and '.join(f.head.kinds)})"
            shots = str(f.head.shots or "")
            add_row(table, n, f.head.about + kinds, str(f.head.answer), f.head.chat_template, shots)
        print_rich(table)
        return
    chosen = find_prompt(formats, name)
    if task is None:
        if checkpoint or item:
            raise RequestError("--item and --checkpoint show a prompt for a task: name it with --task")
        if as_json:
            print_json({"prompt": name, "path": str(chosen.path), **chosen.head.model_dump(mode="json")})
        else:
            print(chosen.path.read_text(), end="")
        return
    if checkpoint is None:
        raise RequestError(f"--task {task}: name the model too, with --checkpoint: its tokenizer makes the tokens")
    shown = _exact(name, task, item, checkpoint, data_dir, tuple(include or ()))
    if as_json:
        print_json(shown)
    else:
        print(f"task {shown['task']}, item {shown['item']}, prompt {name}, {len(shown['token_ids'])} tokens\n")
        print(f"{shown['text']}\n\n{shown['token_ids']}")


def _exact(
    name: str, task: str, item: str | None, checkpoint: str, data_dir: Path | None, includes: tuple[Path, ...]
) -> dict[str, Any]:
    """The string and the token ids, made by the same code that an eval uses."""
    from evalsuite.catalog.checkpoint import load_tokenizer, open_checkpoint
    from evalsuite.cli.pick import pick_item
    from evalsuite.errors import RequestError
    from evalsuite.evaluate.plan import Wish, make_plan

    wish = Wish(None, task, (name,), None, 1.0, 1, None, None, 0)
    opened = open_checkpoint(checkpoint)
    planned = make_plan(opened, wish, includes, data_dir).planned[0]
    if planned.loaded.task.gated:
        raise RequestError(f"{task} is gated: its items are not shown")
    tokenizer = load_tokenizer(opened.path)
    asked = pick_item(planned.loaded, item)
    ids = planned.encode(asked, tokenizer)
    return {
        "task": task,
        "item": asked.id,
        "prompt": name,
        "text": tokenizer.decode(ids, skip_special_tokens=False),
        "token_ids": list(ids),
    }
