"""The axes of a sweep of settings, as a suite file gives them under `metadata: grid:`, or a user by options."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field


def _each_once(values: tuple[Any, ...]) -> tuple[Any, ...]:
    if len(set(values)) < len(values):
        raise ValueError(f"{next(value for value in values if values.count(value) > 1)} stands there twice")
    return values


def _word(value: Any) -> Any:
    """YAML reads a bare `on` or `off` as a truth value."""
    return {True: "on", False: "off"}.get(value, value) if isinstance(value, bool) else value


OnOff = Annotated[Literal["on", "off"], BeforeValidator(_word)]
Once = AfterValidator(_each_once)


class GridAxes(BaseModel):
    """What is swept. Every combination that makes sense is a setting; token limits and parsers cost no generation.

    Where `shots` is None, each prompt format shows its own number of examples; where `max_tokens` is None, the limits
    follow from the checkpoint's context.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    prompts: Annotated[tuple[str, ...], Field(min_length=1), Once] = (
        "boxed",
        "answer_line",
        "bare",
        "few_shot",
        "choice_letter",
    )
    chat_template: Annotated[tuple[OnOff, ...], Field(min_length=1), Once] = ("on", "off")
    shots: Annotated[tuple[Annotated[int, Field(ge=0)], ...], Field(min_length=1), Once] | None = None
    temperatures: Annotated[
        tuple[Annotated[float, Field(ge=0, allow_inf_nan=False)], ...], Field(min_length=1), Once
    ] = (0.0, 0.6)
    top_p: Annotated[tuple[Annotated[float, Field(gt=0, le=1)], ...], Field(min_length=1), Once] = (1.0,)
    max_tokens: Annotated[tuple[Annotated[int, Field(ge=1)], ...], Field(min_length=1), Once] | None = None
    parsers: Annotated[tuple[Literal["lenient", "strict"], ...], Field(min_length=1), Once] = ("lenient", "strict")
