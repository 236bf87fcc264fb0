"""What a checkpoint brings along that changes how one and the same protocol treats it: template, tokens, defaults.

Training code often saves another chat template, tokenizer or stop token than the starting model had. A protocol cannot
make such two checkpoints alike, so a comparison shows where they differ.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from itertools import takewhile
from typing import Any

from evalsuite.catalog.checkpoint import Checkpoint, load_tokenizer, read_json

QUESTION, ANSWER, NEXT, SYSTEM = "Qprobe7", "Aprobe7", "Nprobe7", "Sprobe7"
"""Words that no template writes by itself: where they come out, the text around them is the template's own."""

SHOWN = 72
"""Longest piece of a value shown in a difference, in characters."""


@dataclass(frozen=True, slots=True)
class Treatment:
    """What may differ between two checkpoints under one protocol, as plain data that survives JSON.

    `chat_template` and `tokenizer` are the first 16 hex digits of a sha256, the latter over the tokenizer as it is
    loaded: a file of the same content in another layout has the same. `system_prompt` is what the template writes
    before the question where no system turn is given, without the markup at its ends: empty for an empty system turn,
    None for no text at all. `system_turn` is what becomes of a given one: kept, dropped or refused.
    `generation_prompt` is all that follows the question: the end of its turn and how the answer is begun, such as with
    an opened `<think>`. Where the template writes the date (`dated`), the date's format stands in these texts instead.
    `template_problem` is why a template shows none of them.

    `bos`, `eos` and `pad` are the tokens' texts; `adds_bos` is whether plain text gets a BOS. The stop tokens map ids
    (as text, for JSON) to their texts. `sampling_defaults` are those of generation_config.json: switched off in a run,
    but not by everybody who runs the checkpoint. `vocabulary` and `context` count tokens.
    """

    chat_template: str | None
    system_prompt: str | None
    system_turn: str | None
    generation_prompt: str | None
    dated: bool
    template_problem: str | None
    bos: str | None
    eos: str | None
    pad: str | None
    adds_bos: bool
    generation_config_stops: dict[str, str]
    config_stops: dict[str, str]
    sampling_defaults: dict[str, Any]
    vocabulary: int
    tokenizer: str
    dtype: str | None
    context: int


def treatment_of(checkpoint: Checkpoint) -> Treatment:
    """What this checkpoint brings along. A template that fails is told of, not raised.

    Raises:
        RequestError: its tokenizer cannot be read.
    """
    tokenizer = load_tokenizer(checkpoint.path)
    config = read_json(checkpoint.path / "config.json")
    config = (config.get("text_config") or {}) | config
    generation = checkpoint.path / "generation_config.json"
    return Treatment(
        chat_template=checkpoint.template_sha256,
        **_templated(tokenizer, checkpoint.chat_template is not None),
        bos=tokenizer.bos_token,
        eos=tokenizer.eos_token,
        pad=tokenizer.pad_token,
        adds_bos=tokenizer.bos_token is not None and tokenizer(QUESTION)["input_ids"][:1] == [tokenizer.bos_token_id],
        generation_config_stops=_stops(read_json(generation) if generation.is_file() else {}, tokenizer),
        config_stops=_stops(config, tokenizer),
        sampling_defaults=checkpoint.generation_defaults,
        vocabulary=len(tokenizer),
        tokenizer=_tokenizer_sha256(tokenizer),
        dtype=config.get("dtype") or config.get("torch_dtype"),
        context=checkpoint.context,
    )


def as_plain(treatment: Treatment) -> dict[str, Any]:
    """As JSON will give it back."""
    return asdict(treatment)


