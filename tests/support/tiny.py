"""A checkpoint folder small enough to make in a test: everything that is read before an engine starts, and no model."""

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

CHAT_TEMPLATE = (
    "{% for m in messages %}<|{{ m.role }}|>{{ m.content }}<|end|>{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)


@cache
def _tokenizer() -> Tokenizer:
    vocabulary = {piece: number for number, piece in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def tokens(text: str) -> tuple[int, ...]:
    """The token ids of a text, one for each byte."""
    return tuple(_tokenizer().encode(text).ids)


def text_of(ids: Sequence[int]) -> str:
    """The text of token ids, without special tokens; the marks of the chat template are plain text."""
    return str(_tokenizer().decode(list(ids)))


def make_checkpoint(
    path: Path, *, context: int = 4096, chat_template: str | None = CHAT_TEMPLATE, weights: bytes = b"no weights"
) -> Path:
    """Write the folder. One token is one byte, save for the beginning-of-text token."""
    fast = PreTrainedTokenizerFast(tokenizer_object=_tokenizer(), bos_token="<|begin|>", eos_token="<|end|>")
    fast.chat_template = chat_template
    fast.save_pretrained(path)
    (path / "config.json").write_text(json.dumps({"model_type": "llama", "max_position_embeddings": context}))
    (path / "model.safetensors").write_bytes(weights)
    return path
