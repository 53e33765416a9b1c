"""GrammarSVM: optima of a general solver over all trees, losses, features, probabilities, files, and bad input."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import maxmargin
from maxmargin import solvers
from maxmargin.datasets import make_treebank
from maxmargin.fitting.calibration import NotCalibratedWarning
from maxmargin.grammars import Grammar, GrammarCRF, GrammarSVM, NotDerivable, Tree
from maxmargin.grammars.span_features import NAMES
from maxmargin.metrics import bracket_f1
from reference import FORMULATIONS, solve
from tree_planes import every_plane, grammar, make

C = 0.7
BOTH = pytest.mark.parametrize("kind", [GrammarSVM, GrammarCRF])


@pytest.mark.parametrize(("rescaling", "slack"), FORMULATIONS)
@pytest.mark.parametrize("loss", ["f1", "hamming", "zero-one"])
@pytest.mark.parametrize("solver", ["n-slack", "bcfw", "one-slack"])
def test_optimum_is_that_of_a_general_solver_over_all_trees(rescaling, slack, loss, solver):
    if slack == "hard" and solver == "one-slack":
        with pytest.raises(maxmargin.Unsupported, match="slack"):
            GrammarSVM(C, grammar=grammar(), slack=slack, solver=solver).fit(*make())
        return
    name = "none" if loss == "zero-one" else rescaling
    planes = every_plane(loss, "none" if slack == "hard" else name, slack)
    expected = solve(planes, C)
    model = GrammarSVM(
        C, grammar=grammar(), loss=loss, rescaling=rescaling, slack=slack, solver=solver, tol=1e-6, max_iter=20_000
    ).fit(*make())
    assert model.solution_.primal == pytest.approx(expected.value, rel=1e-3, abs=1e-5)
    if slack != "hard":
        assert planes.primal(model.coef_, C) == pytest.approx(model.solution_.primal, rel=1e-6)
    assert model.solution_.gap >= -1e-9


@BOTH
def test_it_learns_its_treebank_and_predicts_trees(kind):
    X, y = make()
    model = kind(100.0, grammar=grammar()).fit(X, y)
    assert model.score(X, y) == bracket_f1(y, model.predict(X)) > 0.9
    assert [own[0].output for own in model.predict_kbest(X, 3)] == model.predict(X)
    assert model.decision_value(X, model.predict(X)) == pytest.approx(
        [own[0].score for own in model.predict_kbest(X, 1)]
    )


@BOTH
@pytest.mark.parametrize("input_kind", ["tags", "words"])
def test_features_of_spans_separate_what_rules_cannot(kind, input_kind):
    """The same tags with two trees: only the words tell them apart."""
    one = "(S (A (X a) (X b)) (X c))"
    other = "(S (X a) (B (X b) (X {})))"
    y = [Tree.from_text(text) for text in (one, other.format("d"), one, other.format("d"))]
    X = [tree.tokens() if input_kind == "tags" else tree.words() for tree in y]
    options = {"input": input_kind, "rare": 0}
    blind = kind(100.0, **options).fit(X, y)
    assert kind(100.0, features=NAMES, **options).fit(X, y).predict(X) == y
    if input_kind == "tags":
        assert blind.predict(X) != y


@BOTH
def test_a_model_file_brings_back_the_same_parser(kind, tmp_path):
    X, y = make()
    model = kind(2.0, features=("first", "split", "length")).fit(X, y)
    model.save(tmp_path / "model.zip")
    again = maxmargin.load(tmp_path / "model.zip")
    np.testing.assert_array_equal(again.coef_, model.coef_)
    assert again.predict(X) == model.predict(X)
    assert tuple(again.features) == ("first", "split", "length")


def test_probabilities_of_an_svm_are_announced_until_they_are_calibrated():
    X, y = make()
    model = GrammarSVM(1.0).fit(X, y)
    with pytest.warns(NotCalibratedWarning, match="calibrate"):
        model.predict_marginals(X)
    model.calibrate(X * 3, y * 3)
    marginals = model.predict_marginals(X)
    assert all(0.0 < p <= 1.0 + 1e-9 for own in marginals for p in own.values())
    assert model.temperature_ > 0.0
    assert len(model.predict(X, decode="risk")) == len(X)


def test_marginals_of_a_crf_add_up_over_its_samples():
    X, y = make()
    model = GrammarCRF(0.5).fit(X, y)
    (marginals,) = model.predict_marginals(X[1:2])
    (drawn,) = model.sample(X[1:2], n_samples=4000)
    for span, p in marginals.items():
        share = sum(span in tree.spans() for tree in drawn) / len(drawn)
        assert share == pytest.approx(p, abs=0.05)


def test_sample_weights_are_repetitions():
    X, y = make()
    own = grammar()
    weighted = GrammarSVM(C, grammar=own, tol=1e-6).fit(X, y, sample_weight=[2.0, 1.0, 0.0, 1.0, 3.0])
    repeated = [0, 0, 1, 3, 4, 4, 4]
    listed = GrammarSVM(C, grammar=own, tol=1e-6).fit([X[i] for i in repeated], [y[i] for i in repeated])
    assert weighted.solution_.primal == pytest.approx(listed.solution_.primal, rel=1e-3)


def test_one_slack_with_threads_finds_the_same_optimum():
    X, y = make()
    fits = [GrammarSVM(C, grammar=grammar(), solver=solvers.OneSlack(), n_jobs=jobs).fit(X, y) for jobs in (1, 3)]
    assert fits[0].solution_.primal == pytest.approx(fits[1].solution_.primal, rel=1e-9)


@pytest.mark.parametrize(("loss", "slack"), [("zero-one", "linear"), ("hamming", "squared")])
def test_trees_found_before_save_questions(loss, slack):
    """The planes kept lead to the same optimum with a third of the oracle's answers."""
    y = make_treebank(60)
    X = [tree.tokens() for tree in y]
    options = {"loss": loss, "slack": slack, "horizontal": 1, "features": ("first", "after", "split"), "tol": 1e-4}
    plain, kept = (
        GrammarSVM(0.1, solver=solvers.OneSlack(cache=cache), **options).fit(X, y).solution_ for cache in (0, 10)
    )
    assert plain.cache_hits == 0 < kept.cache_hits
    assert kept.oracle_calls < 0.35 * plain.oracle_calls
    # An iteration may ask twice where looks were ended for their price.
    assert len(y) * kept.n_iter <= kept.oracle_calls < len(y) * kept.details["cuts_added"]
    assert kept.primal == pytest.approx(plain.primal, rel=1e-3)


