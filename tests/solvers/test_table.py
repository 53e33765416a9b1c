"""Every cell of the table structure x formulation x solver is trained, or refused in the words that it promises."""

from __future__ import annotations

import itertools
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ranking_cases as rankings
import support_table
import table_alignments
import table_grammars
import table_labels
import table_programs
import toy_problems as problems
from kernel_cases import linear
from maxmargin import (
    ChainSVC,
    DiversityRanker,
    Kernel,
    MeasureSVC,
    MulticlassSVC,
    RankingSVM,
    Status,
    StructuralSVM,
    Subgradient,
    Taxonomy,
    TaxonomySVC,
    Unsupported,
)
from maxmargin.chains.chain import Chain
from maxmargin.classes.output_features import OutputFeatures
from maxmargin.classes.placed_classes import PlacedClasses
from maxmargin.diversity import UnweightedCoverage, pack_subtopics
from maxmargin.diversity.candidates import pack_candidates
from maxmargin.diversity.structure import Diversity
from maxmargin.diversity.words import cover_words
from maxmargin.fitting import kernels
from maxmargin.rows.kernel_rows import KernelRows
from reference import EveryPlane, Optimum, dense, enumerate_planes, multiclass_planes, plane_of, same, solve
from sample_cases import SampleCase
from support_table import Structure

C, TOL = 0.5, 1e-4
COST = np.array([[0.0, 1.0, 2.0], [0.5, 0.0, 1.0], [2.0, 0.25, 0.0]])
GROUPS = np.arange(15) % 3
OUTPUTS = np.array([[1.0, 0.0, 0.5, 0.0], [0.0, 1.0, 0.5, 0.0], [0.0, 0.0, -0.5, 1.0]])
TREE = {0: "left", 1: "left", 2: "root", "left": "root"}


@cache
def data(structure: Structure) -> tuple[Any, Any, Any]:
    """A problem with inputs and separable outputs, so that a hard margin and the perceptron have something to find."""
    if "Ranking" in structure.name:
        X, y, groups = rankings.make()
        return None, (X, groups), y
    if table_labels.is_multilabel(structure):
        return None, *table_labels.make()
    if table_programs.is_program(structure):
        return None, *table_programs.make()
    if table_alignments.is_alignment(structure):
        return None, *table_alignments.make(structure)
    if table_grammars.is_grammar(structure):
        return None, *table_grammars.make()
    if structure.powers is None:
        rng = np.random.default_rng(0)
        if structure.greedy:
            return None, *small_sets(rng)
        if "Chain" in structure.name:
            chain = chain_of(structure)
            X = [rng.standard_normal((length, 3)) for length in (1, 2, 3, 3, 4)]
            w = rng.standard_normal(chain.rows * 3)
            return None, X, [np.array(chain.argmax(x, w)) for x in X]
        X = rng.standard_normal((15, 4))
        if structure.measure is not None:
            return None, X, X @ rng.standard_normal(4) > 0.0
        return None, X, (X @ rng.standard_normal((4, 3))).argmax(axis=1)
    problem = problems.Classes() if structure.zero_one else problems.Subset(features=2)
    X, Y = problems.sample(problem, 8, noise=0.0)
    limited = problems.Only(problem, *structure.powers)
    if structure.zero_one:
        limited.zero_one = True
    return limited, X, Y


