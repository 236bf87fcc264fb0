"""What a checkpoint brings along: read from template, tokenizer and configuration, and compared."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tokenizers.processors import TemplateProcessing
from transformers import AutoTokenizer

from evalsuite.catalog.checkpoint import open_checkpoint
from evalsuite.catalog.treatment import Treatment, as_plain, treatment_differences, treatment_of
from tests.support.tiny import CHAT_TEMPLATE, make_checkpoint

WITH_DEFAULT = (
    "{{ bos_token }}{% if messages[0].role != 'system' %}<|system|>You are Tiny.\n<|end|>{% endif %}" + CHAT_TEMPLATE
)
DATED = (
    "{{ bos_token }}<|system|>{% if strftime_now is defined %}Today: {{ strftime_now('%d %b %Y') }}\n{% endif %}"
    "{% if messages[0].role == 'system' %}{{ messages[0].content }}{% set messages = messages[1:] %}{% endif %}<|end|>"
    "{% for m in messages %}<|{{ m.role }}|>{{ m.content }}<|end|>{% endfor %}<|assistant|>"
)
NO_SYSTEM = (
    "{{ bos_token }}{% for m in messages %}"
    "{% if m.role == 'system' %}{{ raise_exception('no system turn') }}{% endif %}"
    "[{{ m.role }}]{{ m.content }}{% endfor %}"
)
ONE_STRING = "The User asks, and the Assistant thinks.\nUser: {{ messages[-1].content }}\nAssistant: <think>"
PLAIN_WORDS = (
    "{% for m in messages %}{% if loop.first %}A chat between a person and an assistant. {% endif %}"
    "{{ 'USER: ' ~ m.content ~ ' ASSISTANT:' if m.role == 'user' else m.content ~ eos_token }}{% endfor %}"
)


def treated(folder: Path, template: str | None = CHAT_TEMPLATE, **generation: Any) -> Treatment:
    make_checkpoint(folder, chat_template=template)
    if generation:
        (folder / "generation_config.json").write_text(json.dumps(generation))
    return treatment_of(open_checkpoint(str(folder)))


def compared(first: Treatment, second: Treatment) -> dict[str, tuple[str, str]]:
    return treatment_differences(as_plain(first), as_plain(second))


@pytest.mark.parametrize(
    ("template", "system_prompt", "system_turn", "generation_prompt"),
    [
        (None, None, None, None),
        (CHAT_TEMPLATE, None, "kept", "<|end|><|assistant|>"),
        ("{{ bos_token }}" + CHAT_TEMPLATE, None, "kept", "<|end|><|assistant|>"),
        (WITH_DEFAULT, "<|system|>You are Tiny.", "kept", "<|end|><|assistant|>"),
        (DATED, "<|system|>Today: %d %b %Y", "kept", "<|end|><|assistant|>"),
        (NO_SYSTEM, None, "refused", ""),
        (PLAIN_WORDS, "A chat between a person and an assistant.", "kept", " ASSISTANT:"),
        (ONE_STRING, "The User asks, and the Assistant thinks.\nUser:", "dropped", "\nAssistant: <think>"),
    ],
)
def test_what_a_template_does_by_itself(
    tmp_path: Path, template: str | None, system_prompt: str | None, system_turn: str | None, generation_prompt: str
) -> None:
    found = treated(tmp_path, template)
    assert (found.system_prompt, found.system_turn) == (system_prompt, system_turn)
    assert found.generation_prompt == generation_prompt
    assert found.dated == (template == DATED)
    assert found.template_problem is None


def test_markup_that_the_tokenizer_knows_is_no_part_of_the_system_prompt(tmp_path: Path) -> None:
    empty = "{{ bos_token }}system\n{{ eos_token }}\n{% for m in messages %}{{ bos_token ~ m.role ~ '\n' ~ m.content }}"
    words = empty.replace("system\n", "system\nSystem of rules: be brief.")
    assert treated(tmp_path / "words", f"{words}{{{{ eos_token }}}}\n{{% endfor %}}").system_prompt == (
        "System of rules: be brief."
    )
    assert treated(tmp_path / "empty", f"{empty}{{{{ eos_token }}}}\n{{% endfor %}}").system_prompt == ""


@pytest.mark.parametrize(
    ("template", "problem"),
    [
        ("{{ raise_exception('only with tools') }}", "it fails: only with tools"),
        ("{{ messages[0].content.nothing.at_all }}", "it fails: "),
        ("{% if %}", "it fails: "),
        ("{{ 1 // 0 }}", "it fails: "),
        ("{{ strftime_now('%Y') }}{{ messages | length }}", "it leaves out the user's words"),
    ],
)
def test_a_template_that_shows_nothing_is_told_of(tmp_path: Path, template: str, problem: str) -> None:
    found = treated(tmp_path, template)
    assert found.template_problem is not None
    assert found.template_problem.startswith(problem)
    assert "\n" not in found.template_problem
    assert (found.system_prompt, found.system_turn, found.generation_prompt) == (None, None, None)
    assert found.dated == ("strftime_now" in template)
    assert found.chat_template is not None


def test_tokens_and_defaults(tmp_path: Path) -> None:
    found = treated(tmp_path, eos_token_id=[257, 5, 9999], temperature=0.7)
    assert (found.bos, found.eos, found.pad, found.adds_bos) == ("<|begin|>", "<|end|>", None, False)
    assert found.generation_config_stops == {"257": "<|end|>", "5": "&", "9999": "not in the vocabulary"}
    assert found.config_stops == {}
    assert found.sampling_defaults == {"temperature": 0.7}
    assert (found.vocabulary, found.dtype, found.context) == (258, None, 4096)


def test_the_configuration_of_a_model_with_parts(tmp_path: Path) -> None:
    make_checkpoint(tmp_path)
    parts = {"text_config": {"max_position_embeddings": 99, "eos_token_id": 256, "torch_dtype": "float16"}}
    (tmp_path / "config.json").write_text(json.dumps(parts))
    found = treatment_of(open_checkpoint(str(tmp_path)))
    assert (found.config_stops, found.dtype, found.context) == ({"256": "<|begin|>"}, "float16", 99)


def test_whether_the_tokenizer_adds_a_bos(tmp_path: Path) -> None:
    path = make_checkpoint(tmp_path)
    tokenizer = AutoTokenizer.from_pretrained(path)
    tokenizer.backend_tokenizer.post_processor = TemplateProcessing(
        single="<|begin|> $A", special_tokens=[("<|begin|>", tokenizer.bos_token_id)]
    )
    tokenizer.save_pretrained(path)
    assert treatment_of(open_checkpoint(str(path))).adds_bos


def test_the_tokenizers_hash_is_over_its_content_and_not_its_layout(tmp_path: Path) -> None:
    before = treated(tmp_path)
    file = tmp_path / "tokenizer.json"
    content = json.loads(file.read_text())
    file.write_text(json.dumps(content, indent=7))
    assert treatment_of(open_checkpoint(str(tmp_path))) == before

    vocabulary = content["model"]["vocab"]
    vocabulary["a"], vocabulary["b"] = vocabulary["b"], vocabulary["a"]
    file.write_text(json.dumps(content))
    assert list(compared(before, treatment_of(open_checkpoint(str(tmp_path))))) == ["tokenizer"]


def test_it_survives_json(tmp_path: Path) -> None:
    found = treated(tmp_path, WITH_DEFAULT, eos_token_id=257, top_p=0.8)
    assert Treatment(**json.loads(json.dumps(as_plain(found)))) == found


def test_nothing_differs_between_a_checkpoint_and_its_copy(tmp_path: Path) -> None:
    assert compared(treated(tmp_path / "one"), treated(tmp_path / "other")) == {}


def test_only_what_differs_is_named_in_one_line_each(tmp_path: Path) -> None:
    thinks = WITH_DEFAULT.replace("<|assistant|>", "<|assistant|><think>\n")
    found = compared(
        treated(tmp_path / "start", None), treated(tmp_path / "trained", thinks, eos_token_id=257, temperature=0.6)
    )
    del found["chat_template"]
    assert found == {
        "system_prompt": ("none", "<|system|>You are Tiny."),
        "system_turn": ("none", "kept"),
        "generation_prompt": ("none", r"<|end|><|assistant|><think>\n"),
        "generation_config_stops": ("none", "257: <|end|>"),
        "sampling_defaults": ("none", "temperature: 0.6"),
    }


def test_long_values_are_cut_to_where_they_begin_to_differ() -> None:
    long = "You are a helpful assistant. " * 20
    first, second = ({"system_prompt": long + end, "adds_bos": True} for end in ("Be\nbrief.", "Think."))
    found = treatment_differences(first, second)
    assert list(found) == ["system_prompt"]
    assert found["system_prompt"][0].startswith("…")
    assert found["system_prompt"][0].endswith(r"Be\nbrief.")
    assert found["system_prompt"][1].endswith("Think.")
    assert treatment_differences({"system_prompt": None}, {"system_prompt": long})["system_prompt"][1].endswith("…")
    assert treatment_differences({"system_prompt": None}, {"system_prompt": ""}) == {"system_prompt": ("none", "empty")}


def test_what_an_older_run_does_not_tell_of_is_no_difference(tmp_path: Path) -> None:
    found = as_plain(treated(tmp_path))
    older = {name: value for name, value in found.items() if name != "dtype"}
    assert treatment_differences(older, found | {"dtype": "bfloat16"}) == {}


def test_the_embedded_model_injects_a_system_prompt(model: Path) -> None:
    found = treatment_of(open_checkpoint(str(model)))
    assert found.system_prompt == "You are a helpful AI assistant named SmolLM, trained by Hugging Face"
    assert (found.system_turn, found.dated) == ("kept", False)
    assert found.generation_prompt == "<|im_end|>\n<|im_start|>assistant\n"
    assert found.generation_config_stops == found.config_stops == {"2": "<|im_end|>"}
    assert (found.bos, found.eos, found.adds_bos, found.dtype) == ("<|im_start|>", "<|im_end|>", False, "bfloat16")


def test_neither_torch_nor_transformers_is_imported_before_a_tokenizer_is_read() -> None:
    code = "import sys, evalsuite.catalog.treatment; print([m for m in ('torch', 'transformers') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
