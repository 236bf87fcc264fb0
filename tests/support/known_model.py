"""Models whose ability is known: what they answer follows from the prompt, the seed and a few numbers."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from evalsuite.engines.base import Request
from tests.support.fake_engine import FakeEngine
from tests.support.tiny import text_of

QUESTION = re.compile(r"What is (\d+) plus one\?")
SAID = "Let me think. "


def luck(number: int, seed: int | str | None = None) -> float:
    """How hard the question about a number is, in [0, 1); with a seed, how hard it is that time."""
    return int.from_bytes(sha256(f"{number}/{seed}".encode()).digest()[:4]) / 2**32


def format_of(prompt: str) -> str:
    """The shipped prompt format behind a prompt, with "+chat" where it went through the chat template of `tiny`."""
    body = prompt.removeprefix("<|user|>")
    if body.startswith("Question: "):
        return "few_shot"
    name = "boxed" if "inside \\boxed{}" in body else "answer_line" if 'the form "Answer: X"' in body else "bare"
    return f"{name}+chat" if prompt.endswith("<|assistant|>") else name


@dataclass(frozen=True)
class KnownModel:
    """Answers `own_task.sums`. It is right where the question is easier than its accuracy: greedily, always the same.

    `accuracy` is by prompt format, with or without "+chat", `otherwise` elsewhere; it falls by `heat` for each unit of
    temperature. It hands its answer back as asked for if it is `obedient`, else in plain words, after having said
    something `talk` times. What a `moody` one knows is another for each prompt format and temperature.
    """

    accuracy: Mapping[str, float] = field(default_factory=dict)
    otherwise: float = 0.5
    heat: float = 0.0
    obedient: bool = True
    talk: int = 0
    moody: bool = False

    def knows(self, number: int, form: str, temperature: float = 0.0, seed: int | None = None) -> bool:
        """Whether it is right about a number, asked in this prompt format."""
        ability = self.accuracy.get(form, self.accuracy.get(form.removesuffix("+chat"), self.otherwise))
        return luck(number, f"{form}/{temperature}" if self.moody else seed) < ability - self.heat * temperature

    def __call__(self, request: Request) -> str:
        prompt = text_of(request.prompt_ids)
        form, number = format_of(prompt), int(QUESTION.findall(prompt)[-1])
        answer = number + 1 if self.knows(number, form, request.temperature, request.seed) else number + 2
        return SAID * self.talk + self._handed_back(answer, form.removesuffix("+chat"))

    def _handed_back(self, answer: int, form: str) -> str:
        if self.obedient and form == "boxed":
            return f"So it is \\boxed{{{answer}}}."
        if self.obedient and form in ("answer_line", "few_shot"):
            return f"It is that.\nAnswer: {answer}"
        return f"The answer is {answer}."


class Zoo:
    """Stands where vLLM's engine stands: a checkpoint folder is played by the model that its name has here."""

    def __init__(self, models: Mapping[str, KnownModel]) -> None:
        self.engines: list[FakeEngine] = []
        self.dies_after: int | None = None
        self.fails: Callable[[Request], bool] = lambda _: False
        self._models = models

    def __call__(self, checkpoint: Path, log: Path, longest: int, options: dict[str, Any]) -> FakeEngine:
        rule = self._models[checkpoint.name]
        engine = FakeEngine(rule, dies_after=self.dies_after, fails=self.fails, cuts=True, options=options)
        self.engines.append(engine)
        return engine

    @property
    def requests(self) -> list[Request]:
        """All that was ever asked of them."""
        return [request for engine in self.engines for request in engine.requests]