def small_sets(rng: np.random.Generator) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Candidate sets of five documents; each covers one subtopic, of which one word is the mark."""
    X, Y = [], []
    for _ in range(6):
        subtopics = np.eye(3, dtype=int)[[0, 0, 1, 1, 2]][rng.permutation(5)]
        X.append(np.hstack([2 * subtopics, (rng.random((5, 6)) < 0.4).astype(int)]))
        Y.append(subtopics)
    return X, Y


def chain_of(structure: Structure) -> Chain:
    return Chain(3, 3, COST if structure.costs else None)


def measure_of(structure: Structure) -> str:
    return structure.name.split("'")[1] if "'" in structure.name else "swapped_pairs"


def classes_of(structure: Structure) -> OutputFeatures | None:
    """The structure of classes with output features."""
    if "output_features" in structure.name:
        return OutputFeatures(OUTPUTS)
    if "Taxonomy" in structure.name:
        return PlacedClasses(Taxonomy.from_parents(TREE), [0, 1, 2]).structure(
            COST if structure.costs else "height", 0.5
        )
    return None


@cache
def optimum(structure: Structure, rescaling: str, slack: str) -> Optimum:
    if table_labels.is_multilabel(structure):
        return table_labels.optimum(structure, rescaling, slack, C)
    if table_programs.is_program(structure):
        return table_programs.optimum(structure, rescaling, slack, C)
    if table_alignments.is_alignment(structure):
        return table_alignments.optimum(structure, rescaling, slack, C)
    if table_grammars.is_grammar(structure):
        return table_grammars.optimum(structure, rescaling, slack, C)
    _, X, Y = data(structure)
    if structure.measure is not None:
        members = [np.flatnonzero(g == GROUPS) for g in range(3)]
        return solve(SampleCase(structure.measure, X, Y, groups=members).planes(rescaling, slack), C, np.full(3, 5.0))
    if "Ranking" in structure.name:
        (X, groups), y = data(structure)[1:]
        return solve(rankings.every_plane(X, y, groups, measure_of(structure), rescaling, slack), C)
    if "Chain" in structure.name:
        truths = [tuple(y.tolist()) for y in Y]
        return solve(enumerate_planes(chain_of(structure), X, truths, rescaling, slack), C)
    shared = classes_of(structure)
    if shared is not None:
        return solve(enumerate_planes(shared, list(X), Y.tolist(), rescaling, slack), C)
    if structure.powers is None:
        return solve(multiclass_planes(X, Y, 1 - np.eye(3) if structure.zero_one else COST, rescaling, slack), C)
    full = problems.Classes() if structure.zero_one else problems.Subset(features=2)
    return solve(enumerate_planes(full, X, Y, rescaling, slack), C)


def fit(structure: Structure, rescaling: str, slack: str, solver: Any, **more: Any) -> Any:
    problem, X, Y = data(structure)
    options = {"solver": solver, "rescaling": rescaling, "slack": slack, "tol": TOL, "max_iter": 5000, **more}
    if table_labels.is_multilabel(structure):
        return table_labels.fit(structure, C, **options)
    if table_programs.is_program(structure):
        return table_programs.fit(structure, C, **options)
    if table_alignments.is_alignment(structure):
        return table_alignments.fit(structure, C, **options)
    if table_grammars.is_grammar(structure):
        return table_grammars.fit(structure, C, **options)
    if structure.greedy:
        return DiversityRanker(2, 10 * C, importance=(0.3,), levels=(1, 2), **options).fit(X, Y)
    if structure.measure is not None:
        options = {"method": "structural", "fit_intercept": False, "threshold_for": None, **options}
        return MeasureSVC(structure.measure, C, **options).fit(X, Y, groups=GROUPS)
    if "Ranking" in structure.name:
        return RankingSVM(C=C, measure=measure_of(structure), **options).fit(X[0], Y, groups=X[1])
    if "Taxonomy" in structure.name:
        loss = COST if structure.costs else "height"
        return TaxonomySVC(C, taxonomy=TREE, loss=loss, node_weight=0.5, fit_intercept=False, **options).fit(X, Y)
    if "output_features" in structure.name:
        return MulticlassSVC(C, output_features=OUTPUTS, fit_intercept=False, **options).fit(X, Y)
    if problem is None:
        options = options if "Chain" in structure.name else {"decision": "score", **options}
        estimator = ChainSVC if "Chain" in structure.name else MulticlassSVC
        return estimator(C, cost=COST if structure.costs else None, fit_intercept=False, **options).fit(X, Y)
    return StructuralSVM(problem, C, **options).fit(X, Y)


def cell_id(cell: tuple[Structure, str, str, str]) -> str:
    return "-".join([cell[0].name.replace("`", ""), *cell[1:]])


@pytest.mark.parametrize("cell", support_table.cells(), ids=cell_id)
def test_cell(cell):
    structure, rescaling, slack, solver = cell
    word = support_table.refusal(*cell)
    if word is not None:
        with pytest.raises(Unsupported) as refused:
            fit(*cell)
        assert word in str(refused.value)
        if support_table.missing_power(structure, rescaling, slack) == word:
            assert f"add the method {word}(" in str(refused.value)
            assert "outputs(x)" in str(refused.value)
        return
    slow = table_programs.is_program(structure) or table_grammars.is_grammar(structure)
    passes = 2000 if slow else 400 if "Chain" in structure.name else 200
    configured = Subgradient(passes=passes) if solver == "subgradient" else solver
    model = fit(structure, rescaling, slack, configured)
    if structure.greedy:
        check_greedy(model, rescaling, slack, solver)
        return
    solution, best = model.solution_, optimum(structure, rescaling, slack)
    n = len(data(structure)[2])
    if solver == "perceptron" and "Ranking" in structure.name:
        (X, groups), y = data(structure)[1:]
        assert model.score(X, y, groups=groups) >= 0.97
    elif solver == "perceptron" and table_alignments.is_homology(structure):
        assert model.score(*data(structure)[1:]) == 1.0  # the homologs; any of their alignments is right
    elif solver == "perceptron":
        predicted = model.predict(data(structure)[1])
        wrong = sum(not same(y, z) for y, z in zip(predicted, data(structure)[2]))
        assert wrong <= 1  # the average of iterates that ended without a mistake
    elif solver == "subgradient":
        assert solution.status is Status.FINISHED
        assert best.low * (1 - 1e-9) <= solution.primal <= 1.03 * best.value  # averaged steps
    elif slack == "hard":
        assert solution.status is Status.CONVERGED
        assert (1 - TOL) ** 2 * best.low <= solution.primal * (1 + 1e-12) <= best.value * (1 + 10 * TOL)
    else:
        assert solution.status is Status.CONVERGED
        assert best.low * (1 - 1e-12) <= solution.primal <= best.value + TOL * C * n


@pytest.mark.parametrize("cell", support_table.kernel_cells(), ids=cell_id)
def test_a_linear_kernel_reaches_the_optimum_of_the_explicit_form(cell):
    structure, rescaling, slack = cell
    tol = 1e-8 if slack == "hard" else 1e-9
    explicit, kernel = (fit(*cell, "auto", tol=tol, **asked) for asked in ({}, {"kernel": linear}))
    assert kernel.kernel_ is not None
    assert kernel.solution_.primal == pytest.approx(explicit.solution_.primal, rel=1e-6)
    best = optimum(structure, rescaling, slack)
    assert best.low * (1 - 1e-6) <= kernel.solution_.primal <= best.value * (1 + 1e-6)


@pytest.mark.parametrize("cell", support_table.kernel_row_cells(), ids=cell_id)
def test_a_linear_kernel_over_rows_reaches_the_optimum_of_the_explicit_form(cell, monkeypatch):
    """The same by rows of the kernel matrix, however few they are, and with every solver."""
    asked = spied_rows(monkeypatch)
    structure, rescaling, slack, solver = cell
    kernel, method = Kernel("poly", degree=1, gamma=1.0, coef0=0.0), {}
    if "Taxonomy" in structure.name:
        method = {"method": "structural"}  # asks for rows; the default is another method as long as features fit
    model = fit(structure, rescaling, slack, solver, tol=2e-7, kernel=kernel, **method)
    assert len(asked) == 1
    best = optimum(structure, rescaling, slack)
    assert best.low * (1 - 1e-6) <= model.solution_.primal <= best.value * (1 + 1e-6)


def spied_rows(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Lets all exact kernels be trained over rows of their matrix; the list gets the oracles that were made for it."""
    made: list[Any] = []
    own = KernelRows.oracle

    def oracle(self: KernelRows, *given: Any, **named: Any) -> Any:
        made.append(own(self, *given, **named))
        return made[-1]

    monkeypatch.setattr(kernels, "_FACTORED", 0)
    monkeypatch.setattr(Kernel, "spans_little", lambda *_: False)
    monkeypatch.setattr(KernelRows, "oracle", oracle)
    return made