def treatment_differences(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    """Where two treatments, as `as_plain` gives them, differ: both values by field, each in one short line.

    Empty where the checkpoints are treated alike. What only one of them tells of is left out: the other is unknown.
    """
    names = [field.name for field in fields(Treatment) if field.name in first and field.name in second]
    return {name: _in_short(first[name], second[name]) for name in names if first[name] != second[name]}


def _templated(tokenizer: Any, has_template: bool) -> dict[str, Any]:
    """The fields of `Treatment` that the chat template decides."""
    dates: list[str] = []
    texts = dict.fromkeys(("system_prompt", "system_turn", "generation_prompt", "template_problem"))
    if not has_template:
        return {**texts, "dated": False}
    asked = ("user", QUESTION)
    text, problem = _rendered(tokenizer, [asked], dates)
    before, found, after = text.partition(QUESTION)
    if not found:
        reason = f"it fails: {problem}" if problem else "it leaves out the user's words"
        return {**texts, "dated": bool(dates), "template_problem": reason}
    # A template that takes one question only: what opens every user's turn then counts as its system prompt.
    conversation, _ = _rendered(tokenizer, [asked, ("assistant", ANSWER), ("user", NEXT)], dates)
    with_system, refusal = _rendered(tokenizer, [("system", SYSTEM), asked], dates)
    later = conversation.partition(ANSWER)[2].partition(NEXT)[0]
    return {
        "system_prompt": _system_prompt(before, later, list(tokenizer.get_added_vocab())),
        "system_turn": "refused" if refusal else "kept" if SYSTEM in with_system else "dropped",
        "generation_prompt": after,
        "dated": bool(dates),
        "template_problem": None,
    }


def _rendered(tokenizer: Any, turns: Sequence[tuple[str, str]], dates: list[str]) -> tuple[str, str]:
    """What the template makes of pairs of role and content, and the reason where it fails.

    Where it asks for the date it gets the date's format, so that the text is the same every day; `dates` keeps it.
    """

    def date_format(form: str) -> str:
        dates.append(form)
        return form

    messages = [{"role": role, "content": content} for role, content in turns]
    settings = {"add_generation_prompt": True, "tokenize": False, "strftime_now": date_format}
    try:
        return str(tokenizer.apply_chat_template(messages, **settings)), ""
    except Exception as error:  # a chat template may raise whatever it likes
        return "", next(iter(str(error).splitlines()), type(error).__name__)


def _system_prompt(before: str, later: str, markup: list[str]) -> str | None:
    """The template's own words in what stands `before` the first question.

    What opens every user's turn is no part of them. It is what `before` has in common, from its end, with the text
    between an answer and the next question (`later`).
    """
    marks = "|".join([r"\s", *(re.escape(token) for token in sorted(markup, key=len, reverse=True) if token)])
    before = re.sub(rf"\A(?:{marks})+", "", before)  # a BOS, which no later turn has
    opening = _agree(before[::-1], later[::-1])
    own = before[: len(before) - opening]
    return re.sub(rf"\A(?:(?:system|developer)\b(?! ))?(?:{marks})*|(?:{marks})+\Z", "", own) if own else None


def _agree(one: str, other: str) -> int:
    """How many characters both have in common from their beginning."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _stops(config: Mapping[str, Any], tokenizer: Any) -> dict[str, str]:
    ids = config.get("eos_token_id")
    listed = ids if isinstance(ids, list) else [] if ids is None else [ids]
    known = range(len(tokenizer))
    return {str(i): tokenizer.decode([i]) if i in known else "not in the vocabulary" for i in listed}


def _tokenizer_sha256(tokenizer: Any) -> str:
    """Over the tokenizer as loaded where it is a fast one, else over its vocabulary."""
    backend = getattr(tokenizer, "backend_tokenizer", None)
    content = backend.to_str() if backend else json.dumps(tokenizer.get_vocab(), sort_keys=True)
    return hashlib.sha256(content.encode()).hexdigest()[:16]


def _in_short(first: Any, second: Any) -> tuple[str, str]:
    """Both values as one line each. Long ones are cut to where they begin to differ, else they would look alike."""
    lines = _line(first), _line(second)
    start = 0
    if max(map(len, lines)) > SHOWN:
        start = max(0, _agree(*lines) - SHOWN // 4)
    return _cut(lines[0], start), _cut(lines[1], start)


def _cut(line: str, start: int) -> str:
    end = start + SHOWN
    return ("…" if start else "") + line[start:end] + ("…" if len(line) > end else "")


def _line(value: Any) -> str:
    if value is None or value == {}:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return ", ".join(f"{key}: {_line(each)}" for key, each in sorted(value.items()))
    return repr(str(value))[1:-1] or "empty"  # repr keeps line breaks and control characters out of a terminal
