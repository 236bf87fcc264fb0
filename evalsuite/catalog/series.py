"""A training run's checkpoints: the folders of its steps."""

import re
from dataclasses import dataclass
from pathlib import Path

from evalsuite.errors import RequestError

STEP = re.compile(r"(?:checkpoint|global_step|step|iter|epoch)?[-_]?(\d+)")
INSIDE = (".", "actor/huggingface", "huggingface")
"""Where in the folder of a step the model may lie."""


@dataclass(frozen=True, slots=True)
class StepFolders:
    """The checkpoints of a training run by step, in order; `left_out` holds pairs of a step's folder and why."""

    steps: dict[int, Path]
    left_out: tuple[tuple[Path, str], ...]


def step_of(path: str | Path) -> int | None:
    """The training step that a checkpoint's path names, as 500 for `run/checkpoint-500`; None where it names none."""
    parts = [part for part in Path(path).parts if part not in ("actor", "huggingface")]
    found = STEP.fullmatch(parts[-1]) if parts else None
    return int(found[1]) if found else None


def step_folders(folder: Path) -> StepFolders | None:
    """The steps in a folder that is no checkpoint itself; None where it is one, or holds no step.

    A step without a model in Hugging Face format, as one that is still being written, is left out.

    Raises:
        RequestError: two folders of one step, or steps of which none holds a model.
    """
    if not folder.is_dir() or (folder / "config.json").is_file():
        return None
    named = sorted((step, path) for path in folder.iterdir() if path.is_dir() and (step := step_of(path)) is not None)
    if not named:
        return None
    steps: dict[int, Path] = {}
    left_out: list[tuple[Path, str]] = []
    for step, path in named:
        model = next((path / inside for inside in INSIDE if _holds_model(path / inside)), None)
        if model is None:
            left_out.append((path, "no config.json with *.safetensors beside it"))
        elif step in steps:
            raise RequestError(f"{folder}: two folders are step {step}: {steps[step]} and {path}: move one away")
        else:
            steps[step] = model
    if not steps:
        path, why = left_out[0]
        raise RequestError(f"{folder}: none of its {len(named)} steps holds a model; {path.name}: {why}")
    return StepFolders(steps, tuple(left_out))


def _holds_model(path: Path) -> bool:
    return (path / "config.json").is_file() and any(path.glob("*.safetensors"))
