"""From a run to lm-eval's sample logs. Gated tasks are left out: a log holds their questions."""

import hashlib
import json
from collections import defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from evalsuite.catalog.items import AnswerKind, Item
from evalsuite.errors import RequestError
from evalsuite.evaluate.regrade import ungraded
from evalsuite.evaluate.run import Run
from evalsuite.protocol import Protocol
from evalsuite.rollouts import jsonl
from evalsuite.rollouts.record import FinishReason, Rollout

FILTER = "evalsuite"
NOTHING_FOUND = "[invalid]"
"""What lm-eval's filters say where they find no answer."""


@dataclass(frozen=True, slots=True)
class Exported:
    """The files written, and the gated tasks left out."""

    files: tuple[Path, ...]
    left_out: tuple[str, ...]


def export_run(run: Run, folder: Path) -> Exported:
    """Write each task's samples and one results file into the folder.

    Raises:
        RequestError: rollouts without a verdict, or nothing that may be written.
    """
    if missing := len(ungraded(run)):
        raise RequestError(f"{run.folder}: {missing:,} rollouts have no verdict: `evalsuite grade` comes first")
    gated = {task["name"] for task in run.manifest["tasks"] if task["gated"]}
    names = {p.cell: _name(p, run) for p in run.protocols if p.task not in gated}
    if not names:
        raise RequestError(f"{run.folder}: all of its tasks are gated: nothing is exported")
    time = datetime.now(UTC).strftime("%Y-%m-%dT%H-%M-%S.%f")
    answers = _answers(run)
    files = []
    results: dict[str, Any] = _results(run)
    for protocol in (p for p in run.protocols if p.cell in names):
        name = names[protocol.cell]
        rows = [
            _row(number, run, protocol, run.items[protocol.task, item], rollouts)
            for number, (item, rollouts) in enumerate(sorted(answers[protocol.cell].items()))
        ]
        files.append(folder / f"samples_{name}_{time}.jsonl")
        jsonl.write_whole(files[-1], "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
        _add_results(results, name, protocol, rows)
    files.append(folder / f"results_{time}.json")
    jsonl.write_whole(files[-1], json.dumps(results, indent=2, ensure_ascii=False) + "\n")
    return Exported(tuple(files), tuple(sorted(gated)))


def _name(protocol: Protocol, run: Run) -> str:
    several = sum(p.task == protocol.task for p in run.protocols) > 1
    return f"{protocol.task}_{protocol.prompt}" if several else protocol.task


def _answers(run: Run) -> dict[str, dict[str, list[Rollout]]]:
    """The rollouts by cell and item, samples in order; without requests that failed."""
    found: dict[str, dict[str, list[Rollout]]] = defaultdict(lambda: defaultdict(list))
    for rollout in sorted(run.rollouts.values(), key=lambda rollout: rollout.sample):
        if rollout.finish_reason is not FinishReason.ERROR:
            found[rollout.cell][rollout.item].append(rollout)
    return found


def _row(number: int, run: Run, protocol: Protocol, item: Item, rollouts: list[Rollout]) -> dict[str, Any]:
    prompt = run.prompts.get((protocol.cell, item.id), "")
    answers = list(item.gold) if protocol.kind is AnswerKind.QA else item.gold[0]
    doc = {"question": item.question, "options": list(item.options), "answer": answers}
    verdicts = [run.verdicts.get(rollout.key) for rollout in rollouts]
    # A prompt that was too long to send has no verdict, and counts as wrong.
    right = [verdict.correct if verdict else False for verdict in verdicts]
    scored = [bool(one) for one in right if one is not None]
    extracted = [
        verdict.extracted if verdict and verdict.extracted is not None else NOTHING_FOUND for verdict in verdicts
    ]
    target = str(answers)
    return {
        "doc_id": number,
        "doc": doc,
        "target": target,
        "arguments": {"gen_args_0": {"arg_0": prompt, "arg_1": _settings(protocol)}},
        "resps": [[rollout.text for rollout in rollouts]],
        "filtered_resps": extracted if len(extracted) == 1 else [extracted],
        "filter": FILTER,
        "metrics": ["exact_match"],
        "doc_hash": _hash(json.dumps(doc, indent=2, ensure_ascii=False)),
        "prompt_hash": _hash(prompt),
        "target_hash": _hash(target),
        "exact_match": sum(scored) / len(scored) if scored else None,
    }


def _settings(protocol: Protocol) -> dict[str, Any]:
    """The generation settings by lm-eval's names, without those that are unknown."""
    sampling = protocol.sampling
    known: dict[str, Any] = {
        "until": list(protocol.stop),
        "do_sample": None if sampling.temperature is None else sampling.temperature > 0,
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "max_gen_toks": sampling.max_tokens,
    }
    return {name: value for name, value in known.items() if value is not None}


def _results(run: Run) -> dict[str, Any]:
    return {
        "results": {},
        "configs": {},
        "n-shot": {},
        "n-samples": {},
        "model_name": run.manifest["checkpoint"]["name"],
        "model_source": "evalsuite",
        "evalsuite": {"identity": run.manifest["identity"], "grader": run.grader},
    }


def _add_results(results: dict[str, Any], name: str, protocol: Protocol, rows: list[dict[str, Any]]) -> None:
    scores = [row["exact_match"] for row in rows if row["exact_match"] is not None]
    mean = sum(scores) / len(scores) if scores else None
    results["results"][name] = {"alias": name, f"exact_match,{FILTER}": mean}
    results["n-shot"][name] = protocol.shots
    results["n-samples"][name] = {"original": len(rows), "effective": len(rows)}
    results["configs"][name] = {
        "task": name,
        "output_type": "generate_until",
        "num_fewshot": protocol.shots,
        "repeats": protocol.sampling.samples,
        "generation_kwargs": _settings(protocol),
        "metadata": {
            "kind": str(protocol.kind),
            "question": "question",
            "answer_format": protocol.answer_format,
            **({"options": "options"} if protocol.kind is AnswerKind.CHOICE else {}),
        },
    }


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
