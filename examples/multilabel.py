"""Label vectors: labels that exclude each other, with and without interactions, for three losses; save and load."""

import tempfile
from pathlib import Path

import numpy as np
from sklearn.metrics import f1_score, hamming_loss
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC

import maxmargin
from maxmargin import MultilabelSVC

rng = np.random.default_rng(0)
names = np.array(["spring", "summer", "autumn", "winter", "rain", "sun"])
X = rng.standard_normal((600, 12))
season = (X @ rng.standard_normal((12, 4)) + rng.standard_normal((600, 4))).argmax(axis=1)  # exactly one of four
weather = X @ rng.standard_normal((12, 2)) + np.c_[season == 2, season == 1] * 3 + rng.standard_normal((600, 2)) > 1
Y = np.hstack([np.eye(4, dtype=int)[season], weather])
train, test = slice(0, 300), slice(300, None)


def report(name, model):
    found = model.predict(X[test])
    f1 = f1_score(Y[test], found, average="samples", zero_division=1.0)
    exact = np.mean((found == Y[test]).all(axis=1))
    print(f"{name:32s} Hamming loss {hamming_loss(Y[test], found):.3f}   F1 {f1:.3f}   all right {exact:.3f}")


report(
    "one LinearSVC per label",
    OneVsRestClassifier(LinearSVC(C=0.1, loss="hinge", max_iter=20_000)).fit(X[train], Y[train]),
)
for interactions in ("independent", "tree", "full"):
    for loss in ("hamming", "f1", "zero-one"):
        model = MultilabelSVC(interactions=interactions, loss=loss).fit(X[train], Y[train])
        report(f"{interactions}, {loss}", model)

sets = [set(names[row == 1].tolist()) for row in Y]  # labels may be given by name
model = MultilabelSVC(interactions="full").fit(X[train], sets[train])
print("\nwhat goes together, and what does not:")
order = np.argsort(model.interaction_)
for p in [*order[-2:][::-1], *order[:3]]:
    first, second = model.classes_[model.pairs_[p]]
    print(f"  {first:>7s} and {second:7s} {model.interaction_[p]:+.2f}")
print("the first test example:", model.predict_sets(X[test][:1])[0], "truth:", sorted(sets[300]))

with tempfile.TemporaryDirectory() as folder:
    model.save(Path(folder) / "labels.maxmargin")
    loaded = maxmargin.load(Path(folder) / "labels.maxmargin")
    print("saved and loaded again, same answers:", loaded.predict_sets(X) == model.predict_sets(X))
