"""A checkpoint: a folder in Hugging Face format, checked and named by the hash of its bytes."""

import hashlib
import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalsuite.errors import RequestError

HUB_ID = re.compile(r"\w[\w.-]*/\w[\w.-]*")
TOKENIZER_FILES = ("tokenizer.json", "tokenizer.model", "vocab.json", "tekken.json")
SMALL_FILES = (
    *TOKENIZER_FILES,
    *("config.json", "generation_config.json", "model.safetensors.index.json", "chat_template.jinja", "merges.txt"),
    *("tokenizer_config.json", "special_tokens_map.json", "added_tokens.json", "*.tiktoken"),
)
"""What decides a model's answers beside its weights; a trainer's state and logs in the same folder do not."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A model on disk.

    `sha256` is over the names and bytes of its configuration, tokenizer, template and weights. `context` is the longest
    sequence in tokens that its configuration allows. `generation_defaults` are what its `generation_config.json` would
    have changed in sampling: they are switched off, and shown.
    """

    path: Path
    name: str
    sha256: str
    context: int
    chat_template: str | None
    generation_defaults: dict[str, Any]

    @property
    def template_sha256(self) -> str | None:
        """Hash of the chat template."""
        return hashlib.sha256(self.chat_template.encode()).hexdigest()[:16] if self.chat_template else None


def open_checkpoint(name: str) -> Checkpoint:
    """The checkpoint at a folder, or with a hub id.

    Raises:
        RequestError: no such folder; no config, weights or tokenizer in it; the hub does not give it.
    """
    path = Path(name).expanduser()
    if not path.is_dir():
        path = _from_hub(name)
    _check(path)
    config = read_json(path / "config.json")
    return Checkpoint(
        path=path,
        name=_short_name(name),
        sha256=_hash(path),
        context=_context(config, path),
        chat_template=_chat_template(path),
        generation_defaults=_sampling_defaults(path),
    )


def load_tokenizer(path: Path) -> Any:
    """The tokenizer of the checkpoint in this folder; never a borrowed one, never remote code."""
    from transformers import AutoTokenizer

    if not path.is_dir():
        raise RequestError(f"{path}: no such folder: the checkpoint's tokenizer is needed, so put it back there")
    try:
        return AutoTokenizer.from_pretrained(path, local_files_only=True, trust_remote_code=False)
    except (OSError, ValueError, KeyError, ImportError) as error:
        reason = _first_line(error)
        raise RequestError(f"{path}: its tokenizer cannot be read: {reason}") from None


def _from_hub(name: str) -> Path:
    if not HUB_ID.fullmatch(name):
        raise RequestError(f"{name}: no such folder, nor a hub id of the form owner/name: name a checkpoint folder")
    from huggingface_hub import snapshot_download

    try:
        return Path(snapshot_download(name, allow_patterns=[*SMALL_FILES, "*.safetensors"]))
    except Exception as error:  # the hub client raises many kinds: not found, gated, no network, cache read-only
        reason = _first_line(error)
        raise RequestError(
            f"{name}: no such folder, and the hub does not give it ({reason}): name a checkpoint folder"
        ) from None


def _check(path: Path) -> None:
    if not (path / "config.json").is_file():
        raise RequestError(f"{path}: no config.json: this is not a checkpoint folder in Hugging Face format")
    if not any(path.glob("*.safetensors")):
        found = "only pickled weights, which are not loaded" if any(path.glob("*.bin")) else "no weights"
        raise RequestError(f"{path}: {found}: *.safetensors files are needed")
    index = path / "model.safetensors.index.json"
    if index.is_file():
        missing = {name for name in read_json(index).get("weight_map", {}).values() if not (path / name).is_file()}
        if missing:
            raise RequestError(f"{path}: {len(missing)} weight files of its index are missing, first {min(missing)}")
    if not any((path / name).is_file() for name in TOKENIZER_FILES):
        raise RequestError(f"{path}: no tokenizer ({', '.join(TOKENIZER_FILES)}): copy the base model's files there")


def read_json(path: Path) -> dict[str, Any]:
    """The JSON object in a file of a checkpoint.

    Raises:
        RequestError: it holds something else.
    """
    try:
        content = json.loads(_text(path))
    except json.JSONDecodeError as error:
        raise RequestError(f"{path}: line {error.lineno}: not valid JSON ({error.msg})") from None
    if not isinstance(content, dict):
        raise RequestError(f"{path}: not a JSON object")
    return content


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise RequestError(f"{path}: not a text file in UTF-8") from None


def _first_line(error: Exception) -> str:
    return next(iter(str(error).splitlines()), type(error).__name__)


def _hash(path: Path) -> str:
    total = hashlib.sha256()
    for file in sorted({f for pattern in (*SMALL_FILES, "*.safetensors") for f in path.glob(pattern)}):
        with file.open("rb") as stream:
            total.update(f"{file.name}\0{hashlib.file_digest(stream, 'sha256').hexdigest()}\n".encode())
    return total.hexdigest()


def _context(config: dict[str, Any], path: Path) -> int:
    text_config = config.get("text_config") or config
    length = text_config.get("max_position_embeddings")
    if not isinstance(length, int):
        raise RequestError(f"{path / 'config.json'}: no max_position_embeddings: the context length is unknown")
    return length


def _chat_template(path: Path) -> str | None:
    file = path / "chat_template.jinja"
    if file.is_file():
        return _text(file)
    config = path / "tokenizer_config.json"
    template = read_json(config).get("chat_template") if config.is_file() else None
    if isinstance(template, list):
        template = next((t["template"] for t in template if t.get("name") == "default"), None)
    return template


def _sampling_defaults(path: Path) -> dict[str, Any]:
    file = path / "generation_config.json"
    content = read_json(file) if file.is_file() else {}
    keys = ("temperature", "top_p", "top_k", "min_p", "repetition_penalty", "max_new_tokens", "max_length")
    return {key: content[key] for key in keys if key in content}


def _short_name(name: str) -> str:
    """The last part of a path or hub id, with the one before it where the last says little (`checkpoint-500`)."""
    path = Path(os.path.normpath(Path(name).expanduser().absolute()))
    parts = [part for part in path.parts if part not in ("/", "huggingface", "actor")] or ["checkpoint"]
    says_little = re.fullmatch(r"(checkpoint|global_step|step|epoch)?[-_]?\d*|final|best|last|hf|model", parts[-1])
    return "-".join(parts[-2:] if says_little else parts[-1:])
