"""The demo: its own problem is right, its numbers are what it says, and it runs through."""

import io

import numpy as np
import pytest
from rich.console import Console

from maxmargin import ChainSVC, MulticlassSVC, StructuralSVM, check_problem
from maxmargin.cli import main
from maxmargin.demo import app as demo_module
from maxmargin.demo.app import SOLVERS, Digits, convergence, objective, show_costs, show_solvers, show_strings
from maxmargin.demo.chains import show_chains
from maxmargin.demo.problem import DigitStrings, write_strings
from maxmargin.plots.figures import Point, draw_convergence

PNG = b"\x89PNG\r\n"


@pytest.fixture(scope="module")
def digits():
    return Digits.split(0, 300)


@pytest.fixture
def console():
    return Console(file=io.StringIO(), width=200, markup=False)


class SmallChain(DigitStrings):
    """The chain with all its outputs, for strings that are short and of few labels."""

    def outputs(self, x):
        return [np.array(y) for y in np.ndindex(*[self.n_labels] * len(x))]


@pytest.mark.parametrize("transitions", [True, False])
def test_chain_keeps_the_promises_of_a_problem(transitions):
    rng = np.random.default_rng(0)
    lengths = (1, 2, 3, 4)
    X = [rng.standard_normal((length, 5)) for length in lengths]
    Y = [rng.integers(3, size=length) for length in lengths]
    check_problem(SmallChain(3, transitions), X, Y, trials=5)


def test_chain_without_transitions_is_multiclass(digits):
    X, Y = write_strings(digits.X_train, digits.y_train, 20, np.random.default_rng(0))
    chain = StructuralSVM(DigitStrings(transitions=False), C=0.1, tol=1e-4).fit(X, Y)
    letters = MulticlassSVC(C=0.1, slack="linear", fit_intercept=False, tol=1e-4).fit(np.vstack(X), np.concatenate(Y))
    assert chain.solution_.primal == pytest.approx(letters.solution_.primal, rel=1e-3)


def test_strings_follow_their_habit(digits):
    X, Y = write_strings(digits.X_train, digits.y_train, 300, np.random.default_rng(0), length=5, habit=0.8, noise=0.0)
    assert {x.shape for x in X} == {(5, 65)}
    steps = (np.diff(np.array(Y), axis=1) % 10).ravel()
    assert np.mean(steps == 1) == pytest.approx(0.82, abs=0.04)
    assert set(np.unique(steps)) == set(range(10))


def test_chain_reads_better_than_letters(console, digits):
    one_by_one, as_chain = show_strings(console, digits, 60)
    assert as_chain < 0.6 * one_by_one
    assert "as a chain" in console.file.getvalue()


def test_chain_estimators_read_better_than_letters_and_know_when(console, digits):
    errors = show_chains(console, digits, 60)
    assert set(errors) == {"MulticlassSVC", "ChainSVC", "ChainSVC, order 2", "ChainCRF", "ChainPerceptron", "ChainHMM"}
    for name in ("ChainSVC", "ChainCRF", "ChainPerceptron"):
        assert errors[name] < 0.6 * errors["MulticlassSVC"]
    assert "probability" in console.file.getvalue()


def test_the_native_chain_is_the_demo_s_own_problem(digits):
    X, Y = write_strings(digits.X_train, digits.y_train, 20, np.random.default_rng(0))
    native = ChainSVC(C=0.1, ends=False, fit_intercept=False, tol=1e-3).fit(X, Y)
    plain = StructuralSVM(DigitStrings(), C=0.1, tol=1e-3).fit(X, Y)
    assert native.solution_.primal == pytest.approx(plain.solution_.primal, abs=0.1 * 20 * 1e-3)


def test_solver_table(console, digits):
    optimum = show_solvers(console, digits)
    lines = console.file.getvalue().splitlines()
    table = {
        line.split()[0]: line.split()
        for line in lines
        if line.split()[:1] and line.split()[0] in (*SOLVERS, "LinearSVC")
    }
    assert set(table) == {*SOLVERS, "LinearSVC"}
    for name in ("bcfw", "n-slack", "one-slack", "LinearSVC"):
        assert float(table[name][1]) == pytest.approx(optimum, rel=1e-3)
    assert table["perceptron"][2:4] == ["-", "-"]


def test_objective_is_the_solver_s(digits):
    model = MulticlassSVC(C=demo_module.C, slack="linear", fit_intercept=False).fit(digits.X_train, digits.y_train)
    assert objective(model.coef_, digits) == pytest.approx(model.solution_.primal, rel=1e-9)


def test_training_for_the_cost_lowers_it(console):
    totals = show_costs(console, 2)
    assert totals["slack rescaling"] < totals["without the cost"]
    assert totals["the answer of lowest expected cost"] < totals["without the cost"]


@pytest.mark.parametrize("solver", ["bcfw", "one-slack", "subgradient"])
def test_convergence_curves_are_honest(digits, solver):
    points = convergence(solver, digits, 30)
    assert len(points) > 3
    seconds = [point.seconds for point in points]
    assert seconds == sorted(seconds)
    assert points[-1].primal < points[0].primal
    for point in points:
        assert (point.dual is None) == (solver == "subgradient")
        assert point.dual is None or point.dual <= point.primal


def test_demo_command_draws_a_picture(tmp_path, capsys):
    picture = tmp_path / "demo.png"
    with pytest.raises(SystemExit) as stop:
        main(["demo", "--quick", "--output", str(picture)])
    assert not stop.value.code
    out = capsys.readouterr().out
    assert all(f"{part}. " in out for part in (1, 2, 3, 4))
    assert str(picture) in out
    assert picture.read_bytes().startswith(PNG)


def test_without_matplotlib_the_demo_says_so(monkeypatch, console, tmp_path):
    monkeypatch.setattr(demo_module, "can_draw", lambda: False)
    for part in ("show_strings", "show_chains", "show_solvers", "show_costs"):
        monkeypatch.setattr(demo_module, part, lambda *_: 1.0)
    demo_module.run_demo(tmp_path / "no.png", console=console)
    assert "matplotlib is not installed: pip install 'maxmargin[report]'" in console.file.getvalue()
    assert not (tmp_path / "no.png").exists()


def test_picture_of_exact_solutions(tmp_path):
    curves = {"exact": [Point(0.1, 2.0, 1.0), Point(0.2, 1.0, 1.0)], "no dual": [Point(0.1, 3.0, None)]}
    draw_convergence(curves, 1.0, tmp_path / "a.png", title="two solvers")
    assert (tmp_path / "a.png").read_bytes().startswith(PNG)
