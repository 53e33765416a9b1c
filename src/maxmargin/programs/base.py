"""What all estimators of dynamic programs share: prediction, probabilities, decisions, scores, model files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from maxmargin.core.input_checks import random_generator
from maxmargin.core.problem import as_examples, asked
from maxmargin.core.ranked import Ranked, checked_k
from maxmargin.fitting.calibration import say_not_calibrated
from maxmargin.fitting.estimator import Estimator, FileParts
from maxmargin.fitting.model_parts import ModelArrays, ModelValues
from maxmargin.fitting.training import check_probability, job_count
from maxmargin.oracles.bind import check_sample_weight
from maxmargin.programs.inputs import ProgramInputs
from maxmargin.programs.loss import losses_of
from maxmargin.programs.packed import Shape
from maxmargin.programs.queries import MOST_OUTPUTS
from maxmargin.programs.risks import edge_risks
from maxmargin.programs.space import Space, check_methods
from maxmargin.programs.targets import packed_targets, true_edges

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]


class ProgramEstimator(Estimator):
    """Base of the estimators of programs.

    A subclass sets ``coef_``, ``shape_`` and ``temperature_`` in ``fit``.
    """

    needs = "space"
    probabilistic: ClassVar[bool] = True

    space: Space
    n_jobs: int | None
    coef_: Floats
    shape_: Shape
    temperature_: float

    def predict(
        self,
        X: Sequence[Any],
        *,
        decode: str = "best",
        forbidden: Any = None,
        required: Any = None,
        abstain: float | None = None,
    ) -> list[Any]:
        """The output of every input.

        Parameters
        ----------
        X : inputs, as ``space.program`` takes them
        decode : ``'best'`` for the output of highest score; ``'risk'`` for that of least expected cost by the
            probabilities of the edges
        forbidden, required : for each example None, or the numbers of edges that its output must not have, or must have
        abstain : outputs whose probability as a whole is below this are None
        """
        if abstain is not None:
            check_probability("abstain", abstain)
        given = self._read(X, forbidden, required)
        found = self._decoded(given, decode)
        outputs = [asked(self.space, "output", i, x, edges) for i, (x, edges) in enumerate(zip(given.X, found))]
        if abstain is not None:
            sure = self._confidence(given, found) >= abstain
            outputs = [y if keep else None for y, keep in zip(outputs, sure)]
        return outputs

    def predict_kbest(
        self, X: Sequence[Any], k: int, *, forbidden: Any = None, required: Any = None
    ) -> list[list[Ranked[Any]]]:
        """The ``k`` outputs of highest score of every input, best first; fewer where there are fewer."""
        k = min(checked_k(k), MOST_OUTPUTS)
        given = self._read(X, forbidden, required)
        first, edges, scores, ends, impossible = given.programs.core.kbest(
            self.coef_, k, given.forbidden, given.required, job_count(self.n_jobs)
        )
        given.check_possible(impossible)
        lists = np.split(edges, first[1:-1])
        return [
            [
                Ranked(float(scores[at]), asked(self.space, "output", i, x, lists[at]))
                for at in range(ends[i], ends[i + 1])
            ]
            for i, x in enumerate(given.X)
        ]

    def predict_marginals(self, X: Sequence[Any], *, forbidden: Any = None, required: Any = None) -> list[Floats]:
        """The probability of every edge of every program, a list of arrays of shape (E,)."""
        given = self._read(X, forbidden, required)
        return given.split(self._marginals(given)[0])

    def predict_confidence(
        self, X: Sequence[Any], *, decode: str = "best", forbidden: Any = None, required: Any = None
    ) -> Floats:
        """Probability of the output that ``predict`` gives, as a whole, shape (n,).

        Where ``forbidden`` or ``required`` exclude outputs, those that are left share the probability.
        """
        given = self._read(X, forbidden, required)
        return self._confidence(given, self._decoded(given, decode))

    def expected_loss(
        self, X: Sequence[Any], *, decode: str = "best", forbidden: Any = None, required: Any = None
    ) -> Floats:
        """Cost to be expected of the output that ``predict`` gives, by the probabilities of edges, shape (n,)."""
        given = self._read(X, forbidden, required)
        risks = given.split(self._risks(given))
        found = self._decoded(given, decode)
        return np.array([own[edges].sum() for own, edges in zip(risks, found)], dtype=np.float64)

    def sample(
        self,
        X: Sequence[Any],
        *,
        n_samples: int = 1,
        forbidden: Any = None,
        required: Any = None,
        random_state: Any = 0,
    ) -> list[list[Any]]:
        """Outputs drawn from their probabilities, ``n_samples`` for each input."""
        count = checked_k(n_samples, "n_samples")
        given = self._read(X, forbidden, required)
        self._say_if_not_calibrated()
        seed = int(random_generator(random_state).integers(2**63))
        first, edges, _, _, impossible = given.programs.core.samples(
            self.coef_, self.temperature_, count, seed, given.forbidden, given.required, job_count(self.n_jobs)
        )
        given.check_possible(impossible)
        lists = np.split(edges, first[1:-1])
        return [
            [asked(self.space, "output", i, x, own) for own in lists[i * count : (i + 1) * count]]
            for i, x in enumerate(given.X)
        ]

    def decision_value(self, X: Sequence[Any], y: Sequence[Any]) -> Floats:
        """The score ``<w, Psi(x, y)>`` of one output of each input, the sum of the scores of its edges; shape (n,)."""
        check_is_fitted(self, "coef_")
        X, y = as_examples(X, y)
        given = self._read(X)
        truths = true_edges(self.space, given.programs.topologies, given.X, y)
        packed_targets(given.programs, truths)  # raises where an output is no derivation
        core = given.programs.core
        return np.array([core.scores(self.coef_, i)[own].sum() for i, own in enumerate(truths)], dtype=np.float64)

    def score(self, X: Sequence[Any], y: Sequence[Any], *, sample_weight: Any = None) -> float:
        """Minus the mean loss of the predictions, so that larger is better."""
        check_is_fitted(self, "coef_")
        X, y = as_examples(X, y)
        weight = check_sample_weight(sample_weight, len(y))
        given = self._read(X)
        losses = losses_of(
            self.space, getattr(self, "loss", "cost"), given.programs, given.X, y, self._decoded(given, "best")
        )
        return -float(np.average(losses, weights=weight))

    def _read(self, X: Any, forbidden: Any = None, required: Any = None) -> ProgramInputs:
        check_is_fitted(self, "coef_")
        return ProgramInputs.read(self.space, X, self.shape_, forbidden, required)

    def _decoded(self, given: ProgramInputs, decode: str) -> list[Indices]:
        """The edges of the output that ``predict`` gives."""
        if decode not in ("best", "risk"):
            raise ValueError(f"decode must be 'best' or 'risk', not {decode!r}.")
        limits = given.forbidden, given.required, job_count(self.n_jobs)
        if decode == "best":
            found = given.programs.core.best(self.coef_, *limits)
        else:
            found = given.programs.core.best_by(-self._risks(given), *limits)
        first, edges, _, _, impossible = found
        given.check_possible(impossible)
        return np.split(edges, first[1:-1]) if len(given.X) else []

    def _marginals(self, given: ProgramInputs) -> tuple[Floats, Floats]:
        """Probabilities of all edges, and the logarithm of the sum over all outputs of each example."""
        self._say_if_not_calibrated()
        found, log_sums, _, impossible = given.programs.core.marginals(
            self.coef_, self.temperature_, given.forbidden, given.required, job_count(self.n_jobs)
        )
        given.check_possible(impossible)
        return found, log_sums

    def _risks(self, given: ProgramInputs) -> Floats:
        return edge_risks(self.space, given, self._marginals(given)[0])

    def _confidence(self, given: ProgramInputs, found: Sequence[Indices]) -> Floats:
        log_sums = self._marginals(given)[1]
        core = given.programs.core
        scores = np.array([core.scores(self.coef_, i)[edges].sum() for i, edges in enumerate(found)])
        return np.asarray(np.exp(np.minimum(0.0, scores / self.temperature_ - log_sums)))

    def _say_if_not_calibrated(self) -> None:
        if not self.probabilistic and not getattr(self, "calibrated_", False):
            say_not_calibrated(self)

    @staticmethod
    def _check_needed(given: Any) -> None:
        check_methods(given)

    def _file_parts(self) -> FileParts:
        shape = np.array(self.shape_, dtype=np.int64).reshape(-1, 2)
        kept = {"space": type(self.space).__name__, "temperature": float(self.temperature_)}
        if not self.probabilistic:
            kept["calibrated"] = bool(getattr(self, "calibrated_", False))
        return FileParts({"coef_": self.coef_, "shape": shape}, kept, without=("space",))

    def _restore(self, arrays: ModelArrays, structure: ModelValues) -> None:
        self.coef_ = arrays.floats("coef_", None)
        shape = arrays.whole("shape", np.int64, None, 2, least=1, below=2**31)
        self.shape_ = tuple((int(columns), int(blocks)) for columns, blocks in shape)
        if sum(columns * blocks for columns, blocks in self.shape_) != self.coef_.size:
            raise ValueError(f"the parts of the features need other weights than the {self.coef_.size} that are there")
        self.temperature_ = structure.number("temperature", above=0.0)
        if not self.probabilistic:
            self.calibrated_ = structure.flag("calibrated")
