"""Small grammars and sentences at random, and every tree of them listed without the charts of the library."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hypothesis import reject
from hypothesis import strategies as st

from maxmargin import _core

MOST_TREES = 2000

Row = tuple[int, int, int, int]


class TooManyTrees(Exception):
    """A sentence has more trees than can be listed."""


@dataclass(eq=False)
class GrammarCase:
    """A grammar as arrays and a sentence; rules are numbered binary, unary, lexical."""

    symbols: int
    binary: list[tuple[int, int, int]]
    unary: list[tuple[int, int]]
    lexical: list[tuple[int, int]]
    terminals: int
    chains: list[tuple[int, ...]]
    bracket: list[int]
    words: list[int]
    tags: bool
    weights: np.ndarray = field(default_factory=lambda: np.zeros(0))
    parts: list[dict[str, Any]] = field(default_factory=list)

    @property
    def n_rules(self) -> int:
        return len(self.binary) + len(self.unary) + (0 if self.tags else len(self.lexical))

    def entries(self) -> tuple[list[int], list[int], list[int]]:
        """What terminals can be: offsets, symbols, rules."""
        first, symbols, rules = [0], [], []
        for terminal in range(self.terminals):
            for number, (symbol, own) in enumerate(self.lexical):
                if own == terminal:
                    symbols.append(symbol)
                    rules.append(-1 if self.tags else len(self.binary) + len(self.unary) + number)
            first.append(len(symbols))
        return first, symbols, rules

    def rules(self) -> _core.GrammarRules:
        def ints(values: Any, columns: int | None = None) -> np.ndarray:
            array = np.array(values, dtype=np.int32)
            return array if columns is None else array.reshape(-1, columns)

        offsets = np.cumsum([0, *map(len, self.chains)])
        flat = [len(self.binary) + rule for chain in self.chains for rule in chain]
        lexical = 0 if self.tags else len(self.lexical)
        words = [ints(values) for values in self.entries()]
        two, three = ints(self.unary, 2), ints(self.binary, 3)
        return _core.GrammarRules(
            self.symbols, 0, three, two, lexical, ints(offsets), ints(flat), *words, ints(self.bracket)
        )

    def sentences(self, copies: int = 1) -> _core.Sentences:
        words = np.array(self.words * copies, dtype=np.int32)
        found = _core.Sentences(self.rules(), np.arange(copies + 1, dtype=np.int64) * len(self.words), words)
        for part in self.parts:
            values = None if part["values"] is None else np.tile(part["values"], copies)
            last = part["starts"][-1]
            starts = np.concatenate([[0], *(copy * last + part["starts"][1:] for copy in range(copies))])
            rows = {"starts": starts, "indices": np.tile(part["indices"], copies), "values": values}
            found.add_part(**{**part, **rows})
        return found

    def trees(self) -> list[tuple[Row, ...]]:
        """All derivations of the sentence, each as rows (rule, start, split, end)."""
        n, first_unary = len(self.words), len(self.binary)
        offsets, symbols, rules = self.entries()
        low: dict[tuple[int, int, int], list[tuple[Row, ...]]] = {}
        high: dict[tuple[int, int, int], list[tuple[Row, ...]]] = {}
        for length in range(1, n + 1):
            for i in range(n - length + 1):
                j = i + length
                for symbol in range(self.symbols):
                    low[symbol, i, j] = []
                if length == 1:
                    for at in range(offsets[self.words[i]], offsets[self.words[i] + 1]):
                        low[symbols[at], i, j].append(() if rules[at] < 0 else ((rules[at], i, -1, j),))
                for rule, (parent, left, right) in enumerate(self.binary):
                    for k in range(i + 1, j):
                        pairs = itertools.product(high[left, i, k], high[right, k, j])
                        low[parent, i, j] += [((rule, i, k, j), *a, *b) for a, b in pairs]
                for symbol in range(self.symbols):
                    high[symbol, i, j] = list(low[symbol, i, j])
                for chain in self.chains:
                    above = tuple((first_unary + rule, i, -1, j) for rule in chain)
                    bottom, top = self.unary[chain[-1]][1], self.unary[chain[0]][0]
                    high[top, i, j] += [(*above, *below) for below in low[bottom, i, j]]
                if sum(len(high[symbol, i, j]) for symbol in range(self.symbols)) > MOST_TREES:
                    raise TooManyTrees
        return high[0, 0, n]

    def features(self, tree: tuple[Row, ...]) -> np.ndarray:
        """The joint features of a tree, by their definition."""
        total = np.zeros(self.sentences().weight_count)
        for rule, i, k, j in tree:
            total[rule] += 1.0
            base = self.n_rules
            for part in self.parts:
                rows = {"start": i, "end": j, "length": j - i, "split": k}
                row = rows.get(part["place"], j * (j - 1) // 2 + j - 1 - i)
                block = part["block"][rule]
                if block >= 0 and row >= 0:
                    for at in range(part["starts"][row], part["starts"][row + 1]):
                        value = 1.0 if part["values"] is None else part["values"][at]
                        total[base + part["indices"][at] * part["blocks"] + block] += value
                base += part["columns"] * part["blocks"]
        return total

    def scores(self, trees: list[tuple[Row, ...]]) -> np.ndarray:
        return np.array([self.features(tree) @ self.weights for tree in trees])

    def brackets(self, tree: tuple[Row, ...]) -> list[tuple[int, int, int]]:
        """Labels and spans of the brackets of a tree, sorted; one may come twice."""
        return sorted((self.bracket[rule], i, j) for rule, i, _, j in tree if self.bracket[rule] >= 0)


def ambiguous_case() -> GrammarCase:
    """Five ways to divide four words, and many to name the parts."""
    binary, words, brackets = [(0, 0, 0), (0, 0, 1)], [(0, 0), (1, 0)], [0, 0, 1, -1, -1]
    case = GrammarCase(2, binary, [(0, 1)], words, 1, [(0,)], brackets, [0] * 4, False)
    case.weights = np.array([0.5, -0.3, 0.2, 0.1, 0.7])
    return case


@st.composite
def grammar_cases(draw: Any, features: bool = False, whole: bool = False) -> GrammarCase:
    """``whole``: weights are small whole numbers, so that there are ties."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    symbols, terminals, n = int(rng.integers(2, 5)), int(rng.integers(1, 4)), draw(st.integers(1, 5))
    everything = list(itertools.product(range(symbols), repeat=3))
    binary = [everything[at] for at in rng.permutation(len(everything))[: rng.integers(1, 9)]]
    pairs = list(itertools.permutations(range(symbols), 2))
    unary = [pairs[at] for at in rng.permutation(len(pairs))[: rng.integers(0, 4)]]
    chains = [(rule,) for rule in range(len(unary))]
    chains += [
        (a, b) for a, b in itertools.product(range(len(unary)), repeat=2)
        if unary[a][1] == unary[b][0] and unary[a][0] != unary[b][1]
    ]  # fmt: skip
    words = list(itertools.product(range(symbols), range(terminals)))
    lexical = [words[at] for at in rng.permutation(len(words))[: rng.integers(1, len(words) + 1)]]
    labels = rng.integers(-1, 2, symbols).tolist()
    bracket = [labels[rule[0]] for rule in [*binary, *unary]]
    tags = bool(rng.integers(2))
    case = GrammarCase(symbols, binary, unary, lexical, terminals, chains, bracket, [], tags)
    case.bracket += [-1] * (case.n_rules - len(bracket))
    case.words = rng.integers(terminals, size=n).tolist()
    try:
        case.trees()
    except TooManyTrees:
        reject()
    if features:
        case.parts = [_part(rng, case, place) for place in rng.permutation(PLACES)[: rng.integers(1, 6)].tolist()]
    size = case.sentences().weight_count
    case.weights = rng.integers(-2, 3, size).astype(float) if whole else rng.normal(size=size)
    return case


PLACES = ("start", "end", "length", "span", "split", "split", "start")


def _part(rng: np.random.Generator, case: GrammarCase, place: str) -> dict[str, Any]:
    """Features of one kind of place, at random."""
    n = len(case.words)
    rows, columns, blocks = n * (n + 1) // 2 if place == "span" else n + 1, 3, int(rng.integers(1, 4))
    sizes = rng.integers(0, 3, rows)
    return {
        "place": place,
        "columns": columns,
        "blocks": blocks,
        "block": rng.integers(-1, blocks, case.n_rules).astype(np.int32),
        "starts": np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        "indices": rng.integers(0, columns, sizes.sum()).astype(np.int32),
        "values": rng.normal(size=sizes.sum()) if rng.integers(2) else None,
    }


def split_trees(found: tuple[Any, ...]) -> list[list[tuple[tuple[Row, ...], float]]]:
    """What the core answers: for each sentence the trees, with their scores."""
    first, rules, scores, ends, _ = found
    trees = [tuple(map(tuple, rules[a:b].tolist())) for a, b in itertools.pairwise(first)]
    listed = list(zip(trees, scores.tolist()))
    return [listed[a:b] for a, b in itertools.pairwise(ends)]
