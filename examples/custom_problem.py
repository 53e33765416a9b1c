"""A problem of one's own in twenty lines: tell cards apart that are known to be all different."""

from itertools import permutations

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.datasets import load_digits

from maxmargin import MulticlassSVC, StructuralSVM, check_problem


class Cards:
    """``x`` holds one row of features for each card, ``y`` the number of each card: a permutation."""

    def joint_feature(self, x, y):
        slots = np.zeros(x.shape)
        slots[y] = x
        return slots.ravel()

    def loss(self, y_true, y):
        return float(np.sum(y_true != y))

    def argmax(self, x, w, y_true=None):
        scores = x @ w.reshape(x.shape).T
        if y_true is not None:  # every wrong card costs 1
            scores += 1.0 - np.eye(len(x))[y_true]
        return linear_sum_assignment(scores, maximize=True)[1]

    def outputs(self, x):  # optional: few enough to list, so every formulation can be trained
        return [np.array(order) for order in permutations(range(len(x)))]


def deal(images, digits, n_hands, rng):
    """Hands of four noisy cards, a 3, a 5, an 8 and a 9 in any order."""
    piles = [images[digits == digit] for digit in (3, 5, 8, 9)]
    Y = [rng.permutation(4) for _ in range(n_hands)]
    X = [np.array([rng.choice(piles[number]) for number in y]) for y in Y]
    return [x + 0.4 * rng.standard_normal(x.shape) for x in X], Y


def main():
    images, digits = load_digits(return_X_y=True)
    rng = np.random.default_rng(0)
    X, Y = deal(images[:900] / 16.0, digits[:900], 100, rng)
    X_test, Y_test = deal(images[900:] / 16.0, digits[900:], 500, rng)

    check_problem(Cards(), X[:10], Y[:10])  # a sentence says what is wrong with a problem, if anything is

    alone = MulticlassSVC(C=0.1, fit_intercept=False).fit(np.vstack(X), np.concatenate(Y))
    wrong = np.mean([np.sum(alone.predict(x) != y) for x, y in zip(X_test, Y_test)])
    print(f"each card by itself: {wrong:.3f} of 4 cards wrong in a test hand")
    for rescaling in ("margin", "slack"):
        model = StructuralSVM(Cards(), C=0.1, rescaling=rescaling, tol=0.01).fit(X, Y)
        solution = model.solution_
        print(
            f"the whole hand, {rescaling} rescaling: {-model.score(X_test, Y_test):.3f} wrong; "
            f"objective {solution.primal:.3f}, gap {solution.gap:.2g}, {solution.oracle_calls} searches"
        )


if __name__ == "__main__":
    main()