def check_greedy(model: DiversityRanker, rescaling: str, slack: str, solver: str) -> None:
    """No gap is claimed; over all choices, listed, the objective is no better than the optimum and not far from it."""
    solution = model.solution_
    assert solution.status in (Status.INEXACT, Status.FINISHED)
    assert (solution.primal, solution.dual, solution.gap) == (None, None, None)
    assert solution.planes is None or not solution.planes.exact
    _, X, Y = data(Structure("`DiversityRanker`", None, greedy=True))
    assert model.score(X, Y) > UnweightedCoverage(2).score(X, Y)
    if solver != "perceptron":
        planes = every_choice(model, rescaling, slack)
        best = solve(planes, 10 * C)
        assert best.low * (1 - 1e-12) <= planes.primal(solution.w, 10 * C)
        assert planes.primal(solution.w, 10 * C) <= 1.5 * best.value < 0.5 * planes.primal(0 * solution.w, 10 * C)


def every_choice(model: DiversityRanker, rescaling: str, slack: str) -> EveryPlane:
    _, X, Y = data(Structure("`DiversityRanker`", None, greedy=True))
    structure, rows, heights, example = Diversity(2), [], [], []
    for i, (candidates, subtopics) in enumerate(zip(pack_candidates(X), pack_subtopics(Y))):
        x = cover_words(candidates, model.features_)
        label = structure.judge(x, subtopics)
        for y in itertools.combinations(range(5), 2):
            psi = dense(x.psi(label.best)) - dense(x.psi(y))
            a, b = plane_of(psi, structure.loss(label, y), rescaling, slack)
            rows.append(a), heights.append(b), example.append(i)
    return EveryPlane(np.array(rows), np.array(heights), np.array(example), len(X), slack)


