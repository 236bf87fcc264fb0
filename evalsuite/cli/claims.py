"""`evalsuite claims`: published tables held against noise."""

from typing import Annotated

import typer

from evalsuite.cli.options import JsonOption

app = typer.Typer(help="Hold published tables against noise, from nothing but their numbers.", no_args_is_help=True)


@app.command("list")
def list_claims(as_json: JsonOption = False) -> None:
    """List the published tables that evalsuite knows."""
    from evalsuite.claims.registry import all_claims
    from evalsuite.cli.console import print_json, print_rich
    from evalsuite.report.claims import claim_list

    claims = all_claims().values()
    if as_json:
        print_json({"claims": [claim.model_dump(mode="json") for claim in claims]})
    else:
        print_rich(claim_list(claims))


@app.command("check")
def check_claim(
    names: Annotated[list[str], typer.Argument(metavar="NAME|FILE.yaml...", help="Names of `list`, or files.")],
    as_json: JsonOption = False,
) -> None:
    """Say what a published table allows to be said: implied counts, intervals, tests, and its average."""
    from evalsuite.claims.check import check
    from evalsuite.claims.registry import find_claim
    from evalsuite.cli.console import print_json, print_rich
    from evalsuite.report.claims import check_json, check_view

    found = [check(find_claim(name)) for name in names]
    if as_json:
        print_json({"checks": [check_json(one) for one in found]})
    else:
        print_rich(*(part for one in found for part in ("", check_view(one))))
