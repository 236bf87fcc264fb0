import math
import re
from collections import Counter
from pathlib import Path

import pytest

from evalsuite.catalog.index import Catalog
from evalsuite.catalog.items import Item, canonical
from evalsuite.catalog.load import load, load_dev

NAMES = ["demo_arithmetic", "demo_number", "demo_math", "demo_choice4", "demo_choice5", "demo_qa"]


@pytest.mark.parametrize("name", NAMES)
def test_demo_items_need_no_data_folder(
    catalog: Catalog, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    loaded = load(catalog.task(name), None)
    assert loaded.origin == "shipped"
    assert loaded.pinned
    assert len(loaded.items) >= 12
    dev = load_dev(catalog.task(name), catalog, None)
    assert len(dev.items) >= 4
    assert dev.removed == 0
    assert not {canonical(item.question) for item in dev.items} & {canonical(item.question) for item in loaded.items}


@pytest.mark.parametrize(("name", "options"), [("demo_choice4", 4), ("demo_choice5", 5)])
def test_right_options_are_spread_over_the_letters(catalog: Catalog, name: str, options: int) -> None:
    items = load(catalog.task(name), None).items
    assert {len(item.options) for item in items} == {options}
    assert all(len(set(item.options)) == options for item in items)
    counts = Counter(item.gold[0] for item in items)
    assert len(set(counts.values())) == 1


def test_generated_sums_are_right(catalog: Catalog) -> None:
    items = all_items(catalog, "demo_arithmetic")
    assert len({item.question for item in items}) == 48
    for item in items:
        (expression,) = re.findall(r"What is ([0-9 +*-]+)\?", item.question)
        assert item.gold == (str(eval(expression)),)  # only digits and + - * get here


# Written apart from the files, so that a slip in either shows.
NUMBERS = {
    "What is 7 + 5": 7 + 5,
    "How many minutes are there in two hours": 2 * 60,
    "Lena has 9 marbles": 9 - 4,
    "A bakery sells 6 trays": 6 * 8,
    "What is 100 - 37": 100 - 37,
    "A ribbon of 24 metres": 24 / 3,
    "Mira reads 15 pages": 15 * 4,
    "A pen costs 1.50 euros": 1.5 * 5,
    "A train leaves at 9:40": (11 * 60 + 5) - (9 * 60 + 40),
    "A farm has 12 hens": 12 * 5 - 7,
    "Omar saves 40 coins": 40 + 50 + 60 + 70,
    "A tank holds 90 litres": (90 - 90 / 3) / 4,
    "Five friends share": (86 - 11) / 5,
    "A shop lowers the price": 80 * 0.75 * 1.1,
    "What is 8 + 6": 8 + 6,
    "A box holds 12 pencils": 12 * 3,
    "Nora has 20 stickers": 20 - 2 * 5,
    "A bus has 30 seats": 2 * 18 - 30,
    "A rope of 7 metres": 7 / 2,
}


def test_word_problems_are_right(catalog: Catalog) -> None:
    for item in all_items(catalog, "demo_number"):
        (expected,) = [value for start, value in NUMBERS.items() if item.question.startswith(start)]
        assert math.isclose(float(item.gold[0]), expected)


def test_expressions_are_right(catalog: Catalog) -> None:
    from math_verify import parse, verify

    # Each gold, written a second time in another form.
    others = {
        r"\frac{6}{8}": "0.75",
        "x + 3 = 10": "10-3",
        "2^5": "2*2*2*2*2",
        "(x + 1)(x + 2)": "(x+1)(x+2)",
        r"\frac{1}{2} + \frac{1}{3}": r"\frac{10}{12}",
        r"\sqrt{50}": r"\sqrt{25 \cdot 2}",
        "derivative": "3x^2 - 4",
        "What is its area": r"3^2 \pi",
        "positive solution": "8/2",
        "ordered pair": "(4/2, 3-2)",
        "Factor": "x^2-49",
        "interval": r"(6/2, \infty)",
        "geometric series": r"\frac{1}{1-\frac{1}{3}}",
        "hypotenuse": r"\sqrt{4+16}",
        r"\frac{10}{15}": r"\frac{2}{3}",
        "2x = 14": "14/2",
        r"\sqrt{12}": r"\sqrt{4 \cdot 3}",
        "(x - 2)^2": "(x-2)(x-2)",
        "circumference": r"2 \cdot 5 \pi",
    }
    items = all_items(catalog, "demo_math")
    assert len(items) == len(others)
    for item in items:
        (other,) = [form for part, form in others.items() if part in item.question]
        assert verify(parse(f"${item.gold[0]}$"), parse(f"${other}$")), item


def all_items(catalog: Catalog, name: str) -> list[Item]:
    task = catalog.task(name)
    return [*load(task, None).items, *load_dev(task, catalog, None).items]
