"""Small problems as users write them: several kinds of output, joint features and loss, each with all powers.

Searches are by brute force over ``outputs`` except for the chain, whose ``argmax`` is Viterbi's recursion.
``Only(problem, ...)`` takes powers away, ``Counted(problem)`` counts questions.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from reference import dense, same

_tables: dict[tuple[Any, bytes], tuple[list[Any], np.ndarray]] = {}


class Enumerated:
    """Every search from ``outputs``; the outputs of an input and their features are listed once."""

    def table(self, x: np.ndarray) -> tuple[list[Any], np.ndarray]:
        key = (self, x.tobytes())
        if key not in _tables:
            outputs = list(self.outputs(x))
            _tables[key] = outputs, np.array([dense(self.joint_feature(x, y)) for y in outputs])
        return _tables[key]

    def argmax(self, x: Any, w: np.ndarray, y_true: Any = None) -> Any:
        outputs, features = self.table(x)
        scores = features @ w
        if y_true is not None:
            scores = scores + [self.loss(y_true, y) for y in outputs]
        return outputs[int(np.argmax(scores))]

    def kbest(self, x: Any, w: np.ndarray, k: int) -> list[Any]:
        outputs, features = self.table(x)
        return [outputs[at] for at in np.argsort(-(features @ w), kind="stable")[:k]]

    def argmax_by_loss(self, x: Any, w: np.ndarray, y_true: Any) -> list[tuple[float, Any]]:
        outputs, features = self.table(x)
        best: dict[float, tuple[float, Any]] = {}
        for y, score in zip(outputs, features @ w):
            loss = self.loss(y_true, y)
            if loss not in best or score > best[loss][0]:
                best[loss] = (score, y)
        return [(loss, y) for loss, (_, y) in best.items()]


@dataclass(frozen=True)
class Chain(Enumerated):
    """Label sequences (tuples of int), Hamming loss, dense features: emissions, then transitions."""

    labels: int = 3
    features: int = 2

    def outputs(self, x: np.ndarray) -> Iterable[tuple[int, ...]]:
        return itertools.product(range(self.labels), repeat=len(x))

    def joint_feature(self, x: np.ndarray, y: tuple[int, ...]) -> np.ndarray:
        emit, move = np.zeros((self.labels, self.features)), np.zeros((self.labels, self.labels))
        np.add.at(emit, list(y), x)
        np.add.at(move, (list(y[:-1]), list(y[1:])), 1.0)
        return np.concatenate([emit.ravel(), move.ravel()])

    def loss(self, y_true: tuple[int, ...], y: tuple[int, ...]) -> float:
        return float(sum(a != b for a, b in zip(y_true, y)))

    def argmax(self, x: np.ndarray, w: np.ndarray, y_true: tuple[int, ...] | None = None) -> tuple[int, ...]:
        emit, move = np.split(w, [self.labels * self.features])
        local = x @ emit.reshape(self.labels, -1).T
        if y_true is not None:
            local = local + 1.0
            local[np.arange(len(x)), list(y_true)] -= 1.0
        best, back = local[0], []
        for row in local[1:]:
            through = best[:, None] + move.reshape(self.labels, -1)
            back.append(through.argmax(axis=0))
            best = through.max(axis=0) + row
        path = [int(best.argmax())]
        for step in reversed(back):
            path.append(int(step[path[-1]]))
        return tuple(reversed(path))


@dataclass(frozen=True)
class Ordering(Enumerated):
    """Orders of three items (tuples), share of wrong pairs as loss, scipy.sparse features of several formats."""

    features: int = 4

    def outputs(self, x: np.ndarray) -> Iterable[tuple[int, ...]]:
        return itertools.permutations(range(len(x)))

    def joint_feature(self, x: np.ndarray, y: tuple[int, ...]) -> Any:
        row = sum(x[a] - x[b] for a, b in itertools.combinations(y, 2))
        row = np.concatenate([row * (np.abs(row) > 0.5), np.zeros(3), [y[0] == 0]])
        kinds = (sp.csr_array, sp.csc_matrix, sp.coo_array, lambda v: sp.csr_matrix(v.reshape(-1, 1)))
        return kinds[y[-1]](row[None, :]) if y[0] else kinds[3](row)

    def loss(self, y_true: tuple[int, ...], y: tuple[int, ...]) -> float:
        place = {item: k for k, item in enumerate(y)}
        return sum(place[a] > place[b] for a, b in itertools.combinations(y_true, 2)) / 3


@dataclass(frozen=True)
class Subset(Enumerated):
    """Sets of labels (frozensets): a label missed costs 1, one too many 0.3; label slots and pairs as features."""

    labels: int = 3
    features: int = 3

    def outputs(self, x: np.ndarray) -> Iterable[frozenset[int]]:
        every = range(self.labels)
        return (frozenset(y) for r in range(self.labels + 1) for y in itertools.combinations(every, r))

    def joint_feature(self, x: np.ndarray, y: frozenset[int]) -> np.ndarray:
        single = np.zeros((self.labels, self.features))
        single[sorted(y)] = x
        pairs = [float({a, b} <= y) for a, b in itertools.combinations(range(self.labels), 2)]
        return np.concatenate([single.ravel(), pairs])

    def loss(self, y_true: frozenset[int], y: frozenset[int]) -> float:
        return len(y_true - y) + 0.3 * len(y - y_true)


@dataclass(frozen=True)
class Words(Enumerated):
    """Strings over a tiny alphabet, some of equal features, a loss that is 0 for one wrong output as well."""

    alphabet: str = "ab"

    def outputs(self, x: np.ndarray) -> Iterable[str]:
        return ("".join(letters) for r in (1, 2) for letters in itertools.product(self.alphabet, repeat=r))

    def joint_feature(self, x: np.ndarray, y: str) -> list[float]:
        counts = [y.count(letter) for letter in self.alphabet]
        return [*(c * v for c in counts for v in x), float(len(y) == 2)]

    def loss(self, y_true: str, y: str) -> float:
        return float(sorted(y_true) != sorted(y)) * (0.5 + abs(len(y) - len(y_true)))


@dataclass(frozen=True)
class Patch(Enumerated):
    """Binary images (NumPy arrays), share of wrong pixels as loss; features of both forms."""

    side: int = 2

    def outputs(self, x: np.ndarray) -> Iterable[np.ndarray]:
        size = self.side**2
        return (np.array(bits).reshape(self.side, self.side) for bits in itertools.product((0, 1), repeat=size))

    def joint_feature(self, x: np.ndarray, y: np.ndarray) -> Any:
        edges = [np.sum(y[1:] == y[:-1]), np.sum(y[:, 1:] == y[:, :-1])]
        row = np.concatenate([(x * y).ravel(), [np.sum(y * x), y.sum()], edges]).astype(np.float32)
        return sp.csr_array(row[None, :]) if y.sum() % 2 else row

    def loss(self, y_true: np.ndarray, y: np.ndarray) -> float:
        return float(np.mean(y_true != y))


class Classes(Enumerated):
    """Three classes with a zero-one loss, and the attribute that says so."""

    zero_one = True

    def outputs(self, x: np.ndarray) -> Iterable[int]:
        return range(3)

    def joint_feature(self, x: np.ndarray, y: int) -> np.ndarray:
        return np.kron(np.eye(3)[y], x)

    def loss(self, y_true: int, y: int) -> float:
        return float(y_true != y)


class Only:
    """A problem with no more than the named powers."""

    def __init__(self, problem: Any, *powers: str) -> None:
        for name in ("joint_feature", "loss", "argmax", *powers):
            setattr(self, name, getattr(problem, name))


class Counted(Only):
    """A problem that counts how often each of its methods is called."""

    def __init__(self, problem: Any, *powers: str) -> None:
        super().__init__(problem, *powers)
        self.calls: Counter[str] = Counter()
        for name in ("joint_feature", "loss", "argmax", *powers):
            setattr(self, name, self._counting(name, getattr(problem, name)))

    def _counting(self, name: str, method: Any) -> Any:
        def call(*arguments: Any, **options: Any) -> Any:
            self.calls[name] += 1
            return method(*arguments, **options)

        return call


def sample(problem: Any, n: int, seed: int = 0, noise: float = 0.5) -> tuple[list[Any], list[Any]]:
    """Inputs, and the outputs that noisy random weights prefer; ``noise=0`` gives separable data."""
    rng = np.random.default_rng(seed)
    shapes = {
        Chain: lambda: rng.standard_normal((3, problem.features)),
        Ordering: lambda: rng.standard_normal((3, problem.features)),
        Subset: lambda: rng.standard_normal(problem.features),
        Words: lambda: rng.standard_normal(2),
        Patch: lambda: rng.standard_normal((problem.side, problem.side)),
        Classes: lambda: rng.standard_normal(3),
    }
    make = next(make for kind, make in shapes.items() if isinstance(problem, kind))
    X = [make() for _ in range(n)]
    first = next(iter(problem.outputs(X[0])))
    w = rng.standard_normal(dense(problem.joint_feature(X[0], first)).size)
    Y = [problem.argmax(x, w + noise * rng.standard_normal(w.size)) for x in X]
    assert len({repr(y) for y in Y}) > 1
    assert all(any(same(y, z) for z in problem.outputs(x)) for x, y in zip(X, Y))
    return X, Y
