"""
Native core: packed examples, the dual engine, and the searches of all structures.
"""

from collections.abc import Sequence
from typing import Annotated, Any, overload

import numpy
from numpy.typing import NDArray


def isa() -> str:
    """Name of the instruction set in use: 'avx512', 'avx2' or 'baseline'."""

def padded(labels: int) -> int:
    """Row length of the weights for a number of labels."""

def repeats_columns(indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], width: int) -> bool:
    """Whether some row of a CSR matrix has two cells in one column."""

@overload
def shifted_cells(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], shift: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], factor: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Any, ...]: ...

@overload
def shifted_cells(values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], shift: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], factor: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Any, ...]:
    """
    The cells of a CSR matrix (values, indices, offsets) after (x - shift) * factor; see rows/shifted_cells.hpp.
    """

class Rows:
    """
    Examples packed for the core: a dense matrix or CSR, float64 or float32.
    """

    @overload
    def __init__(self, values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], bias: float, analyse: bool, copy_density: float = 0.2) -> None: ...

    @overload
    def __init__(self, values: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], bias: float, analyse: bool, copy_density: float = 0.2) -> None: ...

    @overload
    def __init__(self, values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], width: int, bias: float, analyse: bool) -> None: ...

    @overload
    def __init__(self, values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], width: int, bias: float, analyse: bool) -> None: ...

    @overload
    def __init__(self, values: None, indices: NDArray[numpy.int32], offsets: NDArray[numpy.int64], width: int, bias: float, analyse: bool) -> None: ...

    @property
    def n(self) -> int: ...

    @property
    def columns(self) -> int:
        """Features, with the constant one where there is a bias."""

    def set_bias(self, bias: float) -> None:
        """
        Gives the constant feature another value; nothing that reads the rows may exist yet.
        """

    def set_kernel(self, diagonal: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Makes unit vectors in 2 n columns the rows of a kernel (rows/kernel_patch.hpp).
        """

    @property
    def has_kernel(self) -> bool:
        """Whether rows are unit vectors with a kernel."""

    def set_patch(self, rows: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], scores: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
        """
        The rows whose scores moves keep up to date, their part of the kernel matrix, and these scores, shape (weights per row, rows).
        """

    @property
    def cells(self) -> int:
        """Numbers stored."""

    @property
    def first_bad(self) -> int:
        """First row with a NaN or infinite value, or -1."""

    @property
    def kind(self) -> str: ...

    @property
    def squared_norms(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    def group_moments(self, members: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], share: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Any, ...]:
        """
        Sums over groups of share times (mean square, square of the mean) of each column.
        """

    def column_moments(self, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> tuple[Any, ...]:
        """
        Weighted sums of x, of x^2 and of the cells that are not zero for every column, without the constant one.
        """

    def column_deviations(self, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, centre: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Any, ...]:
        """
        Weighted sums of |x - centre| and (x - centre)^2 over the cells of every column that are not zero.
        """

    def column_products(self, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """
        The lower triangle of the weighted sum of x x', row by row, the constant column included.
        """

    def fingerprint(self) -> int:
        """A number that changes when the examples do."""

    def cells_of(self, examples: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Any, ...]:
        """
        (offsets, columns, values) of the non-zero cells, with the constant feature.
        """

    def scores(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], classes: int, threads: int, examples: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """
        Scores of every row, or of some, and class, row-major, for padded feature-major weights.
        """

    def inner_products(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """
        <x_i, x_j> of all pairs of rows, row-major, the constant feature included.
        """

    def products(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], examples: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, threads: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """<x_i, w> of all rows, or of some; one weight per column."""

    def combine(self, coefficients: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], examples: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, threads: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """sum_i c_i x_i over all rows, or over some."""

class ClassLikelihood:
    """Rows with their classes; see rows/class_likelihood.hpp."""

    def __init__(self, rows: object, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, n_classes: int) -> None: ...

    def sum(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], gradient: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None, first: int, last: int, threads: int) -> float:
        """
        The negative log-likelihood of the rows first to last; its gradient is added to `gradient`.
        """

    def curvature(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], gradient: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], blocks: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], first: int, last: int, threads: int) -> float:
        """
        The same with blocks of second derivatives added to `blocks`; see rows/class_likelihood.hpp for the shapes.
        """

    def hessian(self, blocks: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], C: float, l2: float) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """
        The lower triangle, row by row, of C times all second derivatives plus l2, from the blocks.
        """

class ClassDual:
    """Dual ascent for the likelihood of classes."""

    def __init__(self, data: object, C: float) -> None: ...

    def start(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Goes on from the distributions at these weights."""

    def visit(self, order: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> int:
        """One step for each row."""

    def sharpen(self) -> None:
        """Computes w and the entropies anew, in float64."""

    @property
    def weights(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """w as of the last `sharpen`."""

    @property
    def coarse_weights(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]:
        """w as the visits left it, in float32."""

    @property
    def gaps(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]:
        """Bound of every row's share of the gap when it was last visited."""

    @property
    def dual(self) -> float:
        """A lower bound of the optimum."""

class KernelProducts:
    """
    A kernel matrix in float32 whose values are computed when they are needed (rows/kernel_products.hpp).
    """

    def __init__(self, left: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], power: int) -> None: ...

    def add(self, rows: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], coefficients: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], into: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
        """into += K[rows].T @ coefficients"""

def kernel_features(left: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], power: int, factor: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], upper: bool, out: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """
    out = K @ factor for the matrix of KernelProducts(left, right, power); `upper`: the factor is an upper triangle.
    """

