"""Which of the answers in a text is its final one, and whether it is offered in the form that was asked for."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from evalsuite.catalog.items import AnswerFormat, AnswerKind
from evalsuite.grading import closing, number, offers, undeclared
from evalsuite.grading.offers import Offer
from evalsuite.grading.places import Anchored


@dataclass(frozen=True, slots=True)
class Extracted:
    """The final answer as the text gives it, the rule that found it, and whether it came in the asked form."""

    text: str
    how: str
    format_ok: bool


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of a text: whether it came to its own end, what it offers in order, and its final answer, if any.

    `start` is where it begins in what was spoken. A final answer that no offer announces is none of `offers`.
    """

    start: int
    text: str
    ended: bool
    offers: tuple[Offer, ...]
    final: Offer | None


def extract(
    text: str, *, kind: AnswerKind, answer_format: AnswerFormat, options: tuple[str, ...] = (), cut_off: bool = False
) -> Extracted | None:
    """The last answer that `text` offers as final, or None: a number that merely stands there is no answer."""
    speech = heard(text, cut_off)
    for turn in turns(speech.said, kind, options, not speech.ended):
        if turn.final is not None:
            answer = number.result(turn.final.text) if kind is AnswerKind.NUMBER else turn.final.text
            if speech.thought:
                return Extracted(answer, THOUGHT, format_ok=False)
            return Extracted(answer, turn.final.how, format_ok(turn.final, turn.offers, answer_format))
    return None


THOUGHT = "thought"
"""The rule for an answer that only the end of the thinking gives, in a text that says nothing behind it."""


def turns(said: str, kind: AnswerKind, options: tuple[str, ...], cut_off: bool) -> Iterator[Turn]:
    """The turns of what was spoken, each read for its answer; the first that has one decides."""
    breaks = sorted(
        mark.span() for pattern in (NEXT_QUESTION, CHAT_MARK) for mark in islice(pattern.finditer(said), MOST_TURNS)
    )[:MOST_TURNS]
    starts = [0, *(end for _, end in breaks)]
    ends = [*(start for start, _ in breaks), len(said)]
    for position, (start, end) in enumerate(zip(starts, ends, strict=True)):
        start = _response(said, start, end)
        turn = said[start:end]
        if not turn.strip():
            continue
        ended = position < len(breaks) or not cut_off
        found = offers.find(turn, kind, options, ended)
        if found and kind is not AnswerKind.QA and (other := NEW_PROBLEM.search(turn, found[0].end)):
            turn, ended = turn[: other.start()], True
            found = offers.find(turn, kind, options, ended)
        elif not found and kind is not AnswerKind.QA and (other := NEW_PROBLEM.search(turn)):
            before = turn[: other.start()]
            if closing.concludes(before.rpartition("\n")[2]) and undeclared.find(before, kind, options):
                turn, ended = before, True
        final = offers.final(found, turn) if found else None
        if final is None and ended:
            alone = undeclared.find(turn, kind, options)
            final = Offer(0, len(turn), *alone) if alone else None
        yield Turn(start, turn, ended, tuple(found), final)


def _response(said: str, start: int, end: int) -> int:
    """Where a turn begins that repeats its prompt: behind the heading "### Response:"."""
    heading = _RESPONSE.search(said, start, end) if said.count("### Response", start, end) == 1 else None
    return heading.end() if heading and (start or said.startswith("#")) else start


_RESPONSE = re.compile(r"\n### Response:?")
# A model that has not answered by then never will.
MOST_TURNS = 50
# What a model invents after its answer: the next question of a few-shot prompt, or the next turn of a chat, whose marks
# leak as text or, where special tokens are left out, as the bare name of the speaker.
_ASKED = r"(?:Question|Problem|Q|Human|HUMAN|User|USER|Instruction)"
_NUMBERED = r"(?:Question|Problem|Sub-?problem|Q|Exercise|Example|Task)[ \t]*\d+"
NEXT_QUESTION = re.compile(
    rf"\n[ \t]*(?:(?:#+[ \t]*)?\*{{0,2}}(?:{_ASKED}\*{{0,2}}[ \t]*:|{_NUMBERED}\*{{0,2}}[ \t]*(?:[:.]|\n)))"
    r"|\n#+ (?:Instruction|Problem|Question)\b|\n###+[ \t]*(?=\n)|\nYou are (?:an?|the) (?:AI|helpful)\b"
)
_MARKS = "im_start|im_end|endoftext|eot_id|eot|eom_id|end_of_text|begin_of_text|start_header_id|end|start|return|user"
CHAT_MARK = Anchored(
    (
        *("\nuser\n", "\nmodel\n", "\nassistant\n", "user\n", "model\n", "assistant\n"),
        *(
            "i hope it is correct",
            "<|",
            "<｜",
            "<s>",
            "</s>",
            "[inst]",
            "[/inst]",
            "<start_of_turn>",
            "<end_of_turn>",
            "<bos>",
            "<eos>",
        ),
    ),
    r"I hope it is correct\b\.?|(?:\n|(?<=[.!?}$)\]\d]))(?:user|model|assistant)\n"
    rf"|<\|(?:{_MARKS}|assistant|system)\|>|<｜[^｜\n]{{1,40}}｜>"
    r"|</?s>|\[/?INST\]|<(?:start|end)_of_turn>(?:user|model)?|<[be]os>",
)


