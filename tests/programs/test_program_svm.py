"""ProgramSVM: the chain as a program is the chain; costs, C, files, constraints, probabilities."""

from __future__ import annotations

import numpy as np
import pytest

from maxmargin import ChainSVC, ProgramPerceptron, ProgramSVM, Unsupported, load
from maxmargin.chains.chain import Chain
from maxmargin.fitting.calibration import NotCalibratedWarning
from maxmargin.programs import Program
from program_spaces import CostlyPaths, CountedPaths, LabelChain, Listed, Paths, every_plane, examples

K = 3


def sentences(n=30, seed=0):
    rng = np.random.default_rng(seed)
    X = [np.round(4 * rng.standard_normal((length, 4))) / 4 for length in rng.integers(1, 7, n)]
    W, T = rng.standard_normal((4, K)), rng.standard_normal((K, K))
    Y = []
    for x in X:
        y = [int(np.argmax(x[0] @ W + 0.5 * rng.standard_normal(K)))]
        for row in x[1:]:
            y.append(int(np.argmax(row @ W + T[y[-1]] + 0.5 * rng.standard_normal(K))))
        Y.append(tuple(y))
    return X, Y


X, Y = sentences()
CHAIN = Chain(K, 4)


def as_chain(coef):
    """Weights of the program in the layout of ``Chain``: features, start, end, label after label."""
    features, steps, ends = np.split(coef, [4 * K, 4 * K + K * K])
    return np.concatenate([features, ends, steps])


@pytest.mark.parametrize(
    ("rescaling", "slack"),
    [("margin", "linear"), ("slack", "linear"), ("none", "linear"), ("margin", "squared"), ("slack", "squared")],
)
def test_the_chain_as_a_program_has_the_optimum_of_chain_svc(rescaling, slack):
    settings = {"rescaling": rescaling, "slack": slack, "tol": 1e-5}
    chain = ChainSVC(0.3, fit_intercept=False, **settings).fit(X, [list(y) for y in Y])
    program = ProgramSVM(LabelChain(K), 0.3, **settings).fit(X, Y)
    assert program.solution_.primal == pytest.approx(chain.solution_.primal, abs=2e-5 * 0.3 * len(X))
    assert program.solution_.gap <= 1e-5 * 0.3 * len(X)
    np.testing.assert_allclose(as_chain(program.coef_), CHAIN.public_weights(chain.weights_), atol=0.02)


def test_the_chain_as_a_program_predicts_what_the_chain_does():
    chain = ChainSVC(0.3, fit_intercept=False).fit(X, [list(y) for y in Y])
    program = ProgramSVM(LabelChain(K), 0.3).fit(X, Y)
    features, ends, steps = np.split(CHAIN.public_weights(chain.weights_), [4 * K, 6 * K])
    program.coef_ = np.concatenate([features, steps, ends])
    others, labels = sentences(20, 1)
    assert [tuple(y.tolist()) for y in chain.predict(others)] == program.predict(others)
    np.testing.assert_allclose(
        program.decision_value(others, labels), chain.decision_value(others, [list(y) for y in labels])
    )
    for ours, theirs in zip(program.predict_kbest(others, 5), chain.predict_kbest(others, 5)):
        assert [output for _, output in ours] == [tuple(output.tolist()) for _, output in theirs]
        np.testing.assert_allclose([score for score, _ in ours], [score for score, _ in theirs])
    assert program.score(others, labels) == pytest.approx(
        -np.mean([np.sum(np.array(y) != np.array(z)) for y, z in zip(labels, program.predict(others))])
    )


def test_threads_change_nothing():
    for solver in ("one-slack", "bcfw", "subgradient"):
        one = ProgramSVM(LabelChain(K), 0.3, solver=solver).fit(X, Y)
        two = ProgramSVM(LabelChain(K), 0.3, solver=solver, n_jobs=3).fit(X, Y)
        np.testing.assert_allclose(one.coef_, two.coef_, atol=1e-6)
        assert one.predict(X) == two.predict(X)
        assert one.predict_kbest(X, 3) == two.predict_kbest(X, 3)
        with pytest.warns(NotCalibratedWarning):
            assert one.sample(X, n_samples=3, random_state=1) == two.sample(X, n_samples=3, random_state=1)


