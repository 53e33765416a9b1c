"""Model files back to estimators."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from os import PathLike
from typing import Any

import numpy as np

from maxmargin.estimators.chain_base import ChainEstimator
from maxmargin.estimators.chain_crf import ChainCRF
from maxmargin.estimators.chain_files import restore_chain
from maxmargin.estimators.chain_hmm import ChainHMM
from maxmargin.estimators.chain_perceptron import ChainPerceptron
from maxmargin.estimators.chain_svc import ChainSVC
from maxmargin.estimators.class_calibration import Calibration
from maxmargin.estimators.diversity import DiversityRanker
from maxmargin.estimators.diversity_files import restore_ranker
from maxmargin.estimators.measure_files import MEASURES, restored_measure
from maxmargin.estimators.multiclass import MulticlassSVC
from maxmargin.estimators.multiclass_outputs import described_from_arrays
from maxmargin.estimators.multilabel import MultilabelSVC
from maxmargin.estimators.ranking import RankingSVM
from maxmargin.estimators.squashing import restored_squashing
from maxmargin.estimators.structural import StructuralSVM
from maxmargin.estimators.taxonomy import TaxonomySVC
from maxmargin.estimators.taxonomy_files import restore_taxonomy_model
from maxmargin.io.model_archive import ModelFileError
from maxmargin.io.model_parts import ModelArrays, ModelValues, values_of
from maxmargin.io.models import read_model
from maxmargin.io.template_json import templates_from_json
from maxmargin.measures.mean_average_precision import MeanAveragePrecision
from maxmargin.measures.ndcg import Ndcg
from maxmargin.measures.reciprocal_rank import ReciprocalRank
from maxmargin.measures.swapped_pairs import SwappedPairs
from maxmargin.problem import Problem, check_methods
from maxmargin.rescaling import SLACKS
from maxmargin.solvers.automatic import Automatic
from maxmargin.solvers.base import Solution, Status
from maxmargin.solvers.block_coordinate import BlockCoordinate
from maxmargin.solvers.dual_likelihood import DualLikelihood
from maxmargin.solvers.lbfgs import LBFGS
from maxmargin.solvers.n_slack import NSlack
from maxmargin.solvers.one_slack import OneSlack
from maxmargin.solvers.online import Perceptron, Subgradient
from maxmargin.structures.label_pairs import search_method
from maxmargin.structures.multiclass import checked_cost
from maxmargin.structures.multilabel_loss import LOSSES as LABEL_LOSSES

_KINDS: tuple[type[Any], ...] = (
    *(Automatic, OneSlack, NSlack, BlockCoordinate, Subgradient, Perceptron, LBFGS, DualLikelihood),
    *(SwappedPairs, MeanAveragePrecision, Ndcg, ReciprocalRank),
    *MEASURES,
)
_SETTINGS = {kind.__name__: kind for kind in _KINDS}
_CHAINS: dict[str, type[ChainEstimator]] = {
    chain.__name__: chain for chain in (ChainSVC, ChainCRF, ChainPerceptron, ChainHMM)
}


def load(path: str | PathLike[str], problem: Problem | None = None) -> Any:
    """Reads a model file. A ``StructuralSVM`` needs its ``problem``, which is code and never in a file.

    Predictions are bit-equal to those of the estimator that was saved. The dual variables are not in the file.
    """
    head, members = read_model(path)
    kind = head.get("estimator")
    known = ("StructuralSVM", "DiversityRanker", "TaxonomySVC", *_TABLES, *_CHAINS)
    if not isinstance(kind, str) or kind not in known:
        raise ModelFileError(f"{path} holds a {kind!s:.80}, which this maxmargin does not know.")
    if kind == "StructuralSVM" and problem is None:
        raise ValueError(f"{path} is a StructuralSVM; pass its problem: maxmargin.load(path, problem=...).")
    if kind == "StructuralSVM":
        _check_problem_of(path, head, problem)
    try:
        arrays = ModelArrays(members)
        values = ModelValues(head["structure"]) if "structure" in head else None
        params = {name: _from_json(value, arrays) for name, value in head["params"].items()}
        model: Any
        if kind in _CHAINS:
            model = _CHAINS[kind](**params)
            restore_chain(model, arrays, values_of(values))
        elif kind == "TaxonomySVC":
            model = TaxonomySVC(**params)
            restore_taxonomy_model(model, arrays, values_of(values))
        elif kind == "DiversityRanker":
            model = DiversityRanker(**params)
            restore_ranker(model, arrays, values_of(values))
        elif kind in _TABLES:
            model = _TABLES[kind](params, arrays, values)
        else:
            model = _structural(params, arrays, problem)
        _check_switches(model)
        if kind != "ChainHMM":
            _restore_fit(model, ModelValues(head["fitted"]))
    except (KeyError, TypeError, AttributeError, IndexError, ValueError, OverflowError, RecursionError) as error:
        what = error.args[0] if isinstance(error, KeyError) and error.args else error
        raise ModelFileError(f"{path} is damaged: its parts do not fit together ({what!s:.300}).") from error
    return model


def _restore_fit(model: Any, fitted: ModelValues) -> None:
    model.n_iter_ = fitted.count("n_iter_")
    if "C_" in fitted:
        model.C_ = fitted.number("C_", above=0.0)
    primal, dual = (None if fitted[name] is None else fitted.number(name) for name in ("primal", "dual"))
    model.solution_ = Solution(
        w=model.weights_ if isinstance(model, ChainEstimator | TaxonomySVC) else model.coef_.ravel(),
        status=Status[fitted["status"]],
        primal=primal,
        dual=dual,
        n_iter=model.n_iter_,
        oracle_calls=fitted.count("oracle_calls"),
    )


def _multiclass(params: dict[str, Any], arrays: ModelArrays, structure: ModelValues | None) -> MulticlassSVC:
    model = MulticlassSVC(**params)
    model.classes_ = arrays.labels()
    k = model.classes_.size
    model.coef_, model.intercept_ = arrays.floats("coef_", k, None), arrays.floats("intercept_", k)
    _restore_features(model, arrays)
    _restore_decision(model, arrays, structure)
    if "output_coef_" in arrays:
        model.described_ = model.output_features = described_from_arrays(arrays)
        outputs = model.described_.matrix.shape[1]
        model.output_coef_ = arrays.floats("output_coef_", outputs, model.n_features_in_)
        model.output_intercept_ = arrays.floats("output_intercept_", outputs)
        model.described_.rows(model.classes_)
    return model


def _restore_decision(model: MulticlassSVC, arrays: ModelArrays, structure: ModelValues | None) -> None:
    """Costs, probabilities and what is made of them."""
    k = model.classes_.size
    model.cost_ = model.cost = checked_cost(arrays.floats("cost_", k, k), k) if "cost_" in arrays else None
    values = values_of(structure)
    model.decision_ = values.one_of("decision_", ("score", "expected-cost"))
    model.method_ = values.one_of("method_", ("likelihood", "structural"))
    model.slack_ = None if model.method_ == "likelihood" else values.one_of("slack_", SLACKS)
    if "calibration_" in arrays:
        numbers = arrays.floats("calibration_", k + 1)
        model.calibration_ = Calibration(float(numbers[0]), numbers[1:])
    if model.decision_ == "expected-cost" and (model.cost_ is None or "calibration_" not in arrays):
        raise ValueError("a decision of lowest expected cost needs costs and a calibration")


def _multilabel(params: dict[str, Any], arrays: ModelArrays, structure: ModelValues | None) -> MultilabelSVC:
    model = MultilabelSVC(**params)
    if model.loss not in LABEL_LOSSES:
        raise ValueError(f"the parameter loss is {model.loss!r:.80}, which is no loss of label vectors")
    model.single_ = values_of(structure).flag("single_")
    model.classes_ = arrays.labels(least=1 + model.single_)
    k = 1 if model.single_ and model.classes_.size == 2 else model.classes_.size
    model.coef_, model.intercept_ = arrays.floats("coef_", k, None), arrays.floats("intercept_", k)
    pairs = model.pairs_ = arrays.whole("pairs_", np.int32, None, 2, below=k)
    if (pairs[:, 0] >= pairs[:, 1]).any() or len(np.unique(pairs, axis=0)) != len(pairs):
        raise ValueError("pairs_ must be different pairs of different labels")
    model.interaction_ = arrays.floats("interaction_", len(pairs))
    model.costs_ = arrays.floats("costs_", k, 2)
    if (model.costs_ < 0.0).any():
        raise ValueError("costs_ must be at least 0")
    model.method_ = values_of(structure).one_of("method_", ("likelihood", "structural"))
    if model.method_ == "likelihood" and (model.single_ or search_method(k, pairs) == "branch"):
        raise ValueError("the likelihood needs label vectors over which it can sum")
    _restore_features(model, arrays)
    return model


def _restore_features(model: Any, arrays: ModelArrays) -> None:
    model.n_features_in_ = model.coef_.shape[-1]
    names = arrays.feature_names(model.n_features_in_)
    if names is not None:
        model.feature_names_in_ = names


def _ranking(params: dict[str, Any], arrays: ModelArrays, structure: ModelValues | None) -> RankingSVM:
    model = RankingSVM(**params)
    model.coef_ = arrays.floats("coef_", None)
    values = values_of(structure)
    model.n_uninformative_ = values.count("n_uninformative_")
    model.squashing_ = None if values["squashing_"] is None else restored_squashing(values, arrays, model.coef_.size)
    _restore_features(model, arrays)
    return model


_TABLES: dict[str, Callable[[dict[str, Any], ModelArrays, ModelValues | None], Any]] = {
    "MulticlassSVC": _multiclass,
    "MeasureSVC": restored_measure,
    "MultilabelSVC": _multilabel,
    "RankingSVM": _ranking,
}


def _check_problem_of(path: str | PathLike[str], head: dict[str, Any], problem: Any) -> None:
    """Raises for a problem of another class than the one that was trained with; a class derived from it will do."""
    check_methods(problem)
    structure = head.get("structure")
    name = structure.get("problem") if isinstance(structure, dict) else None
    if isinstance(name, str) and name not in {kind.__name__ for kind in type(problem).__mro__}:
        raise ValueError(
            f"{path} was trained with a problem of the class {name[:80]}, and a {type(problem).__name__} was passed; "
            "the weights have another meaning there."
        )


def _structural(params: dict[str, Any], arrays: ModelArrays, problem: Any) -> StructuralSVM:
    model = StructuralSVM(problem, **params)
    model.coef_ = arrays.floats("coef_", None)
    dimension = getattr(problem, "dimension", model.coef_.size)
    if dimension != model.coef_.size:
        raise ValueError(
            f"the problem has joint features of length {dimension!r:.80}, and there are {model.coef_.size} weights"
        )
    return model


def _check_switches(model: Any) -> None:
    """Parameters that are true or false by default are so in the file."""
    for name, parameter in signature(type(model)).parameters.items():
        if isinstance(parameter.default, bool) and not isinstance(getattr(model, name), bool):
            raise ValueError(f"the parameter {name} must be true or false, not {getattr(model, name)!r:.80}")


def _from_json(value: Any, arrays: ModelArrays) -> Any:
    if isinstance(value, list):
        return [_from_json(item, arrays) for item in value]
    if not isinstance(value, dict):
        return value
    if "member" in value:
        return arrays[value["member"]]
    if "array" in value:
        return np.array(value["array"])
    if "pairs" in value:
        return {_from_json(key, arrays): _from_json(item, arrays) for key, item in value["pairs"]}
    if "templates" in value:
        return templates_from_json(value["templates"])
    return _SETTINGS[value["solver"]](**value["settings"])
