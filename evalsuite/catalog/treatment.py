"""What a checkpoint brings along that changes how the same protocol treats it.

Nothing of it is wrong by itself. But a trained checkpoint whose template opens the thinking, or which stops at another
token, was not asked what its starting model was asked: a comparison has to show it.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from evalsuite.catalog.checkpoint import Checkpoint, load_tokenizer, read_json

PROBE = "\u2402question\u2403"
"""Stands for the user's words in a rendered template; no template contains it."""


@dataclass(frozen=True, slots=True)
class Treatment:
    """Plain data, for run.json.

    `before_question` and `after_question` are what the chat template puts around a lone user turn: a system prompt that
    nobody asked for, the opening of the answer. They are None without a template, or where it refuses such a turn.
    `stop_tokens` end an answer. `adds_bos` says whether raw text gets a beginning-of-sequence token.
    `sampling_defaults` are those of generation_config.json: switched off in a run, but not by everybody else.
    """

    chat_template: str | None
    before_question: str | None
    after_question: str | None
    bos_token: str | None
    eos_token: str | None
    pad_token: str | None
    adds_bos: bool
    stop_tokens: tuple[str, ...]
    sampling_defaults: dict[str, Any]
    tokenizer: str
    context: int


def treatment_of(checkpoint: Checkpoint) -> Treatment:
    """Read it from the checkpoint's folder.

    Raises:
        RequestError: the tokenizer cannot be read.
    """
    tokenizer = load_tokenizer(checkpoint.path)
    before, after = _around_question(tokenizer) if checkpoint.chat_template else (None, None)
    raw = tokenizer("x")["input_ids"]
    return Treatment(
        chat_template=checkpoint.template_sha256,
        before_question=before,
        after_question=after,
        bos_token=tokenizer.bos_token,
        eos_token=tokenizer.eos_token,
        pad_token=tokenizer.pad_token,
        adds_bos=bool(raw) and raw[0] == tokenizer.bos_token_id,
        stop_tokens=_stop_tokens(checkpoint, tokenizer),
        sampling_defaults=checkpoint.generation_defaults,
        tokenizer=hashlib.sha256(tokenizer.backend_tokenizer.to_str().encode()).hexdigest()[:16],
        context=checkpoint.context,
    )


def treatment_differences(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    """Where two treatments, as `asdict` gives them, differ: both values by field, each short enough for a line."""
    return {
        name: (_short(first.get(name)), _short(second.get(name)))
        for name in (field.name for field in fields(Treatment))
        if _plain(first.get(name)) != _plain(second.get(name))
    }


def as_plain(treatment: Treatment) -> dict[str, Any]:
    """As JSON will give it back."""
    return {name: _plain(value) for name, value in asdict(treatment).items()}


def _around_question(tokenizer: Any) -> tuple[str | None, str | None]:
    turns = [{"role": "user", "content": PROBE}]
    try:
        text = tokenizer.apply_chat_template(turns, add_generation_prompt=True, tokenize=False)
    except Exception:  # a chat template may raise whatever it likes
        return None, None
    before, found, after = text.partition(PROBE)
    return (before, after) if found else (None, None)


def _stop_tokens(checkpoint: Checkpoint, tokenizer: Any) -> tuple[str, ...]:
    """The tokens at which an engine ends an answer, by name: those of generation_config.json, else of config.json."""
    for name in ("generation_config.json", "config.json"):
        file = checkpoint.path / name
        ids = read_json(file).get("eos_token_id") if file.is_file() else None
        if ids is not None:
            numbers = ids if isinstance(ids, list) else [ids]
            return tuple(str(tokenizer.convert_ids_to_tokens(number)) for number in numbers)
    return (tokenizer.eos_token,) if tokenizer.eos_token else ()


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _short(value: Any) -> str:
    text = "none" if value is None else repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= 100 else f"{text[:48]} … {text[-48:]}"