def test_the_zero_one_loss_by_two_names():
    one = ProgramSVM(LabelChain(K), 0.3, loss="zero-one", tol=1e-5).fit(X, Y)
    two = ProgramSVM(LabelChain(K), 0.3, rescaling="none", tol=1e-5).fit(X, Y)
    np.testing.assert_array_equal(one.coef_, two.coef_)
    assert one.score(X, Y) == -np.mean([y != z for y, z in zip(Y, one.predict(X))])
    assert two.score(X, Y) < one.score(X, Y)  # counts every token


def test_scale_follows_the_units_of_features_and_costs():
    plain = ProgramSVM(LabelChain(K), tol=1e-6).fit(X, Y)
    assert 0.01 < plain.C_ < 10.0
    for rescaling, factor in (("margin", 4.0), ("slack", 0.25)):
        settings = {"rescaling": rescaling, "tol": 1e-6}
        costly = ProgramSVM(type("Costly", (LabelChain,), {"cost_unit": 4.0})(K), **settings).fit(X, Y)
        own = ProgramSVM(LabelChain(K), **settings).fit(X, Y)
        assert pytest.approx(factor * own.C_, rel=1e-6) == costly.C_
        assert costly.predict(X) == own.predict(X)


def test_sample_weights_mean_repetition():
    times = np.random.default_rng(0).integers(0, 3, len(X))
    repeated = [[item for item, t in zip(items, times) for _ in range(t)] for items in (X, Y)]
    weighed = ProgramSVM(LabelChain(K), 0.3, tol=1e-6).fit(X, Y, sample_weight=times)
    twice = ProgramSVM(LabelChain(K), 0.3, tol=1e-6).fit(*repeated)
    assert weighed.solution_.primal == pytest.approx(twice.solution_.primal, rel=1e-4)
    assert weighed.score(X, Y, sample_weight=times) == pytest.approx(weighed.score(*repeated))


def test_warm_starts():
    model = ProgramSVM(LabelChain(K), 0.3, tol=1e-5, warm_start=True).fit(X, Y)
    first, calls = model.solution_.primal, model.solution_.oracle_calls
    model.fit(X, Y)
    assert model.solution_.primal == pytest.approx(first, rel=1e-4)
    assert model.solution_.oracle_calls < calls
    model.fit(X[:20], Y[:20])
    fresh = ProgramSVM(LabelChain(K), 0.3, tol=1e-5).fit(X[:20], Y[:20])
    assert model.solution_.primal == pytest.approx(fresh.solution_.primal, rel=1e-3)


@pytest.mark.parametrize("kind", ["paths", "trees"])
def test_forbidden_and_required_edges(kind):
    inputs, outputs = examples(kind)
    model = ProgramSVM(Paths(), 0.5).fit(inputs, outputs)
    rng = np.random.default_rng(0)
    for x in inputs:
        values = {y: float((x.features[list(y)] @ model.coef_).sum()) for y in x.outputs}
        required = [int(rng.choice(x.outputs[int(rng.integers(len(x.outputs)))]))]
        forbidden = [e for e in rng.permutation(x.program.n_edges)[:2].tolist() if e not in required]
        left = {y: v for y, v in values.items() if set(required) <= set(y) and not set(forbidden) & set(y)}
        limits = {"forbidden": [forbidden], "required": [required]}
        if not left:
            with pytest.raises(ValueError, match=r"leave no output for example 0"):
                model.predict([x], **limits)
            continue
        found = model.predict([x], **limits)[0]
        assert found in left
        assert values[found] == pytest.approx(max(left.values()))
        listed = model.predict_kbest([x], 50, **limits)[0]
        np.testing.assert_allclose([score for score, _ in listed], sorted(left.values(), reverse=True)[:50], atol=1e-9)
        with pytest.warns(NotCalibratedWarning):
            marginals = model.predict_marginals([x], **limits)[0]
        with pytest.warns(NotCalibratedWarning):
            drawn = model.sample([x], n_samples=20, **limits)[0]
        weight = np.exp(np.array(list(left.values())) - max(left.values()))
        expected = np.zeros(x.program.n_edges)
        for y, p in zip(left, weight / weight.sum()):
            np.add.at(expected, list(y), p)
        np.testing.assert_allclose(marginals, expected, atol=1e-9)
        assert set(drawn) <= set(left)