@BOTH
def test_likelihood_and_margins_refuse_what_they_cannot_learn_from(kind):
    X, y = make()
    with pytest.raises(NotDerivable, match=r"Example 0: The grammar has no tag 'D', which the tree has at word 2"):
        kind(grammar=Grammar.from_treebank(y[3:4])).fit(X, y)
    with pytest.raises(ValueError, match=r"features must be a list of some of 'first'"):
        kind(features=("head",)).fit(X, y)
    with pytest.raises(ValueError, match="loss"):
        GrammarSVM(loss="accuracy").fit(X, y)
    with pytest.raises(TypeError, match="Example 1"):
        kind(grammar=grammar()).fit(X, y).predict([X[0], "text"])


def test_a_search_that_would_take_too_much_memory_gives_up_and_says_so(monkeypatch):
    monkeypatch.setattr("maxmargin.grammars.oracle.MOST_BYTES", 8)
    trees = make_treebank(20)
    sentences = [tree.tokens() for tree in trees]
    found = GrammarSVM().fit(sentences, trees).solution_
    assert found.status is solvers.Status.INEXACT
    assert found.gap is None
    assert GrammarSVM(loss="hamming").fit(sentences, trees).solution_.status is solvers.Status.CONVERGED


def test_training_with_a_beam_reports_no_gap():
    X, y = make()
    model = GrammarSVM(C, grammar=grammar(), loss="hamming", beam=5.0).fit(X, y)
    assert model.solution_.status.name == "INEXACT"
    assert model.solution_.gap is None


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_weights_that_are_not_finite_are_refused(value):
    X, y = make()
    model = GrammarSVM(grammar=grammar(), loss="hamming").fit(X, y)
    model.coef_[1] = value
    for answer in (model.predict, lambda X: model.predict_kbest(X, 2), model.sample):
        with pytest.raises(ValueError, match=r"coef_\[1\] is .*, and weights must be finite numbers"):
            answer(X)


