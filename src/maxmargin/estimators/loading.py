"""Model files back to estimators."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from typing import Any

import numpy as np

from maxmargin.estimators.chain_base import ChainEstimator
from maxmargin.estimators.chain_crf import ChainCRF
from maxmargin.estimators.chain_files import restore_chain
from maxmargin.estimators.chain_hmm import ChainHMM
from maxmargin.estimators.chain_perceptron import ChainPerceptron
from maxmargin.estimators.chain_svc import ChainSVC
from maxmargin.estimators.diversity import DiversityRanker
from maxmargin.estimators.diversity_files import restore_ranker
from maxmargin.estimators.measure_files import MEASURES, restored_measure
from maxmargin.estimators.multiclass import MulticlassSVC
from maxmargin.estimators.multilabel import MultilabelSVC
from maxmargin.estimators.ranking import RankingSVM
from maxmargin.estimators.structural import StructuralSVM
from maxmargin.io.models import ModelFileError, read_model
from maxmargin.io.template_json import templates_from_json
from maxmargin.measures.mean_average_precision import MeanAveragePrecision
from maxmargin.measures.ndcg import Ndcg
from maxmargin.measures.reciprocal_rank import ReciprocalRank
from maxmargin.measures.swapped_pairs import SwappedPairs
from maxmargin.problem import Problem
from maxmargin.solvers.automatic import Automatic
from maxmargin.solvers.base import Solution, Status
from maxmargin.solvers.block_coordinate import BlockCoordinate
from maxmargin.solvers.dual_likelihood import DualLikelihood
from maxmargin.solvers.lbfgs import LBFGS
from maxmargin.solvers.n_slack import NSlack
from maxmargin.solvers.one_slack import OneSlack
from maxmargin.solvers.online import Perceptron, Subgradient

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
    head, arrays = read_model(path)
    kind = head.get("estimator")
    if not isinstance(kind, str) or kind not in ("StructuralSVM", "DiversityRanker", *_TABLES, *_CHAINS):
        raise ModelFileError(f"{path} holds a {kind}, which this maxmargin does not know.")
    if kind == "StructuralSVM" and problem is None:
        raise ValueError(f"{path} is a StructuralSVM; pass its problem: maxmargin.load(path, problem=...).")
    try:
        params = {name: _from_json(value) for name, value in head["params"].items()}
        model: Any
        if kind in _CHAINS:
            model = _CHAINS[kind](**params)
            restore_chain(model, arrays, head["structure"])
        elif kind == "DiversityRanker":
            model = DiversityRanker(**params)
            restore_ranker(model, arrays, head["structure"])
        elif kind in _TABLES:
            model = _TABLES[kind](params, arrays, head.get("structure"))
        else:
            model = _structural(params, arrays, problem)
        if kind != "ChainHMM":
            _restore_fit(model, head["fitted"])
    except (KeyError, TypeError, AttributeError, IndexError, ValueError, OverflowError, RecursionError) as error:
        raise ModelFileError(f"{path} is damaged: its parts do not fit together ({error}).") from error
    return model


def _restore_fit(model: Any, fitted: dict[str, Any]) -> None:
    model.n_iter_ = int(fitted["n_iter_"])
    if "C_" in fitted:
        model.C_ = float(fitted["C_"])
    model.solution_ = Solution(
        w=model.weights_ if isinstance(model, ChainEstimator) else model.coef_.ravel(),
        status=Status[fitted["status"]],
        primal=_optional_float(fitted["primal"]),
        dual=_optional_float(fitted["dual"]),
        n_iter=model.n_iter_,
        oracle_calls=int(fitted["oracle_calls"]),
    )


def _optional_float(value: Any) -> float | None:
    return None if value is None else float(value)


def _multiclass(params: dict[str, Any], arrays: dict[str, Any], structure: Any) -> MulticlassSVC:
    model = MulticlassSVC(**params)
    model.coef_, model.intercept_, model.classes_ = arrays["coef_"], arrays["intercept_"], arrays["classes_"]
    k = model.classes_.size
    _check_numbers("coef_", model.coef_, (k, -1))
    _check_numbers("intercept_", model.intercept_, (k,))
    if model.classes_.ndim != 1 or k < 2 or len(set(model.classes_.tolist())) != k:
        raise ValueError("classes_ must be different labels")
    _restore_features(model, arrays)
    return model


def _multilabel(params: dict[str, Any], arrays: dict[str, Any], structure: dict[str, Any]) -> MultilabelSVC:
    model = MultilabelSVC(**params)
    model.classes_, model.pairs_ = arrays["classes_"], arrays["pairs_"]
    model.coef_, model.intercept_, model.interaction_ = (
        arrays[name] for name in ("coef_", "intercept_", "interaction_")
    )
    model.single_ = bool(structure["single_"])
    names, pairs = model.classes_.size, model.pairs_
    k = 1 if model.single_ and names == 2 else names
    _check_numbers("coef_", model.coef_, (k, -1))
    _check_numbers("intercept_", model.intercept_, (k,))
    _check_numbers("interaction_", model.interaction_, (len(pairs),))
    if model.classes_.ndim != 1 or names < 1 + model.single_ or len(set(model.classes_.tolist())) != names:
        raise ValueError("classes_ must be different labels")
    if pairs.dtype != np.int32 or pairs.ndim != 2 or pairs.shape[1] != 2 or not ((pairs >= 0) & (pairs < k)).all():
        raise ValueError("pairs_ must be numbers of labels")
    if (pairs[:, 0] >= pairs[:, 1]).any() or len(np.unique(pairs, axis=0)) != len(pairs):
        raise ValueError("pairs_ must be different pairs of different labels")
    _restore_features(model, arrays)
    return model


def _restore_features(model: Any, arrays: dict[str, Any]) -> None:
    model.n_features_in_ = model.coef_.shape[1]
    _restore_names(model, arrays)


def _ranking(params: dict[str, Any], arrays: dict[str, Any], structure: dict[str, Any]) -> RankingSVM:
    model = RankingSVM(**params)
    model.coef_ = arrays["coef_"]
    _check_numbers("coef_", model.coef_, (-1,))
    model.n_features_in_ = model.coef_.size
    model.n_uninformative_ = int(structure["n_uninformative_"])
    _restore_names(model, arrays)
    return model


_TABLES: dict[str, Callable[[dict[str, Any], dict[str, Any], Any], Any]] = {
    "MulticlassSVC": _multiclass,
    "MeasureSVC": restored_measure,
    "MultilabelSVC": _multilabel,
    "RankingSVM": _ranking,
}


def _restore_names(model: Any, arrays: dict[str, Any]) -> None:
    if "feature_names_in_" not in arrays:
        return
    model.feature_names_in_ = arrays["feature_names_in_"].astype(object)
    if model.feature_names_in_.shape != (model.n_features_in_,):
        raise ValueError("one feature name a feature is needed")


def _structural(params: dict[str, Any], arrays: dict[str, Any], problem: Any) -> StructuralSVM:
    model = StructuralSVM(problem, **params)
    model.coef_ = arrays["coef_"]
    _check_numbers("coef_", model.coef_, (-1,))
    return model


def _check_numbers(name: str, array: Any, shape: tuple[int, ...]) -> None:
    fits = array.ndim == len(shape) and all(want in (-1, have) for want, have in zip(shape, array.shape))
    if array.dtype != np.float64 or not fits or not np.isfinite(array).all():
        raise ValueError(f"{name} must hold finite numbers and fit the classes")


def _from_json(value: Any) -> Any:
    if isinstance(value, list):
        return [_from_json(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "array" in value:
        return np.array(value["array"])
    if "pairs" in value:
        return {_from_json(key): _from_json(item) for key, item in value["pairs"]}
    if "templates" in value:
        return templates_from_json(value["templates"])
    return _SETTINGS[value["solver"]](**value["settings"])
