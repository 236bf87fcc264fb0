"""How a verdict came about, step by step: the steps are those of `extract`, kept instead of passed over."""

from dataclasses import dataclass

from evalsuite.catalog.items import AnswerKind
from evalsuite.grading import choice, number, offers, qa
from evalsuite.grading.extract import Speech, Turn, format_ok, heard, turns, without_thinking, without_tools
from evalsuite.grading.offers import Offer
from evalsuite.grading.pool import GradeJob
from evalsuite.grading.verdict import Status, Verdict

REPLACED = "a later offer stands instead"
CUT_OFF = "the end of the text may have cut it short, or another answer had begun"

UNDECLARED = {
    "first_word": "nothing announces an answer, and the first or the last paragraph opens with yes or no",
    "whole_text": "nothing announces an answer, and the whole text is one",
    "first_line": "nothing announces an answer, the first line is one, and the rest names no other",
    "bold": "nothing announces an answer, and the last line has one in bold print",
    "last_line": "nothing announces an answer, and the last line is one",
    "last_sentence": "nothing announces an answer, and the last sentence ends in one",
}


@dataclass(frozen=True, slots=True)
class Seen:
    """One offer of the text, and why it counts or does not. `start` is its place in what was spoken."""

    start: int
    text: str
    how: str
    counts: bool
    why: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """One verdict and the way to it.

    `spoken` is the text without tools and thinking, `removed` says what went. `read` is the part that was read for an
    answer, `stopped` why it ends there. `final` is the answer as the text has it, `chosen` why that one. `compared`
    holds pairs of what is compared and how it was read.
    """

    removed: tuple[str, ...]
    spoken: str
    read: str
    stopped: str
    offers: tuple[Seen, ...]
    final: str | None
    chosen: str
    format: str
    compared: tuple[tuple[str, str], ...]
    verdict: Verdict


def explain(job: GradeJob, verdict: Verdict) -> Explanation:
    """The steps to the `verdict` on this job. Not for a job that timed out: what was too slow there is so here."""
    text = job.text.encode("utf-8", "replace").decode()
    toolless = without_tools(text)
    said, finished = without_thinking(toolless)
    speech = heard(text, job.cut_off)
    told = _told(speech, job)
    if told is None:
        why = "there is no text outside the thinking" if text.strip() else "the text is empty"
        told = Turn(0, "", True, (), None)
    else:
        why = _chosen(told)
    return Explanation(
        removed=tuple(_removed(text, toolless, said, finished)),
        spoken=speech.said,
        read=told.text,
        stopped=_stopped(speech.said, told, job.cut_off, finished),
        offers=tuple(_seen(told, job)),
        final=told.final.text if told.final else None,
        chosen=why,
        format=_format(told, job, speech.thought),
        compared=tuple(_compared(job, verdict)),
        verdict=verdict,
    )


def _told(speech: Speech, job: GradeJob) -> Turn | None:
    """The turn that decides: the first with an answer, else the first of all."""
    first = None
    for turn in turns(speech.said, job.kind, job.options, not speech.ended):
        if turn.final is not None:
            return turn
        first = first or turn
    return first


def _removed(text: str, toolless: str, said: str, finished: bool) -> list[str]:
    removed = []
    if toolless != text:
        removed.append(f"{len(text) - len(toolless):,} characters that a tool said")
    if said != toolless:
        how = "thinking that ends" if finished else "thinking that never ends: its inside is no answer"
        removed.append(f"{len(toolless) - len(said):,} characters of {how}")
    return removed


def _stopped(said: str, turn: Turn, cut_off: bool, finished: bool) -> str:
    end = turn.start + len(turn.text)
    if end < len(said):
        mark = " ".join(said[end : end + 40].split())
        return f"another question or turn begins: {mark!r}"
    if cut_off:
        return "the token limit cut the text off"
    return "the text ends by itself" if finished else "thinking begins and never ends"


def _seen(turn: Turn, job: GradeJob) -> list[Seen]:
    """Every offer in order: those that the cut-off of a text takes away, too."""
    everything = offers.find(turn.text, job.kind, job.options, ended=True)
    return [_judged(offer, turn) for offer in (everything if not turn.ended else turn.offers)]


def _judged(offer: Offer, turn: Turn) -> Seen:
    place = turn.start + offer.start
    if offer not in turn.offers:
        return Seen(place, offer.text, offer.how, False, CUT_OFF)
    if turn.final is None or offer.start < turn.final.start:
        return Seen(place, offer.text, offer.how, False, REPLACED)
    if offer.text == turn.final.text:
        return Seen(place, offer.text, offer.how, True, "the last offer")
    return Seen(place, offer.text, offer.how, True, "one of the boxes that together are the last offer")


def _chosen(turn: Turn) -> str:
    if turn.final is None:
        return "nothing in it is offered as an answer" if turn.ended else "cut off before a complete answer"
    if turn.offers:
        return "the last answer that the text offers is its final one"
    return UNDECLARED[turn.final.how]


def _format(turn: Turn, job: GradeJob, thought: bool) -> str:
    asked = f"asked for: {job.answer_format}"
    if turn.final is None:
        return asked
    if thought:
        return f"{asked}, found: nothing but the end of the thinking: not kept"
    kept = "kept" if format_ok(turn.final, turn.offers, job.answer_format) else "not kept"
    return f"{asked}, found: {turn.final.how}: {kept}"


def _compared(job: GradeJob, verdict: Verdict) -> list[tuple[str, str]]:
    """Gold and answer as they were read, as far as they were compared."""
    golds = [(f"gold {gold}", _as_read(job, gold)) for gold in job.gold]
    if verdict.status is not Status.OK or verdict.extracted is None:
        return golds
    return [*golds, (f"answer {verdict.extracted}", _as_read(job, verdict.extracted))]


def _as_read(job: GradeJob, text: str) -> str:
    match job.kind:
        case AnswerKind.QA:
            return f"the words {qa.normalise(qa.plain(text))!r}"
        case AnswerKind.CHOICE:
            meant = choice.read(text, job.options)
            return f"option {meant}" if meant else "no single option"
        case AnswerKind.NUMBER:
            value = number.read(text) or number.sole(text)
            return _number(value) if value else "no number: compared as an expression"
        case AnswerKind.MATH:
            value = number.read(text)
            return _number(value) if value else "an expression"


def _number(value: number.Number) -> str:
    unit = f" {value.unit}" if value.unit else ""
    exact = value.value
    shown = str(exact) if max(abs(exact.numerator), exact.denominator) < 10**40 else "a long number"
    return f"the number {shown}{' %' if value.percent else ''}{unit}"
