"""Labels that spell out their nodes: separators, columns, and losses of two labels alone."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dotted_names import PAIRS, above
from maxmargin import Taxonomy
from maxmargin.classes.taxonomies import Levels, as_taxonomy, found_separator, read_levels, taxonomy_losses
from maxmargin.metrics import hierarchical_f1, tree_loss


@pytest.mark.parametrize(
    ("labels", "separator"),
    [
        (["1/2/0", "1/3", "2/1"], "/"),
        (["rec.sport.hockey", "rec.autos", "sci.med"], "."),
        (["a -> b", "a -> c", "d -> e"], " -> "),
        (["a|b", "a|c", "a"], "|"),  # 'a' is the beginning of the others
        (["a::b", "a::c", "d::e"], "::"),
        (["a/b.c", "a/b.d", "e/f.g"], "/"),
        (["St. Paul", "St. Louis", "Boston"], None),
        (["a/b", "c/d"], None),  # nothing is shared
        (["x/a", "x/b"], None),  # by all: no tree
        (["a/", "a/b", "c/d"], None),
        (["cat", "dog"], None),
        (["a.b"], None),
        ([1, 2, 3], None),
    ],
)
def test_separators_are_found(labels, separator):
    assert found_separator(labels) == separator
    names = as_taxonomy("auto", labels)
    assert names == as_taxonomy(separator, labels)


@given(pairs=PAIRS, others=PAIRS, loss=st.sampled_from(["height", "path", "zero-one"]))
@settings(max_examples=100)
def test_the_loss_of_a_pair_does_not_depend_on_the_others(pairs, others, loss):
    truths, answers = zip(*pairs)
    alone = [tree_loss([truth], [answer], ".", loss=loss) for truth, answer in pairs]
    with_others = [*pairs, *others]
    expected = np.mean([tree_loss([truth], [answer], ".", loss=loss) for truth, answer in with_others])
    assert tree_loss(truths, answers, ".", loss=loss) == pytest.approx(np.mean(alone))
    assert tree_loss(*zip(*with_others), ".", loss=loss) == pytest.approx(expected)
    by_hand = {
        "height": [max(len(above(t) - above(a)), len(above(a) - above(t))) for t, a in pairs],
        "path": [len(above(t) ^ above(a)) for t, a in pairs],
        "zero-one": [float(t != a) for t, a in pairs],
    }
    assert alone == pytest.approx(by_hand[loss])


def test_it_is_the_height_where_leaves_are_equally_deep():
    leaves = [".".join(map(str, place)) for place in np.ndindex(2, 3, 2)]
    truths, answers = zip(*[(t, a) for t in leaves for a in leaves])
    whole = taxonomy_losses(Taxonomy.from_names(leaves), truths, answers)
    assert tree_loss(truths, answers, ".") == whole.mean()
    assert [tree_loss([t], [a], ".") for t, a in zip(truths, answers)] == whole.tolist()


def test_columns_and_names_are_scored_alike():
    truths, answers = ["a.b.c", "a.e", "f.g"], ["a.b.d", "a.b.c", "f.g"]
    rows = [[[*name.split("."), None][:3] for name in side] for side in (truths, answers)]
    for form in (lambda side: side, lambda side: np.array(side, dtype=object), pd.DataFrame):
        assert tree_loss(form(rows[0]), form(rows[1])) == tree_loss(truths, answers, ".") == (1 + 2 + 0) / 3
        assert hierarchical_f1(form(rows[0]), form(rows[1])) == hierarchical_f1(truths, answers, ".")


@pytest.mark.parametrize("taxonomy", [None, "auto"])
def test_scores_ask_for_the_taxonomy(taxonomy):
    with pytest.raises(ValueError, match="give it as taxonomy="):
        tree_loss(["a/b", "a/c"], ["a/b", "a/d"], taxonomy)


@pytest.mark.parametrize(
    "y",
    [
        np.array([[1, 2], [1, 3], [0, 2]]),
        np.array([["a", "b"], ["a/c", ""], ["a", "d|"]]),
        np.array([[1.0, np.nan], [2.0, 1.0], [1.0, 3.5]]),
        np.array([["a", None, None], ["a", 3, 1], ["b", 4, None]], dtype=object),
    ],
)
def test_rows_become_names_and_names_rows(y):
    names, levels = read_levels(y)
    assert names.shape == (3,)
    again = levels.rows(names)
    assert again.dtype.kind == y.dtype.kind
    for first, second in zip(again.ravel().tolist(), y.ravel().tolist()):
        assert first == second or (first != first and second != second)
    np.testing.assert_array_equal(levels.names(y), names)
    assert Levels.from_plain(levels.plain()).names(y).tolist() == names.tolist()
    np.testing.assert_array_equal(Levels.from_plain(levels.plain()).rows(names), again)


def test_what_is_missing_in_a_data_frame():
    frame = pd.DataFrame({"top": ["a", "a", "b"], "low": pd.array([1, pd.NA, 2], dtype="Int64")})
    names, levels = read_levels(frame)
    assert names.tolist() == ["a/1", "a", "b/2"]
    assert levels.rows(names).tolist() == [["a", 1], ["a", None], ["b", 2]]
    assert levels.rows(np.array(["root"])).tolist() == [[None, None]]


@pytest.mark.parametrize("y", [["a", "b"], np.array([1, 2]), np.array([[1], [2]]), pd.Series(["a", "b"]), [[1], [2]]])
def test_other_labels_are_no_columns(y):
    assert read_levels(y) is None


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([["a", "b"], [None, "b"]], "Row 1 of y has no value at its first level"),
        ([["a", "b", "c"], ["a", "", "b"]], "Row 1 of y has a value in column 2 and none in column 1 before it"),
        ([["a", 1], ["b", "1"]], "Column 1 of y has both 1 and, in row 1, '1'; give its values one type"),
    ],
)
def test_columns_that_are_no_paths(y, message):
    with pytest.raises(ValueError, match=message):
        read_levels(y)
