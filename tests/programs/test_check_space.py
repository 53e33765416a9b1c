"""Spaces that break a promise: one sentence each, from ``check_space`` and from ``fit``."""

from __future__ import annotations

import numpy as np
import pytest
from test_program_svm import K, X, Y

from maxmargin import ProgramCRF, ProgramSVM, Unsupported
from maxmargin.programs import Program, check_space
from maxmargin.programs.checking import derivations
from maxmargin.programs.queries import k_best
from maxmargin.programs.spaces import Segments
from program_spaces import CostlyPaths, CountedPaths, LabelChain, Paths, examples

INPUTS, OUTPUTS = examples("paths")


@pytest.mark.parametrize("space", [Paths(), CostlyPaths(), CountedPaths()])
@pytest.mark.parametrize("kind", ["paths", "trees"])
def test_sound_spaces_pass(space, kind):
    check_space(space, *examples(kind))


def test_larger_spaces_pass():
    check_space(LabelChain(K), X, Y)
    check_space(LabelChain(K), X, Y, most=5)


@pytest.mark.parametrize("kind", ["paths", "trees"])
def test_derivations_are_all_outputs(kind):
    for x in examples(kind)[0]:
        found = derivations(x.program.topology)
        assert sorted(tuple(sorted(edges.tolist())) for edges in found) == sorted(x.outputs)
        head = x.program.topology.head
        assert all(head[edges[0]] == x.program.topology.goal for edges in found)


def changed(method, base=Paths):
    """A space with one method replaced."""
    return type("Changed", (base,), {method.__name__: method})()


def program(self, x):
    return Program([0, 1], [1, 0], np.eye(2)) if x is INPUTS[1] else x.program


def program_none(self, x):
    return None


def edges_beyond(self, x, y):
    return [*y, 999]


def edges_few(self, x, y):
    return list(y)[1:] if x is INPUTS[2] else list(y)


def edges_many(self, x, y):
    return [*y, y[0]] if x is INPUTS[2] else list(y)


def edges_text(self, x, y):
    return "all"


def output(self, x, edges):
    return tuple(edges.tolist())


def output_short(self, x, edges):
    return (
        tuple(sorted(edges.tolist())[:1])
        if tuple(sorted(edges.tolist())) not in OUTPUTS
        else tuple(sorted(edges.tolist()))
    )


def costs(self, x, y):
    return np.ones(x.program.n_edges, int)


def costs_negative(self, x, y):
    return np.full(x.program.n_edges, -1)


def costs_half(self, x, y):
    return np.full(x.program.n_edges, 0.5)


def costs_short(self, x, y):
    return np.zeros(2, int)


def costs_pair(self, x, y):
    return ([0, 0], [1, 1])


def named(function, name):
    function.__name__ = name
    return function


FAULTS = [
    (changed(program), r"Example 1: Edge 0 into cell 0 comes from cell 1, which is not before it"),
    (changed(named(edges_beyond, "edges")), r"Changed.edges of example 0 names edge 999"),
    (changed(named(edges_few, "edges")), r"output of example 2 is not in its space: .*cell \d+"),
    (changed(named(edges_many, "edges")), r"output of example 2 is not in its space: its edge \d+ leads into cell \d+"),
    (changed(named(edges_text, "edges")), r"Changed.edges of example 0 must give a list of edge numbers"),
    (changed(costs), r"Changed.costs of example 0 is 1 for edge \d+, which is in the true output"),
    (changed(named(costs_negative, "costs")), r"Changed.costs of example 0 holds -1; costs are whole numbers"),
    (changed(named(costs_half, "costs")), r"Changed.costs of example 0 holds 0.5; costs are whole numbers"),
    (changed(named(costs_short, "costs")), r"Changed.costs of example 0 has shape \(2,\)"),
    (changed(named(costs_pair, "costs")), r"Changed.costs of example 0 names edge 0 twice"),
]


@pytest.mark.parametrize(("space", "message"), FAULTS, ids=lambda item: item if isinstance(item, str) else "")
def test_faults_that_fit_finds_too(space, message):
    for ask in (lambda: check_space(space, INPUTS, OUTPUTS), lambda: ProgramSVM(space, 1.0).fit(INPUTS, OUTPUTS)):
        with pytest.raises(ValueError, match=message):
            ask()


def test_faults_that_check_space_finds():
    with pytest.raises(ValueError, match=r"output of example \d makes .* of the edges of its true output"):
        check_space(changed(output), INPUTS, OUTPUTS)
    short = changed(named(output_short, "output"))
    with pytest.raises(ValueError, match=r"every derivation must be an output of its own|names edge|not in its"):
        check_space(short, INPUTS, OUTPUTS)


def test_segments_in_another_order_are_refused_by_both():
    """Else a truth would be equal to no prediction."""
    tokens, truths = [np.eye(6)] * 2, [[(0, 2, "a"), (3, 5, "b")], [(5, 6, "a"), (1, 2, "b")]]
    for ask in (check_space, lambda space, X, Y: ProgramSVM(space, 1.0).fit(X, Y)):
        with pytest.raises(ValueError, match=r"^Example 1: Segment \(1, 2, 'b'\) does not fit .* must be in order and"):
            ask(Segments(["a", "b"], 3), tokens, truths)


