"""From a stored run to its summary and its Pass@k."""

from collections.abc import Sequence
from dataclasses import replace

from evalsuite.errors import RequestError
from evalsuite.evaluate.run import Run
from evalsuite.protocol import Protocol
from evalsuite.report.passk import PassRow, passk_rows
from evalsuite.report.summary import Summary, counts, summarise_suite, summarise_task


def summarise_run(run: Run) -> Summary:
    """One row a protocol, and the suite's average where there is one."""
    rows = []
    for protocol in run.protocols:
        facts = run.task_facts(protocol.task)
        rows.append(
            summarise_task(
                protocol,
                run.rollouts.values(),
                run.verdicts,
                official_items=facts["official_items"],
                gated=facts["gated"],
                notes=tuple(facts["notes"]),
            )
        )
    left_out = dict(run.manifest["left_out"])
    suite = run.manifest["suite"]
    return Summary(
        run=run.name,
        checkpoint=run.manifest["checkpoint"]["name"],
        tasks=tuple(rows),
        suite=summarise_suite(suite, run.manifest["members"], rows, left_out) if suite else None,
        left_out=tuple(left_out.items()),
    )


def summarise_limits(readings: Sequence[Run]) -> Summary:
    """One run under several token limits, task by task; under one limit, its ordinary summary."""
    summaries = [summarise_run(run) for run in readings]
    if len(summaries) == 1:
        return summaries[0]
    rows = [row for same in zip(*(summary.tasks for summary in summaries), strict=True) for row in same]
    return replace(summaries[0], tasks=tuple(rows), suite=None)


def passk_of_run(run: Run, ks: Sequence[int] | None) -> list[PassRow]:
    """Pass@k of each protocol for these k, or for the powers of two up to the number of samples.

    Raises:
        RequestError: a k below 1 or above the samples of an item, or no graded rollouts.
    """
    rows = []
    for protocol in run.protocols:
        tally = counts(protocol, run.rollouts.values(), run.verdicts)
        if not tally:
            raise RequestError(f"{run.folder}: {protocol.task} has no graded rollouts: `evalsuite grade` comes first")
        smallest = min(n for n, _ in tally.values())
        wanted = ks or [2**i for i in range(smallest.bit_length()) if 2**i <= smallest]
        for k in wanted:
            if k < 1:
                raise RequestError(f"pass@{k} is undefined: k starts at 1")
            if k > smallest:
                raise RequestError(
                    f"{run.folder}: pass@{k} of {protocol.task} is undefined: it needs 1 <= k <= n, "
                    f"and an item has n = {smallest} samples; ask for a smaller k, or run with --samples {k}"
                )
        rows += passk_rows(run.name, _label(run, protocol), tally, wanted)
    return rows


def _label(run: Run, protocol: Protocol) -> str:
    several = sum(p.task == protocol.task for p in run.protocols) > 1
    return f"{protocol.task} ({protocol.prompt})" if several else protocol.task
