"""Our estimators at their defaults: nothing is set but what the task is about."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from defaults.measure_peers import answers
from defaults.peer import Answer
from defaults.task import Split, Task
from maxmargin import (
    ChainCRF,
    ChainPerceptron,
    ChainSVC,
    DiversityRanker,
    MeasureSVC,
    MulticlassSVC,
    MultilabelSVC,
    RankingSVM,
    TaxonomySVC,
)

Fit = Callable[[Any, Task, Split], Answer]


def _predicts(model: Any, task: Task, split: Split) -> Answer:
    answer: Answer = model.fit(split.X, split.y).predict
    return answer


def _measures(model: Any, task: Task, split: Split) -> Answer:
    return answers(model.fit(split.X, split.y), task)


def _ranks(model: Any, task: Task, split: Split) -> Answer:
    answer: Answer = model.fit(split.X, split.y, groups=split.groups).predict
    return answer


# For each family the estimators by name: what makes one for a task, and how it is fitted.
OURS: dict[str, dict[str, tuple[Callable[[Task], Any], Fit]]] = {
    "classes": {"MulticlassSVC": (lambda task: MulticlassSVC(cost=task.options.get("cost")), _predicts)},
    "taxonomies": {"TaxonomySVC": (lambda task: TaxonomySVC(taxonomy=task.options["taxonomy"]), _predicts)},
    "labels": {"MultilabelSVC": (lambda task: MultilabelSVC(loss=task.options["loss"]), _predicts)},
    "measures": {"MeasureSVC": (lambda task: MeasureSVC(task.options["measure"]), _measures)},
    "rankings": {"RankingSVM": (lambda task: RankingSVM(), _ranks)},
    "diversity": {"DiversityRanker": (lambda task: DiversityRanker(), _predicts)},
    "chains": {
        "ChainSVC": (lambda task: ChainSVC(), _predicts),
        "ChainCRF": (lambda task: ChainCRF(), _predicts),
        "ChainPerceptron": (lambda task: ChainPerceptron(), _predicts),
    },
}
INFORMATIVE = ("ChainPerceptron",)  # baselines of ours, reported without a bar


def names_of(task: Task) -> list[str]:
    """Those of our estimators that run on the task."""
    return [name for name in OURS[task.family] if task.ours is None or name in task.ours]
