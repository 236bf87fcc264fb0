"""A stored run as it would have been under a smaller token limit: its answers cut off there, and graded again."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from evalsuite.catalog.checkpoint import load_tokenizer
from evalsuite.errors import RequestError
from evalsuite.evaluate.regrade import grade_missing
from evalsuite.evaluate.run import Run, read_verdicts
from evalsuite.evaluate.watch import Watch
from evalsuite.grading.grade import grader_hash
from evalsuite.grading.pool import GraderPool
from evalsuite.rollouts.prefix import Decode, at_limit
from evalsuite.rollouts.record import FinishReason


def check_limits(run: Run, limits: Sequence[int]) -> None:
    """Refuse what a run cannot tell: it holds nothing beyond its own limit.

    Raises:
        RequestError: a limit below 1 or above the run's own, or answers whose tokens are unknown.
    """
    if any(rollout.token_ids is None for rollout in run.rollouts.values()):
        raise RequestError(f"{run.folder}: its answers were imported without tokens: no token limit can be applied")
    for protocol in run.protocols:
        own = protocol.sampling.known[2]
        for limit in limits:
            if not 0 < limit <= own:
                raise RequestError(
                    f"{run.folder}: {protocol.task} was run with at most {own:,} tokens, which says nothing of "
                    f"{limit:,}: ask for 1 to {own:,}, or run it again with --max-tokens {limit}"
                )


def at_limits(run: Run, limits: Sequence[int], pool: GraderPool, watch: Watch) -> list[Run]:
    """The run under each of these token limits, without a model. The caller holds its lock, and it is graded.

    The verdicts on shortened answers are kept beside those on the whole ones.

    Raises:
        RequestError: the checkpoint's tokenizer is not where it was.
    """
    decode = _decoder(run)
    found = []
    for limit in limits:
        rollouts = {key: at_limit(rollout, limit, decode) for key, rollout in run.rollouts.items()}
        shortened = {key: rollout for key, rollout in rollouts.items() if rollout is not run.rollouts[key]}
        grade_missing(replace(run, rollouts=shortened), pool, watch, limit)
        verdicts = run.verdicts | read_verdicts(run.folder, grader_hash(), limit)
        protocols = tuple(replace(p, sampling=replace(p.sampling, max_tokens=limit)) for p in run.protocols)
        found.append(replace(run, protocols=protocols, rollouts=rollouts, verdicts=verdicts))
    return found


def decoder(checkpoint: Path) -> Decode:
    """The decoding of this checkpoint's tokenizer, as the engine does it; the tokenizer is read when first needed."""
    tokenizer: Any = None

    def decode(ids: Sequence[int]) -> str:
        nonlocal tokenizer
        tokenizer = tokenizer or load_tokenizer(checkpoint)
        return str(tokenizer.decode(ids, skip_special_tokens=True))

    return decode


def _decoder(run: Run) -> Decode:
    """The decoding of the run's own tokenizer, held against an answer that the engine decoded."""
    path = Path(run.manifest["checkpoint"]["path"])
    plain = decoder(path)
    whole = (r for r in run.rollouts.values() if r.finish_reason is FinishReason.STOP and not r.stop_reason)
    unchecked = next(whole, None)

    def decode(ids: Sequence[int]) -> str:
        nonlocal unchecked
        if unchecked and unchecked.token_ids and plain(unchecked.token_ids) != unchecked.text:
            raise RequestError(f"{path}: its tokenizer is not the one that this run was made with")
        unchecked = None
        return plain(ids)

    return decode
