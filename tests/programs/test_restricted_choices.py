"""Trees and matchings with pairs that are forbidden or required, and their probabilities, against enumeration."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from enumerated_choices import CASES, all_matchings, all_trees, table_value
from maxmargin import StructuralSVM, Unsupported, load
from maxmargin.fitting.calibration import NotCalibratedWarning
from maxmargin.programs import MatchingProblem, TreeProblem


def fitted(problem, temperature=1.0):
    """A model whose score of a cell is its only feature."""
    model = StructuralSVM(problem)
    model.coef_, model.temperature_, model.calibrated_ = np.ones(1), temperature, True
    return model


def limits_of(data, problem, rows, columns, parts):
    row = st.integers(problem.first_row, problem.first_row + rows - 1)
    column = st.integers(-int(problem.partial), columns - 1)
    return data.draw(st.lists(st.tuples(row, column), max_size=parts, unique=True))


def left(problem, ways, forbidden, required):
    """The outputs that have all required pairs and no forbidden one."""
    has = lambda y, pair: y[pair[0] - problem.first_row] == pair[1]  # noqa: E731
    return [y for y in ways if all(has(y, pair) for pair in required) and not any(has(y, pair) for pair in forbidden)]


@pytest.mark.parametrize(("name", "problem"), [case[:2] for case in CASES], ids=[case[0] for case in CASES])
@settings(max_examples=80)
@given(data=st.data())
def test_every_prediction_under_limits_is_that_of_the_outputs_left(name, problem, data):
    rows = data.draw(st.integers(1, 5))
    columns = rows + 1
    if isinstance(problem, MatchingProblem):
        columns = data.draw(st.integers(1 if problem.partial else rows, 5))
        ways = all_matchings(rows, columns, problem.partial)
    else:
        ways = all_trees(rows, problem.single_root)
    cell = st.floats(-20, 20) | st.integers(-2, 2)
    table = np.array(data.draw(st.lists(cell, min_size=rows * columns, max_size=rows * columns)), dtype=np.float64)
    x, table = table.reshape(rows, columns, 1), table.reshape(rows, columns)
    forbidden = limits_of(data, problem, rows, columns, 6)
    required = limits_of(data, problem, rows, columns, 2)
    temperature = data.draw(st.sampled_from([1.0, 3.0]))
    model = fitted(problem, temperature)
    given = {"forbidden": [None, forbidden], "required": [None, required]}
    ways = left(problem, ways, forbidden, required)
    if not ways:
        with pytest.raises(ValueError, match=rf"Example 1: No {problem.words[0]} has all .*; leave some of them out"):
            model.predict([x, x], **given)
        return
    values = np.array([table_value(table, y) for y in ways])
    p = np.exp((values - values.max()) / temperature)
    p /= p.sum()
    every = np.array(ways)
    risks = (every[:, None, :] != every[None, :, :]).sum(axis=2) @ p

    best = ways.index(tuple(model.predict([x, x], **given)[1].tolist()))
    assert values[best] == pytest.approx(values.max(), abs=1e-9)
    safest = ways.index(tuple(model.predict([x, x], decode="risk", **given)[1].tolist()))
    assert risks[safest] == pytest.approx(risks.min(), abs=1e-9)
    for decode, k in (("best", best), ("risk", safest)):
        assert model.expected_loss([x, x], decode=decode, **given)[1] == pytest.approx(risks[k], abs=1e-9)
        assert model.predict_confidence([x, x], decode=decode, **given)[1] == pytest.approx(p[k], abs=1e-9)
    for abstain in (0.25, 0.75):
        if abs(p[best] - abstain) > 1e-9:
            kept = model.predict([x, x], abstain=abstain, **given)[1]
            assert (kept is None) == (p[best] < abstain)
    found = model.predict_kbest([x, x], 4, **given)[1]
    assert len({tuple(y) for _, y in found}) == len(found) == min(4, len(ways))
    assert {tuple(y) for _, y in found} <= set(ways)
    assert [score for score, _ in found] == pytest.approx(sorted(values)[::-1][:4], abs=1e-9)
    expected = np.zeros_like(table)
    for y, share in zip(ways, p):
        for i, j in enumerate(y):
            if j >= 0:
                expected[i, j] += share
    np.testing.assert_allclose(model.predict_marginals([x, x], **given)[1], expected, atol=1e-9)
    drawn = model.sample([x, x], n_samples=3, **given)[1]
    assert {tuple(y.tolist()) for y in drawn} <= set(ways)


@pytest.mark.parametrize(("name", "problem"), [case[:2] for case in CASES], ids=[case[0] for case in CASES])
def test_samples_under_limits_follow_their_marginals(name, problem):
    x = np.random.default_rng(0).standard_normal((3, 4, 1))
    limits = {"forbidden": [[(2, 1), (1, 3)]], "required": [[(2, 3)] if problem.first_row else [(0, -1)]]}
    if name == "matching":
        limits["required"] = [[(0, 2)]]
    drawn = np.array(fitted(problem).sample([x], n_samples=3000, random_state=1, **limits)[0])
    shares = np.stack([(drawn == column).mean(axis=0) for column in range(4)], axis=1)
    p = fitted(problem).predict_marginals([x], **limits)[0]
    assert (np.abs(shares - p) < 4.5 * np.sqrt(np.clip(p * (1 - p), 0.0, None) / 3000) + 1e-12).all()


def test_an_input_can_be_restricted_twice():
    problem = TreeProblem()
    once = problem.restricted(np.zeros((3, 4, 1)), forbidden=[(1, 0)])
    twice = problem.restricted(once, required=[(3, 1)])
    w = np.ones(1)
    ways = left(problem, all_trees(3, True), [(1, 0)], [(3, 1)])
    assert problem.log_partition(twice, w) == pytest.approx(np.log(len(ways)))
    assert {tuple(y.tolist()) for y in problem.kbest(twice, w, 100)} == set(ways)


TREE, MATCHING = np.zeros((3, 4, 1)), np.zeros((2, 3, 1))
BAD_LIMITS = [
    (TreeProblem(), TREE, {"required": [[(2, 1), (1, 2)]]}, r"Example 0: No tree .* \[\(2, 1\), \(1, 2\)\]"),
    (TreeProblem(), TREE, {"required": [[(2, 2)]]}, "Example 0: No tree"),
    (TreeProblem(), TREE, {"required": [[(1, 0), (2, 0)]]}, "Example 0: No tree"),
    (TreeProblem(), TREE, {"required": [[(1, 2), (1, 3)]]}, "Example 0: No tree"),
    (TreeProblem(), TREE, {"required": [[(1, 2)]], "forbidden": [[(1, 2)]]}, "Example 0: No tree"),
    (TreeProblem(), TREE, {"forbidden": [np.array([(1, 0), (2, 0), (3, 0)])]}, "Example 0: No tree"),
    (TreeProblem(), TREE, {"forbidden": [[(0, 1)]]}, "forbidden has the word 0 with the head 1; words are .* 1 to 3"),
    (TreeProblem(), TREE, {"forbidden": [[(1, 4)]]}, "heads from 0 to 3"),
    (TreeProblem(), TREE, {"forbidden": [[(1, -1)]]}, "heads from 0 to 3"),
    (TreeProblem(), TREE, {"required": [(1, 2)]}, r"Example 0: required must be a list of pairs \(word, head\)"),
    (TreeProblem(), TREE, {"required": [[(1, 2), (1,)]]}, r"required must be a list of pairs \(word, head\)"),
    (TreeProblem(), TREE, {"required": [[(1.0, 2.0)]]}, "of whole numbers, not"),
    (TreeProblem(), TREE, {"required": [None, None]}, "required has 2 entries, and X has 1 examples"),
    (MatchingProblem(), MATCHING, {"required": [[(0, 1), (1, 1)]]}, "Example 0: No matching has all"),
    (MatchingProblem(), MATCHING, {"required": [[(0, -1)]]}, "columns from 0 to 2"),
    (MatchingProblem(), MATCHING, {"forbidden": [[(2, 0)]]}, "row 2 with the column 0; rows are numbered from 0 to 1"),
    (MatchingProblem(partial=True), MATCHING, {"required": [[(0, -1), (0, 1)]]}, "No matching has all"),
]


@pytest.mark.parametrize(("problem", "x", "limits", "message"), BAD_LIMITS)
def test_bad_limits_are_a_sentence(problem, x, limits, message):
    with pytest.raises(ValueError, match=message):
        fitted(problem).predict([x], **limits)


def test_examples_without_limits_are_not_touched():
    class Proud(TreeProblem):
        def restricted(self, x, forbidden=None, required=None):
            raise AssertionError

    model = fitted(Proud())
    free = model.predict([TREE, TREE])
    for limits in ({"forbidden": [None, []]}, {"required": [(), None], "forbidden": [None, None]}):
        np.testing.assert_array_equal(model.predict([TREE, TREE], **limits), free)


def test_features_are_asked_for_once_per_restricted_input():
    calls = []
    problem = TreeProblem(lambda x: calls.append(1) or x)
    fitted(problem).expected_loss([TREE], forbidden=[[(1, 0)]])
    assert len(calls) == 1


class Bits:
    """The sign of a number; nothing but the three methods."""

    def joint_feature(self, x, y):
        return np.array([x * y])

    def loss(self, y_true, y):
        return float(y != y_true)

    def argmax(self, x, w, y_true=None):
        return max((0, 1), key=lambda y: w[0] * x * y + (0.0 if y_true is None else self.loss(y_true, y)))


def test_what_a_problem_lacks_is_named():
    model = StructuralSVM(Bits(), C=1.0).fit([1.0, -1.0], [1, 0])
    for absent in ("predict_confidence", "expected_loss", "calibrate"):
        assert not hasattr(model, absent)
    with pytest.raises(Unsupported, match="Bits cannot exclude outputs: add the method restricted"):
        model.predict([1.0], forbidden=[[1]])
    with pytest.raises(Unsupported, match="Bits knows no probabilities: add the method log_partition"):
        model.predict([1.0], abstain=0.5)
    with pytest.raises(ValueError, match="abstain is a probability"):
        model.predict([1.0], abstain=2.0)


def test_marginals_without_sums_say_what_calibration_needs():
    class Odds(Bits):
        def marginals(self, x, w):
            return 1.0 / (1.0 + np.exp(-w[0] * x))

    model = StructuralSVM(Odds(), C=1.0).fit([1.0, -1.0], [1, 0])
    with pytest.warns(NotCalibratedWarning, match=r"give Odds the method log_partition\(x, w\), then call calibrate"):
        model.predict_marginals([1.0])


def test_a_problem_of_a_user_has_all_of_it(tmp_path):
    """Four short methods, with parts as the problem likes to write them."""

    class Sure(Bits):
        def scores(self, x, w):
            allowed, x = x if isinstance(x, tuple) else ((0, 1), x)
            return {y: float(w[0] * x * y) for y in allowed}

        def joint_feature(self, x, y):
            return super().joint_feature(x[1] if isinstance(x, tuple) else x, y)

        def argmax(self, x, w, y_true=None):
            scores = self.scores(x, w)
            return max(scores, key=lambda y: scores[y] + (0.0 if y_true is None else self.loss(y_true, y)))

        def restricted(self, x, forbidden, required):
            allowed = tuple(y for y in (0, 1) if y != forbidden and required in (None, y))
            if not allowed:
                raise ValueError("nothing is left.")
            return allowed, x

        def log_partition(self, x, w):
            return np.logaddexp.reduce(list(self.scores(x, w).values()))

        def expected_loss(self, x, w, y):
            return 1.0 - np.exp(self.scores(x, w)[y] - self.log_partition(x, w))

    rng = np.random.default_rng(0)
    X = rng.normal(size=200)
    Y = (rng.random(200) < 1.0 / (1.0 + np.exp(-2.0 * X))).astype(int)
    model = StructuralSVM(Sure(), C=1.0).fit(X, Y).calibrate(X, Y)
    assert model.coef_[0] / model.temperature_ == pytest.approx(2.0, rel=0.25)
    assert model.predict([1.0, 1.0], forbidden=[None, 1]) == [1, 0]
    assert model.predict_confidence([1.0, 1.0], required=[0, None])[0] == 1.0
    assert model.expected_loss([1.0])[0] == pytest.approx(1.0 - model.predict_confidence([1.0])[0])
    assert model.predict([0.01, 3.0], abstain=0.9) == [None, 1]
    with pytest.raises(ValueError, match="Example 1: nothing is left"):
        model.predict([1.0, 1.0], forbidden=[None, 1], required=[None, 1])
    model.save(tmp_path / "sure.model")
    again = load(tmp_path / "sure.model", problem=Sure())
    np.testing.assert_array_equal(again.predict_confidence(X), model.predict_confidence(X))


def test_calibration_finds_the_temperature_of_trees():
    """Trees drawn at temperature 1 by known weights: a perceptron's scale of scores is undone."""
    rng = np.random.default_rng(0)
    problem, w = TreeProblem(), np.array([1.0, -0.5])
    X = [rng.normal(size=(4, 5, 2)) for _ in range(150)]
    Y = [problem.sample(x, w, 1, rng)[0] for x in X]
    model = StructuralSVM(problem, solver="perceptron").fit(X, Y).calibrate(X, Y)
    fitted_w = model.coef_ / model.temperature_
    assert np.linalg.norm(fitted_w - w) < 0.35
    alone = model.predict_confidence(X)
    assert np.mean(alone) == pytest.approx(
        np.mean([np.array_equal(a, b) for a, b in zip(model.predict(X), Y)]), abs=0.1
    )


