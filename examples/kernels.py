"""Kernels: what is not linear in the features, exactly or by a basis of few rows, for classes and sequences."""

import tempfile
import time
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits, make_moons
from sklearn.model_selection import train_test_split

import maxmargin
from maxmargin import ChainSVC, Kernel, LowRank, MeasureSVC, MulticlassSVC
from maxmargin.datasets import make_sentences

X_train, X_test, y_train, y_test = train_test_split(*load_digits(return_X_y=True), random_state=0)
for name, model in (
    ("linear", MulticlassSVC()),
    ("rbf", MulticlassSVC(kernel="rbf")),
    ("poly, degree 2", MulticlassSVC(kernel=Kernel("poly", degree=2))),
    ("rbf, 50 basis rows", MulticlassSVC(kernel="rbf", rank=50)),
    ("rbf, 200 basis rows", MulticlassSVC(kernel="rbf", rank=200)),
    ("rbf, 200 frequencies", MulticlassSVC(kernel="rbf", rank=LowRank(400, "fourier"))),
):
    begin = time.perf_counter()
    model.fit(X_train, y_train)
    rows = "" if model.kernel_ is None else f", {model.kernel_.width} terms per score"
    print(f"digits, {name}: accuracy {model.score(X_test, y_test):.3f} in {time.perf_counter() - begin:.1f} s{rows}")

# A measure of all rows, on two half moons.
X, y = make_moons(400, noise=0.2, random_state=0)
for kernel in ("linear", "rbf"):
    measure = MeasureSVC("f1", kernel=kernel).fit(X[:200], y[:200])
    print(f"moons, {kernel}: F1 {measure.score(X[200:], y[200:]):.3f}")


# Any function of two matrices is a kernel; it is given again where a model is read.
def overlap(A, B):
    """The sum of the smaller of two pixels."""
    return np.minimum(A[:, None, :], B[None, :, :]).sum(axis=2)


model = MulticlassSVC(kernel=overlap, rank=100).fit(X_train, y_train)
with tempfile.TemporaryDirectory() as folder:
    model.save(Path(folder) / "digits.mm")
    same = maxmargin.load(Path(folder) / "digits.mm", kernel=overlap)
    print(f"digits, overlap: accuracy {same.score(X_test, y_test):.3f} after reading the file")

# Between the tokens of sequences a kernel of degree 2 knows all pairs of attributes.
words, tags = make_sentences(150)
tagger = ChainSVC(kernel=Kernel("poly", degree=2), rank=100, templates="tagging").fit(words[:100], tags[:100])
print(f"sentences, poly: {tagger.score(words[100:], tags[100:]):.3f} of the tokens right")
