"""Model files back to estimators."""

from __future__ import annotations

from os import PathLike
from typing import Any

from maxmargin.core.input_checks import quoted
from maxmargin.core.problem import Problem
from maxmargin.fitting.estimator import SAVED
from maxmargin.fitting.kernel_file import needed_function, restored_kernel
from maxmargin.fitting.kernels import KernelEstimator
from maxmargin.fitting.model_archive import ModelFileError
from maxmargin.fitting.model_parts import ModelArrays, ModelValues
from maxmargin.fitting.models import parameter_from_json, read_model
from maxmargin.fitting.parameters import check_parameters
from maxmargin.solvers.base import Solution, Status


def load(path: str | PathLike[str], problem: Problem | None = None, *, space: Any = None, kernel: Any = None) -> Any:
    """Reads a model file. A ``StructuralSVM`` needs its ``problem``, models of programs (``ProgramSVM``, ...) their
    ``space``, and those that were trained with a function as ``kernel`` that: they are code and never in a file.

    Predictions are bit-equal to those of the estimator that was saved. The dual variables are not in the file.
    """
    head, members = read_model(path)
    name = head.get("estimator")
    kind: Any = SAVED.get(name) if isinstance(name, str) else None
    if kind is None:
        raise ModelFileError(f"{path} holds a {name!s:.80}, which this maxmargin does not know.")
    code = {"problem": problem, "space": space}.get(kind.needs)
    if kind.needs is not None and code is None:
        raise ValueError(f"{path} is a {name}; pass its {kind.needs}: maxmargin.load(path, {kind.needs}=...).")
    if kind.needs is not None:
        kind._check_needed(code)
        _check_class_of(path, head, kind.needs, code)
    function = needed_function(head.get("structure"))
    if function is not None and kernel is None:
        raise ValueError(f"{path} was trained with the function {function[:80]} as kernel; pass it by kernel=.")
    if function is None and kernel is not None:
        raise ValueError(f"{path} was not trained with a function as kernel; leave kernel out.")
    if kernel is not None and not callable(getattr(kernel, "name", kernel)):
        raise ValueError(
            f"{path} was trained with the function {str(function)[:80]} as kernel; kernel= must be that function, not "
            f"{quoted(kernel)}."
        )
    try:
        arrays, structure = ModelArrays(members), ModelValues(head.get("structure"))
        params = {name: parameter_from_json(value, arrays) for name, value in head["params"].items()}
        model = kind(**params) if code is None else kind(code, **params)
        if isinstance(model, KernelEstimator):
            model.kernel_ = restored_kernel(arrays, structure, kernel)
            model.kernel = model.kernel if kernel is None else kernel
            if "substrings" in arrays:
                model.substrings_ = arrays.labels("substrings", least=1)
        model._restore(arrays, structure)
        check_parameters(model)
        _restore_solution(model, ModelValues(head["fitted"]))
    except (KeyError, TypeError, AttributeError, IndexError, ValueError, OverflowError, RecursionError) as error:
        what = error.args[0] if isinstance(error, KeyError) and error.args else error
        raise ModelFileError(f"{path} is damaged: its parts do not fit together ({what!s:.300}).") from error
    return model


def _restore_solution(model: Any, fitted: ModelValues) -> None:
    model.n_iter_ = fitted.count("n_iter_")
    if "C_" in fitted:
        model.C_ = fitted.number("C_", above=0.0)
    primal, dual = (None if fitted[name] is None else fitted.number(name) for name in ("primal", "dual"))
    model.solution_ = Solution(
        w=model.weights_ if hasattr(model, "weights_") else model.coef_.ravel(),
        status=Status[fitted["status"]],
        primal=primal,
        dual=dual,
        n_iter=model.n_iter_,
        oracle_calls=fitted.count("oracle_calls"),
    )


def _check_class_of(path: str | PathLike[str], head: dict[str, Any], role: str, given: Any) -> None:
    """Raises for a problem or space of another class than the one trained with; a class derived from it will do."""
    structure = head.get("structure")
    name = structure.get(role) if isinstance(structure, dict) else None
    if isinstance(name, str) and name not in {kind.__name__ for kind in type(given).__mro__}:
        raise ValueError(
            f"{path} was trained with a {role} of the class {name[:80]}, and a {type(given).__name__} was passed; "
            "the weights have another meaning there."
        )
