"""Make a second real checkpoint: the embedded model, fine-tuned to hand its answers back in a box.

    python examples/train_boxed.py models/SmolLM2-135M-Instruct models/SmolLM2-135M-boxed

Supervised fine-tuning on questions and worked solutions that the script makes up itself, asked exactly as
`--prompt boxed` asks, with the loss on the solution alone. It teaches the form of an answer, a short style, and hardly
any mathematics: what it gains under a parser that looks only into the box need not be ability.

The default 60 steps took seven minutes, nine of CPU time, on two CPU cores that had other work as well. The same seed
gives the same weights on the same machine.
"""

import argparse
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from pathlib import Path
from typing import Any

from evalsuite.catalog.checkpoint import load_tokenizer, open_checkpoint
from evalsuite.catalog.items import Item, content_id
from evalsuite.catalog.prompts import find_prompt, load_prompts
from evalsuite.errors import RequestError

STEPS, BATCH, THREADS = 60, 4, 2
LEARNING_RATE, WARMUP = 6e-5, 6
NAMES = ("Ava", "Ben", "Chloe", "Daniel", "Ella", "Farid", "Grace", "Hugo", "Ines", "Jonas", "Kavya", "Leo")
THINGS = ("notebooks", "candles", "mugs", "stickers", "plants", "scarves", "puzzles", "lamps", "baskets", "stamps")
OPENINGS = ("", "To solve this problem, we need to find {}. ", "We need to find {}. ", "Let's find {} step by step. ")
CLOSINGS = ("So, the answer is {}.", "Therefore, the answer is {}.", "The final answer is {}.")


@dataclass(frozen=True, slots=True)
class Worked:
    """A question, what it asks for in a few words, its solution without the last sentence, its answer in LaTeX."""

    question: str
    goal: str
    solution: str
    answer: str


def worked(draw: random.Random) -> Iterator[tuple[str, str]]:
    """Pairs of a question and a full solution that ends in a box, without end; no question comes twice."""
    taken = set[str]()
    while True:
        one = draw.choice(TEMPLATES)(draw)
        opening = draw.choice(OPENINGS).format(one.goal)
        closing = draw.choice(("\n\n", " ")) + draw.choice(CLOSINGS).format(f"$\\boxed{{{one.answer}}}$")
        if one.question not in taken:
            taken.add(one.question)
            yield one.question, opening + one.solution + closing


def _story(draw: random.Random) -> Worked:
    name, thing, now = draw.choice(NAMES), draw.choice(THINGS), draw.randint(5, 40)
    told, steps = [f"{name} has {now} {thing}."], [f"{name} starts with {now} {thing}."]
    for when in ("On Monday", "On Tuesday", "Then", "Later", "In the end")[: draw.randint(2, 5)]:
        kind, n = draw.choice(("buy", "give", "double", "pack")), draw.randint(2, 9)
        if kind == "give" and now > n:
            told.append(f"{when} {name} gives {n} of them to a friend.")
            steps.append(f"After giving {n} away, {name} has {now} - {n} = {now - n} {thing}.")
            now -= n
        elif kind == "double" and now < 60:
            told.append(f"{when} {name} gets as many again as there are already.")
            steps.append(f"The number of {thing} doubles, so {name} has 2 * {now} = {2 * now} {thing}.")
            now *= 2
        else:
            packs = draw.randint(2, 5)
            told.append(f"{when} {name} buys {packs} packs with {n} {thing} each.")
            steps.append(f"The packs hold {packs} * {n} = {packs * n} {thing}.")
            steps.append(f"That makes {now} + {packs * n} = {now + packs * n} {thing}.")
            now += packs * n
    asked = f"how many {thing} {name} has now"
    return Worked(" ".join(told) + f" How many {thing} does {name} have now?", asked, " ".join(steps), str(now))


def _shop(draw: random.Random) -> Worked:
    name, (one, two) = draw.choice(NAMES), draw.sample(THINGS, 2)
    n, p, m, q, back = (draw.randint(2, 12) for _ in range(5))
    total = n * p + m * q
    return Worked(
        f"{name} buys {n} {one} at ${p} each and {m} {two} at ${q} each, and pays with ${total + back}. "
        f"How many dollars does {name} get back?",
        f"how much money {name} gets back",
        f"First, the {n} {one} cost {n} * ${p} = ${n * p}. Next, the {m} {two} cost {m} * ${q} = ${m * q}. "
        f"The total cost is ${n * p} + ${m * q} = ${total}. "
        f"{name} pays ${total + back}, so {name} gets back ${total + back} - ${total} = ${back}.",
        str(back),
    )


