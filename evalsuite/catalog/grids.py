"""placeholder"""

from typing import Literal

from pydantic import BaseModel, ConfigDict


class GridAxes(BaseModel):
    """Axes of a grid."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    prompts: tuple[str, ...] = ("boxed", "answer_line", "bare", "few_shot", "choice_letter")
    chat_template: tuple[Literal["on", "off"], ...] = ("on", "off")
    shots: tuple[int, ...] | None = None
    temperatures: tuple[float, ...] = (0.0, 0.6)
    top_p: tuple[float, ...] = (1.0,)
    max_tokens: tuple[int, ...] | None = None
    parsers: tuple[Literal["strict", "lenient"], ...] = ("lenient", "strict")
