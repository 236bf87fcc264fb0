"""A command that also has subcommands: `baseline CHECKPOINT` beside `baseline verify FILE`."""

from typing import Any

from typer.core import TyperGroup

DEFAULT = "make"


class DefaultCommand(TyperGroup):
    """Takes what names no subcommand for the arguments of the one called `make`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the default command in front where none is named."""
        if args and args[0] not in self.commands and args[0] not in ctx.help_option_names:
            args = [DEFAULT, *args]
        return super().parse_args(ctx, args)
