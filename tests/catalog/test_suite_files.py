from pathlib import Path

import pytest

from evalsuite.catalog.index import Catalog
from evalsuite.errors import RequestError


def write_suite(folder: Path, tasks: str) -> Catalog:
    (folder / "mine.yaml").write_text(f"group: mine\ntask: {tasks}\n")
    return Catalog([folder])


@pytest.mark.parametrize(("name", "size"), [("avg8", 8), ("avg6", 6), ("contests", 5), ("demo", 6)])
def test_shipped_suites_pass_their_own_checks(catalog: Catalog, name: str, size: int) -> None:
    assert len(catalog.suite(name).tasks) == size


def test_every_shipped_suite_is_tested(catalog: Catalog) -> None:
    assert set(catalog.suites) == {"avg8", "avg6", "contests", "demo"}


def test_a_set_beside_its_own_part_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match=r"mine\.yaml: averages amc23 with amc, which contains it"):
        write_suite(tmp_path, "[amc23, gsm8k, amc]").suite("mine")


def test_unknown_member_offers_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match=r"mine\.yaml: no task named 'math50' \(near: math500"):
        write_suite(tmp_path, "[math50]").suite("mine")


def test_members_are_a_list_of_names(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match=r"mine\.yaml: `task:` must be a list of task names"):
        write_suite(tmp_path, "[{task: gsm8k}]").suite("mine")


def test_unknown_suite_offers_the_nearest(catalog: Catalog) -> None:
    with pytest.raises(RequestError, match=r"no suite named 'avg9' \(near: avg"):
        catalog.suite("avg9")
