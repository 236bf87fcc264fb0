"""The real vLLM on the embedded model: what an engine must keep."""

import asyncio
from typing import Any

import pytest

from evalsuite.engines.base import Completion, Engine, Request

pytestmark = pytest.mark.engine

QUESTIONS = [f"What is {a} + {a + 3}?" for a in range(12)]


@pytest.fixture(scope="module")
def tokenizer(model: Any) -> Any:
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(model)


def request(tokenizer: Any, question: str, **changes: Any) -> Request:
    turns = [{"role": "user", "content": question}]
    ids = tokenizer.apply_chat_template(turns, add_generation_prompt=True, tokenize=True, return_dict=False)
    settings = {"temperature": 0.8, "top_p": 1.0, "max_tokens": 24, "stop": (), "seed": 7, **changes}
    return Request(id=f"{question}{settings}", prompt_ids=tuple(ids), **settings)


def answers(engine: Engine, requests: list[Request]) -> dict[str, Completion]:
    async def all_at_once() -> list[Completion]:
        return await asyncio.gather(*[engine.complete(r) for r in requests])

    return dict(zip([r.id for r in requests], asyncio.run(all_at_once()), strict=True))


def test_a_seeded_sample_depends_on_neither_order_nor_company(engine: Engine, tokenizer: Any) -> None:
    requests = [request(tokenizer, q, seed=seed) for q in QUESTIONS for seed in (1, 2)]
    together = answers(engine, requests)
    assert answers(engine, requests[::-1]) == together
    alone = requests[5]
    assert answers(engine, [alone])[alone.id] == together[alone.id]
    assert len({c.text for c in together.values()}) > len(QUESTIONS)


def test_the_text_is_the_decoding_of_the_tokens(engine: Engine, tokenizer: Any) -> None:
    for completion in answers(engine, [request(tokenizer, q) for q in QUESTIONS]).values():
        assert completion.text == tokenizer.decode(completion.token_ids, skip_special_tokens=True)


def test_why_an_answer_ended_is_told(engine: Engine, tokenizer: Any) -> None:
    cut = request(tokenizer, "Tell me a long story.", temperature=0.0, seed=None)
    stopped = request(tokenizer, "Say hello.", temperature=0.0, seed=None, max_tokens=200)
    at_string = request(tokenizer, "Count: one two three", temperature=0.0, seed=None, max_tokens=60, stop=("e",))
    found = answers(engine, [cut, stopped, at_string])
    assert found[cut.id].finish_reason == "length"
    assert len(found[cut.id].token_ids) == 24
    assert found[stopped.id].finish_reason == "stop"
    assert found[at_string.id].stop_reason == "e"
    assert found[at_string.id].text.endswith("e"), "the stop string stays in the text, as the model wrote it"


def test_a_shorter_limit_gives_the_beginning_of_a_longer_one(engine: Engine, tokenizer: Any) -> None:
    short = answers(engine, [request(tokenizer, q, max_tokens=8) for q in QUESTIONS])
    long = answers(engine, [request(tokenizer, q, max_tokens=24) for q in QUESTIONS])
    for a, b in zip(short.values(), long.values(), strict=True):
        assert b.token_ids[: len(a.token_ids)] == a.token_ids