@pytest.mark.parametrize("solver", ["one-slack", "n-slack", "bcfw", "subgradient"])
@pytest.mark.parametrize(("rescaling", "slack"), [("slack", "linear"), ("none", "linear"), ("margin", "squared")])
def test_a_search_that_may_miss_is_marked_and_reports_no_gap(rescaling, slack, solver):
    """What is refused may be asked for explicitly; nothing is then claimed that is not known."""
    structure = Structure("a Problem with `argmax` alone", ())
    problem, X, Y = data(structure)
    with pytest.raises(Unsupported, match="approximate=True"):
        StructuralSVM(problem, C, rescaling=rescaling, slack=slack, solver=solver).fit(X, Y)
    model = StructuralSVM(problem, C, rescaling=rescaling, slack=slack, solver=solver, approximate=True).fit(X, Y)
    solution = model.solution_
    assert solution.status in (Status.INEXACT, Status.FINISHED)
    assert (solution.primal, solution.dual, solution.gap) == (None, None, None)
    assert solution.planes is None or not solution.planes.exact
    best = optimum(structure, rescaling, slack)
    planes = enumerate_planes(problems.Subset(features=2), X, Y, rescaling, slack)
    assert best.low * (1 - 1e-12) <= planes.primal(solution.w, C)  # no better than the optimum, of course
    assert planes.primal(solution.w, C) <= planes.primal(0 * solution.w, C)  # and better than nothing


def test_the_table_in_markdown():
    text = support_table.markdown()
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert len(rows) == 7 * (2 + len(support_table.STRUCTURES))
    assert {line.count("|") for line in rows} == {len(support_table.SOLVERS) + 3}
    assert "| a Problem with `argmax` alone | yes | yes | yes | yes | yes | yes |  |" in text
    assert text.count("add `argmax_by_loss`") > 0
    assert text.count("add `kbest`") > 0


def test_the_page_of_the_documentation_is_current():
    page = Path(__file__).resolve().parents[2] / "docs" / "support.md"
    assert page.read_text(encoding="utf-8").endswith(support_table.markdown().rstrip() + "\n")
