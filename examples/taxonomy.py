"""Classes in a taxonomy: what they share, what a mistake costs, answers higher up, classes without examples."""

import tempfile
from importlib.util import find_spec
from pathlib import Path

import numpy as np

import maxmargin
from maxmargin import DescribedClasses, MulticlassSVC, TaxonomySVC
from maxmargin.datasets import make_taxonomy
from maxmargin.metrics import hierarchical_score, tree_loss
from maxmargin.plots.taxonomies import draw_errors

# Texts about the 27 leaves of a tree of three levels; a class is named as '2.0.1'. Three texts of each to learn from.
X, y = make_taxonomy(1000, branching=(3, 3, 3), n_features=300, n_words=30, topic_words=6, noise=0.6)
rng = np.random.default_rng(0)
train = np.concatenate([rng.permutation(np.flatnonzero(y == label))[:3] for label in np.unique(y)])
test = np.setdiff1d(np.arange(len(y)), train)

flat = MulticlassSVC().fit(X[train], y[train])
tree = TaxonomySVC(taxonomy=".").fit(X[train], y[train])
for name, model in (("flat", flat), ("tree", tree)):
    answers = model.predict(X[test])
    score = hierarchical_score(y[test], answers, ".")
    loss = tree_loss(y[test], answers, ".")
    print(f"{name}: accuracy {np.mean(answers == y[test]):.3f}, tree loss {loss:.3f}, hierarchical F1 {score.f1:.3f}")

# Answers stop at an inner node where no leaf below it is sure enough.
tree.calibrate(X[train], y[train])
for until in (0.0, 0.5, 0.9):
    answers = tree.predict(X[test], until=until)
    right = np.mean([truth.startswith(answer) or answer == "root" for truth, answer in zip(y[test], answers)])
    leaves = np.mean([answer.count(".") == 2 for answer in answers])
    print(f"until {until}: {leaves:.0%} of the answers are leaves, {right:.0%} are right as far as they go")

# A class without a single example, known by the features that it shares with others: the nodes above it.
described = DescribedClasses.from_attributes({c: {c[:1]: 1.0, c[:3]: 1.0, c: 0.5} for c in np.unique(y).tolist()})
seen = y[train] != "1.1.1"
model = MulticlassSVC(output_features=described).fit(X[train][seen], y[train][seen])
unseen = X[test][y[test] == "1.1.1"]
below = np.mean([answer.startswith("1.1") for answer in model.predict(unseen, classes="all")])
print(f"texts about a class without examples: {below:.0%} are placed below the right node")

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "tree.mm"
    tree.save(path)
    same = np.array_equal(maxmargin.load(path).predict(X[test]), tree.predict(X[test]))
    print(f"saved in {path.stat().st_size} bytes and loaded again, same predictions: {same}")

if find_spec("matplotlib"):
    draw_errors(y[test], tree.predict(X[test]), ".", "taxonomy.png", title="Mistakes of TaxonomySVC")
    print("the tree with its mistakes is drawn in taxonomy.png")
