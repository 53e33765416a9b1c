"""What a user writes to teach the library a new kind of output."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from maxmargin.core.input_checks import check_sparse, quoted

Floats = npt.NDArray[np.float64]


class Unsupported(ValueError):
    """A question that has no exact answer here: a combination of problem, formulation and solver that cannot be
    trained, or a sum over more outputs than a problem can add up."""


@runtime_checkable
class Problem(Protocol):
    """Inputs, outputs, their joint features, a loss, and the search for the best output.

    Three methods are enough for margin rescaling with linear slack. Further methods are *powers*, found by name, each
    of which unlocks something:

    ``argmax_many(X, w, Y=None)``
        the answers of ``argmax`` for several inputs at one ``w``, which a vectorised search finds sooner: a list of
        inputs (the rows of an array, where the data are one) and of their truths, or None;
    ``kbest(x, w, k)``
        the ``k`` best outputs without the loss, best first (fewer if there are fewer): zero-one loss, hard margin;
    ``argmax_by_loss(x, w, y_true)``
        pairs ``(loss, y)``, for each value of the loss the best output that has it: slack rescaling, squared slack;
    ``outputs(x)``
        all outputs, for small output spaces: every formulation;
    ``marginals(x, w)``, ``sample(x, w, n, random_state)``, ``minimum_risk(x, w)``
        probabilities of the parts of an output in any form, ``n`` outputs drawn, and the output of least expected loss,
        where an output has the probability ``exp(<w, Psi(x, y)>) / Z``: ``predict_marginals``, ``sample``,
        ``predict(decode="risk")``;
    ``log_partition(x, w)``, ``expected_loss(x, w, y)``
        ``log Z``, and the mean of ``loss(y_true, y)`` over true outputs with these probabilities:
        ``predict_confidence``, ``predict(abstain=...)`` and ``calibrate``, and ``expected_loss``;
    ``restricted(x, forbidden, required)``
        an input in place of ``x`` that has only its outputs with all required parts and no forbidden one, which all
        methods take; raises ``ValueError`` where there are none: ``forbidden`` and ``required`` of all predictions.
        What a part is, and how it is written, is up to the problem; either may be None;
    ``zero_one``
        an attribute, true if ``loss`` only takes the values 0 and 1, and only the truth has 0;
    ``target(x, label)``
        the output that stands for a label of another kind (the subtopics of documents, an output known in part): ``Y``
        then holds labels, which ``loss`` and ``argmax`` get as ``y_true``, and the loss is 0 at the target;
    ``impute(x, label, w=None)``
        the best output at ``w`` among those that agree with a label (any of them without ``w``), where the label leaves
        something open, a *latent* variable: training chooses it anew as ``w`` gets better;
    ``bounds``
        an attribute, a pair ``(lower, upper)`` of numbers or arrays between which the weights stay, None where there is
        no bound: a minimum cut, for instance, is an exact search only where the weights of pairs are at least 0;
    ``kernel((x, y), (x', y'))``
        ``<Psi(x, y), Psi(x', y')>``, in place of ``joint_feature`` where joint features cannot be written down. The
        searches then get ``KernelWeights`` as ``w``: ``w.score(x, y)`` is ``<w, Psi(x, y)>``, ``w.support`` has the
        pairs and ``w.coefficients`` the factors that ``w`` is the sum of. With ``outputs`` no search is needed;
    ``exact``
        an attribute, false if the searches are heuristics: what they find is used, but no gap is reported.
    """

    def joint_feature(self, x: Any, y: Any) -> Any:
        """``Psi(x, y)``: a dense or scipy.sparse vector, of one length for all ``x`` and ``y``."""
        ...

    def loss(self, y_true: Any, y: Any) -> float:
        """``Delta(y_true, y)``: at least 0, and 0 at ``y == y_true``."""
        ...

    def argmax(self, x: Any, w: Floats, y_true: Any | None = None) -> Any:
        """The ``y`` that maximises ``<w, Psi(x, y)>``, plus ``loss(y_true, y)`` if ``y_true`` is given."""
        ...


def has_power(problem: Any, name: str) -> bool:
    """Whether the problem offers one of the optional methods."""
    return callable(getattr(problem, name, None))


def is_exact(problem: Any) -> bool:
    """Whether the searches of the problem find what they promise; true unless it says otherwise."""
    return bool(getattr(problem, "exact", True))


def targets_of(problem: Any, X: Sequence[Any], Y: Sequence[Any]) -> Sequence[Any]:
    """The output that each example should have: ``Y`` itself, or what stands for its labels."""
    if has_power(problem, "target"):
        return [problem.target(x, y) for x, y in zip(X, Y)]
    if has_power(problem, "impute"):
        return [problem.impute(x, y) for x, y in zip(X, Y)]
    return Y


def check_methods(problem: Any) -> None:
    """Raises for a class in place of an instance, and for missing methods."""
    if isinstance(problem, type):
        raise TypeError(f"{problem.__name__} is a class; pass an instance, {problem.__name__}(...).")
    given = has_power(problem, "kernel") and not has_power(problem, "joint_feature")
    search = "outputs" if given and has_power(problem, "outputs") else "argmax"
    for method in ("kernel" if given else "joint_feature", "loss", search):
        if not has_power(problem, method):
            raise TypeError(f"{type(problem).__name__} is not a Problem: it lacks the method {method}.")


def asked(owner: Any, method: str, example: int, *given: Any) -> Any:
    """Calls a method of a user's problem or space; an error in it names the example."""
    try:
        return getattr(owner, method)(*given)
    except Exception as error:
        if type(error) in (ValueError, TypeError):
            raise type(error)(f"Example {example}: {error}") from error
        error.add_note(f"{type(owner).__name__}.{method} raised this for example {example}.")
        raise


