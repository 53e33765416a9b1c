"""Features of alignments against their definition, position by position."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from all_alignments import Shape, alignments, paid_runs
from maxmargin.alignments import AlignmentSVM, Alphabet, Anova2, Gaps, Profile, Simple, Tensor, Window
from maxmargin.alignments.features import Codes, Features, Numbers
from maxmargin.alignments.layout import Layout
from maxmargin.alignments.packed import PackedAlignments, read_pairs
from maxmargin.alignments.tracks import Pool

LETTERS = {"residue": "abc", "structure": "HL", "surface": "01"}
EVERY = {
    "simple": Simple(),
    "two tracks": Simple("residue", "structure"),
    "across": Simple("residue", "structure", across=True),
    "not symmetric": Simple(symmetric=False),
    "anova": Anova2("residue", "structure", "surface"),
    "tensor": Tensor("residue", "structure", "surface", ),
    "window": Simple() + Window("structure", width=2, centre=False),
    "wide window": Window(width=3, symmetric=False),
    "profile": Profile(),
    "diagonal profile": Simple() + Profile(diagonal=True),
    "gaps by letter": Simple() + Gaps("residue", "structure"),
    "linear gaps": Simple() + Gaps(affine=False),
    "untied gaps": Simple() + Gaps("residue", tied=False),
    "gaps by context": Simple() + Gaps("residue", context="profile", tied=False),
    "gaps and pairs by context": Profile() + Gaps(context=["profile"], affine=False),
    "everything": Anova2("residue", "structure") + Window("surface", width=1) + Profile() + Gaps("surface", tied=False),
}  # fmt: skip


def sequence(rng, length, sparse=False):
    profile = rng.standard_normal((length, 3)) * (rng.random((length, 3)) < 0.7)
    return {
        **{name: "".join(rng.choice(list(letters), length)) for name, letters in LETTERS.items()},
        "profile": sp.csr_array(profile) if sparse else profile,
    }


def feature_rows(source, layout, given, i):
    """(feature, value) of a position, from the tracks themselves."""
    if isinstance(source, Numbers):
        row = given[source.track]
        row = row.toarray()[i] if sp.issparse(row) else row[i]
        return list(enumerate(row))
    letters = [layout.alphabets[track].letters for track in source.tracks]
    at = i + source.offset
    inside = 0 <= at < len(given[source.tracks[0]])
    if source.across:
        return [
            (sum(map(len, letters[:k])) + letters[k].index(given[track][at]), 1.0)
            for k, track in enumerate(source.tracks)
        ]
    if not inside:
        return [(int(np.prod([len(own) for own in letters])), 1.0)]
    number = 0
    for track, own in zip(source.tracks, letters):
        number = number * len(own) + own.index(given[track][at])
    return [(number, 1.0)]


def plain_features(layout, x, y, pairs, shape):
    """The joint features of an alignment, term by term."""
    m, n = len(x["residue"]), len(y["residue"])
    found = np.zeros(layout.n_weights)
    for placed in layout.components:
        for i, j in pairs:
            for a, u in feature_rows(placed.component.source, layout, x, i):
                for b, v in feature_rows(placed.component.source, layout, y, j):
                    if placed.index[a, b] >= 0:
                        found[placed.index[a, b]] += u * v
    for gap in layout.gaps:
        for side, run in paid_runs(pairs, m, n, shape):
            given, row = (x, 0) if side == "x" else (y, 1)
            for position in run:
                own = [(0, 1.0)] if gap.source is None else feature_rows(gap.source, layout, given, position)
                for column, value in own:
                    found[(gap.open if position == run[0] else gap.extend)[row, column]] += value
    return found


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
def test_scores_and_features_are_those_of_the_definition(name, sparse):
    rng = np.random.default_rng(0)
    features = Features.of(EVERY[name])
    X = [(sequence(rng, m, sparse), sequence(rng, n, sparse)) for m, n in ((3, 4), (1, 2), (5, 2))]
    pool = Pool(features)
    given = read_pairs(pool, X)
    layout = Layout(features, {name: Alphabet(LETTERS[name]) for name in features.letters()}, pool.columns())
    w = rng.standard_normal(layout.n_weights)
    for shape in (Shape(), Shape("semi-global", (True, False, False, False))):
        packed = PackedAlignments(given, layout, shape)
        for i, (x, y) in enumerate(X):
            every = list(alignments(*given.lengths(i)))
            grid = packed.grid(w, i)
            for k in rng.integers(len(every), size=10):
                truths = [np.zeros((0, 2), np.int32) for _ in X]
                truths[i] = np.array(every[k], dtype=np.int32).reshape(-1, 2)
                psi = packed.targets(truths).features(i)
                np.testing.assert_allclose(psi, plain_features(layout, x, y, every[k], shape), atol=1e-12)
                assert grid.score(truths[i]) == pytest.approx(psi @ w)
            log_sum = grid.sums()[0]
            assert log_sum > -np.inf
            targets = packed.targets([np.zeros((0, 2), np.int32) for _ in X])
            gradient = np.zeros(w.size)
            targets.likelihood(w, None, i, i + 1, gradient, 1)
            for at in rng.integers(w.size, size=5):  # a difference quotient of the value
                step = np.zeros(w.size)
                step[at] = 1e-6
                ends = [targets.likelihood(w + sign * step, None, i, i + 1, None, 1) for sign in (1, -1)]
                assert gradient[at] == pytest.approx((ends[0] - ends[1]) / 2e-6, abs=1e-6)


def test_weights_that_are_shared():
    assert counted(Simple()) == 6 + 2
    assert counted(Simple(symmetric=False)) == 9 + 2
    assert counted(Simple("residue", "structure")) == 6 + 3 + 2
    assert counted(Simple("residue", "structure", across=True)) == 15 + 2
    assert counted(Anova2("residue", "structure")) == 6 + 3 + 21 + 2
    assert counted(Tensor("residue", "structure")) == 21 + 2
    assert counted(Window("structure", width=1)) == 6 + 3 + 6 + 2
    assert counted(Profile()) == 6 + 2
    assert counted(Profile(diagonal=True)) == 3 + 2
    assert counted(Simple() + Gaps(affine=False)) == 6 + 1
    assert counted(Simple() + Gaps("residue", tied=False)) == 6 + 2 * 2 * (1 + 3)
    assert counted(Simple() + Gaps("residue", context="profile")) == 6 + 2 * (1 + 3 + 3)


def counted(features):
    alphabets = {name: Alphabet(letters) for name, letters in LETTERS.items()}
    return Layout(Features.of(features), alphabets, {"profile": 3}).n_weights


def test_parts_come_back_from_plain_values():
    for features in EVERY.values():
        own = Features.of(features)
        assert Features.from_plain(own.to_plain()) == own


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Simple(3), "A track is known by its name, a string, not 3."),
        (lambda: Simple("a", "a"), "Name each track once, not 'a', 'a'."),
        (lambda: Tensor("a"), "At least 2 tracks are needed, not 1."),
        (lambda: Window(width=0), "width must be a whole number from 1 to 1000, not 0."),
        (lambda: Simple() + 3, r"features must be Simple\(...\), Window\(...\) and the like, .* not 3."),
    ],
)
def test_refused_parts(make, words):
    with pytest.raises((TypeError, ValueError), match=words):
        make()


DATA = {"residue": "ab", "profile": np.zeros((2, 3))}
REFUSED = {
    "no pair": (None, "abc", TypeError, "Example 0 must be a pair of sequences, not 'abc'."),
    "three": (None, ("a", "b", "c"), ValueError, "Example 0 must be a pair of sequences, not 3 of them."),
    "empty": (None, ("ab", ""), ValueError, "Sequence y of example 0 is empty"),
    "a number": (None, ("ab", 3), TypeError, "Sequence y of example 0 must be a string, a list of letters"),
    "no track": (
        Simple("structure"), ("ab", "ab"), ValueError,
        "Sequence x of example 0 has no track 'structure', which the features need; it has 'residue'.",
    ),
    "lengths": (
        Simple() + Profile(), ({"residue": "abc", "profile": np.zeros((2, 3))}, DATA), ValueError,
        "Sequence x of example 0 has 3 positions in the track 'residue' and 2 in 'profile'",
    ),
    "columns": (
        Profile(), (DATA, {"profile": np.zeros((2, 4))}), ValueError,
        "Sequence y of example 0, track 'profile', has 4 columns, and 3 are needed.",
    ),
    "no matrix": (Profile(), ({"profile": "ab"}, DATA), ValueError, "must be a matrix with one row per position"),
    "NaN": (Profile(), ({"profile": np.full((2, 3), np.nan)}, DATA), ValueError, "track 'profile', contains NaN"),
    "a letter": (Simple(), ("ab", "aX"), ValueError, "Sequence y of example 0 has the letter 'X' at position 1"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_refused_sequences(case):
    features, pair, error, words = REFUSED[case]
    with pytest.raises(error) as refused:
        AlignmentSVM(features=features, alphabet="ab").fit([pair], [[(0, 0)]])
    assert words in str(refused.value)


@pytest.mark.parametrize(
    ("pairs", "words"),
    [
        ([(0, 0), (1, 5)], "The alignment of example 0 goes past the end: pair 1 is (1, 5)"),
        ([(1, 1), (0, 2)], "The alignment of example 0 goes backwards: pair 1 is (0, 2) after (1, 1)"),
        ([], "The alignment of example 0 has no pairs, so that no share of them can be missed"),
        ([1, 2], "The alignment of example 0 must be rows (i, j) of whole numbers"),
    ],
)
def test_refused_alignments(pairs, words):
    with pytest.raises(ValueError) as refused:
        AlignmentSVM().fit([("abc", "abc")], [pairs])
    assert words in str(refused.value)


def test_codes_are_compared_by_value():
    assert Codes(("residue",)) == Codes(("residue",), 0, False)
    model = AlignmentSVM(1.0, features=Simple("residue", "structure")).fit(
        [({"residue": "ab", "structure": "HL"}, {"residue": "ab", "structure": "HL"})], [[(0, 0), (1, 1)]]
    )
    for track in ("residue", "structure"):
        table = model.substitution_matrix(track)
        np.testing.assert_array_equal(table, table.T)
    with pytest.raises(ValueError, match="no matrix of the track 'surface' alone"):
        model.substitution_matrix("surface")
