"""Training for the measure: F1, ROC area and precision at k on a rare class, groups, a measure of one's own."""

import numpy as np
from sklearn.metrics import average_precision_score, f1_score, roc_auc_score

from maxmargin import MeasureSVC
from maxmargin.datasets import make_documents

X, y = make_documents(6000, 3000, positive=0.03, length=150, topical=0.15, noise=0.0)  # 3 % about a topic
train, test = slice(None, 4000), slice(4000, None)
print(f"{y[train].sum()} of 4000 training texts and {y[test].sum()} of 2000 test texts are about the topic")

print("\ntrained for          F1   ROC area   average precision   precision of the first 20")
for measure in ("error_rate", "f1", "roc_area", "average_precision", "precision_at_k(20)"):
    model = MeasureSVC(measure).fit(X[train], y[train])
    scores = model.decision_function(X[test])
    first = np.argsort(-scores)[:20]
    print(
        f"{measure:18s} {f1_score(y[test], model.predict(X[test]), zero_division=0):.3f}      "
        f"{roc_auc_score(y[test], scores):.3f}               {average_precision_score(y[test], scores):.3f}"
        f"                       {y[test][first].mean():.2f}"
    )

model = MeasureSVC("f1").fit(X[train], y[train])
print(f"\nwhat was tried for F1, and its value on held-out folds; {model.loss_} with C = {model.C_:.3g} was chosen:")
for candidate in model.candidates_:
    print(f"  {candidate.loss:14s} C = {candidate.C:<8.3g} {candidate.value:.3f}")
bound = MeasureSVC("f1", method="structural").fit(X[train], y[train])
own, papers = (one.score(X[test], y[test]) for one in (model, bound))
print(f"F1 of test texts: {own:.3f}, by the bound of the papers {papers:.3f}")


def missed_more_than_alarms(tp, fp, fn, tn):
    """A topical text missed costs as much as five false alarms; 1 at worst."""
    return np.minimum(1.0, (5.0 * fn + fp) / (5.0 * (tp + fn)))


model = MeasureSVC(missed_more_than_alarms).fit(X[train][:1500], y[train][:1500])
print(f"\na loss of one's own, on test texts: {1.0 - model.score(X[test], y[test]):.3f}")

months = np.arange(4000) % 4  # the measure of each month by itself, not of all texts together
by_month = MeasureSVC("f1").fit(X[train], y[train], groups=months)
print(f"F1 of four groups, mean on training texts: {by_month.score(X[train], y[train], groups=months):.3f}")
