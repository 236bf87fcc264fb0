"""Checkpoint folders: what is read of them, what is missing in them, and what changes their hash."""

import json
from pathlib import Path

import pytest

from evalsuite.catalog.checkpoint import load_tokenizer, open_checkpoint
from evalsuite.errors import RequestError
from tests.support.tiny import CHAT_TEMPLATE, make_checkpoint


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_checkpoint(tmp_path / "mine")


def refused(path: Path | str) -> str:
    with pytest.raises(RequestError) as error:
        open_checkpoint(str(path))
    assert "\n" not in str(error.value)
    return str(error.value)


def change_json(file: Path, **changes: object) -> None:
    content = json.loads(file.read_text()) if file.is_file() else {}
    file.write_text(json.dumps(content | changes))


def test_what_is_read(folder: Path) -> None:
    change_json(folder / "generation_config.json", temperature=0.7, top_k=20, eos_token_id=2)
    checkpoint = open_checkpoint(str(folder))
    assert (checkpoint.name, checkpoint.context, checkpoint.chat_template) == ("mine", 4096, CHAT_TEMPLATE)
    assert checkpoint.generation_defaults == {"temperature": 0.7, "top_k": 20}


@pytest.mark.parametrize("name", ["nowhere", "./nowhere", "../nowhere", "/nowhere/at/all", "~/nowhere"])
def test_no_such_folder(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert refused(name).startswith(f"{name}: no such folder")


def test_a_hub_id_that_the_hub_does_not_give(monkeypatch: pytest.MonkeyPatch) -> None:
    import huggingface_hub

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    said = refused("nobody/no-such-model")
    assert said.startswith("nobody/no-such-model: no such folder, and the hub does not give it (")


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("config.json", "no config.json: this is not a checkpoint folder"),
        ("model.safetensors", r"no weights: *.safetensors files are needed"),
        ("tokenizer.json", "no tokenizer (tokenizer.json, "),
    ],
)
def test_a_folder_that_lacks_a_part_is_told_which(folder: Path, file: str, said: str) -> None:
    (folder / file).unlink()
    assert refused(folder).startswith(f"{folder}: {said}")


def test_pickled_weights_are_not_loaded(folder: Path) -> None:
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    assert "only pickled weights, which are not loaded" in refused(folder)


def test_a_missing_shard_is_named(folder: Path) -> None:
    names = {"a": "model.safetensors", "b": "model-00002.safetensors", "c": "model-00003.safetensors"}
    change_json(folder / "model.safetensors.index.json", weight_map=names)
    assert "2 weight files of its index are missing, first model-00002.safetensors" in refused(folder)
    for name in names.values():
        (folder / name).write_bytes(b"")
    assert open_checkpoint(str(folder)).context == 4096


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        ("config.json", b'{\n"a": 1,\n', "config.json: line 3: not valid JSON"),
        ("config.json", b"", "config.json: line 1: not valid JSON"),
        ("config.json", b"[]", "config.json: not a JSON object"),
        ("config.json", b'\xff\xfe{"a": 1}', "config.json: not a text file in UTF-8"),
        ("config.json", b'{"text_config": null}', "config.json: no max_position_embeddings"),
        ("model.safetensors.index.json", b"{", "model.safetensors.index.json: line 1: not valid JSON"),
        ("generation_config.json", b"{", "generation_config.json: line 1: not valid JSON"),
        ("chat_template.jinja", b"\xff", "chat_template.jinja: not a text file in UTF-8"),
    ],
)
def test_a_broken_file_is_named(folder: Path, file: str, content: bytes, said: str) -> None:
    (folder / file).write_bytes(content)
    assert f"{folder}/{said}" in refused(folder)


@pytest.mark.parametrize("content", ['{"a', "{}", '{"version": "1.0", "model": {"type": "nosuch"}}'])
def test_a_broken_tokenizer_is_one_line(folder: Path, content: str) -> None:
    (folder / "tokenizer.json").write_text(content)
    with pytest.raises(RequestError, match="its tokenizer cannot be read: ") as error:
        load_tokenizer(folder)
    assert "\n" not in str(error.value)


def test_the_context_of_a_model_with_parts(folder: Path) -> None:
    (folder / "config.json").write_text(json.dumps({"text_config": {"max_position_embeddings": 99}}))
    assert open_checkpoint(str(folder)).context == 99


def test_the_chat_template_comes_from_its_file_or_else_from_the_tokenizers_configuration(folder: Path) -> None:
    configuration = folder / "tokenizer_config.json"
    change_json(configuration, chat_template="in the configuration")
    assert open_checkpoint(str(folder)).chat_template == CHAT_TEMPLATE

    (folder / "chat_template.jinja").unlink()
    assert open_checkpoint(str(folder)).chat_template == "in the configuration"
    assert load_tokenizer(folder).chat_template == "in the configuration"

    named = [{"name": "tool_use", "template": "tools"}, {"name": "default", "template": "plain"}]
    change_json(configuration, chat_template=named)
    assert open_checkpoint(str(folder)).chat_template == "plain"

    configuration.unlink()
    assert open_checkpoint(str(folder)).chat_template is None
    assert open_checkpoint(str(folder)).template_sha256 is None


def append_byte(file: Path) -> None:
    file.write_bytes(file.read_bytes() + b" ")


@pytest.mark.parametrize("file", ["model.safetensors", "chat_template.jinja", "config.json", "tokenizer.json"])
def test_one_byte_changes_the_hash(folder: Path, file: str) -> None:
    before = open_checkpoint(str(folder))
    assert open_checkpoint(str(folder)) == before
    append_byte(folder / file)
    after = open_checkpoint(str(folder))
    assert after.sha256 != before.sha256
    assert (after.template_sha256 != before.template_sha256) == (file == "chat_template.jinja")


def test_a_copy_elsewhere_has_the_same_hash(folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    for file in folder.iterdir():
        (copy / file.name).write_bytes(file.read_bytes())
    (copy / "optimizer.pt").write_bytes(b"large")
    assert open_checkpoint(str(copy)).sha256 == open_checkpoint(str(folder)).sha256


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("grpo/checkpoint-500", "grpo-checkpoint-500"),
        ("grpo/global_step_100/actor/huggingface", "grpo-global_step_100"),
        ("grpo/step_40", "grpo-step_40"),
        ("grpo/120", "grpo-120"),
        ("grpo/final", "grpo-final"),
        ("grpo/best/hf", "best-hf"),
        ("Qwen2.5-7B", "Qwen2.5-7B"),
        ("Qwen2.5-7B/", "Qwen2.5-7B"),
        ("runs/../Qwen2.5-7B", "Qwen2.5-7B"),
    ],
)
def test_folders_of_trainers_get_names_that_say_something(
    tmp_path: Path, path: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "runs").mkdir()
    make_checkpoint(tmp_path / path.removeprefix("runs/../"))
    monkeypatch.chdir(tmp_path)
    assert open_checkpoint(path).name == name


def test_the_present_folder_and_the_one_above_have_their_own_names(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "below").mkdir()
    monkeypatch.chdir(folder)
    assert open_checkpoint(".").name == "mine"
    monkeypatch.chdir(folder / "below")
    assert open_checkpoint("..").name == "mine"