def test_latent_variables_cannot_be_calibrated():
    class Latent(Bits):
        def impute(self, x, label, w=None):
            return label

        def log_partition(self, x, w):
            return 0.0

    model = StructuralSVM(Latent(), C=1.0).fit([1.0, -1.0], [1, 0])
    with pytest.raises(Unsupported, match="Latent has latent variables"):
        model.calibrate([1.0, -1.0], [1, 0])


def test_a_bad_input_of_many_is_named_by_its_number():
    X = [np.zeros((2, 3, 1)) for _ in range(100)]
    X[37][1, 2] = np.nan
    with pytest.raises(ValueError, match="Example 37: The score of row 1, column 2 is nan"):
        fitted(TreeProblem()).predict(X)


def test_any_error_of_a_users_features_names_the_example():
    X = [{"arcs": TREE}, {"arcs": TREE}, {}]
    with pytest.raises(KeyError) as caught:
        fitted(TreeProblem(lambda x: x["arcs"])).predict(X)
    assert caught.value.__notes__ == ["TreeProblem.argmax raised this for example 2."]


def test_one_input_in_place_of_a_list_is_refused():
    with pytest.raises(TypeError, match="Examples must be a list"):
        fitted(TreeProblem(lambda x: x["arcs"])).predict({"arcs": TREE})