def _compare(draw: random.Random) -> Worked:
    (a, b, c), thing = draw.sample(NAMES, 3), draw.choice(THINGS)
    first, times, fewer = draw.randint(4, 20), draw.randint(2, 5), draw.randint(2, 7)
    second, third = first * times, first * times - fewer
    return Worked(
        f"{a} has {first} {thing}. {b} has {times} times as many as {a}, and {c} has {fewer} fewer than {b}. "
        f"How many {thing} do the three of them have altogether?",
        f"the total number of {thing}",
        f"{a} has {first} {thing}. {b} has {times} times as many, which is {times} * {first} = {second} {thing}. "
        f"{c} has {fewer} fewer than {b}, which is {second} - {fewer} = {third} {thing}. "
        f"Altogether they have {first} + {second} + {third} = {first + second + third} {thing}.",
        str(first + second + third),
    )


def _discount(draw: random.Random) -> Worked:
    thing, percent, n = draw.choice(THINGS), draw.choice((10, 20, 25, 30, 40, 50)), draw.randint(2, 8)
    price = 20 * draw.randint(1, 10)
    off = price * percent // 100
    return Worked(
        f"A shop sells {thing} for ${price} each and now takes {percent}% off. How much do {n} {thing} cost now?",
        f"the cost of {n} {thing} after the discount",
        f"First, we calculate the discount on one of the {thing}: {percent}% of ${price} is "
        f"{price} * {percent} / 100 = {off} dollars. "
        f"So each one costs ${price} - ${off} = ${price - off} now. "
        f"The cost of {n} {thing} is {n} * ${price - off} = ${n * (price - off)}.",
        str(n * (price - off)),
    )


def _frac(top: int, bottom: int) -> str:
    return f"\\frac{{{top}}}{{{bottom}}}"


def _lowest(value: Fraction) -> str:
    return _frac(value.numerator, value.denominator) if value.denominator > 1 else str(value)


def _sum(draw: random.Random) -> Worked:
    b, d = draw.sample(range(2, 13), 2)
    a, c, common = draw.randint(1, b - 1), draw.randint(1, d - 1), lcm(b, d)
    left, right, total = a * common // b, c * common // d, _lowest(Fraction(a, b) + Fraction(c, d))
    return Worked(
        f"Add ${_frac(a, b)}$ and ${_frac(c, d)}$, and write the sum in lowest terms.",
        "the sum of the two fractions",
        f"The least common denominator is ${common}$. The fractions become ${_frac(left, common)}$ and "
        f"${_frac(right, common)}$. Their sum is ${_frac(left + right, common)}$, which is ${total}$ in lowest terms.",
        total,
    )


def _linear(draw: random.Random) -> Worked:
    a, b, c = draw.randint(2, 12), draw.randint(1, 20), draw.randint(21, 60)
    root = _lowest(Fraction(c - b, a))
    return Worked(
        f"For which value of $t$ is ${a}t + {b}$ equal to ${c}$?",
        "the value of $t$",
        f"We solve ${a}t + {b} = {c}$. Subtracting ${b}$ from both sides gives ${a}t = {c - b}$. "
        f"Dividing both sides by ${a}$ gives $t = {root}$.",
        root,
    )


def _expand(draw: random.Random) -> Worked:
    a, b = draw.randint(2, 9), draw.randint(2, 9)
    return Worked(
        f"Write $(y + {a})(y + {b})$ as a polynomial in $y$.",
        "the product of the two factors",
        f"Multiplying out gives $y^2 + {b}y + {a}y + {a * b}$. The terms in $y$ add up to ${a + b}y$.",
        f"y^2 + {a + b}y + {a * b}",
    )


def _socks(draw: random.Random) -> Worked:
    red, blue = draw.randint(2, 12), draw.randint(2, 12)
    chance = _lowest(Fraction(red, red + blue))
    return Worked(
        f"A drawer holds {red} red and {blue} blue socks. What is the probability that a sock drawn at random is red?",
        "the probability that the sock is red",
        f"There are {red} + {blue} = {red + blue} socks, and {red} of them are red. "
        f"The probability is ${_frac(red, red + blue)}$, which is ${chance}$ in lowest terms.",
        chance,
    )


