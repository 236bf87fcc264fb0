"""Prompt formats: what each shipped one makes of an item, the exact tokens, and what a broken file is told."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tokenizers.processors import TemplateProcessing
from transformers import AutoTokenizer

from evalsuite.catalog.checkpoint import load_tokenizer, open_checkpoint
from evalsuite.catalog.items import AnswerKind, Item
from evalsuite.catalog.prompts import PromptFormat, find_prompt, load_prompts, raw_text
from evalsuite.errors import RequestError
from evalsuite.evaluate.plan import Wish, make_plan
from tests.support.tiny import make_checkpoint

SHIPPED = load_prompts()
OPEN = Item("0" * 16, "t", "What is 2 + 3?", (), ("5",))
CHOICE = Item("1" * 16, "t", "What is 2 + 3?", ("four", "five", "six"), ("B",), "Count up from 2.")
HEAD = "---\nabout: own\nanswer: free\n---\n"
BOS = "<|begin|>"
CHAT_WITH_BOS = (
    "{{ bos_token }}{% for m in messages %}<|{{ m.role }}|>{{ m.content }}<|end|>{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
WritePrompt = Callable[..., Path]


@pytest.fixture
def write_prompt(tmp_path: Path) -> WritePrompt:
    """Writes a prompt file of the user's own; returns its folder."""

    def write(content: str | bytes, name: str = "own") -> Path:
        folder = tmp_path / "mine"
        folder.mkdir(exist_ok=True)
        (folder / f"{name}.jinja").write_bytes(content.encode() if isinstance(content, str) else content)
        return folder

    return write