def test_scores_beyond_all_numbers_leave_symbols_out():
    """Sums of very small weights overflow: a symbol that many chains could make then has no value."""
    names = ["".join(order) for order in itertools.permutations("ABCDE")]
    trees = [Tree("S", [chain_of(name)]) for name in names]
    model = maxmargin.PCFG(chains=10).fit([tree.tokens() for tree in trees], trees)
    model.coef_[:] = -1e308
    assert len(model.predict_kbest([trees[0].tokens()], 3)) == 1


def chain_of(names):
    tree = Tree("N", ["w"])
    for name in reversed(names):
        tree = Tree(name, [tree])
    return tree


def test_tags_of_pairs_have_no_part_where_the_input_is_words():
    trees = make_treebank(60)
    pairs = [tree.tokens() for tree in trees]
    words = [[word for word, _ in sentence] for sentence in pairs]
    other = [[(word, "XX") for word in sentence] for sentence in words]
    model = GrammarSVM(input="words", features=("first", "last"), loss="hamming").fit(pairs[:40], trees[:40])
    scores = [model.predict_kbest(X[40:], 1) for X in (pairs, words, other)]
    assert [[best.score for (best,) in own] for own in scores[1:]] == [[best.score for (best,) in scores[0]]] * 2
    same = GrammarSVM(input="words", features=("first", "last"), loss="hamming").fit(words[:40], trees[:40])
    np.testing.assert_array_equal(same.coef_, model.coef_)


@BOTH
@pytest.mark.parametrize("features", [(), ("first", "length")])
def test_trees_of_one_word_have_no_rules(kind, features, tmp_path):
    X, trees = [[("x", "NN")]] * 2, ["(NN x)"] * 2
    model = kind(features=features, max_iter=5).fit(X, trees)
    model.save(tmp_path / "one.mm")
    assert maxmargin.load(tmp_path / "one.mm").predict(X) == model.predict(X) == [Tree("NN", ["x"])] * 2


@BOTH
@pytest.mark.parametrize("features", [None, [["first"]], "first", np.array([1])])
def test_features_that_are_no_names(kind, features):
    with pytest.raises(ValueError, match="features must be a list of some of 'first'"):
        kind(features=features).fit(*make())


def test_names_of_features_may_be_an_array():
    X, y = make()
    found = GrammarSVM(C, features=np.array(["first", "last"]), tol=1e-3).fit(X, y)
    np.testing.assert_array_equal(found.coef_, GrammarSVM(C, features=("first", "last"), tol=1e-3).fit(X, y).coef_)


def test_a_limit_reached_with_the_gap_that_was_asked_for_is_no_failure():
    trees = make_treebank(40)[:20]
    X, options = [tree.tokens() for tree in trees], {"C": 1.0, "features": ("length",)}
    free = GrammarCRF(**options).fit(X, trees)
    limited = GrammarCRF(**options, max_iter=free.n_iter_).fit(X, trees)
    assert limited.solution_.status is free.solution_.status is solvers.Status.CONVERGED
    assert limited.solution_.gap == free.solution_.gap
