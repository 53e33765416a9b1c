"""Rows that are strings: the spectrum kernel by brute force, in all estimators over rows."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import maxmargin as mm
from maxmargin import Kernel, MulticlassSVC, Spectrum

RNG = np.random.default_rng(0)
WORDS = ["".join(RNG.choice(list("acgt"), int(RNG.integers(2, 12)))) for _ in range(40)]
Y = np.array([word.count("a") + word.count("c") > len(word) / 2 for word in WORDS]).astype(int)


def spectrum_kernel(first, second, length, normalised):
    """From all pairs of places."""

    def value(a, b):
        places = [(i, j) for i in range(len(a) - length + 1) for j in range(len(b) - length + 1)]
        return float(sum(a[i : i + length] == b[j : j + length] for i, j in places))

    found = np.array([[value(a, b) for b in second] for a in first])
    if normalised:
        for axis, words in enumerate((first, second)):
            own = np.sqrt([max(value(a, a), 1e-300) for a in words])
            found = found / np.expand_dims(own, 1 - axis)
    return found


@pytest.mark.parametrize("length", [1, 2, 3])
@pytest.mark.parametrize("normalised", [True, False])
def test_counts_are_the_kernel(length, normalised):
    spectrum = Spectrum(length, normalised)
    rows = spectrum.rows(WORDS, spectrum.learned(WORDS))
    np.testing.assert_allclose((rows @ rows.T).toarray(), spectrum_kernel(WORDS, WORDS, length, normalised), atol=1e-12)
    new = ["acgtacgt", "zzzz", "", "gacz"]
    products = (spectrum.rows(new, spectrum.learned(WORDS)) @ rows.T).toarray()
    np.testing.assert_allclose(products, spectrum_kernel(new, WORDS, length, normalised), atol=1e-12)


def test_classes_are_those_of_a_precomputed_kernel():
    options = {"method": "structural", "slack": "linear", "fit_intercept": False, "tol": 1e-7}
    strings = MulticlassSVC(2.0, kernel=Spectrum(2), **options).fit(WORDS[:30], Y[:30])
    values = spectrum_kernel(WORDS, WORDS[:30], 2, True)
    known = MulticlassSVC(2.0, kernel="precomputed", **options).fit(values[:30], Y[:30])
    assert strings.solution_.primal == pytest.approx(known.solution_.primal, rel=1e-5)
    np.testing.assert_allclose(strings.decision_function(WORDS), known.decision_function(values), atol=5e-3)
    assert strings.coef_.shape[1] == strings.substrings_.size


@pytest.mark.parametrize("kernel", [Spectrum(2), Spectrum(2, kernel="rbf")])
@pytest.mark.parametrize(
    ("make", "y"),
    [
        (mm.MulticlassSVC, Y),
        (mm.MultilabelSVC, np.stack([Y, 1 - Y], axis=1)),
        (lambda **options: mm.MeasureSVC("f1", **options), Y),
    ],
)
def test_estimators_over_rows(make, y, kernel, tmp_path):
    model = make(kernel=kernel).fit(WORDS, y)
    again = make(kernel=kernel).fit([list(word) for word in WORDS], y)
    np.testing.assert_array_equal(model.predict(WORDS), again.predict([tuple(word) for word in WORDS]))
    assert np.mean(model.predict(WORDS) == y) > 0.75
    model.save(tmp_path / "model")
    loaded = mm.load(tmp_path / "model")
    assert loaded.kernel == kernel
    np.testing.assert_array_equal(loaded.predict(WORDS), model.predict(WORDS))


def test_rankings_and_calibration():
    ranker = mm.RankingSVM(kernel=Spectrum(2)).fit(WORDS, Y, groups=np.repeat([0, 1, 2, 3], 10))
    assert ranker.predict(WORDS).shape == (40,)
    model = MulticlassSVC(kernel=Spectrum(2), method="structural").fit(WORDS, Y)
    np.testing.assert_allclose(model.calibrate(WORDS, Y).predict_proba(WORDS).sum(axis=1), 1.0)


class TestBadInput:
    @pytest.mark.parametrize(
        ("options", "words"),
        [
            ({"length": 0}, "length of Spectrum must be a whole number of at least 1, not 0"),
            ({"normalised": 2}, "normalised of Spectrum must be True or False, not 2"),
            ({"kernel": Kernel("rbf")}, "kernel of Spectrum is the name of a kernel of counts"),
        ],
    )
    def test_settings(self, options, words):
        with pytest.raises(ValueError, match=words):
            Spectrum(**options)

    def test_no_kernel_of_that_name(self):
        with pytest.raises(ValueError, match="kernel must be the name of a kernel"):
            MulticlassSVC(kernel=Spectrum(kernel="gaussian")).fit(WORDS, Y)

    def test_other_rows(self):
        model = MulticlassSVC(kernel=Spectrum(2)).fit(WORDS, Y)
        with pytest.raises(ValueError, match="Row 1 of X is 3; Spectrum takes strings, or lists of strings"):
            model.predict(["ac", 3])
        with pytest.raises(ValueError, match="Spectrum takes a list of strings, not 'acgt'"):
            model.predict("acgt")
        with pytest.raises(ValueError, match=r"Spectrum takes a list of strings, not an array of shape \(1, 2\)"):
            model.predict(np.array([["ac", "gt"]]))

    @pytest.mark.parametrize("make", [np.eye, sp.eye_array])
    def test_rows_of_numbers(self, make):
        words = r"Spectrum takes a list of strings, not an? (sparse matrix|array) of shape \(40, 40\); for rows of"
        with pytest.raises(ValueError, match=words):
            MulticlassSVC(kernel=Spectrum(2)).fit(make(40), Y)
        model = MulticlassSVC(kernel=Spectrum(2)).fit(WORDS, Y)
        with pytest.raises(ValueError, match=words):
            model.predict(make(40))

    def test_short_strings(self):
        with pytest.raises(ValueError, match="No string of X has 20 letters"):
            MulticlassSVC(kernel=Spectrum(20)).fit(WORDS, Y)

    def test_tokens(self):
        with pytest.raises(mm.Unsupported, match="Spectrum is a kernel of rows that are strings"):
            mm.ChainSVC(kernel=Spectrum(2)).fit([np.ones((2, 1))], [[0, 1]])


@pytest.mark.parametrize("text", ["ba\0", "a\ud800b"])
def test_characters_that_no_file_keeps_are_refused(text):
    with pytest.raises(ValueError, match="NUL or half a surrogate pair"):
        Spectrum(2).learned([text, "ab"])


@pytest.mark.parametrize("kernel", ["precomputed", "chi2"])
def test_kernels_that_take_no_sparse_counts(kernel):
    with pytest.raises(ValueError, match="counts of substrings are sparse rows"):
        Spectrum(2, kernel=kernel)