class SmoothFit:
    """
    Newton's method for 1/2 sum_j p_j w_j^2 + C sum_i c_i loss(y_i <w, x_i>) over some rows.
    """

    def __init__(self, rows: object, members: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], signs: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, penalty: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], loss: str, C: float) -> None: ...

    def change(self, loss: str, C: float) -> None:
        """Another problem over the same rows; the weights stay."""

    def start(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def assess(self) -> None:
        """Computes the objective and its gradient."""

    def step(self) -> bool:
        """
        One Newton step from the point assessed; false if none lowers the objective.
        """

    def run(self, target: float, most: int) -> int:
        """Steps until one gains at most `target`; answers how many."""

    def distance(self, C: float) -> float:
        """
        What a Newton step towards the optimum for another C is to gain, in units of what it owes to chance; where Hessians are formed.
        """

    def limit(self, seconds: float) -> None:
        """
        From now on `run` and `fold_scores` begin no step after so many seconds.
        """

    def fold_scores(self, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], target: float, threads: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """
        Scores of the members, in the order of their folds, each by a fit without the rows of its fold.
        """

    @property
    def weights(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @property
    def direct(self) -> bool:
        """
        Whether Hessians are formed: all folds then cost little more than one step.
        """

    @property
    def value(self) -> float: ...

    @property
    def bound(self) -> float:
        """At least the objective minus its minimum."""

    @property
    def decrement(self) -> float:
        """What the last step was to gain."""

    @property
    def passes(self) -> int:
        """Over the rows, so far."""

class VisitSettings:
    """How a visit to a block is made; see engine/engine.hpp."""

    def __init__(self, *, step: str = 'exact', fresh: bool = True, precision: float = 0.0, relative: float = 0.0, max_steps: int = 1000, threshold: float = 0.0, max_added: int = 0, keep_idle: int = 0, overstep: float = 1.0, coarse: bool = False) -> None: ...

    @property
    def steps(self) -> bool:
        """Whether a visit makes a step."""

    @property
    def threshold(self) -> float: ...

    @property
    def max_added(self) -> int: ...

class Stretched:
    """A step of an engine that can be taken back."""

class VisitResult:
    """What a series of visits met."""

    def __init__(self) -> None: ...

    def merge(self, other: VisitResult) -> None:
        """Adds what further visits met."""

    @property
    def visited(self) -> int: ...

    @visited.setter
    def visited(self, arg: int, /) -> None: ...

    @property
    def added(self) -> int: ...

    @added.setter
    def added(self, arg: int, /) -> None: ...

    @property
    def steps(self) -> int: ...

    @property
    def gap(self) -> float: ...

    @property
    def slack(self) -> float: ...

    @property
    def violation(self) -> float: ...

    @violation.setter
    def violation(self, arg: float, /) -> None: ...

    @property
    def unbounded(self) -> bool: ...

class PlaneEngine:
    """The dual engine on planes stored as rows of numbers."""

    def __init__(self, blocks: int, dimension: int, slack: str, C: float, weight: NDArray[numpy.float64] | None, rows: Rows | None = None) -> None:
        """
        `rows` are those that planes are combinations of; they matter where they have a kernel.
        """

    def add_sparse(self, block: int, index: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], value: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], b: float) -> bool:
        """Takes a sparse plane into a block; false if an equal one is there."""

    def add_dense(self, block: int, value: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], b: float) -> bool:
        """Takes a dense plane into a block; false if an equal one is there."""

    def slack(self, block: int) -> float:
        """max(0, max_k b - <a, w>) over the planes in its working set."""

    def planes(self) -> tuple[Any, ...]:
        """
        (offsets, indices, values, b) of all planes in working sets, as CSR rows in the order of `support`.
        """

    def merge(self, blocks: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], capacity: int) -> None:
        """Merges the least used planes of blocks down to a capacity."""

    def visit(self, order: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], settings: VisitSettings) -> VisitResult:
        """Visits the blocks in order, one step each."""

    def settle(self, settings: VisitSettings, tolerance: float, max_passes: int, blocks: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> VisitResult:
        """
        Visits with the planes in working sets, or in some, until no block is violated by more than the tolerance.
        """

    def mark(self) -> None:
        """Remembers the dual variables as they are, for `extrapolate`."""

    def extrapolate(self, factor: float) -> float:
        """
        Extrapolates along the path from the mark to here by `factor` of its length, each block within its cap; kept if the dual improves. Returns the gain.
        """

    def stretch(self, factor: float) -> Stretched:
        """The step of `extrapolate`, whatever it gains; `take_back` undoes it."""

    def take_back(self, step: Stretched) -> None: ...

    def set_alpha(self, alpha: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Sets the dual variables of all planes in working sets, in the order of `support`, cut down to what the budget allows.
        """

    def refresh(self) -> None:
        """Computes w and the dual anew from alpha."""

    @property
    def weights(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """
        w = sum alpha a; a view that the next visit changes. Computed anew from alpha after coarse visits.
        """

    @property
    def rough_weights(self) -> NDArray[numpy.float32] | NDArray[numpy.float64]:
        """w as the last visit left it: a view, float32 after coarse visits."""

    def sharpen(self) -> None:
        """After coarse visits, computes w and the dual anew from alpha."""

    @property
    def gaps(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]:
        """
        Gap of every block when it was last visited with fresh planes; infinite before that.
        """

    @property
    def dual(self) -> float: ...

    @property
    def linear(self) -> float:
        """sum alpha b"""

    @property
    def offset(self) -> float:
        """
        The dual without its quadratic term: C times the b of the cut that all planes together amount to.
        """

    @property
    def plane_count(self) -> int:
        """Planes in all working sets."""

    def support(self) -> tuple[Any, ...]:
        """(block, output, alpha) of every plane in a working set."""

def dense_difference(truth: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], features: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], factor: float, w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], largest_square: float) -> object:
    """
    (indices or None, values, product with w) of factor * (truth - features); None where the features have another length, or a square that is not finite or too large.
    """

def sparse_difference(truth_index: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], truth: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], index: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], features: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], factor: float, w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], largest_square: float) -> object:
    """
    The same for sparse vectors; None also where the indices do not ascend or leave the range.
    """

def add_best_planes(examples: list[list[Any]], w: NDArray[numpy.float64], weight: NDArray[numpy.float64] | None, squared: bool, total: NDArray[numpy.float64]) -> tuple[float, NDArray[numpy.float64], NDArray[numpy.int32], bool]:
    """
    Adds to the total, for each example, its weight times the plane (a, b) of largest b - <a, w>, the last of equals, where that is positive; for squared slack the plane of half the square. (sum of the b, slacks, positions of the planes or -1, whether all of them were sparse).
    """

class Multiclass:
    """Examples, labels and the two tables of the rescaling."""

    def __init__(self, rows: object, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], margin: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], scale: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_classes: int) -> None:
        """Tables of one row stand for mistakes that are all alike."""

    @property
    def weight_count(self) -> int: ...

    def slacks(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], examples: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> tuple[Any, ...]:
        """(slacks, searches that gave up) of examples."""

    def worst(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], examples: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> tuple[Any, ...]:
        """
        (slack, outputs one after the other, searches that gave up) of the most violated plane of each example.
        """

    def cut(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], examples: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], sample_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, squared: bool, into: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> tuple[Any, ...]:
        """
        Adds a of the summed plane to `into`; returns (b, slacks, searches that gave up).
        """

    def accumulate(self, v: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], late: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], examples: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], sample_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, squared: bool, first: int, done: int, numerator: float) -> int:
        """
        Adds planes to v one after the other and returns how many; see engine/questions.hpp.
        """

class MulticlassEngine:
    """The dual engine on multiclass blocks."""

    def __init__(self, oracle: object, slack: str, C: float, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> None: ...

    def restore(self, block: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], outputs: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], alpha: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Starts from a dual state as `support` gave it, cut down to what the budget allows.
        """

    def visit(self, order: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], settings: VisitSettings) -> VisitResult:
        """Visits the blocks in order, one step each."""

    def settle(self, settings: VisitSettings, tolerance: float, max_passes: int, blocks: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> VisitResult:
        """
        Visits with the planes in working sets, or in some, until no block is violated by more than the tolerance.
        """

    def mark(self) -> None:
        """Remembers the dual variables as they are, for `extrapolate`."""

    def extrapolate(self, factor: float) -> float:
        """
        Extrapolates along the path from the mark to here by `factor` of its length, each block within its cap; kept if the dual improves. Returns the gain.
        """

    def stretch(self, factor: float) -> Stretched:
        """The step of `extrapolate`, whatever it gains; `take_back` undoes it."""

    def take_back(self, step: Stretched) -> None: ...

    def set_alpha(self, alpha: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Sets the dual variables of all planes in working sets, in the order of `support`, cut down to what the budget allows.
        """

    def refresh(self) -> None:
        """Computes w and the dual anew from alpha."""

    @property
    def weights(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """
        w = sum alpha a; a view that the next visit changes. Computed anew from alpha after coarse visits.
        """

    @property
    def rough_weights(self) -> NDArray[numpy.float32] | NDArray[numpy.float64]:
        """w as the last visit left it: a view, float32 after coarse visits."""

    def sharpen(self) -> None:
        """After coarse visits, computes w and the dual anew from alpha."""

    @property
    def gaps(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]:
        """
        Gap of every block when it was last visited with fresh planes; infinite before that.
        """

    @property
    def dual(self) -> float: ...

    @property
    def linear(self) -> float:
        """sum alpha b"""

    @property
    def offset(self) -> float:
        """
        The dual without its quadratic term: C times the b of the cut that all planes together amount to.
        """

    @property
    def plane_count(self) -> int:
        """Planes in all working sets."""

    def support(self) -> tuple[Any, ...]:
        """(block, output, alpha) of every plane in a working set."""

class OutputMap:
    """Output features of the classes; see classes/output_map.hpp."""

    @staticmethod
    def tree(parent: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], class_node: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> OutputMap: ...

    @staticmethod
    def sparse(offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], nodes: int) -> OutputMap: ...

    @staticmethod
    def dense(rows: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], gram: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], nodes: int) -> OutputMap: ...

    @property
    def classes(self) -> int: ...

    @property
    def nodes(self) -> int: ...

    def scores(self, rows: Rows, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int, examples: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """Scores of every row, or of some, and class, row-major."""

    def best(self, rows: Rows, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """The class of highest score of every row."""

class ClassLoss:
    """
    Margin and scale of every class, given the truth; see classes/loss.hpp.
    """

    @staticmethod
    def table(margin: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], scale: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> ClassLoss: ...

    @staticmethod
    def uniform(classes: int, margin: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], scale: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> ClassLoss: ...

    @staticmethod
    def graph(kind: str, margin: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], scale: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], parent_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], parents: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], heights: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], class_node: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> ClassLoss: ...

    def rows(self, truth: int) -> tuple[Any, ...]:
        """(margin, scale) of all classes where this one is the truth."""

    def margins(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """The margins of all classes for each that may be the truth, row-major."""

class Outputs:
    """Examples, labels, output features and loss."""

    def __init__(self, rows: object, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], map: object, loss: object) -> None: ...

    @property
    def weight_count(self) -> int: ...

    def slacks(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], examples: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> tuple[Any, ...]:
        """(slacks, searches that gave up) of examples."""

    def worst(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], examples: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> tuple[Any, ...]:
        """
        (slack, outputs one after the other, searches that gave up) of the most violated plane of each example.
        """

    def cut(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], examples: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], sample_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, squared: bool, into: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> tuple[Any, ...]:
        """
        Adds a of the summed plane to `into`; returns (b, slacks, searches that gave up).
        """

    def accumulate(self, v: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], late: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], examples: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], sample_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, squared: bool, first: int, done: int, numerator: float) -> int:
        """
        Adds planes to v one after the other and returns how many; see engine/questions.hpp.
        """

class OutputEngine:
    """The dual engine on classes with output features."""

    def __init__(self, oracle: object, slack: str, C: float, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> None: ...

    def restore(self, block: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], outputs: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], alpha: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Starts from a dual state as `support` gave it, cut down to what the budget allows.
        """

    def visit(self, order: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], settings: VisitSettings) -> VisitResult:
        """Visits the blocks in order, one step each."""

    def settle(self, settings: VisitSettings, tolerance: float, max_passes: int, blocks: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> VisitResult:
        """
        Visits with the planes in working sets, or in some, until no block is violated by more than the tolerance.
        """

    def mark(self) -> None:
        """Remembers the dual variables as they are, for `extrapolate`."""

    def extrapolate(self, factor: float) -> float:
        """
        Extrapolates along the path from the mark to here by `factor` of its length, each block within its cap; kept if the dual improves. Returns the gain.
        """

    def stretch(self, factor: float) -> Stretched:
        """The step of `extrapolate`, whatever it gains; `take_back` undoes it."""

    def take_back(self, step: Stretched) -> None: ...

    def set_alpha(self, alpha: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Sets the dual variables of all planes in working sets, in the order of `support`, cut down to what the budget allows.
        """

    def refresh(self) -> None:
        """Computes w and the dual anew from alpha."""

    @property
    def weights(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """
        w = sum alpha a; a view that the next visit changes. Computed anew from alpha after coarse visits.
        """

    @property
    def rough_weights(self) -> NDArray[numpy.float32] | NDArray[numpy.float64]:
        """w as the last visit left it: a view, float32 after coarse visits."""

    def sharpen(self) -> None:
        """After coarse visits, computes w and the dual anew from alpha."""

    @property
    def gaps(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]:
        """
        Gap of every block when it was last visited with fresh planes; infinite before that.
        """

    @property
    def dual(self) -> float: ...

    @property
    def linear(self) -> float:
        """sum alpha b"""

    @property
    def offset(self) -> float:
        """
        The dual without its quadratic term: C times the b of the cut that all planes together amount to.
        """

    @property
    def plane_count(self) -> int:
        """Planes in all working sets."""

    def support(self) -> tuple[Any, ...]:
        """(block, output, alpha) of every plane in a working set."""

def sort_by_score(scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Any, ...]:
    """
    (rows, best score first; the sums of the best k scores, one more than rows).
    """

def cut_tables(scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], positive: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, part: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, parts: int, cuts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Any, ...]:
    """
    (tp, fp, positives, negatives, next score below) of cuts that fall, the first two of shape (parts, cuts) in one row; see measures/tables.hpp.
    """

def search_tables(positive_sums: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], negative_sums: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n: float, loss: str, beta: float, rescaling: str, slack: str, mistakes: bool) -> tuple[Any, ...]:
    """(tp, fp, value) of the most violated table; see measures/tables.hpp."""

class BinaryRows:
    """Examples and their signs, one plane (y x, margin) each."""

    def __init__(self, rows: object, signs: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], margin: float) -> None: ...

    @property
    def weight_count(self) -> int: ...

    def slacks(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], examples: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> tuple[Any, ...]:
        """(slacks, searches that gave up) of examples."""

    def worst(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], examples: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> tuple[Any, ...]:
        """
        (slack, outputs one after the other, searches that gave up) of the most violated plane of each example.
        """

    def cut(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], examples: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], sample_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, squared: bool, into: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> tuple[Any, ...]:
        """
        Adds a of the summed plane to `into`; returns (b, slacks, searches that gave up).
        """

    def accumulate(self, v: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], late: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], examples: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], sample_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, squared: bool, first: int, done: int, numerator: float) -> int:
        """
        Adds planes to v one after the other and returns how many; see engine/questions.hpp.
        """

class BinaryRowsEngine:
    """The dual engine on binary blocks."""

    def __init__(self, oracle: object, slack: str, C: float, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> None: ...

    def restore(self, block: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], outputs: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], alpha: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Starts from a dual state as `support` gave it, cut down to what the budget allows.
        """

    def visit(self, order: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], settings: VisitSettings) -> VisitResult:
        """Visits the blocks in order, one step each."""

    def settle(self, settings: VisitSettings, tolerance: float, max_passes: int, blocks: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> VisitResult:
        """
        Visits with the planes in working sets, or in some, until no block is violated by more than the tolerance.
        """

    def mark(self) -> None:
        """Remembers the dual variables as they are, for `extrapolate`."""

    def extrapolate(self, factor: float) -> float:
        """
        Extrapolates along the path from the mark to here by `factor` of its length, each block within its cap; kept if the dual improves. Returns the gain.
        """

    def stretch(self, factor: float) -> Stretched:
        """The step of `extrapolate`, whatever it gains; `take_back` undoes it."""

    def take_back(self, step: Stretched) -> None: ...

    def set_alpha(self, alpha: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Sets the dual variables of all planes in working sets, in the order of `support`, cut down to what the budget allows.
        """

    def refresh(self) -> None:
        """Computes w and the dual anew from alpha."""

    @property
    def weights(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """
        w = sum alpha a; a view that the next visit changes. Computed anew from alpha after coarse visits.
        """

    @property
    def rough_weights(self) -> NDArray[numpy.float32] | NDArray[numpy.float64]:
        """w as the last visit left it: a view, float32 after coarse visits."""

    def sharpen(self) -> None:
        """After coarse visits, computes w and the dual anew from alpha."""

    @property
    def gaps(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]:
        """
        Gap of every block when it was last visited with fresh planes; infinite before that.
        """

    @property
    def dual(self) -> float: ...

    @property
    def linear(self) -> float:
        """sum alpha b"""

    @property
    def offset(self) -> float:
        """
        The dual without its quadratic term: C times the b of the cut that all planes together amount to.
        """

    @property
    def plane_count(self) -> int:
        """Planes in all working sets."""

    def support(self) -> tuple[Any, ...]:
        """(block, output, alpha) of every plane in a working set."""

class Chain:
    """Sequences of tokens and their labels; see chains/chain.hpp."""

    def __init__(self, tokens: object, pairs: object | None, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, n_labels: int, order: int, eta: float, ends: bool, label_offset: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None: ...

    @property
    def weight_count(self) -> int: ...

    @overload
    def decode(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], k: int, allowed: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, steps: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, threads: int) -> tuple[Any, ...]:
        """
        (labels of all tokens for each rank, scores, first sequence without any allowed labelling or -1)
        """

    @overload
    def decode(self, weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], k: int, allowed: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, steps: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, threads: int) -> tuple[Any, ...]: ...

    def marginals(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], temperature: float, allowed: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, steps: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, threads: int) -> tuple[Any, ...]:
        """
        (probability of every label of every token, log of the sum over labellings, first impossible sequence or -1)
        """

    def likelihood(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], sample_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, gradient: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None, losses: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None, threads: int, first: int = 0, last: int | None = None, allowed: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None = None) -> float:
        """
        Weighted sum of -log p(truth) of sequences; adds its gradient to `gradient` and puts the terms into `losses`.
        """

    def curvature(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], sample_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, gradient: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], halves: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int, first: int, last: int) -> float:
        """
        The same with second derivatives added to `halves`; see chains/curvature.hpp for the shape.
        """

    def path_scores(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """F(x, y) of every sequence."""

class ChainOracle:
    """Labelled chains with a loss and a rescaling."""

    def __init__(self, chain: object, search: str, costs: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], units: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, margin: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], scale: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], rows: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None:
        """
        `rows`: the row of `costs` of every token, where that is not its label.
        """

    @property
    def largest_search(self) -> tuple[Any, ...]:
        """(sequence, bytes): the search that needs the most memory."""

    @property
    def weight_count(self) -> int: ...

    def slacks(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], examples: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> tuple[Any, ...]:
        """(slacks, searches that gave up) of examples."""

    def worst(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], examples: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> tuple[Any, ...]:
        """
        (slack, outputs one after the other, searches that gave up) of the most violated plane of each example.
        """

    def cut(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], examples: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], sample_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, squared: bool, into: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> tuple[Any, ...]:
        """
        Adds a of the summed plane to `into`; returns (b, slacks, searches that gave up).
        """

    def accumulate(self, v: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], late: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], examples: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], sample_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, squared: bool, first: int, done: int, numerator: float) -> int:
        """
        Adds planes to v one after the other and returns how many; see engine/questions.hpp.
        """

    def rows(self, examples: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], outputs: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Any, ...]:
        """
        (offsets, indices, values, b) of the planes of outputs, as CSR rows; zero where an output is the truth.
        """

class ChainEngine:
    """The dual engine on labelled chains."""

    def __init__(self, oracle: object, slack: str, C: float, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> None: ...

    def outputs(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """
        Outputs of all planes in working sets, one after the other, in the order of `support`.
        """

    def planes(self) -> tuple[Any, ...]:
        """
        (offsets, indices, values, b) of all planes in working sets, as CSR rows in the order of `support`.
        """

    def restore(self, block: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], outputs: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], alpha: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Takes up a dual state as `support` and `outputs` gave it, cut down to what the budget allows, beside the planes held.
        """

    def merge(self, blocks: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], capacity: int) -> None:
        """Merges the least used planes of blocks down to a capacity."""

    def visit(self, order: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], settings: VisitSettings) -> VisitResult:
        """Visits the blocks in order, one step each."""

    def settle(self, settings: VisitSettings, tolerance: float, max_passes: int, blocks: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> VisitResult:
        """
        Visits with the planes in working sets, or in some, until no block is violated by more than the tolerance.
        """

    def mark(self) -> None:
        """Remembers the dual variables as they are, for `extrapolate`."""

    def extrapolate(self, factor: float) -> float:
        """
        Extrapolates along the path from the mark to here by `factor` of its length, each block within its cap; kept if the dual improves. Returns the gain.
        """

    def stretch(self, factor: float) -> Stretched:
        """The step of `extrapolate`, whatever it gains; `take_back` undoes it."""

    def take_back(self, step: Stretched) -> None: ...

    def set_alpha(self, alpha: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Sets the dual variables of all planes in working sets, in the order of `support`, cut down to what the budget allows.
        """

    def refresh(self) -> None:
        """Computes w and the dual anew from alpha."""

    @property
    def weights(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """
        w = sum alpha a; a view that the next visit changes. Computed anew from alpha after coarse visits.
        """

    @property
    def rough_weights(self) -> NDArray[numpy.float32] | NDArray[numpy.float64]:
        """w as the last visit left it: a view, float32 after coarse visits."""

    def sharpen(self) -> None:
        """After coarse visits, computes w and the dual anew from alpha."""

    @property
    def gaps(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]:
        """
        Gap of every block when it was last visited with fresh planes; infinite before that.
        """

    @property
    def dual(self) -> float: ...

    @property
    def linear(self) -> float:
        """sum alpha b"""

    @property
    def offset(self) -> float:
        """
        The dual without its quadratic term: C times the b of the cut that all planes together amount to.
        """

    @property
    def plane_count(self) -> int:
        """Planes in all working sets."""

    def support(self) -> tuple[Any, ...]:
        """(block, output, alpha) of every plane in a working set."""

    def gram(self, block: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """Products of the planes that a block holds, row by row."""

class ChainDual:
    """Dual ascent for the likelihood of chains; see chains/dual.hpp."""

    def __init__(self, chain: object, C: float, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, observed: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None) -> None: ...

    def visit(self, order: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> int:
        """One step for each sequence."""

    def distributions(self) -> tuple[Any, ...]:
        """
        (marginals, expected steps, entropies) of all sequences, one after the other.
        """

    def restore(self, examples: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], marginals: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], steps: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], entropy: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Starts from distributions of some sequences, as `distributions` gave them.
        """

    def sharpen(self) -> None:
        """Computes w anew from the marginals, in float64."""

    @property
    def weights(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """w as of the last `sharpen`."""

    @property
    def coarse_weights(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]:
        """w as the visits left it, in float32."""

    @property
    def gaps(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]:
        """Bound of every sequence's share of the gap when it was last visited."""

    @property
    def dual(self) -> float:
        """A lower bound of the optimum."""

MOST_LISTED: int = 16

class Labels:
    """
    Examples, pairs of labels, and for training truths and a loss; see labels/labels.hpp.
    """

    def __init__(self, rows: object, truths: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, labels: int, pairs: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], eta: float, method: str, goal: str, costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], units: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], margin: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], scale: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], table_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def decode(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> tuple[Any, ...]:
        """(label vectors, searches that gave up)."""

    def decode_lists(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], k: int, threads: int) -> tuple[Any, ...]:
        """The k best: label vectors (k, n, labels) and scores (n, k)."""

    def margins(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> tuple[Any, ...]:
        """(margins (n, labels), searches that gave up); see labels/decode.hpp."""

    @property
    def weight_count(self) -> int: ...

    def slacks(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], examples: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> tuple[Any, ...]:
        """(slacks, searches that gave up) of examples."""

    def worst(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], examples: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> tuple[Any, ...]:
        """
        (slack, outputs one after the other, searches that gave up) of the most violated plane of each example.
        """

    def cut(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], examples: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], sample_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, squared: bool, into: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> tuple[Any, ...]:
        """
        Adds a of the summed plane to `into`; returns (b, slacks, searches that gave up).
        """

    def accumulate(self, v: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], late: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], examples: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], sample_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, squared: bool, first: int, done: int, numerator: float) -> int:
        """
        Adds planes to v one after the other and returns how many; see engine/questions.hpp.
        """

    def rows(self, examples: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], outputs: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Any, ...]:
        """
        (offsets, indices, values, b) of the planes of outputs, as CSR rows; zero where an output is the truth.
        """

    def log_odds(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """The logarithm of the odds of every label, (n, labels)."""

    def expected_f1(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], nodes: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], node_weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> tuple[Any, ...]:
        """
        (label vectors of highest expected F1, by how much the best with each label leads), (n, labels); see labels/likelihood.hpp.
        """

