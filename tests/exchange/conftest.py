"""The run that the command tests make, and their empty folder."""

from tests.cli.conftest import _elsewhere, run_folder  # noqa: F401
