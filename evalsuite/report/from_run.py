"""From a stored run to its summary."""

from collections.abc import Sequence
from dataclasses import replace

from evalsuite.evaluate.run import Run
from evalsuite.report.summary import Summary, summarise_suite, summarise_task


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
