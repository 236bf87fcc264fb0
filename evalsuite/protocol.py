"""A protocol: everything that is fixed before the first token is sampled, and its hash."""

import hashlib
import json
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from evalsuite.catalog.items import AnswerKind


def digest(content: Any) -> str:
    """16 hex digits of the sha256 over `content` as canonical JSON."""
    text = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Sampling:
    """How answers are sampled. `max_tokens` counts generated tokens; `samples` is the number of answers per item.

    What is None is unknown: only of answers that were imported.
    """

    temperature: float | None
    top_p: float | None
    samples: int
    max_tokens: int | None
    seed: int | None

    @property
    def known(self) -> tuple[float, float, int]:
        """Temperature, top-p and token limit, of what is to be sampled here.

        Raises:
            ValueError: one of them is unknown: this describes imported answers.
        """
        if self.temperature is None or self.top_p is None or self.max_tokens is None:
            raise ValueError("sampling settings that are unknown")
        return self.temperature, self.top_p, self.max_tokens


@dataclass(frozen=True, slots=True)
class Protocol:
    """Task + prompt format + sampling + grader, each named by the hash of its content.

    `task_sha256` is over all items of the task, `items_sha256` over the ids of those that are asked (fewer with a
    limit). `split` says where these come from: the task's own split, or "dev: …" for items on which settings are
    chosen. `examples` hashes the ids of the few-shot examples, in order. `template_sha256` is over the checkpoint's
    chat template, None where none is applied.
    """

    task: str
    split: str
    kind: AnswerKind
    task_sha256: str
    items_sha256: str
    n_items: int
    prompt: str
    prompt_sha256: str
    answer_format: str
    stop: tuple[str, ...]
    shots: int
    examples: str | None
    template_sha256: str | None
    sampling: Sampling
    grader: str

    @property
    def hash(self) -> str:
        """Changes with any byte that could change a score."""
        return digest(asdict(self))

    @property
    def asked(self) -> str:
        """Hash of what is asked of the model: all but the grader, since a better grader asks nothing anew."""
        return digest(asdict(replace(self, grader="")))

    @property
    def cell(self) -> str:
        """Hash of what decides the tokens of one rollout: not which items, how many samples, or who grades them.

        Nor the token limit: it only says where they end. Under a smaller one the same seed gives a prefix of them.
        """
        any_size = replace(self.sampling, samples=0, max_tokens=None)
        return digest(asdict(replace(self, sampling=any_size, split="", items_sha256="", n_items=0, grader="")))

    def as_dict(self) -> dict[str, Any]:
        """Plain data for run.json and MLflow, with both hashes."""
        return {"hash": self.hash, "cell": self.cell, **asdict(self)}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "Protocol":
        """The inverse of `as_dict`."""
        fields = {k: v for k, v in data.items() if k not in ("hash", "cell")}
        fields["kind"] = AnswerKind(fields["kind"])
        fields["stop"] = tuple(fields["stop"])
        fields["sampling"] = Sampling(**fields["sampling"])
        return cls(**fields)


Parser = Literal["lenient", "strict"]
"""Which of a verdict's two scores counts: right in any unambiguous form, or in the form asked for."""


@dataclass(frozen=True, slots=True)
class Setting:
    """How a task was asked and read, whatever the checkpoint: the same setting exists for every model.

    Two checkpoints with different chat templates have different cells under the same setting.
    """

    prompt: str
    prompt_sha256: str
    chat: bool
    shots: int
    temperature: float
    top_p: float
    max_tokens: int
    parser: Parser

    @property
    def asked(self) -> str:
        """Hash of what costs generation: all but the token limit and the parser."""
        return digest([self.prompt_sha256, self.chat, self.shots, self.temperature, self.top_p])

    def __str__(self) -> str:
        parts = [self.prompt, "chat" if self.chat else "raw text"]
        parts += [f"{self.shots} shots"] if self.shots else []
        parts += [f"T={self.temperature:g}"] + ([f"top-p {self.top_p:g}"] if self.top_p != 1 else [])
        return ", ".join([*parts, f"{self.max_tokens:,} tokens", self.parser])


def setting_of(protocol: Protocol, parser: Parser = "lenient") -> Setting:
    """The setting that a protocol was run under.

    Raises:
        ValueError: its sampling is unknown (imported answers).
    """
    temperature, top_p, max_tokens = protocol.sampling.known
    return Setting(
        prompt=protocol.prompt,
        prompt_sha256=protocol.prompt_sha256,
        chat=protocol.template_sha256 is not None,
        shots=protocol.shots,
        temperature=temperature,
        top_p=top_p,
        max_tokens=max_tokens,
        parser=parser,
    )


def rollout_seed(cell: str, item: str, sample: int) -> int:
    """The sampling seed of one rollout, in [0, 2^31). It depends on nothing else: order and resume change no text."""
    return int.from_bytes(hashlib.sha256(f"{cell}/{item}/{sample}".encode()).digest()[:4]) >> 1