def test_faults_of_types():
    with pytest.raises(TypeError, match=r"Paths is a class; pass an instance"):
        ProgramSVM(Paths).fit(INPUTS, OUTPUTS)
    with pytest.raises(TypeError, match=r"int is not a Space: it lacks the method program"):
        ProgramCRF(3).fit(INPUTS, OUTPUTS)
    with pytest.raises(TypeError, match=r"Changed.program must give a Program, and gave a NoneType for example 0"):
        ProgramSVM(changed(named(program_none, "program"))).fit(INPUTS, OUTPUTS)
    halves = type("Halves", (Paths,), {"counts": CountedPaths.counts})()
    with pytest.raises(TypeError, match=r"Halves has the method counts and lacks count_loss"):
        ProgramSVM(halves).fit(INPUTS, OUTPUTS)
    with pytest.raises(ValueError, match=r"cost_unit must be a positive number, not -1"):
        ProgramSVM(type("Negative", (Paths,), {"cost_unit": -1})()).fit(INPUTS, OUTPUTS)
    with pytest.raises(ValueError, match=r"loss must be one of 'cost', 'zero-one', not 'hamming'"):
        ProgramSVM(Paths(), loss="hamming").fit(INPUTS, OUTPUTS)


def test_losses_of_counts_that_make_no_sense():
    def of(loss):
        return ProgramSVM(type("Counts", (CountedPaths,), {"count_loss": lambda self, x, y, t: loss(x, y, t)})(), 1.0)

    with pytest.raises(ValueError, match=r"count_loss of example 0 is 1.0 at the counts of its own true output"):
        of(lambda x, y, totals: np.ones(len(totals))).fit(INPUTS, OUTPUTS)
    with pytest.raises(ValueError, match=r"count_loss of example 0 is -1.0 at the counts \[0, 4\]"):
        of(lambda x, y, totals: -np.ones(len(totals))).fit(INPUTS, OUTPUTS)
    with pytest.raises(ValueError, match=r"count_loss of example 0 has shape \(1,\)"):
        of(lambda x, y, totals: np.ones(1)).fit(INPUTS, OUTPUTS)


def test_searches_that_are_too_large_are_refused():
    class Huge(Paths):
        def costs(self, x, y):
            units = np.full(x.program.n_edges, 10_000_000)
            units[list(y)] = 0
            return units

    ProgramSVM(Huge(), 1e-7, tol=10.0).fit(INPUTS, OUTPUTS)
    with pytest.raises(Unsupported, match=r"looks at every value of the loss, and the outputs of example"):
        ProgramSVM(Huge(), 1.0, rescaling="slack").fit(INPUTS, OUTPUTS)


def test_other_columns_at_prediction():
    model = ProgramSVM(LabelChain(K), 0.1).fit(X, Y)
    with pytest.raises(ValueError, match=r"Example 0 has features in 3 parts, .* the model was trained with"):
        model.predict([np.ones((2, 5))])
    assert model.predict([]) == []
    assert model.predict_kbest([], 2) == []
    assert model.decision_value(X[:1], Y[:1]).shape == (1,)


@pytest.mark.parametrize("method", ["program", "edges", "costs", "output"])
@pytest.mark.parametrize("kind", [ValueError, TypeError, KeyError])
def test_errors_in_a_space_name_the_example(method, kind):
    def broken(self, x, *rest):
        if x is INPUTS[1]:
            raise kind("no such thing")
        return getattr(CostlyPaths, method)(self, x, *rest)

    space = changed(named(broken, method), CostlyPaths)
    model = ProgramSVM(CostlyPaths(), 1.0).fit(INPUTS, OUTPUTS).set_params(space=space)
    asks = {
        "program": [lambda: model.predict(INPUTS), lambda: model.fit(INPUTS, OUTPUTS)],
        "output": [lambda: model.predict(INPUTS), lambda: model.predict_kbest(INPUTS, 2), lambda: model.sample(INPUTS)],
    }
    model.temperature_, model.calibrated_ = 1.0, True
    for ask in [lambda: check_space(space, INPUTS, OUTPUTS), *asks.get(method, [lambda: model.fit(INPUTS, OUTPUTS)])]:
        with pytest.raises(kind) as raised:
            ask()
        if kind is KeyError:
            assert raised.value.__notes__ == [f"Changed.{method} raised this for example 1."]
        else:
            assert str(raised.value) == "Example 1: no such thing"


def test_examples_and_limits_that_are_no_lists():
    model = ProgramSVM(Paths(), 1.0).fit(INPUTS, OUTPUTS)
    with pytest.raises(TypeError, match=r"Examples must be a list, an array or another sequence, not None"):
        model.predict(None)
    with pytest.raises(TypeError, match=r"forbidden must be a list, an array or another sequence, not 3"):
        model.predict(INPUTS, forbidden=3)


def test_expected_costs_that_are_not_finite():
    space = type("Costly", (CostlyPaths,), {"risks": lambda self, x, p: p * np.nan})()
    model = ProgramCRF(space).fit(INPUTS, OUTPUTS)
    with pytest.raises(ValueError, match=r"Costly.risks of example 0 must give a finite number .* contains NaN"):
        model.expected_loss(INPUTS)


def test_decision_values_of_what_is_no_output():
    model = ProgramSVM(Paths(), 1.0).fit(INPUTS, OUTPUTS)
    with pytest.raises(ValueError, match=r"The output of example 1 is not in its space"):
        model.decision_value(INPUTS[:2], [OUTPUTS[0], OUTPUTS[1][1:]])


def test_as_many_outputs_as_there_are():
    model = ProgramSVM(Paths(), 1.0).fit(INPUTS, OUTPUTS)
    for x, found in zip(INPUTS, model.predict_kbest(INPUTS, 10**12)):
        assert sorted(ranked.output for ranked in found) == sorted(x.outputs)
        assert len(k_best(x.program, np.zeros(x.program.n_edges), 10**12)) == len(x.outputs)
