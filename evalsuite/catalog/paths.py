"""Where the files that ship with evalsuite are: task files, prompt formats, published numbers."""

from pathlib import Path

PACKAGE = Path(__file__).parents[1]
CHECKOUT = {"tasks": "tasks", "prompts": "prompts", "published": "results/published"}


def shipped(kind: str) -> Path:
    """The folder of shipped `tasks`, `prompts` or `published` numbers.

    In an installed wheel they lie inside the package, in a checkout at the top level of the repository.
    """
    packed = PACKAGE / "shipped" / kind
    return packed if packed.is_dir() else PACKAGE.parent / CHECKOUT[kind]
