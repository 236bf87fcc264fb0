"""One rollout against its gold: what was finally answered, and whether that is right."""

from functools import cache, lru_cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

from evalsuite.catalog.items import AnswerFormat, AnswerKind
from evalsuite.grading import choice, math, number, qa
from evalsuite.grading.extract import extract
from evalsuite.grading.verdict import Status, Verdict

SHOWN = 80
PARSERS = ("math-verify", "latex2sympy2-extended", "sympy")


def grade(
    kind: AnswerKind,
    gold: tuple[str, ...],
    options: tuple[str, ...],
    text: str,
    *,
    answer_format: AnswerFormat,
    cut_off: bool,
) -> Verdict:
    """The verdict on one text. It never raises, but it may take long: `GraderPool` puts a deadline on it."""
    if problem := gold_problem(kind, gold, options):
        return Verdict(None, None, None, None, "none", Status.UNREADABLE_GOLD, False, problem)
    text = text.encode("utf-8", "replace").decode()  # lone surrogates could not be written down again
    found = extract(text, kind=kind, answer_format=answer_format, options=options, cut_off=cut_off)
    if found is None:
        status = Status.CUT_OFF if cut_off else Status.NO_ANSWER
        why = "cut off before a final answer" if cut_off else "no final answer in the text"
        return Verdict(False, False, 0.0, None, "none", status, False, why)
    correct, score, why = _judge(kind, gold, options, found.text)
    return Verdict(correct, correct and found.format_ok, score, found.text, found.how, Status.OK, found.format_ok, why)


@lru_cache(maxsize=10_000)
def gold_problem(kind: AnswerKind, gold: tuple[str, ...], options: tuple[str, ...]) -> str | None:
    """Why this gold cannot be read, in one line, or None if it can."""
    if not gold or not all(g.strip() for g in gold):
        return "the gold answer is empty"
    match kind:
        case AnswerKind.NUMBER:
            unread = [g for g in gold if number.read(g) is None]
        case AnswerKind.MATH:
            unread = [g for g in gold if not math.readable(g)]
        case AnswerKind.CHOICE:
            letters = [chr(ord("A") + i) for i in range(len(options))]
            unread = [g for g in gold if g not in letters] if options else [g for g in gold if not _is_letter(g)]
        case AnswerKind.QA:
            unread = [] if any(qa.normalise(g) for g in gold) else list(gold)
    return f"the gold answer {_shown(unread[0])} cannot be read as {kind}" if unread else None


@cache
def grader_hash() -> str:
    """16 hex digits that change with whatever decides verdicts: this package and the versions of its parsers."""
    digest = sha256(" ".join(map(version, PARSERS)).encode())
    for source in sorted(Path(__file__).parent.glob("*.py")):
        if source.name not in ("__init__.py", "pool.py", "explain.py"):
            digest.update(source.name.encode() + b"\0" + source.read_bytes())
    return digest.hexdigest()[:16]


@lru_cache(maxsize=50_000)
def _judge(kind: AnswerKind, gold: tuple[str, ...], options: tuple[str, ...], answer: str) -> tuple[bool, float, str]:
    """Whether the answer is right, its score, and why: one line for people. Samples of an item repeat themselves."""
    try:
        match kind:
            case AnswerKind.QA:
                correct, score = qa.exact_match(gold, answer), qa.token_f1(gold, answer)
            case AnswerKind.CHOICE:
                meant = choice.read(answer, options)
                if meant is None:
                    return False, 0.0, f"{_shown(answer)} does not name exactly one option"
                correct = meant in gold
                score = float(correct)
            case _:
                equal = _numbers_equal if kind is AnswerKind.NUMBER else math.equivalent
                correct = any(equal(g, answer) for g in gold)
                score = float(correct)
    except Exception as error:  # sympy raises anything on anything
        return False, 0.0, f"{_shown(answer)} could not be compared: {type(error).__name__}"
    return correct, score, f"{_shown(answer)} {'is' if correct else 'is not'} {' or '.join(map(_shown, gold[:3]))}"


def _numbers_equal(gold: str, answer: str) -> bool:
    wanted = number.read(gold)
    said = number.read(answer) or number.sole(answer)
    if wanted is not None and said is not None:
        return number.equal(wanted, said)
    return math.equivalent(gold, answer)


def _is_letter(gold: str) -> bool:
    return len(gold) == 1 and "A" <= gold <= "Z"


def _shown(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= SHOWN else line[: SHOWN - 1] + "…"
