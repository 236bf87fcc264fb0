"""What several commands make of an argument: an item by its id, a list of numbers."""

from evalsuite.catalog.items import Item
from evalsuite.catalog.load import LoadedTask
from evalsuite.errors import RequestError


def pick_item(loaded: LoadedTask, item_id: str | None) -> Item:
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
