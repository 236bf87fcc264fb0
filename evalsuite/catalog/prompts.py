"""Prompt formats: how an item is put to the model, and how its answer is to be handed back.

A prompt format is one file, `prompts/NAME.jinja`: a few YAML lines between two lines of `---`, then Jinja2 blocks.
`user` is the question's turn; `system` and `assistant` are optional, `assistant` being an example's answer. In the
blocks: `question`, `options` (pairs of letter and text, empty unless it is multiple choice), `letters`, `problem` (the
question with its options beneath) and, for examples, `gold` and `solution` (None where the source has none).
"""

import difflib
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import yaml
from jinja2 import StrictUndefined, Template, TemplateSyntaxError
from jinja2.sandbox import ImmutableSandboxedEnvironment
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evalsuite.catalog.items import AnswerFormat, AnswerKind, Item
from evalsuite.catalog.paths import shipped
from evalsuite.errors import RequestError

_JINJA = ImmutableSandboxedEnvironment(undefined=StrictUndefined, keep_trailing_newline=True)


class Head(BaseModel):
    """The YAML lines on top of a prompt file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    about: str
    answer: AnswerFormat
    """How the answer is to be handed back: what strict grading looks for."""
    chat_template: Literal["auto", "required", "never"] = "auto"
    """auto: where the checkpoint has one. required: turns without a template mean nothing. never: raw text."""
    kinds: tuple[AnswerKind, ...] = tuple(AnswerKind)
    stop: tuple[str, ...] = ()
    shots: int = Field(default=0, ge=0)


@dataclass(frozen=True, slots=True)
class PromptFormat:
    """A prompt format; `sha256` is over its file's bytes."""

    name: str
    path: Path
    head: Head
    template: Template
    sha256: str

    def turns(self, item: Item, examples: Sequence[Item] = ()) -> list[dict[str, str]]:
        """The conversation up to the model's answer, as chat messages (role, content)."""
        system = self._block("system", item)
        turns = [{"role": "system", "content": system}] if system else []
        for example in examples:
            turns.append({"role": "user", "content": self._block("user", example)})
            turns.append({"role": "assistant", "content": self._block("assistant", example, shown=True)})
        return [*turns, {"role": "user", "content": self._block("user", item)}]

    def _block(self, name: str, item: Item, *, shown: bool = False) -> str:
        if name not in self.template.blocks:
            return ""
        options = list(zip(item.letters, item.options, strict=True))
        values: dict[str, Any] = {
            "question": item.question,
            "options": options,
            "problem": "\n".join([item.question, *(f"{letter}. {option}" for letter, option in options)]),
            "letters": item.letters,
        }
        if shown:
            values |= {"gold": item.gold[0], "solution": item.solution}
        try:
            return "".join(self.template.blocks[name](self.template.new_context(values)))
        except Exception as error:  # a template's own faults, or what Python raises inside it
            reason = " ".join(str(error).split()) or type(error).__name__
            raise RequestError(f"{self.path}: block '{name}': {reason}") from None


def raw_text(turns: Sequence[dict[str, str]]) -> str:
    """The same conversation as plain text, for a model without chat template: blocks joined by blank lines.

    An example's answer follows its question directly, so a `user` block that ends in "Answer:" reads on.
    """
    text = ""
    for turn in turns:
        text += turn["content"] + ("" if turn["role"] == "user" else "\n\n")
    return text


def load_prompts(includes: Sequence[Path] = ()) -> dict[str, PromptFormat]:
    """All shipped prompt formats and those in the user's own folders, by name; later folders win."""
    found: dict[str, PromptFormat] = {}
    for folder in (shipped("prompts"), *includes):
        if not folder.is_dir():
            raise RequestError(f"{folder}: no such folder of prompt files")
        found |= {path.stem: _read(path) for path in sorted(folder.rglob("*.jinja"))}
    return found


def needing_chat(includes: Sequence[Path] = ()) -> list[str]:
    """The names of those prompt formats that mean nothing without a chat template."""
    return [prompt.name for prompt in load_prompts(includes).values() if prompt.head.chat_template == "required"]


def find_prompt(prompts: dict[str, PromptFormat], name: str) -> PromptFormat:
    """The prompt format called `name`."""
    if name not in prompts:
        near = difflib.get_close_matches(name, prompts, n=3, cutoff=0.4)
        hint = f"nearest: {', '.join(near)}" if near else "`evalsuite prompts` lists them"
        raise RequestError(f"no prompt format named '{name}' ({hint})")
    return prompts[name]


def _read(path: Path) -> PromptFormat:
    content = path.read_bytes()
    try:
        text = content.decode().replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise RequestError(f"{path}: line {line}: not a text file in UTF-8") from None
    head, end, body = text.removeprefix("---\n").partition("\n---\n")
    if not text.startswith("---\n") or not end:
        raise RequestError(f"{path}: line 1: a prompt file begins with YAML lines between two lines of ---")
    above = head.count("\n") + 3
    try:
        fields = Head.model_validate(yaml.safe_load(head))
        template = _JINJA.from_string("\n" * above + body)  # so that its faults are counted in lines of the file
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 2 if error.problem_mark else 1
        raise RequestError(f"{path}: line {line}: {error.problem}") from None
    except yaml.YAMLError as error:
        raise RequestError(f"{path}: line 1: {' '.join(str(error).split())}") from None
    except ValidationError as error:
        raise RequestError(f"{path}: {_first_fault(error, head)}") from None
    except TemplateSyntaxError as error:
        raise RequestError(f"{path}: line {error.lineno}: {error.message}") from None
    if "user" not in template.blocks:
        raise RequestError(f"{path}: line {above + 1}: no block 'user'; it holds the question's turn")
    if fields.shots and "assistant" not in template.blocks:
        raise RequestError(
            f"{path}: line {above + 1}: no block 'assistant', the answer of an example, and `shots` is {fields.shots}"
        )
    return PromptFormat(path.stem, path, fields, template, hashlib.sha256(content).hexdigest())


def _first_fault(error: ValidationError, head: str) -> str:
    """The line of the key at fault, and what is wrong with it; line 1 where a key is missing."""
    fault = error.errors()[0]
    if not fault["loc"]:
        return "line 2: not of the form `key: value`"
    key = str(fault["loc"][0])
    node = yaml.compose(head)
    lines = {name.value: name.start_mark.line + 2 for name, _ in node.value} if node else {}
    known = f"unknown key; known are {', '.join(Head.model_fields)}"
    return f"line {lines.get(key, 1)}: `{key}`: {known if fault['type'] == 'extra_forbidden' else fault['msg']}"
