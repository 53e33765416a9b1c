"""Diverse rankings: learn which words are worth covering, choose documents, compare with fixed rules, save and load."""

import tempfile
from pathlib import Path

import numpy as np

import maxmargin
from maxmargin import DiversityRanker
from maxmargin.datasets import make_subtopics
from maxmargin.diversity import EssentialPages, OkapiBM25, RandomChoice, UnweightedCoverage, subtopic_losses

X, Y = make_subtopics(60)  # candidate sets of 40 documents in invented words, each with a query
X_test, Y_test = make_subtopics(30, seed=1)

ranker = DiversityRanker(k=5).fit(X, Y)
chosen = ranker.predict(X_test[:1])[0]
print("the first test set, five documents and the subtopics that each covers:")
for d in chosen:
    print(f"  document {d:2d}: {', '.join(sorted(Y_test[0][d])) or 'off topic'}")
print("words that are worth most there:", ", ".join(word for word, _ in ranker.top_words(X_test[0], 8)))

print("\nweighted share of subtopics left out, mean over the test sets:")
rankers = {
    "learned": ranker,
    "essential pages": EssentialPages(),
    "unweighted": UnweightedCoverage(),
    "Okapi BM25": OkapiBM25(),
    "random": RandomChoice(),
}
for name, each in rankers.items():
    ranking = each.predict(X_test, k=10)  # the first j documents are the choice for k = j
    curve = [np.mean(subtopic_losses(Y_test, ranking, k)) for k in (1, 3, 5, 10)]
    print(f"  {name:16s}", "  ".join(f"k={k}: {loss:.3f}" for k, loss in zip((1, 3, 5, 10), curve)))

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "ranker.mm"
    ranker.save(path)
    same = np.array_equal(maxmargin.load(path).predict(X_test), ranker.predict(X_test))
    print(f"\nsaved in {path.stat().st_size} bytes and loaded again, same rankings: {same}")