# Behind an answer, a paragraph of its own that asks for something else, without a mark.
NEW_PROBLEM = re.compile(
    r"\n[ \t]*\n(?=[A-Z])(?!(?:But|So|Wait|Now|And|Then|Let|To|For|We|Next|Step|First|Also|Since|Check|Note|I)\b)"
    r"[^\n]{15,600}?[.,] (?:[^.\n]{0,100}\b(?i:how (?:many|much|long|far|old)|what (?:is|are|was|will))\b[^.\n]*\?"
    r"|(?:Find|Compute|Determine|Evaluate|Calculate)\b[^.\n]{3,100}\.)(?:[ \t]*\n| To (?:solve|find|determine)\b)"
)


# What a tool said to the model is not what the model says.
TOOL = re.compile(
    r"\nObservation(?: \d+)?:(?:(?!\n(?:Thought|Action|Question)\b).)*"
    r"|<(information|tool_response|result)>(?:(?!<\1>).)*?</\1>"
    r"|<\|begin_of_documents\|>(?:(?!<\|begin_of_documents).)*?<\|end_of_documents\|>",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Speech:
    """What is read of a text, whether it came to its own end, and whether it is but the end of the thinking."""

    said: str
    ended: bool
    thought: bool


def heard(text: str, cut_off: bool) -> Speech:
    """What the model says outside its thinking and its tools; the end of its thinking, where it says nothing else.

    A closing tag ends thinking even if nothing opened it; left open, thinking never ends.
    """
    said, finished = without_thinking(without_tools(text))
    ended = finished and not cut_off
    thought = last_thought(text) if ended and not said.strip() else ""
    return Speech(thought or said, ended, bool(thought))


def without_tools(text: str) -> str:
    """The text without what tools said in it."""
    return TOOL.sub("", text) if "<" in text or "\nObservation" in text else text


THINKING = Anchored(
    (
        *("<think", "<thought>", "<reasoning>", "[think]", "<|begin_of_thought|>", "<|channel|>"),
        *("</think", "</thought>", "</reasoning>", "[/think]", "<|end_of_thought|>"),
    ),
    r"(?P<opens><(?:think|thinking|thought|reasoning)>|\[THINK\]|<\|begin_of_thought\|>|<\|channel\|>analysis<\|message\|>)"
    r"|</(?:think|thinking|thought|reasoning)>|\[/THINK\]|<\|end_of_thought\|>|<\|channel\|>final<\|message\|>",
)


def without_thinking(text: str) -> tuple[str, bool]:
    """The text without its thinking, and whether that came to an end."""
    said: list[str] = []
    begin, thinking = 0, False
    for tag in THINKING.finditer(text):
        if not tag["opens"]:
            said = said if thinking else []
            begin, thinking = tag.end(), False
        elif not thinking:
            said.append(text[begin : tag.start()])
            thinking = True
    return "".join(said) + ("" if thinking else text[begin:]), not thinking


# So much of the thinking is its end.
END_OF_THOUGHT = 500


def last_thought(text: str) -> str:
    """The last paragraphs of the thinking that ends a text."""
    inside = re.split(r"<(?:think|thinking|thought|reasoning)>|\[THINK\]", text)[-1]
    thought = inside[: inside.rfind("<" if inside.rstrip().endswith(">") else "[")]
    return thought[max(0, thought.find("\n\n", max(0, len(thought) - END_OF_THOUGHT))) :]


def format_ok(final: Offer, found: Sequence[Offer], answer_format: AnswerFormat) -> bool:
    """Whether the final answer stands in the asked form too, though another form may have said it last."""
    if answer_format is AnswerFormat.FREE or final.how == answer_format:
        return True
    asked = [o.text for o in found if o.how == answer_format]
    return bool(asked) and "".join(asked[-1].split()).strip("$.") == "".join(final.text.split()).strip("$.")