class LabelFit:
    """
    Newton's method for 1/2 |w|^2 - C sum_i c_i log P(y_i | x_i) over label vectors.
    """

    def __init__(self, labels: object, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, C: float, threads: int) -> None: ...

    def start(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def assess(self) -> None:
        """Computes the objective and its gradient."""

    def step(self) -> bool:
        """
        One Newton step from the point assessed; false if none lowers the objective.
        """

    def run(self, target: float, most: int) -> int:
        """Steps until one was to gain at most `target`; answers how many."""

    @property
    def weights(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @property
    def value(self) -> float: ...

    @property
    def bound(self) -> float:
        """At least the objective minus its minimum."""

class LabelEngine:
    """The dual engine on label vectors."""

    def __init__(self, oracle: object, slack: str, C: float, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> None: ...

    def outputs(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]:
        """
        Outputs of all planes in working sets, one after the other, in the order of `support`.
        """

    def planes(self) -> tuple[Any, ...]:
        """
        (offsets, indices, values, b) of all planes in working sets, as CSR rows in the order of `support`.
        """

    def restore(self, block: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], outputs: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], alpha: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Takes up a dual state as `support` and `outputs` gave it, cut down to what the budget allows, beside the planes held.
        """

    def merge(self, blocks: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], capacity: int) -> None:
        """Merges the least used planes of blocks down to a capacity."""

    def visit(self, order: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], settings: VisitSettings) -> VisitResult:
        """Visits the blocks in order, one step each."""

    def settle(self, settings: VisitSettings, tolerance: float, max_passes: int, blocks: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> VisitResult:
        """
        Visits with the planes in working sets, or in some, until no block is violated by more than the tolerance.
        """

    def mark(self) -> None:
        """Remembers the dual variables as they are, for `extrapolate`."""

    def extrapolate(self, factor: float) -> float:
        """
        Extrapolates along the path from the mark to here by `factor` of its length, each block within its cap; kept if the dual improves. Returns the gain.
        """

    def stretch(self, factor: float) -> Stretched:
        """The step of `extrapolate`, whatever it gains; `take_back` undoes it."""

    def take_back(self, step: Stretched) -> None: ...

    def set_alpha(self, alpha: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Sets the dual variables of all planes in working sets, in the order of `support`, cut down to what the budget allows.
        """

    def refresh(self) -> None:
        """Computes w and the dual anew from alpha."""

    @property
    def weights(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """
        w = sum alpha a; a view that the next visit changes. Computed anew from alpha after coarse visits.
        """

    @property
    def rough_weights(self) -> NDArray[numpy.float32] | NDArray[numpy.float64]:
        """w as the last visit left it: a view, float32 after coarse visits."""

    def sharpen(self) -> None:
        """After coarse visits, computes w and the dual anew from alpha."""

    @property
    def gaps(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]:
        """
        Gap of every block when it was last visited with fresh planes; infinite before that.
        """

    @property
    def dual(self) -> float: ...

    @property
    def linear(self) -> float:
        """sum alpha b"""

    @property
    def offset(self) -> float:
        """
        The dual without its quadratic term: C times the b of the cut that all planes together amount to.
        """

    @property
    def plane_count(self) -> int:
        """Planes in all working sets."""

    def support(self) -> tuple[Any, ...]:
        """(block, output, alpha) of every plane in a working set."""

class SeparateLabelEngine:
    """The dual engine on labels that do not know each other."""

    def __init__(self, oracle: object, C: float, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> None: ...

    def vectors(self) -> tuple[Any, ...]:
        """
        (block, label vectors, alpha): planes of whole label vectors that amount to the dual state.
        """

    def restore(self, block: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], outputs: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], alpha: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Starts from planes of whole label vectors, cut down to what the budget allows.
        """

    def visit(self, order: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], settings: VisitSettings) -> VisitResult:
        """Visits the blocks in order, one step each."""

    def settle(self, settings: VisitSettings, tolerance: float, max_passes: int, blocks: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> VisitResult:
        """
        Visits with the planes in working sets, or in some, until no block is violated by more than the tolerance.
        """

    def mark(self) -> None:
        """Remembers the dual variables as they are, for `extrapolate`."""

    def extrapolate(self, factor: float) -> float:
        """
        Extrapolates along the path from the mark to here by `factor` of its length, each block within its cap; kept if the dual improves. Returns the gain.
        """

    def stretch(self, factor: float) -> Stretched:
        """The step of `extrapolate`, whatever it gains; `take_back` undoes it."""

    def take_back(self, step: Stretched) -> None: ...

    def set_alpha(self, alpha: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Sets the dual variables of all planes in working sets, in the order of `support`, cut down to what the budget allows.
        """

    def refresh(self) -> None:
        """Computes w and the dual anew from alpha."""

    @property
    def weights(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """
        w = sum alpha a; a view that the next visit changes. Computed anew from alpha after coarse visits.
        """

    @property
    def rough_weights(self) -> NDArray[numpy.float32] | NDArray[numpy.float64]:
        """w as the last visit left it: a view, float32 after coarse visits."""

    def sharpen(self) -> None:
        """After coarse visits, computes w and the dual anew from alpha."""

    @property
    def gaps(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]:
        """
        Gap of every block when it was last visited with fresh planes; infinite before that.
        """

    @property
    def dual(self) -> float: ...

    @property
    def linear(self) -> float:
        """sum alpha b"""

    @property
    def offset(self) -> float:
        """
        The dual without its quadratic term: C times the b of the cut that all planes together amount to.
        """

    @property
    def plane_count(self) -> int:
        """Planes in all working sets."""

    def support(self) -> tuple[Any, ...]:
        """(block, output, alpha) of every plane in a working set."""

class Attributes:
    """
    Columns of attributes: a dictionary in order of first sight, or hashes.
    """

    def __init__(self, hashed: int = 0) -> None:
        """`hashed`: number of columns, a power of two; 0 for a dictionary."""

    def __len__(self) -> int: ...

    def read(self, sequences: object, learn: bool) -> tuple[Any, ...]:
        """
        (offsets, (indptr, indices, values or None)) of a list of lists of tokens.
        """

    def names(self) -> list[Any]:
        """The attributes in the order of their columns."""

    def name(self, column: int) -> str:
        """The attribute of one column."""

    def keep(self, flags: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Drops the attributes whose flag is 0 and numbers the others again, in the same order.
        """

    def shrink(self) -> None:
        """Returns memory kept for growth."""

    def __getstate__(self) -> tuple[Any, ...]: ...

    def __setstate__(self, arg: tuple[int, bytes, Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]], /) -> None: ...

def read_columns(sequences: object) -> tuple[Any, ...]:
    """
    (offsets, [(numbers, strings)]) of sequences of strings or of tuples of strings, one pair per column.
    """

def apply_templates(attributes: Attributes, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], views: Sequence[tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Sequence[str]]], templates: Sequence[tuple[Sequence[str], Sequence[tuple[int, int]], bool]], learn: bool) -> tuple[Any, ...]:
    """
    (indptr, indices, values or None). A view is (numbers of a column, what each number becomes or -1, strings); a template (literals, [(view, offset)], whether the ends are marked).
    """

def read_svmhmm(text: bytes) -> tuple[Any, ...]:
    """
    (first faulty line or 0, tags, numbers after qid:, lines, (indptr, indices, values or None)) of the tokens.
    """

def group_items(document: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], item: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], one: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], other: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], documents: int) -> tuple[Any, ...]:
    """
    (first item of each group, its items, where documents begin, their groups) of items that are alike; see diversity/item_groups.hpp.
    """

def count_words(texts: list[str | list[str]]) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.int64], list[str]]:
    """
    (counts, columns, ends of rows, words) of ASCII texts, which are split into words, and of lists of words; see diversity/word_counts.hpp.
    """

def choose_greedily(offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], items: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], benefit: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], k: int, more_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, more_items: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, more_benefit: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> tuple[Any, ...]:
    """
    (documents in the order of the choice, their gains, gains computed) of the greedy cover of up to k documents. Document d has items[offsets[d]:offsets[d + 1]]; item j is worth benefit[j] once; a second cover may be added.
    """

def mark_covered(offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], items: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], documents: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], there: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """Marks the items that the documents have."""

def rank_grades(grades: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Any, ...]:
    """
    (number of each row's grade among those of its group, pairs of unequal grade in each group); see rankings/pairs.hpp.
    """

def order_in_groups(scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
    """
    Row numbers of each group in ascending order of their scores; see rankings/pairs.hpp.
    """

def take_pairs(scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], grade: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], order: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], gap: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], extra: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> tuple[Any, ...]:
    """
    (how many pairs of each group, net count of every row) below the gaps; see rankings/pairs.hpp.
    """

def most_violated_rankings(scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], grade: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], gain: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], discount: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], pairs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> tuple[Any, ...]:
    """
    (credit of each group, net count of swapped pairs of every row); see rankings/position_credit.hpp.
    """

class PairNewton:
    """
    Newton's method for the hinge loss of the pairs of unequal grade in groups; see rankings/pair_newton.hpp.
    """

    def __init__(self, rows: object, members: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], grade: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, C: float, threads: int) -> None: ...

    def start(self) -> None:
        """Goes to the least-squares solution of all pairs."""

    def resume(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], a: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, b: float) -> None:
        """
        Goes to the solution of a similar problem; (a, b) is a cut that holds for this one.
        """

    def step(self, allowed: float) -> bool:
        """One step; false where there is no way forward in floating point."""

    @property
    def primal(self) -> float:
        """The smallest objective so far."""

    @property
    def dual(self) -> float:
        """The largest dual objective so far."""

    @property
    def dual_square(self) -> float:
        """1/2 |w|^2 of the dual variables."""

    @property
    def weights(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @property
    def slack(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @property
    def cut(self) -> tuple[NDArray[numpy.float64], float]:
        """(a, b) of the cut that the best dual variables amount to."""

    @property
    def passes(self) -> int:
        """Passes over all groups."""

class Topology:
    """Cells and edges of a dynamic program; see programs/topology.hpp."""

    def __init__(self, head: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], tail: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], cells: int, goal: int) -> None: ...

    @property
    def n_cells(self) -> int: ...

    @property
    def n_edges(self) -> int: ...

    @property
    def goal(self) -> int: ...

    @property
    def longest(self) -> int:
        """The most edges that an output can have."""

    def best(self, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], forbidden: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, required: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> tuple[Any, ...]:
        """
        (score, edges) of the best output; -inf and no edges where there is none.
        """

    def k_best(self, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], k: int, forbidden: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, required: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> tuple[Any, ...]:
        """
        (scores, offsets into the edges, edges) of the k best outputs, or of all where they are fewer.
        """

    def sums(self, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], forbidden: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, required: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> tuple[Any, ...]:
        """
        (log partition, expected uses of every edge) of the outputs; -inf and zeros where there is none.
        """

    def entropy(self, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], forbidden: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, required: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> tuple[Any, ...]:
        """
        (log partition, entropy in nats) of the outputs; -inf and 0 where there is none.
        """

    def samples(self, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], count: int, seed: int, forbidden: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, required: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> tuple[Any, ...]:
        """
        (log partition, offsets into the edges, edges) of outputs at random; no outputs where there is none.
        """

class Strata:
    """
    The best output at each vector of totals of whole-number counts; see programs/strata.hpp.
    """

    def __init__(self, topology: Topology, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], forbidden: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, required: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, little: int = 67108864) -> None:
        """
        `little`: the bytes up to which everything is kept, instead of computed again.
        """

    def sizes(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """One more than the largest total of each kind."""

    @property
    def bytes(self) -> int:
        """Memory of the values."""

    def values(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """The best score at each total, -inf where there is none."""

    def edges(self, total: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """The edges of the best output at a total."""

def best_of_programs(topologies: Sequence[Topology], scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> tuple[Any, ...]:
    """
    (scores, offsets into the edges, edges) of the best output of every program; scores of edges one program after the other.
    """

def sums_of_programs(topologies: Sequence[Topology], scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> tuple[Any, ...]:
    """(log partitions, expected uses of every edge) of all programs."""

def best_spanning_trees(scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], lengths: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], single_root: bool, threads: int = 1) -> tuple[Any, ...]:
    """
    (heads of all words, whether each sentence has a tree) of the best spanning trees. scores holds one table (words, words + 1) after the other: a row per word, a column per head, 0 the root.
    """

def spanning_tree_sums(scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], lengths: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], single_root: bool, threads: int = 1) -> tuple[Any, ...]:
    """
    (log of the sum over all trees, probabilities of arcs) of each sentence, with scores as in best_spanning_trees.
    """

class ProgramSet:
    """
    Programs and the features of their edges; see programs/program_set.hpp.
    """

    def __init__(self, topologies: Sequence[object]) -> None: ...

    def add_part(self, columns: int, blocks: int, starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, first_row: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], first_entry: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], edge: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], row: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], stop: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, block: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> None:
        """
        Adds a part of the features of all programs, whose weights follow those of the parts before it.
        """

    @property
    def n(self) -> int: ...

    @property
    def weight_count(self) -> int: ...

    def fingerprint(self) -> int:
        """A number that changes when the programs do."""

    def featured(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]:
        """1 for each edge of each program that has features, else 0."""

    def scores(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], example: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """Of all edges of an example."""

    def expected(self, example: int, coefficient: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], into: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """
        Adds the sum of the features of all edges of an example times their coefficients.
        """

    def best(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], forbidden: object | None, required: object | None, threads: int) -> tuple[Any, ...]:
        """
        (offsets of outputs, edges, scores, ends of examples, example without an output or -1); limits are pairs (offsets, edges).
        """

    def best_by(self, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], forbidden: object | None, required: object | None, threads: int) -> tuple[Any, ...]:
        """The same for scores of the edges of all programs, one after the other."""

    def kbest(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], k: int, forbidden: object | None, required: object | None, threads: int) -> tuple[Any, ...]:
        """The k best outputs of each program, as `best` gives one."""

    def samples(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], temperature: float, count: int, seed: int, forbidden: object | None, required: object | None, threads: int) -> tuple[Any, ...]:
        """
        So many exact samples of the outputs of each program, as `best` gives one.
        """

    def marginals(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], temperature: float, forbidden: object | None, required: object | None, threads: int) -> tuple[Any, ...]:
        """
        (probabilities of the edges of all programs, log partitions, entropies, example without an output or -1).
        """

class ProgramTargets:
    """True outputs of programs and costs of edges; see programs/targets.hpp."""

    def __init__(self, set: object, first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], edges: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], kinds: int, cost_first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, cost_edge: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, units: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> None: ...

    def descend(self, v: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], factor: float, steps: int, sample_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, order: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], first: float, decay: float) -> tuple[Any, ...]:
        """
        (sum of the negative log-likelihoods, each at the weights that it met, new factor): one step per example of `order` on factor * v.
        """

    def likelihood(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], sample_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, first: int, last: int, gradient: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None, threads: int) -> float:
        """Of examples first to last - 1; the gradient is added to `gradient`."""

    def fault(self) -> tuple[Any, ...]:
        """
        (example, whether an edge is missing or one too many, cell, edge) of the first truth that is no derivation; example -1 where all are.
        """

    @property
    def kinds(self) -> int: ...

    def largest(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """
        The largest total of each kind of costs that an output of each example can have.
        """

    def totals(self, first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], edges: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """
        What the edges of an output of each example cost together, of each kind.
        """

    def true_totals(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """The same of the true outputs."""

    def moments(self, sample_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> tuple[Any, ...]:
        """
        (edges with features, sum of the squares of their features) of the true outputs, and the number of columns that occur.
        """

    def steepness(self) -> float:
        """The largest squared length of the features of some true outputs."""

    def hits(self, first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], edges: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """1 where an output has the edges of the true one, else 0."""

    def fingerprint(self) -> int:
        """A number that changes when the true outputs or the costs do."""

class ProgramOracle:
    """Programs, true outputs and a formulation; see programs/search.hpp."""

    def __init__(self, targets: object, goal: str, unit: float, margin: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], scale: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], strides: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    @property
    def largest_search(self) -> tuple[Any, ...]:
        """
        (example, bytes) of the search by totals that takes the most memory; (-1, 0) where none does.
        """

    @property
    def weight_count(self) -> int: ...

    def slacks(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], examples: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> tuple[Any, ...]:
        """(slacks, searches that gave up) of examples."""

    def worst(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], examples: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> tuple[Any, ...]:
        """
        (slack, outputs one after the other, searches that gave up) of the most violated plane of each example.
        """

    def cut(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], examples: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], sample_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, squared: bool, into: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> tuple[Any, ...]:
        """
        Adds a of the summed plane to `into`; returns (b, slacks, searches that gave up).
        """

    def accumulate(self, v: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], late: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], examples: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], sample_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, squared: bool, first: int, done: int, numerator: float) -> int:
        """
        Adds planes to v one after the other and returns how many; see engine/questions.hpp.
        """

    def rows(self, examples: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], outputs: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Any, ...]:
        """
        (offsets, indices, values, b) of the planes of outputs, as CSR rows; zero where an output is the truth.
        """

class ProgramEngine:
    """The dual engine on outputs of programs."""

    def __init__(self, oracle: object, slack: str, C: float, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> None: ...

    def outputs(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """
        Outputs of all planes in working sets, one after the other, in the order of `support`.
        """

    def planes(self) -> tuple[Any, ...]:
        """
        (offsets, indices, values, b) of all planes in working sets, as CSR rows in the order of `support`.
        """

    def restore(self, block: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], outputs: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], alpha: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Takes up a dual state as `support` and `outputs` gave it, cut down to what the budget allows, beside the planes held.
        """

    def merge(self, blocks: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], capacity: int) -> None:
        """Merges the least used planes of blocks down to a capacity."""

    def visit(self, order: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], settings: VisitSettings) -> VisitResult:
        """Visits the blocks in order, one step each."""

    def settle(self, settings: VisitSettings, tolerance: float, max_passes: int, blocks: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> VisitResult:
        """
        Visits with the planes in working sets, or in some, until no block is violated by more than the tolerance.
        """

    def mark(self) -> None:
        """Remembers the dual variables as they are, for `extrapolate`."""

    def extrapolate(self, factor: float) -> float:
        """
        Extrapolates along the path from the mark to here by `factor` of its length, each block within its cap; kept if the dual improves. Returns the gain.
        """

    def stretch(self, factor: float) -> Stretched:
        """The step of `extrapolate`, whatever it gains; `take_back` undoes it."""

    def take_back(self, step: Stretched) -> None: ...

    def set_alpha(self, alpha: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Sets the dual variables of all planes in working sets, in the order of `support`, cut down to what the budget allows.
        """

    def refresh(self) -> None:
        """Computes w and the dual anew from alpha."""

    @property
    def weights(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """
        w = sum alpha a; a view that the next visit changes. Computed anew from alpha after coarse visits.
        """

    @property
    def rough_weights(self) -> NDArray[numpy.float32] | NDArray[numpy.float64]:
        """w as the last visit left it: a view, float32 after coarse visits."""

    def sharpen(self) -> None:
        """After coarse visits, computes w and the dual anew from alpha."""

    @property
    def gaps(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]:
        """
        Gap of every block when it was last visited with fresh planes; infinite before that.
        """

    @property
    def dual(self) -> float: ...

    @property
    def linear(self) -> float:
        """sum alpha b"""

    @property
    def offset(self) -> float:
        """
        The dual without its quadratic term: C times the b of the cut that all planes together amount to.
        """

    @property
    def plane_count(self) -> int:
        """Planes in all working sets."""

    def support(self) -> tuple[Any, ...]:
        """(block, output, alpha) of every plane in a working set."""

class AlignmentGrid:
    """All alignments of two sequences, with scores of pairs and gaps."""

    def __init__(self, match: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], row: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, open_x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], extend_x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], open_y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], extend_y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], mode: str, free_ends: Sequence[bool], band: int, required: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None = None, forbidden: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None = None) -> None:
        """
        Only alignments with all required pairs and without forbidden ones are possible.
        """

    def score(self, pairs: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> float:
        """The score of an alignment."""

    def best(self) -> tuple[Any, ...]:
        """
        (score, pairs) of the best alignment; -inf and none where there is no alignment.
        """

    def k_best(self, k: int) -> tuple[Any, ...]:
        """
        (scores, offsets into the pairs, pairs) of the k best alignments, or of all where they are fewer.
        """

    def sums(self) -> tuple[Any, ...]:
        """
        (log partition, expected pairs, row by row, and expected uses of open_x, extend_x, open_y, extend_y); -inf and zeros where there is none.
        """

    def samples(self, count: int, seed: int) -> tuple[Any, ...]:
        """
        (scores, offsets into the pairs, pairs) of alignments at random; none where there is none.
        """

    def edges(self) -> tuple[Any, ...]:
        """
        (heads, tails, scores) of the edges of the dynamic program; -1 for an edge without a tail.
        """

def best_alignments(table: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], gaps: Sequence[float], x: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], first_x: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], first_y: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], mode: str, free_ends: Sequence[bool], band: int, threads: int = 1) -> tuple[Any, ...]:
    """
    (scores, offsets into the pairs, pairs) of the best alignments of sequences of letters, pair by pair; gaps are (open, extend) of x and of y.
    """

class AlignmentSet:
    """
    Sequences, their features and what is aligned with what; see alignments/features.hpp.
    """

    def __init__(self, weights: int, first_position: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], x: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], first_candidate: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], candidates: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], mode: str, free_ends: Sequence[bool], band: int) -> None: ...

    def add_component(self, starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, index: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], times: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None = None) -> None:
        """
        Adds a bilinear form between features of positions; index has numbers of weights, or -1, and times what they are multiplied by.
        """

    def add_gaps(self, starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, open: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], extend: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], open_times: float = 1.0, extend_times: float = 1.0) -> None:
        """
        Adds features of positions in gaps; open and extend have numbers of weights, one row for x and one for y, and are multiplied by the rest.
        """

    @property
    def n(self) -> int: ...

    @property
    def weight_count(self) -> int: ...

    def best(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> tuple[Any, ...]:
        """
        (scores, offsets into the pairs, pairs) of the best alignment of x and each candidate, one example after the other.
        """

    def scores(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], example: int, candidate: int, factor: float) -> tuple[Any, ...]:
        """
        (match row by row, open_x, extend_x, open_y, extend_y) of an example and a candidate at factor * weights.
        """

    def fingerprint(self) -> int:
        """A number that changes when the set does."""

class AlignmentTargets:
    """
    True alignments of a set, of x and candidate 0; see alignments/targets.hpp.
    """

    def __init__(self, set: object, first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], pairs: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], shift: int) -> None: ...

    def descend(self, v: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], factor: float, steps: int, sample_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, order: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], first: float, decay: float) -> tuple[Any, ...]:
        """
        (sum of the negative log-likelihoods, each at the weights that it met, new factor): one step per example of `order` on factor * v.
        """

    def outside_band(self) -> int:
        """The first example whose true alignment leaves the band, or -1."""

    def likelihood(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], sample_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, begin: int, end: int, gradient: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None, threads: int) -> float:
        """
        The negative log-likelihood of some examples; adds its gradient to an array.
        """

    def moments(self, sample_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> tuple[Any, ...]:
        """(number of true pairs, sum of the squared lengths of their features)."""

    def features(self, example: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """The joint features of a true alignment."""

    def fingerprint(self) -> int:
        """A number that changes when the targets do."""

class AlignmentOracle:
    """True alignments and a formulation; see alignments/violated.hpp."""

    def __init__(self, targets: object, goal: str, candidates_only: bool, counts_pairs: bool, other_margin: float, other_scale: float, unit: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], margin: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], scale: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], stride: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    @property
    def largest_search(self) -> tuple[Any, ...]:
        """
        (example, bytes) of the search by totals that takes the most memory; (-1, 0) where none does.
        """

    @property
    def weight_count(self) -> int: ...

    def slacks(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], examples: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> tuple[Any, ...]:
        """(slacks, searches that gave up) of examples."""

    def worst(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], examples: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> tuple[Any, ...]:
        """
        (slack, outputs one after the other, searches that gave up) of the most violated plane of each example.
        """

    def cut(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], examples: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], sample_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, squared: bool, into: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> tuple[Any, ...]:
        """
        Adds a of the summed plane to `into`; returns (b, slacks, searches that gave up).
        """

    def accumulate(self, v: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], late: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], examples: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], sample_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, squared: bool, first: int, done: int, numerator: float) -> int:
        """
        Adds planes to v one after the other and returns how many; see engine/questions.hpp.
        """

    def rows(self, examples: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], outputs: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Any, ...]:
        """
        (offsets, indices, values, b) of the planes of outputs, as CSR rows; zero where an output is the truth.
        """

class AlignmentEngine:
    """The dual engine on alignments."""

    def __init__(self, oracle: object, slack: str, C: float, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> None: ...

    def outputs(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """
        Outputs of all planes in working sets, one after the other, in the order of `support`.
        """

    def planes(self) -> tuple[Any, ...]:
        """
        (offsets, indices, values, b) of all planes in working sets, as CSR rows in the order of `support`.
        """

    def restore(self, block: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], outputs: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], alpha: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Takes up a dual state as `support` and `outputs` gave it, cut down to what the budget allows, beside the planes held.
        """

    def merge(self, blocks: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], capacity: int) -> None:
        """Merges the least used planes of blocks down to a capacity."""

    def visit(self, order: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], settings: VisitSettings) -> VisitResult:
        """Visits the blocks in order, one step each."""

    def settle(self, settings: VisitSettings, tolerance: float, max_passes: int, blocks: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> VisitResult:
        """
        Visits with the planes in working sets, or in some, until no block is violated by more than the tolerance.
        """

    def mark(self) -> None:
        """Remembers the dual variables as they are, for `extrapolate`."""

    def extrapolate(self, factor: float) -> float:
        """
        Extrapolates along the path from the mark to here by `factor` of its length, each block within its cap; kept if the dual improves. Returns the gain.
        """

    def stretch(self, factor: float) -> Stretched:
        """The step of `extrapolate`, whatever it gains; `take_back` undoes it."""

    def take_back(self, step: Stretched) -> None: ...

    def set_alpha(self, alpha: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Sets the dual variables of all planes in working sets, in the order of `support`, cut down to what the budget allows.
        """

    def refresh(self) -> None:
        """Computes w and the dual anew from alpha."""

    @property
    def weights(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """
        w = sum alpha a; a view that the next visit changes. Computed anew from alpha after coarse visits.
        """

    @property
    def rough_weights(self) -> NDArray[numpy.float32] | NDArray[numpy.float64]:
        """w as the last visit left it: a view, float32 after coarse visits."""

    def sharpen(self) -> None:
        """After coarse visits, computes w and the dual anew from alpha."""

    @property
    def gaps(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]:
        """
        Gap of every block when it was last visited with fresh planes; infinite before that.
        """

    @property
    def dual(self) -> float: ...

    @property
    def linear(self) -> float:
        """sum alpha b"""

    @property
    def offset(self) -> float:
        """
        The dual without its quadratic term: C times the b of the cut that all planes together amount to.
        """

    @property
    def plane_count(self) -> int:
        """Planes in all working sets."""

    def support(self) -> tuple[Any, ...]:
        """(block, output, alpha) of every plane in a working set."""

class GrammarRules:
    """The rules of a grammar, indexed for charts; see grammars/rules.hpp."""

    def __init__(self, symbols: int, start: int, binary: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], unary: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], lexical: int, chain_first: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], chain_rules: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], word_first: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], word_symbols: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], word_rules: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], bracket: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

class Sentences:
    """
    Sentences of a grammar and the features of rules in them; see grammars/sentences.hpp.
    """

    def __init__(self, rules: object, first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], words: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def add_part(self, place: str, columns: int, blocks: int, block: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> None:
        """
        Features of the starts, ends, lengths, spans or splits of all sentences: rows of a CSR matrix, and the block of each rule, -1 for none.
        """

    def set_prior(self, values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """A value of each rule whose factor is the next weight."""

    def set_limits(self, first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], rows: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None:
        """
        Brackets (label, start, end, whether required or forbidden) for the predictions of each sentence.
        """

    @property
    def weight_count(self) -> int: ...

    @property
    def span_count(self) -> int:
        """Spans of all sentences together."""

    @property
    def bracket_columns(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """
        The label of each column of a table of brackets: one for the first bracket of each label over a span, then those for further ones.
        """

    def fingerprint(self) -> int: ...

    def best(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], beam: float | None, threads: int) -> tuple[Any, ...]:
        """
        (offsets of trees, rules at their places, scores, ends of sentences, whether a beam left something out); a sentence may have no tree.
        """

    def best_by(self, brackets: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], threads: int) -> tuple[Any, ...]:
        """The same for numbers per bracket: (spans of all sentences, columns)."""

    def kbest(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], k: int, beam: float | None, different: bool, threads: int) -> tuple[Any, ...]:
        """
        The k best derivations of each sentence, or those of different trees, as `best` gives one.
        """

    def samples(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], temperature: float, count: int, seed: int, threads: int) -> tuple[Any, ...]:
        """Exact samples of the trees of each sentence, as `best` gives one."""

    def sums(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], temperature: float, threads: int) -> tuple[Any, ...]:
        """
        (log partitions, probabilities of brackets by span and column, how many sentences took logarithms); -inf for a sentence without a tree.
        """

    def applications(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """
        How often a binary rule meets two parts that have a value, for each sentence.
        """

class TreeTargets:
    """True trees of sentences; see grammars/targets.hpp."""

    def __init__(self, sentences: object, first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], rules: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None: ...

    def descend(self, v: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], factor: float, steps: int, sample_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, order: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], first: float, decay: float) -> tuple[Any, ...]:
        """
        (sum of the negative log-likelihoods, each at the weights that it met, new factor): one step per example of `order` on factor * v.
        """

    def likelihood(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], sample_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, first: int, last: int, gradient: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None, threads: int) -> float:
        """
        The negative log-likelihood of the sentences first to last - 1; adds its gradient.
        """

    def brackets(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """How many brackets each true tree has."""

    def counts(self, first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], rules: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """
        (hits, guesses, whether it is the truth) of one tree of each sentence, one after the other.
        """

    def moments(self, sample_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> tuple[Any, ...]:
        """
        (rules in the true trees, sum of the squared lengths of their features).
        """

    def steepness(self) -> float:
        """
        The largest squared length of the features of a true tree, among some of them.
        """

    def scores(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """The scores of the true trees."""

    def fingerprint(self) -> int: ...

class TreeOracle:
    """Sentences, true trees and a formulation; see grammars/search.hpp."""

    def __init__(self, targets: object, goal: str, guess: float, hit: float, margin: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], scale: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], guesses: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], room: int, beam: float | None) -> None: ...

    @property
    def weight_count(self) -> int: ...

    def slacks(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], examples: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> tuple[Any, ...]:
        """(slacks, searches that gave up) of examples."""

    def worst(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], examples: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> tuple[Any, ...]:
        """
        (slack, outputs one after the other, searches that gave up) of the most violated plane of each example.
        """

    def cut(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], examples: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], sample_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, squared: bool, into: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> tuple[Any, ...]:
        """
        Adds a of the summed plane to `into`; returns (b, slacks, searches that gave up).
        """

    def accumulate(self, v: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], late: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], examples: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], sample_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, squared: bool, first: int, done: int, numerator: float) -> int:
        """
        Adds planes to v one after the other and returns how many; see engine/questions.hpp.
        """

    def rows(self, examples: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], outputs: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Any, ...]:
        """
        (offsets, indices, values, b) of the planes of outputs, as CSR rows; zero where an output is the truth.
        """

class TreeEngine:
    """The dual engine on trees of sentences."""

    def __init__(self, oracle: object, slack: str, C: float, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> None: ...

    def outputs(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """
        Outputs of all planes in working sets, one after the other, in the order of `support`.
        """

    def planes(self) -> tuple[Any, ...]:
        """
        (offsets, indices, values, b) of all planes in working sets, as CSR rows in the order of `support`.
        """

    def restore(self, block: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], outputs: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], alpha: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Takes up a dual state as `support` and `outputs` gave it, cut down to what the budget allows, beside the planes held.
        """

    def merge(self, blocks: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], capacity: int) -> None:
        """Merges the least used planes of blocks down to a capacity."""

    def visit(self, order: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], settings: VisitSettings) -> VisitResult:
        """Visits the blocks in order, one step each."""

    def settle(self, settings: VisitSettings, tolerance: float, max_passes: int, blocks: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> VisitResult:
        """
        Visits with the planes in working sets, or in some, until no block is violated by more than the tolerance.
        """

    def mark(self) -> None:
        """Remembers the dual variables as they are, for `extrapolate`."""

    def extrapolate(self, factor: float) -> float:
        """
        Extrapolates along the path from the mark to here by `factor` of its length, each block within its cap; kept if the dual improves. Returns the gain.
        """

    def stretch(self, factor: float) -> Stretched:
        """The step of `extrapolate`, whatever it gains; `take_back` undoes it."""

    def take_back(self, step: Stretched) -> None: ...

    def set_alpha(self, alpha: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Sets the dual variables of all planes in working sets, in the order of `support`, cut down to what the budget allows.
        """

    def refresh(self) -> None:
        """Computes w and the dual anew from alpha."""

    @property
    def weights(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """
        w = sum alpha a; a view that the next visit changes. Computed anew from alpha after coarse visits.
        """

    @property
    def rough_weights(self) -> NDArray[numpy.float32] | NDArray[numpy.float64]:
        """w as the last visit left it: a view, float32 after coarse visits."""

    def sharpen(self) -> None:
        """After coarse visits, computes w and the dual anew from alpha."""

    @property
    def gaps(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]:
        """
        Gap of every block when it was last visited with fresh planes; infinite before that.
        """

    @property
    def dual(self) -> float: ...

    @property
    def linear(self) -> float:
        """sum alpha b"""

    @property
    def offset(self) -> float:
        """
        The dual without its quadratic term: C times the b of the cut that all planes together amount to.
        """

    @property
    def plane_count(self) -> int:
        """Planes in all working sets."""

    def support(self) -> tuple[Any, ...]:
        """(block, output, alpha) of every plane in a working set."""