@pytest.fixture(scope="module")
def with_bos(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint whose chat template writes a BOS, and whose tokenizer puts one before plain text."""
    path = make_checkpoint(tmp_path_factory.mktemp("checkpoints") / "with_bos", chat_template=CHAT_WITH_BOS)
    tokenizer = AutoTokenizer.from_pretrained(path)
    tokenizer.backend_tokenizer.post_processor = TemplateProcessing(
        single=f"{BOS} $A", special_tokens=[(BOS, tokenizer.bos_token_id)]
    )
    tokenizer.save_pretrained(path)
    return path


def kinds_of_item(prompt: PromptFormat) -> list[Item]:
    open_kinds = set(prompt.head.kinds) - {AnswerKind.CHOICE}
    return ([OPEN] if open_kinds else []) + ([CHOICE] if AnswerKind.CHOICE in prompt.head.kinds else [])


@pytest.mark.parametrize("name", SHIPPED)
def test_every_shipped_prompt_puts_the_question_and_its_options_but_never_the_answer(name: str) -> None:
    prompt = SHIPPED[name]
    assert kinds_of_item(prompt)
    for item in kinds_of_item(prompt):
        turns = prompt.turns(item)
        assert turns[-1]["role"] == "user"
        asked = turns[-1]["content"]
        assert asked.count("What is 2 + 3?") == 1
        assert all(f"{letter}. {text}" in asked for letter, text in zip(item.letters, item.options, strict=True))
        assert "Count up" not in raw_text(turns)
        assert "5" not in raw_text(turns)


@pytest.mark.parametrize("name", [name for name, prompt in SHIPPED.items() if prompt.head.answer == "boxed"])
def test_a_boxed_prompt_asks_for_a_letter_only_where_there_are_options(name: str) -> None:
    with_options, without = (raw_text(SHIPPED[name].turns(item)) for item in (CHOICE, OPEN))
    assert "letter" in with_options
    assert "letter" not in without
    assert "\\boxed{}" in with_options
    assert "\\boxed{}" in without


def test_examples_as_turns_and_as_text() -> None:
    chat = SHIPPED["few_shot_chat"].turns(OPEN, [CHOICE, OPEN])
    assert [turn["role"] for turn in chat] == ["user", "assistant", "user", "assistant", "user"]
    assert chat[1]["content"] == "Count up from 2.\nAnswer: B"
    assert chat[3]["content"] == "Answer: 5"
    assert chat[4]["content"].startswith("What is 2 + 3?")

    text = raw_text(SHIPPED["few_shot"].turns(OPEN, [CHOICE]))
    assert text == (
        "Question: What is 2 + 3?\nA. four\nB. five\nC. six\nCount up from 2.\nAnswer: B\n\nQuestion: What is 2 + 3?\n"
    )


def encoded(checkpoint: Path, prompt: str) -> tuple[int, ...]:
    wish = Wish(None, "demo_number", (prompt,), None, 1.0, 1, 64, 1, 0)
    planned = make_plan(open_checkpoint(str(checkpoint)), wish, (), None).planned[0]
    return planned.encode(planned.items[0], load_tokenizer(checkpoint))


@pytest.mark.parametrize("prompt", ["boxed", "boxed_system", "few_shot_chat"])
def test_chat_prompts_are_the_templates_own_ids_with_one_bos(with_bos: Path, prompt: str) -> None:
    ids = encoded(with_bos, prompt)
    wish = Wish(None, "demo_number", (prompt,), None, 1.0, 1, 64, 1, 0)
    planned = make_plan(open_checkpoint(str(with_bos)), wish, (), None).planned[0]
    turns = planned.prompt.turns(planned.items[0], planned.examples)
    tokenizer = AutoTokenizer.from_pretrained(with_bos)
    assert list(ids) == tokenizer.apply_chat_template(turns, add_generation_prompt=True, return_dict=False)
    assert ids[0] == tokenizer.bos_token_id
    assert ids.count(tokenizer.bos_token_id) == 1
    assert tokenizer.decode(ids).endswith("<|assistant|>")


def test_raw_text_gets_the_tokenizers_own_bos_once(with_bos: Path) -> None:
    ids = encoded(with_bos, "r1")
    tokenizer = AutoTokenizer.from_pretrained(with_bos)
    assert ids[0] == tokenizer.bos_token_id
    assert ids.count(tokenizer.bos_token_id) == 1
    assert tokenizer.decode(ids).endswith("Assistant: <think>")


def test_chat_prompts_of_the_embedded_model_are_its_templates_own_ids(model: Path) -> None:
    ids = encoded(model, "boxed")
    tokenizer = AutoTokenizer.from_pretrained(model)
    assert tokenizer.decode(ids).startswith("<|im_start|>system\n")
    assert tokenizer.decode(ids).endswith("<|im_start|>assistant\n")
    start = tokenizer.convert_tokens_to_ids("<|im_start|>")
    assert ids.count(start) == 3


def test_a_template_that_writes_the_date_asks_the_same_on_every_day(tmp_path: Path) -> None:
    template = "{{ strftime_now('%d %b %Y') }} " + CHAT_WITH_BOS
    dated = make_checkpoint(tmp_path / "dated", chat_template=template)
    assert AutoTokenizer.from_pretrained(dated).decode(encoded(dated, "boxed")).startswith("01 Jan 2026 ")


def test_without_a_chat_template_the_same_turns_are_raw_text(tmp_path: Path) -> None:
    base = make_checkpoint(tmp_path / "base", chat_template=None)
    text = AutoTokenizer.from_pretrained(base).decode(encoded(base, "boxed"))
    assert "<|" not in text
    assert text.endswith("inside \\boxed{} at the end.")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{% block user %}{{ problem }}{% endblock %}", "line 1: a prompt file begins with YAML lines"),
        (f"junk {HEAD}" + "{% block user %}{% endblock %}", "line 1: a prompt file begins"),
        (HEAD.removesuffix("---\n"), "line 1: a prompt file begins"),
        ("---\nabout: [own\nanswer: free\n---\nx", "line 3: "),
        ("---\nabout: own\nanswer: free\n  shots: 3\n---\nx", "line 4: "),
        ("---\njust words\n---\nx", "line 2: not of the form"),
        ("---\nabout: own\n---\nx", "line 1: `answer`: Field required"),
        ("---\nabout: own\nanswer: free\nshot: 4\n---\nx", "line 4: `shot`: unknown key; known are about.*shots"),
        ("---\nabout: own\nanswer: essay\n---\nx", "line 3: `answer`: Input should be 'boxed'"),
        ("---\nabout: own\nanswer: free\nkinds: [qa, essay]\n---\nx", "line 4: `kinds`: "),
        ("---\nabout: a\0b\nanswer: free\n---\nx", "line 1: .*special characters"),
        (HEAD + "{% block user %}\n{{ problem }\n{% endblock %}", "line 6: unexpected '}'"),
        (HEAD + "{% block user %}\n\n{{ problem | nosuch }}{% endblock %}", "line 7: No filter named 'nosuch'"),
        (HEAD + "{% block usr %}{{ problem }}{% endblock %}", "line 5: no block 'user'"),
        (HEAD.replace("free", "free\nshots: 2") + "{% block user %}{% endblock %}", "line 6: no block 'assistant'"),
        (HEAD.encode() + b"{% block user %}\n\xff{% endblock %}", "line 6: not a text file in UTF-8"),
    ],
)
def test_a_broken_file_is_named_with_its_line(write_prompt: WritePrompt, content: str | bytes, said: str) -> None:
    with pytest.raises(RequestError, match=r"mine/own\.jinja: " + said) as refused:
        load_prompts([write_prompt(content)])
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "reach",
    [
        "{{ ''.__class__.__mro__ }}",
        "{{ question.__class__.__base__.__subclasses__() }}",
        "{{ question.format.__globals__ }}",
        "{{ options.append(1) }}",
        "{{ '{0.__class__}'.format(question) }}",
        "{% include '/etc/passwd' %}",
        "{{ gold }}",
        "{{ solution }}",
        "{{ nosuch }}",
        "{{ 1 // 0 }}",
        "{{ question + 1 }}",
    ],
)
def test_a_template_that_reaches_for_more_than_its_question_is_refused(write_prompt: WritePrompt, reach: str) -> None:
    prompt = load_prompts([write_prompt(HEAD + f"{{% block user %}}{reach}{{% endblock %}}")])["own"]
    with pytest.raises(RequestError, match=r"own\.jinja: block 'user': ") as refused:
        prompt.turns(OPEN)
    assert "\n" not in str(refused.value)


def test_the_question_is_text_and_never_a_template(write_prompt: WritePrompt) -> None:
    prompt = load_prompts([write_prompt(HEAD + "{% block user %}{{ problem }}{% endblock %}")])["own"]
    nasty = Item("2" * 16, "t", "{{ 7 * 7 }} {% for %} <b> & \u2028 end", (), ("1",))
    assert prompt.turns(nasty)[0]["content"] == nasty.question


def test_lines_may_end_as_on_windows(write_prompt: WritePrompt) -> None:
    content = (HEAD + "{% block user %}Q: {{ problem }}{% endblock %}").replace("\n", "\r\n")
    assert load_prompts([write_prompt(content)])["own"].turns(OPEN)[0]["content"] == "Q: What is 2 + 3?"


def test_own_folder_overrides(write_prompt: WritePrompt) -> None:
    folder = write_prompt(HEAD + "{% block user %}mine{% endblock %}", name="boxed")
    prompts = load_prompts([folder])
    assert prompts["boxed"].turns(OPEN)[0]["content"] == "mine"
    assert prompts["bare"].sha256 == SHIPPED["bare"].sha256
    with pytest.raises(RequestError, match="nowhere: no such folder"):
        load_prompts([folder / "nowhere"])


def test_one_byte_changes_the_hash(write_prompt: WritePrompt) -> None:
    content = HEAD + "{% block user %}{{ problem }}{% endblock %}"
    first, again, changed = (
        load_prompts([write_prompt(text)])["own"].sha256 for text in (content, content, content + " ")
    )
    assert first == again
    assert first != changed


def test_an_unknown_name_offers_the_nearest() -> None:
    with pytest.raises(RequestError, match=r"no prompt format named 'boxd' \(nearest: boxed"):
        find_prompt(SHIPPED, "boxd")
    with pytest.raises(RequestError, match="`evalsuite prompts` lists them"):
        find_prompt(SHIPPED, "zzzzzz")
