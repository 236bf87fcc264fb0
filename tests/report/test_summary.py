"""A hand-made run of two items with three samples each, and suites made of rows like it."""

from dataclasses import replace

import pytest

from evalsuite.catalog.items import AnswerKind
from evalsuite.grading.verdict import Status, Verdict
from evalsuite.protocol import Protocol, Sampling
from evalsuite.report.summary import counts, summarise_suite, summarise_task
from evalsuite.rollouts.record import FinishReason, Rollout
from evalsuite.stats.averages import weighted_mean
from evalsuite.stats.intervals import mean_interval

PROTOCOL = Protocol(
    task="sums",
    split="test",
    kind=AnswerKind.NUMBER,
    task_sha256="a" * 64,
    items_sha256="b" * 64,
    n_items=2,
    prompt="boxed",
    prompt_sha256="c" * 64,
    answer_format="boxed",
    stop=(),
    shots=0,
    examples=None,
    template_sha256=None,
    sampling=Sampling(temperature=0.6, top_p=0.95, samples=3, max_tokens=64, seed=0),
    grader="number-1",
)
RIGHT = Verdict(True, True, 1.0, "4", "boxed", Status.OK, True, "equal")
LENIENT = Verdict(True, False, 1.0, "4", "last number", Status.OK, False, "equal")
WRONG = Verdict(False, False, 0.0, "5", "boxed", Status.OK, True, "5 is not 4")
CUT_OFF = Verdict(False, False, 0.0, None, "", Status.CUT_OFF, False, "no answer before the limit")
UNREADABLE = Verdict(None, None, None, "4", "boxed", Status.UNREADABLE_GOLD, True, "gold")


def rollout(item: str, sample: int, end: FinishReason = FinishReason.STOP, protocol: Protocol = PROTOCOL) -> Rollout:
    return Rollout(protocol.cell, protocol.task, item, sample, sample, 10, "text", (1, 2), end)


def row(rollouts, verdicts, protocol=PROTOCOL):
    by_key = {rollout.key: verdict for rollout, verdict in zip(rollouts, verdicts, strict=True) if verdict}
    return summarise_task(protocol, rollouts, by_key, official_items=5, gated=False)


def full_row(task="sums", verdict=RIGHT, protocol=PROTOCOL):
    protocol = replace(protocol, task=task)
    rollouts = [rollout(item, sample, protocol=protocol) for item in "xy" for sample in range(3)]
    return row(rollouts, [verdict] * 6, protocol)


def test_items_are_averaged_not_samples():
    """x: 1 right of 1 scored; y: 1 right (lenient) of 3."""
    rollouts = [rollout("x", 0), *(rollout("y", sample) for sample in range(3))]
    result = row(rollouts, [RIGHT, LENIENT, WRONG, WRONG])
    assert result.accuracy == mean_interval([1, 1 / 3])
    assert result.strict == mean_interval([1, 0])
    assert result.score is None
    assert (result.items, result.done, result.expected) == (2, 4, 6)
    assert result.shortfall == "2 of 6 rollouts are still to come"


def test_every_rollout_is_accounted_for():
    ends = [FinishReason.STOP, FinishReason.LENGTH, FinishReason.ERROR, FinishReason.PROMPT_TOO_LONG]
    rollouts = [rollout("x", 0, ends[0]), rollout("x", 1, ends[1]), rollout("x", 2, ends[2])]
    rollouts += [rollout("y", 0, ends[3]), rollout("y", 1), rollout("y", 2)]
    result = row(rollouts, [RIGHT, CUT_OFF, None, None, UNREADABLE, None])
    assert result.accuracy == mean_interval([1 / 2, 0])
    assert (result.done, result.failed, result.too_long, result.unscored) == (5, 1, 1, 2)
    assert result.cut_off == pytest.approx(1 / 4)
    assert result.no_answer == pytest.approx(1 / 3)
    assert not result.complete
    assert result.shortfall == "1 of 6 requests failed, 2 of 5 rollouts have no score"


def test_other_cells_are_passed_over_and_nothing_gives_no_number():
    other = replace(PROTOCOL, prompt="plain")
    result = row([rollout("x", 0, protocol=other)], [RIGHT])
    assert (result.accuracy, result.cut_off, result.no_answer, result.items) == (None, None, None, 0)


def test_text_answers_have_a_score_of_their_own():
    protocol = replace(PROTOCOL, kind=AnswerKind.QA)
    verdicts = [replace(WRONG, score=0.5), WRONG]
    result = row([rollout("x", 0, protocol=protocol), rollout("y", 0, protocol=protocol)], verdicts, protocol)
    assert result.score == mean_interval([0.5, 0])
    assert result.accuracy == mean_interval([0, 0])


def test_counts_follow_the_same_rules():
    ends = [FinishReason.STOP, FinishReason.STOP, FinishReason.ERROR, FinishReason.PROMPT_TOO_LONG]
    rollouts = [rollout("x", 0, ends[0]), rollout("x", 1, ends[1]), rollout("x", 2, ends[2]), rollout("y", 0, ends[3])]
    verdicts = {rollouts[0].key: RIGHT, rollouts[1].key: WRONG}
    assert counts(PROTOCOL, rollouts, verdicts) == {"x": (2, 1), "y": (1, 0)}


def test_the_suite_is_the_plain_mean_of_its_tasks():
    rows = [full_row("sums"), full_row("words", WRONG), full_row("elsewhere")]
    suite = summarise_suite("demo", ["sums", "words"], rows, {})
    assert suite.mean == weighted_mean([rows[0].accuracy, rows[1].accuracy])
    assert suite.tasks == ("sums", "words")
    assert suite.complete


def test_what_a_suite_lacks_is_named():
    rows = [full_row("sums"), row([rollout("x", 0)], [RIGHT])]
    rows[1] = replace(rows[1], task="words")
    suite = summarise_suite("demo", ["sums", "words", "maps", "rhymes"], rows, {"maps": "its data is not here"})
    assert suite.missing == (
        ("words", "5 of 6 rollouts are still to come"),
        ("maps", "its data is not here"),
        ("rhymes", "was not run"),
    )
    assert suite.tasks == ("sums", "words")
    assert not suite.complete
    assert summarise_suite("demo", ["maps"], [], {}).mean is None


def test_a_task_under_several_prompts_has_no_one_average():
    rows = [full_row("sums"), full_row("sums", protocol=replace(PROTOCOL, prompt="plain"))]
    assert summarise_suite("demo", ["sums"], rows, {}) is None
