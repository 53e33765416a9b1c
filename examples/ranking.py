"""Rankings: learn to order the documents of queries, by several measures, beside a regression; save and load."""

import tempfile
from pathlib import Path

import numpy as np
from sklearn.linear_model import Ridge

import maxmargin
from maxmargin import RankingSVM
from maxmargin.datasets import make_ranking
from maxmargin.rankings.letor import read_letor, write_letor

X, y, queries = make_ranking(300, noise=1.5, spread=3.0)  # documents with grades 0 to 2; queries differ in level
train, test = queries < 200, queries >= 200
held_out = X[test], y[test], queries[test]
names = ("swapped_pairs", "average_precision", "ndcg(10)", "mrr")


def scores_of(ranker):
    """All measures on the queries not seen, whatever the ranker was trained for."""
    return [ranker.set_params(measure=name).score(X[test], y[test], groups=queries[test]) for name in names]


print(f"{'trained for':>18s}", *(f"{name:>18s}" for name in names))
for name in names:
    ranker = RankingSVM(measure=name).fit(X[train], y[train], groups=queries[train])
    print(f"{name:>18s}", *(f"{score:18.3f}" for score in scores_of(ranker)))
ridge = Ridge().fit(X[train], y[train])  # one document at a time, queries unknown
ranker.coef_ = ridge.coef_
print(f"{'ridge regression':>18s}", *(f"{score:18.3f}" for score in scores_of(ranker)))

ranker = RankingSVM(measure="ndcg(10)").fit(X[train], y[train], groups=queries[train])
first = np.unique(queries[test])[0]
rows = np.flatnonzero(queries == first)
(order,) = ranker.predict_ranking(X[rows])
print(f"\ngrades of query {first}, best first: {y[rows][order].tolist()}")

with tempfile.TemporaryDirectory() as folder:
    write_letor(Path(folder) / "test.letor", *held_out)
    ranker.save(Path(folder) / "ranker.maxmargin")
    data = read_letor(Path(folder) / "test.letor", n_features=ranker.n_features_in_)
    loaded = maxmargin.load(Path(folder) / "ranker.maxmargin")
    same = np.allclose(loaded.predict(data.X), ranker.predict(X[test]))
    print(f"through a LETOR file and a model file, same scores: {same}")
