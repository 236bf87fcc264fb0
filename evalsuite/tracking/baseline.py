"""A sealed baseline in MLflow: what each model scored on items that chose nothing, beside the file itself."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evalsuite.report.baseline import setting_of_entry
from evalsuite.report.tables import interval_text
from evalsuite.stats.intervals import Estimate
from evalsuite.tracking.log import log
from evalsuite.tracking.record import Child, Record, Upload, ends, metrics, params, pipes, tags, tally
from evalsuite.tracking.run import experiment
from evalsuite.tracking.sweep import offered


def track_baseline(file: Path, content: Mapping[str, Any], results: Path) -> str:
    """Log a sealed baseline and return the MLflow run's id.

    Raises:
        TrackingAwayError: MLflow did not take it; `evalsuite track FILE` does it later.
    """
    return log(baseline_record(file, content), file, results)


def baseline_record(file: Path, content: Mapping[str, Any]) -> Record:
    """One model's numbers are those of the run; several models have a child each."""
    models = content["models"]
    suite = content["suite"]
    alone = models[0] if len(models) == 1 else None
    seal = {"seal": content["seal"], "grader": content["grader"], "evalsuite": content["evalsuite"]}
    asked = {"suite": suite or "", **offered(content)}
    return Record(
        experiment=experiment(suite),
        name=file.stem,
        params=params(asked | ({"checkpoint": alone["name"]} if alone else {})),
        metrics=_numbers(alone, suite) if alone else {},
        tags=tags(seal | {"command": content["command"]} | (_facts(alone) if alone else {})),
        table=_table(file, content),
        artifacts=(Upload(file),),
        children=() if alone else tuple(_child(model, seal, suite) for model in models),
    )


def _child(model: Mapping[str, Any], seal: Mapping[str, str], suite: str | None) -> Child:
    return Child(
        key=model["checkpoint_sha256"],
        name=model["name"],
        params=params({"checkpoint": model["name"]}),
        metrics=_numbers(model, suite),
        tags=tags({**seal, **_facts(model)}),
    )


def _numbers(model: Mapping[str, Any], suite: str | None) -> dict[str, float]:
    """Under the names that an eval's run has too."""
    found: dict[str, float | None] = {}
    for task, entry in model["tasks"].items():
        of_task = ends("accuracy", entry["accuracy"]) | ends("strict", entry["strict"])
        of_task |= {"optimism": entry["optimism"], "items": entry["scored"]["items"]}
        found |= {f"{task}.{name}": value for name, value in of_task.items()}
    average = ends("accuracy", model["average"]) | {"tasks": len(model["tasks"])}
    found |= {f"{suite or 'average'}.{name}": value for name, value in average.items()}
    return metrics(found | {"tokens": model["sweep"]["tokens"]})


def _facts(model: Mapping[str, Any]) -> dict[str, str]:
    chosen = {f"{task}.chosen": _chosen(entry) for task, entry in model["tasks"].items()}
    runs = {f"{part}.run": model[part]["run"] for part in ("sweep", "scored")}
    return {"checkpoint": model["name"], "checkpoint.sha256": model["checkpoint_sha256"], **runs, **chosen}


def _chosen(entry: Mapping[str, Any]) -> str:
    return tally([str(setting_of_entry(chosen)) for chosen in entry["chosen"]])


def _table(file: Path, content: Mapping[str, Any]) -> str:
    headers = ("model", "task", "chosen", "accuracy % [95 %]", "strict", "items", "optimism")
    rows = []
    for model in content["models"]:
        for task, entry in model["tasks"].items():
            strict, optimism = entry["strict"]["value"], entry["optimism"]
            rows.append(
                (
                    model["name"],
                    task,
                    _chosen(entry),
                    interval_text(Estimate(**entry["accuracy"])),
                    f"{100 * strict:.1f}",
                    f"{entry['scored']['items']:,}",
                    "–" if optimism is None else f"{100 * optimism:+.1f}",
                )
            )
        average = Estimate(**model["average"])
        rows.append((model["name"], "average", "", interval_text(average), "", f"{average.n:,}", ""))
    return f"**{file.name} · seal {content['seal']}**\n\n{pipes(headers, rows, right=headers[3:])}\n"
