"""The axes of a sweep of settings, as a suite file gives them under `metadata: grid:`, or a user by options."""

from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

Value = TypeVar("Value")


def _listed(values: Any) -> Any:
    if not isinstance(values, list | tuple):
        raise ValueError("must be a list, such as [a, b]")
    if not values:
        raise ValueError("is empty: name at least one value, or leave it out")
    return values


def _each_once(values: tuple[Value, ...]) -> tuple[Value, ...]:
    twice = [value for value in values if values.count(value) > 1]
    if twice:
        raise ValueError(f"names {twice[0]} twice: leave one out")
    return values


def _word(value: Any) -> Any:
    """YAML reads a bare `on` or `off` as a truth value."""
    return {True: "on", False: "off"}[value] if isinstance(value, bool) else value


Axis = Annotated[tuple[Value, ...], BeforeValidator(_listed), AfterValidator(_each_once)]
OnOff = Annotated[Literal["on", "off"], BeforeValidator(_word)]
Shots = Annotated[int, Field(strict=True, ge=0)]
Temperature = Annotated[float, Field(strict=True, ge=0, le=2)]
TopP = Annotated[float, Field(strict=True, gt=0, le=1)]
TokenLimit = Annotated[int, Field(strict=True, ge=1)]


class GridAxes(BaseModel):
    """What is swept. Every combination that makes sense is a setting; token limits and parsers cost no generation.

    Where `shots` is None, each prompt format shows its own number of examples; where `max_tokens` is None, the limits
    follow from the checkpoint's context. Names of prompt formats are not looked up here: they may be the user's own.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    prompts: Axis[str] = ("boxed", "answer_line", "bare", "few_shot", "choice_letter")
    chat_template: Axis[OnOff] = ("on", "off")
    shots: Axis[Shots] | None = None
    temperatures: Axis[Temperature] = (0.0, 0.6)
    top_p: Axis[TopP] = (1.0,)
    max_tokens: Axis[TokenLimit] | None = None
    parsers: Axis[Literal["lenient", "strict"]] = ("lenient", "strict")
