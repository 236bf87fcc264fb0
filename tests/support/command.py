"""The `evalsuite` command, called in this process."""

import sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from typing import NamedTuple
from unittest import mock

from evalsuite.cli.console import remarks
from evalsuite.cli.main import main


class Output(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str


def run_cli(*arguments: object) -> Output:
    """Run `evalsuite ARGUMENTS…` to its end. An error that is not turned into one line comes through as it is."""
    remarks.cache_clear()  # it holds on to the standard error of its first call
    with (
        redirect_stdout(StringIO()) as out,
        redirect_stderr(StringIO()) as err,
        mock.patch.object(sys, "argv", ["evalsuite", *map(str, arguments)]),
    ):
        try:
            main()
            code = 0
        except SystemExit as end:
            code = int(end.code or 0)
    remarks.cache_clear()
    return Output(code, out.getvalue(), err.getvalue())
