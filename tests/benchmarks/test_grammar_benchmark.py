"""Parts of the benchmark of grammars that are no measurements."""

import pytest

from grammars.comparison import f1, mcnemar, shown
from grammars.table5 import PARTS, Row, svm
from maxmargin.datasets import make_treebank
from maxmargin.metrics import BracketCounts
from shared.clocks import clocked

GOOD, BAD = BracketCounts(4, 4, 4, 0), BracketCounts(4, 4, 2, 1)


def test_scores_add_up_over_sentences():
    assert f1([GOOD, BAD]) == pytest.approx(6 / 8)
    assert shown([GOOD, BracketCounts(4, 2, 2, 0)]) == ["50.0", "100.0", "75.0", "85.7"]


def test_sentences_that_differ_are_coins():
    assert mcnemar([GOOD] * 8 + [BAD] + [GOOD] * 5, [BAD] * 8 + [GOOD] + [GOOD] * 5) == (8, 1, pytest.approx(20 / 2**9))
    assert mcnemar([GOOD], [GOOD]) == (0, 0, 1.0)


class Worker:
    """Two kinds of work, which take a known time."""

    now = 0.0

    def search(self, seconds):
        Worker.now += seconds

    def solve(self, seconds):
        Worker.now += seconds
        if seconds > 5:
            raise ValueError("too long")


def test_shares_of_a_fit_are_those_of_its_parts_and_not_what_is_left():
    parts = {"QP": ((Worker, "solve"),), "searches": ((Worker, "search"),)}
    before = Worker.solve, Worker.search
    with clocked(parts, lambda: Worker.now) as spent:
        Worker().search(3.0)
        Worker().solve(1.0)
        Worker.now += 100.0  # neither
        Worker().search(4.0)
        with pytest.raises(ValueError, match="too long"):
            Worker().solve(6.0)
    assert spent == {"QP": 7.0, "searches": 7.0}
    assert (Worker.solve, Worker.search) == before


@pytest.mark.parametrize("loss", ["zero-one", "f1"])
def test_a_fit_of_the_table_has_all_parts(loss):
    trees = make_treebank(60)
    row = Row(test=[[]])
    row.fit(3.0, svm(3.0, len(trees), {"loss": loss}), trees, trees)
    assert set(row.spent) == set(PARTS)
    assert min(row.spent["QP"], row.spent["searches"]) > 0.0
    assert row.spent.total() <= row.seconds
    assert len(row.cells()) == 8 + 1 + len(PARTS) + 3
