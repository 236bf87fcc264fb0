"""How the samples of each item voted: equivalent answers together, samples without an answer not at all."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import combinations

from evalsuite.catalog.items import AnswerFormat, AnswerKind
from evalsuite.evaluate.run import Run
from evalsuite.grading import choice, qa
from evalsuite.grading.notation import normalise
from evalsuite.grading.pool import GradeJob, GraderPool
from evalsuite.protocol import Protocol
from evalsuite.rollouts.record import FinishReason
from evalsuite.stats.majority import Votes

INTEGER = re.compile(r"-?(0|[1-9]\d*)")
"""Two of them that differ are not equal: no grader need be asked, which most pairs of a contest's answers spares."""


def votes_of(run: Run, protocol: Protocol, pool: GraderPool) -> dict[str, Votes]:
    """Votes by item, of the samples that have a score.

    All answers that are right vote together. Wrong ones do where they name the same option, where their text is the
    same once its notation is normalised, or where the grader takes one number or expression for the other.
    """
    right: Counter[str] = Counter()
    silent: Counter[str] = Counter()
    wrong: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for key, rollout in run.rollouts.items():
        if rollout.cell != protocol.cell or rollout.finish_reason is FinishReason.ERROR:
            continue
        verdict = run.verdicts.get(key)
        if rollout.finish_reason is FinishReason.PROMPT_TOO_LONG:
            silent[rollout.item] += 1
        elif verdict is None or verdict.correct is None:
            continue
        elif verdict.correct:
            right[rollout.item] += 1
        elif verdict.extracted is None:
            silent[rollout.item] += 1
        else:
            options = run.items[protocol.task, rollout.item].options
            wrong[rollout.item][_same_text(protocol.kind, verdict.extracted, options)] += 1
    together = _joined(protocol.kind, wrong, pool)
    items = dict.fromkeys([*right, *silent, *wrong])
    return {item: Votes(right[item], tuple(together.get(item, ())), silent[item]) for item in items}


def _same_text(kind: AnswerKind, answer: str, options: tuple[str, ...]) -> str:
    match kind:
        case AnswerKind.MATH:
            return normalise(answer)
        case AnswerKind.QA:
            return qa.normalise(answer)
        case AnswerKind.CHOICE:
            return choice.read(answer, options) or answer.casefold()
        case _:
            return answer


def _joined(kind: AnswerKind, wrong: dict[str, Counter[str]], pool: GraderPool) -> dict[str, list[int]]:
    """The votes of each wrong answer, those of equivalent numbers and expressions added up."""
    if kind not in (AnswerKind.MATH, AnswerKind.NUMBER):
        return {item: list(answers.values()) for item, answers in wrong.items()}
    pairs = [
        (item, one, other)
        for item, answers in wrong.items()
        for one, other in combinations(answers, 2)
        if not (INTEGER.fullmatch(one) and INTEGER.fullmatch(other))
    ]
    verdicts = [pool.submit(_as_answer(kind, one, other)) for _, one, other in pairs]
    same: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    for (item, one, other), verdict in zip(pairs, verdicts, strict=True):
        if verdict.result().correct:
            same[item].append((one, other))
    return {item: _added(answers, same[item]) for item, answers in wrong.items()}


def _as_answer(kind: AnswerKind, gold: str, answer: str) -> GradeJob:
    return GradeJob(kind, (gold,), (), f"\\boxed{{{answer}}}", AnswerFormat.BOXED, cut_off=False)


def _added(answers: Counter[str], same: Sequence[tuple[str, str]]) -> list[int]:
    """Votes by class: each answer joins the class of the first that it equals."""
    leader = {answer: answer for answer in answers}
    for one, other in same:
        old, new = leader[other], leader[one]
        leader = {answer: new if led == old else led for answer, led in leader.items()}
    total: Counter[str] = Counter()
    for answer, count in answers.items():
        total[leader[answer]] += count
    return list(total.values())