def test_limits_that_make_no_sense():
    inputs, outputs = examples("paths")
    model = ProgramSVM(Paths(), 0.5).fit(inputs, outputs)
    with pytest.raises(ValueError, match=r"forbidden has 1 lists of edges, and X has 6 examples"):
        model.predict(inputs, forbidden=[[0]])
    with pytest.raises(ValueError, match=r"required of example 1 names edge 999, and its edges are numbered from 0 to"):
        model.predict(inputs, required=[None, [999], None, None, None, None])
    with pytest.raises(ValueError, match=r"forbidden of example 0 must be a list of edge numbers"):
        model.predict(inputs[:1], forbidden=[["a"]])
    with pytest.raises(ValueError, match=r"decode must be 'best' or 'risk'"):
        model.predict(inputs, decode="viterbi")


@pytest.mark.parametrize("kind", ["paths", "trees"])
@pytest.mark.parametrize("number", [np.nan, np.inf, 1e307])
def test_weights_that_make_no_scores_are_refused(kind, number):
    """NaN is unequal to itself, so that no edge leads to the value of its cell."""
    inputs, outputs = examples(kind)
    model = ProgramSVM(Paths(), 0.5).fit(inputs, outputs)
    model.coef_, model.calibrated_ = np.full_like(model.coef_, number), True
    for ask in (model.predict, lambda X: model.predict_kbest(X, 3), model.sample, model.predict_marginals):
        with pytest.raises(ValueError, match=r"scores of the edges of example \d are NaN or larger than 1e300"):
            ask(inputs)


def test_an_edge_that_outputs_may_have_twice_cannot_be_required():
    twice = Listed(Program([0, 0, 1], [[-1, -1], [-1, -1], [0, 0]], np.eye(3)), np.zeros(3, int))
    model = ProgramSVM(Paths(), 1.0).fit([twice], [(0, 0, 2)])
    assert model.predict([twice]) == [(0, 0, 2)]
    assert model.predict([twice], forbidden=[[0]]) == [(1, 1, 2)]
    assert [output for _, output in model.predict_kbest([twice], 9)[0]] == [(0, 0, 2), (0, 1, 2), (0, 1, 2), (1, 1, 2)]
    with pytest.raises(ValueError, match=r"Edge 0 of example 0 cannot be required: an output may have it"):
        model.predict([twice], required=[[0]])


@pytest.mark.parametrize("space", [Paths(), CostlyPaths()])
def test_least_expected_cost_and_abstention(space):
    inputs, outputs = examples("trees")
    model = ProgramSVM(space, 0.5).fit(inputs, outputs).calibrate(inputs, outputs)
    assert model.temperature_ > 0.0
    risky = model.predict(inputs, decode="risk")
    losses, confidence = model.expected_loss(inputs), model.predict_confidence(inputs)
    least = model.expected_loss(inputs, decode="risk")
    for i, x in enumerate(inputs):
        values = np.array([(x.features[list(y)] @ model.coef_).sum() for y in x.outputs]) / model.temperature_
        p = np.exp(values - values.max())
        p /= p.sum()
        expected = np.array([sum(q * space.loss(x, truth, y) for truth, q in zip(x.outputs, p)) for y in x.outputs])
        best = x.outputs.index(model.predict([x])[0])
        assert losses[i] == pytest.approx(expected[best], abs=1e-9)
        assert confidence[i] == pytest.approx(p[best], abs=1e-9)
        assert least[i] == pytest.approx(expected.min(), abs=1e-9)
        assert expected[x.outputs.index(risky[i])] == pytest.approx(expected.min(), abs=1e-9)
    level = float(np.median(confidence))
    kept = model.predict(inputs, abstain=level)
    assert [y is None for y in kept] == (confidence < level).tolist()


