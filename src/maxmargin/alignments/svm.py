"""Structural support vector machines that learn how to align."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

from maxmargin.alignments.base import GRID
from maxmargin.alignments.calibration import CalibratedAlignment
from maxmargin.alignments.loss import LOSSES
from maxmargin.alignments.packed import read_alignments
from maxmargin.alignments.structure import AlignmentStructure
from maxmargin.core.formulation import Formulation
from maxmargin.core.problem import as_examples
from maxmargin.fitting.estimator import saved
from maxmargin.fitting.parameters import MARGINS, TRAINING, Allowed, whole
from maxmargin.fitting.training import train
from maxmargin.oracles.bind import check_sample_weight
from maxmargin.solvers.base import Record


@saved
@dataclass(eq=False, repr=False)
class AlignmentSVM(CalibratedAlignment):
    """Learns substitution and gap scores from known alignments, with large margins.

    Minimises ``1/2 |w|^2 + C * sum_i s_i * risk_i``, where ``F(x, y; w)`` is the score of an alignment: the sum of the
    scores of its pairs and of the positions without a partner that it pays for; for margin rescaling and linear slack
    ``risk_i = max_y loss(y_i, y) - F(x_i, y_i) + F(x_i, y)``.

    An input is a pair of sequences, each a string, a list of letters, a matrix with one row per position or a mapping
    of names to such tracks; its output is their alignment, as ``Alignment`` or as rows (i, j).

    Parameters
    ----------
    C : weight of the sum of the risks; ``'scale'`` is measured on the most violated alignments of some examples at
        ``w = 0`` (``plane_c``)
    loss : ``'q'``, the share of the true pairs that are missed; ``'f1'``, one minus the F1 score of the pairs; or
        ``'zero-one'``, 1 for every alignment but the true one
    shift : a true pair (i, j) counts as found where i is aligned with a position at most so far from j; 4 with
        ``loss='q'`` is the Q4-loss
    features : what scores depend on: ``Simple()``, ``Window(...)`` and the like, added to each other; None is
        ``Simple()``, one symmetric substitution matrix, with constant affine gaps
    alphabet : the letters of sequences, or a mapping of tracks to theirs; None takes those of the training set
    mode : ``'global'``, ``'local'`` or ``'semi-global'``
    free_ends : of semi-global alignments: ``'both'``, ``'x'`` or ``'y'``, or four truth values (x begin, x end,
        y begin, y end), as in Aligner
    band : pairs (i, j) of sequences of lengths m and n keep ``|i * n / m - j|`` at most at this; None: no band
    rescaling, slack, solver : as in StructuralSVM
    tol, max_iter, max_time : as in StructuralSVM
    n_jobs : threads for one-slack training and prediction; -1 is all cores
    warm_start, random_state, callback, verbose : as in StructuralSVM

    Attributes
    ----------
    coef_ : weights, by the numbers that ``layout_`` gives them
    layout_ : features, alphabets, and which weight belongs to what
    C_, solution_, n_iter_, temperature_
    """

    _parameters: ClassVar[Mapping[str, Allowed]] = {**TRAINING, **MARGINS, **GRID, "loss": LOSSES, "shift": (whole(0),)}

    C: float | str = "scale"
    _: KW_ONLY
    loss: str = "q"
    shift: int = 0
    features: Any = None
    alphabet: Any = None
    mode: str = "global"
    free_ends: Any = "both"
    band: int | None = None
    rescaling: str = "margin"
    slack: str = "linear"
    solver: Any = "auto"
    tol: float | str = "auto"
    max_iter: int | None = 1000
    max_time: float | None = None
    n_jobs: int | None = None
    warm_start: bool = False
    random_state: Any = 0
    callback: Callable[[Record], Any] | None = None
    verbose: int = 0

    def fit(self, X: Sequence[Any], y: Sequence[Any], *, sample_weight: Any = None) -> AlignmentSVM:
        """Learns from pairs of sequences ``X`` and their alignments ``y``, two lists of one length."""
        with self._fitting():
            X, y = as_examples(X, y)
            weight = check_sample_weight(sample_weight, len(y))
            packed = self._pack_training(X)
            truths = read_alignments(packed.given, y)
            formulation = Formulation(self.rescaling, self.slack)
            structure = AlignmentStructure(packed, self.loss, int(self.shift))
            self._keep(train(self, structure, X, truths, len(y), self.C, weight, formulation=formulation))
            self.coef_, self.layout_ = self.solution_.w, packed.layout
            self.temperature_, self.calibrated_ = 1.0, False
        return self
