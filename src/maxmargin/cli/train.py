"""``maxmargin train``."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin.classes.cost_file import read_cost
from maxmargin.classes.multiclass_svc import MulticlassSVC
from maxmargin.classes.taxonomies.file import read_taxonomy
from maxmargin.classes.taxonomy_svc import TaxonomySVC
from maxmargin.cli.files import Source, check_output, option, refuse
from maxmargin.cli.measure import MEASURE_ONLY, check_two_classes, positive_class
from maxmargin.cli.warned import noted_warnings, tell
from maxmargin.console import make_console, number, print_table
from maxmargin.io.labelled import LabelledData, shortened
from maxmargin.measures.measure_svc import MeasureSVC
from maxmargin.rows.kernel import Kernel
from maxmargin.solvers.base import Status

_NUMBERS = {"gamma": float, "degree": int, "coef0": float, "cache": int}


@dataclass(frozen=True)
class Settings:
    """Options of training as they are given, before the classes are known."""

    C: str = "scale"
    cost: Path | None = None
    taxonomy: str | None = None
    tree_loss: str | None = None
    node_weight: float | None = None
    rescaling: str = "margin"
    slack: str | None = None
    solver: str = "auto"
    tol: str = "auto"
    max_iter: int = 1000
    max_time: float | None = None
    kernel: str = "linear"
    rank: int | None = None
    class_weight: str | None = None
    fit_intercept: bool = True
    n_jobs: int = 1
    seed: int = 0
    verbose: bool = False
    measure: str | None = None
    positive: str | None = None
    method: str | None = None
    threshold_for: str | None = None

    def estimator(self, classes: npt.NDArray[Any]) -> MulticlassSVC | TaxonomySVC | MeasureSVC:
        """The classifier that these options describe, for the classes of the data."""
        shared: dict[str, Any] = {
            "C": parse_c(self.C),
            "kernel": parse_kernel(self.kernel),
            "rank": self.rank,
            "rescaling": self.rescaling,
            "solver": self.solver,
            "tol": parse_tol(self.tol),
            "max_iter": self.max_iter,
            "max_time": self.max_time,
            "fit_intercept": self.fit_intercept,
            "n_jobs": self.n_jobs,
            "random_state": self.seed,
            "verbose": int(self.verbose),
        }
        shared |= {name: value for name in ("slack", "method") if (value := getattr(self, name)) is not None}
        if self.measure is not None:
            check_two_classes(classes)
            shared["class_weight"] = parse_class_weight(self.class_weight, classes)
            if self.threshold_for is not None:
                shared["threshold_for"] = None if self.threshold_for == "none" else self.threshold_for
            return MeasureSVC(self.measure, pos_label=positive_class(self.positive, classes), **shared)
        shared["class_weight"] = parse_class_weight(self.class_weight, classes)
        cost = None if self.cost is None else read_cost(self.cost, classes)
        if self.taxonomy is None:
            return MulticlassSVC(cost=cost, **shared)
        taxonomy = read_taxonomy(self.taxonomy, classes)
        loss = cost if cost is not None else self.tree_loss or "height"
        if self.node_weight is not None:
            shared["node_weight"] = self.node_weight
        return TaxonomySVC(taxonomy=taxonomy, loss=loss, **shared)

    def check(self, path: Path) -> None:
        """Raises for options that do not go together."""
        if self.measure is None:
            refuse({option(name): getattr(self, name) is not None for name in MEASURE_ONLY}, path, "without --measure")
        else:
            only = {"--cost": self.cost is not None, "--taxonomy": self.taxonomy is not None}
            refuse(only, path, "with --measure")
        for name, given in (("--tree-loss", self.tree_loss), ("--node-weight", self.node_weight)):
            if given is not None and self.taxonomy is None:
                raise ValueError(f"{name} is for classes in a taxonomy; give that with --taxonomy, or leave it out.")
        if self.tree_loss is not None and self.cost is not None:
            raise ValueError("--tree-loss and --cost both say what a mistake costs; leave one of them out.")


def parse_c(text: str) -> float | str:
    """A number, or 'scale'."""
    if text == "scale":
        return text
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"C must be a positive number or 'scale', not {text!r}.") from None


def parse_tol(text: str) -> float | str:
    """A number, or 'auto'."""
    if text == "auto":
        return text
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"tol must be a positive number or 'auto', not {text!r}.") from None


def parse_kernel(text: str) -> str | Kernel:
    """A name, or a name with numbers such as ``poly(degree=2,gamma=0.1)``."""
    name, opened, rest = text.partition("(")
    if not opened:
        return text if text == "linear" else Kernel(text)
    numbers: dict[str, Any] = {}
    for part in rest.removesuffix(")").split(","):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or key not in _NUMBERS or not rest.endswith(")"):
            raise ValueError(
                f"The kernel must be a name, or one with numbers such as poly(degree=2,gamma=0.1), not {text!r}."
            )
        try:
            numbers[key] = _NUMBERS[key](value)
        except ValueError:
            raise ValueError(f"{key} of the kernel is {value!r}, which is no number that it can have.") from None
    return Kernel(name.strip(), **numbers)


def parse_class_weight(text: str | None, classes: npt.NDArray[Any]) -> dict[Any, float] | str | None:
    """Weights such as ``a=2,b=0.5``; classes that are not named get 1."""
    if text is None or text == "balanced":
        return text
    known = {str(item): item for item in classes.tolist()}
    weights: dict[Any, float] = dict.fromkeys(known.values(), 1.0)
    for part in text.split(","):
        name, equals, value = part.rpartition("=")
        name = name.strip()
        if not equals:
            raise ValueError(f"class_weight must be 'balanced' or weights such as a=2,b=0.5, not {text!r}.")
        if name not in known:
            raise ValueError(f"class_weight names the class {name!r}, but the data has {shortened(known)}.")
        try:
            weights[known[name]] = float(value)
        except ValueError:
            raise ValueError(f"class_weight of {name!r} is {value!r}, which is not a number.") from None
    return weights


def train_model(source: Source, path: Path, settings: Settings) -> None:
    """Reads, fits, saves, and prints what came out."""
    settings.check(source.path)
    check_output(path, source.path, *([] if settings.cost is None else [settings.cost]))
    data = source.read()
    model = settings.estimator(np.unique(data.targets))
    begin = time.perf_counter()
    with noted_warnings() as caught:
        model.fit(data.X, data.targets)
    seconds = time.perf_counter() - begin
    if model.solution_.status is Status.INFEASIBLE:
        raise ValueError(_infeasible(model, data))
    tell(caught)
    if data.feature_names is not None:
        model.feature_names_in_ = np.array(data.feature_names, dtype=object)
    model.save(path)
    _print_summary(model, path, len(data.targets), seconds)


def _infeasible(model: MulticlassSVC | TaxonomySVC | MeasureSVC, data: LabelledData) -> str:
    text = model.solution_.status.message
    certificate = model.solution_.certificate
    if certificate is not None:
        text += f" The example on line {data.lines[certificate.example]} of {data.path} is part of it."
    return f"{text} No model was written; use --slack linear."


def _print_summary(model: MulticlassSVC | TaxonomySVC | MeasureSVC, path: Path, examples: int, seconds: float) -> None:
    solution = model.solution_
    rows = [
        ("examples", str(examples)),
        ("features", str(model.n_features_in_)),
        *kernel_rows(model),
        ("classes", str(model.classes_.size)),
        *(_measure_rows(model) if isinstance(model, MeasureSVC) else []),
        *([("nodes", str(model.nodes_.size))] if isinstance(model, TaxonomySVC) else []),
        *([("method", model.method_)] if isinstance(model, MulticlassSVC) else []),
        ("C", number(model.C_)),
        ("objective", number(solution.primal, 8)),
        ("gap", number(solution.gap, 3)),
        ("status", solution.status.name.lower().replace("_", " ")),
        ("seconds", f"{seconds:.3f}"),
        ("model", str(path)),
    ]
    print_table(make_console(), "", ("", ""), rows, text_columns=2)


def kernel_rows(model: Any) -> list[tuple[str, str]]:
    """What a summary says about a kernel."""
    if model.kernel_ is None:
        return []
    return [("kernel", str(model.kernel_.kernel.name)), ("reference rows", str(model.kernel_.width))]


def _measure_rows(model: MeasureSVC) -> list[tuple[str, str]]:
    rows = [("measure", str(model.measure)), ("loss", model.loss_.replace("_", " "))]
    return rows if model.value_ is None else [*rows, ("on held-out folds", number(model.value_))]