def test_costs_whose_expectation_is_not_known():
    inputs, outputs = examples("paths")
    model = ProgramSVM(CountedPaths(), 0.5).fit(inputs, outputs)
    with pytest.warns(NotCalibratedWarning), pytest.raises(Unsupported, match=r"add the method risks\(x, marginals\)"):
        model.expected_loss(inputs)


def test_score_is_minus_the_mean_loss():
    for space in (Paths(), CostlyPaths(), CountedPaths()):
        inputs, outputs = examples("trees")
        model = ProgramSVM(space, 0.01).fit(inputs, outputs)
        expected = [space.loss(x, y, z) for x, y, z in zip(inputs, outputs, model.predict(inputs))]
        assert model.score(inputs, outputs) == pytest.approx(-np.mean(expected))


def test_the_slack_bounds_the_loss():
    inputs, outputs = examples("trees")
    for space in (Paths(), CostlyPaths(), CountedPaths()):
        model = ProgramSVM(space, 0.5, tol=1e-5).fit(inputs, outputs)
        losses = [space.loss(x, y, z) for x, y, z in zip(inputs, outputs, model.predict(inputs))]
        slacks = every_plane(space, inputs, outputs, "margin", "linear").slacks(model.coef_)
        assert (slacks >= np.array(losses) - 1e-9).all()


def test_model_files(tmp_path):
    model = ProgramSVM(LabelChain(K), 0.3).fit(X, Y).calibrate(X, Y)
    model.save(tmp_path / "model.zip")
    loaded = load(tmp_path / "model.zip", space=LabelChain(K))
    assert loaded.predict(X) == model.predict(X)
    assert loaded.temperature_ == model.temperature_
    np.testing.assert_array_equal(loaded.predict_marginals(X[:1])[0], model.predict_marginals(X[:1])[0])
    with pytest.raises(ValueError, match=r"is a ProgramSVM; pass its space: maxmargin.load\(path, space=...\)"):
        load(tmp_path / "model.zip")
    with pytest.raises(ValueError, match=r"trained with a space of the class LabelChain, and a Paths was passed"):
        load(tmp_path / "model.zip", space=Paths())
    with pytest.raises(TypeError, match=r"is not a Space: it lacks the method program"):
        load(tmp_path / "model.zip", space=3)


def test_the_perceptron_learns_what_can_be_separated():
    inputs, outputs = examples("trees", 0.0)
    model = ProgramPerceptron(Paths(), passes=100).fit(inputs, outputs)
    assert sum(y != z for y, z in zip(model.predict(inputs), outputs)) <= 1
    assert ProgramPerceptron(Paths(), passes=100).fit(inputs, outputs, sample_weight=np.ones(6)).predict(
        inputs
    ) == model.predict(inputs)
    with pytest.raises(ValueError, match=r"passes must be a whole number of at least 1"):
        ProgramPerceptron(Paths(), passes=0).fit(inputs, outputs)


class Scaled(LabelChain):
    """All features times a number."""

    def __init__(self, size):
        super().__init__(K)
        self.size = size

    def program(self, x):
        plain = super().program(x)
        return Program.of(plain.topology, self.size * np.hstack([part.toarray(plain.n_edges) for part in plain.parts]))


@pytest.mark.parametrize("power", [-26, -10, 10, 26])
def test_probabilities_of_the_perceptron_do_not_depend_on_the_size_of_features(power):
    plain = ProgramPerceptron(Scaled(1.0)).fit(X, Y).calibrate(X, Y)
    model = ProgramPerceptron(Scaled(2.0**power)).fit(X, Y).calibrate(X, Y)
    assert model.temperature_ == pytest.approx(plain.temperature_ * 4.0**power, rel=3e-3)
    np.testing.assert_allclose(model.predict_confidence(X), plain.predict_confidence(X), rtol=0.02)