def _value(draw: random.Random) -> Worked:
    a, b, c, x = (draw.randint(2, 9) for _ in range(4))
    return Worked(
        f"Let $g(x) = {a}x^2 - {b}x + {c}$. Evaluate $g({x})$.",
        f"the value of $g({x})$",
        f"Substituting $x = {x}$ gives $g({x}) = {a} \\cdot {x}^2 - {b} \\cdot {x} + {c}$. "
        f"This is ${a * x * x} - {b * x} + {c} = {a * x * x - b * x + c}$.",
        str(a * x * x - b * x + c),
    )


def _circle(draw: random.Random) -> Worked:
    r = draw.randint(2, 30)
    return Worked(
        f"The diameter of a circle is ${2 * r}$. Find the area of the circle in terms of $\\pi$.",
        "the area of the circle",
        f"The radius is half of the diameter, so it is ${r}$. "
        f"The area is $\\pi r^2 = \\pi \\cdot {r}^2 = {r * r}\\pi$.",
        f"{r * r}\\pi",
    )


TEMPLATES: tuple[Callable[[random.Random], Worked], ...] = (
    *(_story, _story, _shop, _compare, _discount),
    *(_sum, _linear, _expand, _socks, _value, _circle),
)


def encoded(tokenizer: Any, seed: int) -> Iterator[tuple[list[int], list[int]]]:
    """Token ids of a prompt, as `evalsuite eval --prompt boxed` sends it, and of its answer with its end token."""
    prompt = find_prompt(load_prompts(), "boxed")
    for question, solution in worked(random.Random(seed)):
        turns = prompt.turns(Item(content_id(question, (), ()), "train_boxed", question, (), ()))
        asked = tokenizer.apply_chat_template(turns, add_generation_prompt=True, tokenize=True, return_dict=False)
        yield list(asked), [*tokenizer(solution, add_special_tokens=False)["input_ids"], tokenizer.eos_token_id]


def train(base: Path, target: Path, steps: int, seed: int) -> None:
    """Fine-tune `base` and save it at `target`.

    Weights and AdamW in float32, products in bfloat16; the checkpoint is saved in bfloat16, as the base is.
    The folder appears in one step, so a run that was broken off leaves nothing that looks finished.
    """
    import torch
    from transformers import AutoModelForCausalLM, get_linear_schedule_with_warmup

    torch.set_num_threads(THREADS)
    torch.manual_seed(seed)
    tokenizer = load_tokenizer(base)
    model = AutoModelForCausalLM.from_pretrained(base, dtype=torch.float32).train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=LEARNING_RATE, weight_decay=0.0)
    schedule = get_linear_schedule_with_warmup(optimizer, WARMUP, steps)
    items, begun = encoded(tokenizer, seed), time.monotonic()
    for step in range(1, steps + 1):
        batch = [next(items) for _ in range(BATCH)]
        width = max(len(asked) + len(answer) for asked, answer in batch)
        ids = torch.full((BATCH, width), tokenizer.eos_token_id)
        answered = torch.zeros((BATCH, width), dtype=torch.bool)
        for row, (asked, answer) in enumerate(batch):
            end = len(asked) + len(answer)
            ids[row, :end] = torch.tensor(asked + answer)
            answered[row, len(asked) : end] = True
        with torch.autocast("cpu", torch.bfloat16):  # causal, padded on the right: no real token sees the padding
            before = model.base_model(input_ids=ids).last_hidden_state[:, :-1][answered[:, 1:]]
            loss = torch.nn.functional.cross_entropy(model.get_output_embeddings()(before).float(), ids[answered])
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        optimizer.zero_grad()
        print(f"step {step}/{steps} · loss {loss.item():.3f} · {time.monotonic() - begun:.0f} s", file=sys.stderr)
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        finished = Path(scratch) / "checkpoint"
        model.to(torch.bfloat16).save_pretrained(finished)
        tokenizer.save_pretrained(finished)
        shutil.move(finished, target)


def main() -> int:
    """Read the command line, check it, train."""
    parser = argparse.ArgumentParser(description="Fine-tune a small chat model to hand its answers back in a box.")
    parser.add_argument("base", type=Path, help="checkpoint folder with a chat template")
    parser.add_argument("target", type=Path, help="folder to write, not there yet")
    parser.add_argument("--steps", type=int, default=STEPS, help="default: %(default)s")
    parser.add_argument("--seed", type=int, default=0, help="default: %(default)s")
    wish = parser.parse_args()
    try:
        if open_checkpoint(str(wish.base)).chat_template is None:
            raise RequestError(f"{wish.base}: no chat template: name a chat model")
        if wish.target.exists():
            raise RequestError(f"{wish.target}: is there already: name another folder, or remove it")
    except RequestError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    train(wish.base, wish.target, wish.steps, wish.seed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
