"""Multiclass classification: train, look at the guarantee, use a cost matrix, tune C, save and load."""

import tempfile
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV, train_test_split

import maxmargin
from maxmargin import MulticlassSVC

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X / 16.0, y, test_size=0.3, random_state=0)

model = MulticlassSVC().fit(X_train, y_train)
solution = model.solution_
print(f"C = {model.C_:.3g}, objective {solution.primal:.4f}, at most {solution.gap:.2g} above the optimum")
print(f"test accuracy {model.score(X_test, y_test):.3f}")
best = [entry.output for entry in model.predict_kbest(X_test[:1], 3)[0]]
print(f"the three likeliest classes of the first test image: {best}")

# Overlooking an 8 is ten times as bad as any other mistake: say so, and pay less.
cost = 1.0 - np.eye(10)
cost[8] *= 10.0
careful = MulticlassSVC(cost=cost).fit(X_train, y_train)
for name, classifier in (("without", model), ("with", careful)):
    print(f"mean test cost, {name} the costs: {cost[y_test, classifier.predict(X_test)].mean():.3f}")

search = GridSearchCV(MulticlassSVC(), {"C": [0.01, 0.1, 1.0]}, cv=3).fit(X_train, y_train)
print(f"best C of three: {search.best_params_['C']}, test accuracy {search.score(X_test, y_test):.3f}")

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "digits.mm"
    model.save(path)
    same = np.array_equal(maxmargin.load(path).predict(X_test), model.predict(X_test))
    print(f"saved in {path.stat().st_size} bytes and loaded again, same predictions: {same}")
