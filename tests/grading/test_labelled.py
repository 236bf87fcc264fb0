"""Outputs of other people's models, against the verdicts of other people's graders: how often they agree."""

from pathlib import Path

import pytest

from evalsuite.catalog.items import AnswerFormat, AnswerKind
from evalsuite.catalog.source import read_rows
from evalsuite.grading.grade import grade

pytestmark = pytest.mark.slow

LABELLED = {
    # file in the local mirror: completions, and how many verdicts differ from the label
    "aqua_zero_shot_cot": (254, 1),
    "gsm8k_abel_7b": (1319, 0),
    "gsm8k_rft_torch.float32_bs1": (1319, 1),
    "gsm8k_rho-math-1b-v0.1": (1319, 8),
    "hotpotqa_reflexion_em": (618, 0),
    "math500_rho-math-1b-v0.1": (500, 14),
    "math500_rho-math-7b-interpreter-v0.1": (500, 7),
    "mmlu_pro_math_mistral": (1351, 16),
    "search_r1_bamboogle_base_v1": (125, 0),
    "search_r1_nq_base_v1": (1000, 0),
}


@pytest.mark.parametrize("name", LABELLED)
def test_agreement(name: str, mirror: Path) -> None:
    path = mirror / "labelled" / f"{name}.jsonl.gz"
    if not path.is_file():
        pytest.skip(f"no {path.name} in the local mirror")
    rows = read_rows(str(path))
    differing = [row["id"] for row in rows if right(row) != row["label"]]
    assert (len(rows), len(differing)) == LABELLED[name], differing


def right(row: dict[str, object]) -> bool:
    """Whether the verdict is "correct"; a gold that cannot be read counts as not correct, as it does for the labels."""
    gold, options = row["gold"], row.get("options") or ()
    golds = tuple(gold) if isinstance(gold, list) else (str(gold),)
    verdict = grade(
        AnswerKind(str(row["kind"])),
        golds,
        tuple(options) if isinstance(options, list) else (),
        str(row["text"]),
        answer_format=AnswerFormat.FREE,
        cut_off=False,
    )
    return verdict.correct is True
