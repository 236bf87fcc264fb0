"""What several commands make of an argument: an item by its id, a list of numbers."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from evalsuite.errors import RequestError

if TYPE_CHECKING:
    from evalsuite.catalog.items import Item
    from evalsuite.catalog.load import LoadedTask


def pick_item(loaded: "LoadedTask", item_id: str | None) -> "Item":
    """The item with this id, or whose id begins like this; the first item where none is named."""
    if item_id is None:
        return loaded.items[0]
    found = [item for item in loaded.items if item.id.startswith(item_id)]
    if not found:
        ids = ", ".join(item.id for item in loaded.items[:3])
        raise RequestError(f"{loaded.task.name} has no item '{item_id}'; ids look like {ids}")
    return found[0]


def whole_numbers(option: str, text: str | None) -> list[int] | None:
    """The numbers of a list such as "1,2,4"; None where the option was not given."""
    if text is None:
        return None
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise RequestError(f"{option} {text}: write whole numbers with commas, such as 1,2,4") from None


def names(text: str | None) -> tuple[str, ...]:
    """The names of a list such as "boxed,bare", each once."""
    return tuple(dict.fromkeys(part.strip() for part in (text or "").split(",") if part.strip()))


def numbers(option: str, text: str | None) -> list[float] | None:
    """The numbers of a list such as "0,0.6,1"; None where the option was not given."""
    if text is None:
        return None
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise RequestError(f"{option} {text}: write numbers with commas, such as 0,0.6,1") from None


def one_of(option: str, text: str | None, choices: Sequence[str]) -> list[str] | None:
    """The words of a list, each of which must be among the choices; None where the option was not given."""
    if text is None:
        return None
    words = [word.strip() for word in text.split(",")]
    if wrong := [word for word in words if word not in choices]:
        raise RequestError(f"{option} {text}: '{wrong[0]}' is none of {', '.join(choices)}")
    return words


def on_or_off(option: str, text: str | None) -> bool | None:
    """The value of a switch; None where it was not given."""
    words = one_of(option, text, ("on", "off"))
    if words is None:
        return None
    if len(words) != 1:
        raise RequestError(f"{option} {text}: one of on, off")
    return words[0] == "on"