def as_examples(X: Any, Y: Any) -> tuple[Sequence[Any], Sequence[Any]]:
    """Inputs and outputs as sequences indexed by position: rows of matrices and frames, items of a pandas Series."""
    X, Y = by_position(X), by_position(Y)
    if len(X) != len(Y):
        raise ValueError(f"X has {len(X)} examples and y has {len(Y)}; they must match.")
    if len(Y) == 0:
        raise ValueError("At least one example is needed.")
    return X, Y


def by_position(given: Any, name: str = "Examples") -> Sequence[Any]:
    """Inputs or outputs as a sequence indexed by position."""
    if isinstance(given, list | tuple):
        return given
    if isinstance(given, np.ndarray):
        array: Any = given
        return array  # type: ignore[no-any-return]
    if sp.issparse(given):
        check_sparse(given)
        rows = sp.csr_array(given)
        return [rows[[i]] for i in range(rows.shape[0])]
    if hasattr(given, "to_numpy") and getattr(given, "ndim", 1) == 2:
        frame: Sequence[Any] = given.to_numpy()
        return frame
    if isinstance(given, Mapping) or not (hasattr(given, "__iter__") or hasattr(given, "__getitem__")):
        raise TypeError(f"{name} must be a list, an array or another sequence, not {quoted(given)}.")
    return list(given)


def taken(given: Any, places: npt.NDArray[Any]) -> Any:
    """Some of the inputs or outputs: rows of an array, else a list."""
    return given[places] if isinstance(given, np.ndarray) else [given[i] for i in places]


def check_many(problem: Any, found: Sequence[Any], count: int) -> None:
    """Raises unless ``argmax_many`` gave one output for each of so many inputs."""
    name = f"{type(problem).__name__}.argmax_many"
    if len(found) != count:
        raise ValueError(f"{name} gave {len(found)} outputs for {count} inputs; it must give one for each.")
    missing = next((k for k, y in enumerate(found) if y is None), None)
    if missing is not None:
        raise ValueError(f"{name} gave None for input {missing} of {count}; is a return missing?")


def predicted(problem: Any, X: Sequence[Any], w: Floats, first: int = 0) -> list[Any]:
    """``argmax`` of every input, at once where the problem can; ``first`` is the number of the first among all
    examples, for messages."""
    if not has_power(problem, "argmax_many"):
        return [own_copy(asked(problem, "argmax", first + k, x, w)) for k, x in enumerate(X)]
    try:
        found = list(problem.argmax_many(X, w))
    except Exception:
        for k, x in enumerate(X):
            asked(problem, "argmax", first + k, x, w)  # raises the same for one example, which the message names
        raise
    check_many(problem, found, len(X))
    return found


def own_copy(y: Any) -> Any:
    """An output that stays what it is if the problem goes on to write into the same array, list, dict or set."""
    return copy(y) if isinstance(y, (np.ndarray, list, dict, set)) else y


def joint_loss(problem: Problem, y_true: Any, y: Any, example: int) -> float:
    """The loss as a number, or a complaint that names the example."""
    given = problem.loss(y_true, y)
    try:
        value = float(given)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"{type(problem).__name__}.loss gave {given!r} for example {example}; a loss must be a number."
        ) from error
    if not 0.0 <= value < float("inf"):
        raise ValueError(
            f"{type(problem).__name__}.loss gave {value} for example {example}; a loss must be finite and at least 0."
        )
    return value


def check_truths(problem: Problem, Y: Sequence[Any], targets: Sequence[Any] | None = None) -> None:
    """No truth is None, and the loss is 0 at every truth; ``targets`` are the outputs where ``Y`` holds labels."""
    for i, y in enumerate(Y):
        target = y if targets is None else targets[i]
        if y is None or target is None:
            raise ValueError(f"The output of example {i} is None, which argmax reads as no truth; use another value.")
        value = joint_loss(problem, y, target, i)
        if value != 0.0:
            raise ValueError(
                f"{type(problem).__name__}.loss is {value} for example {i} at its own truth; it must be 0 there."
            )
