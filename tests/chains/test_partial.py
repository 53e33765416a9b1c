"""Labels that are known in part: None, sets of possible labels, and both beside plain labels."""

import numpy as np
import pytest

from maxmargin import ChainHMM, ChainPerceptron
from maxmargin.chains.sequences import PartialLabels, SequenceError, pack, pack_labels, pack_partial_labels

X = pack([np.eye(2), np.eye(2)[:1], np.zeros((0, 2))])
ANY = [1, 1]
CASES = {
    "None": ([["a", None], ["b"], []], [[1, 0], ANY, [0, 1]]),
    "a set": ([["a", {"b"}], [{"a", "b"}], []], [[1, 0], [0, 1], ANY]),
    "a frozen set and a list": ([[frozenset("ab"), ["b"]], ["a"], []], [ANY, [0, 1], [1, 0]]),
    "a whole sequence": ([["a", "b"], None, None], [[1, 0], [0, 1], ANY]),
    "one list": ([None, {"a"}, "b"], [ANY, [1, 0], [0, 1]]),
    "an array of objects": (np.array([None, "a", "b"], dtype=object), [ANY, [1, 0], [0, 1]]),
    "only in sets": ([[{"a", "b"}, None], [{"a"}], []], [ANY, ANY, [1, 0]]),
}


@pytest.mark.parametrize("case", CASES)
def test_what_is_allowed(case):
    Y, expected = CASES[case]
    classes, labels = pack_partial_labels(Y, X)
    assert isinstance(labels, PartialLabels)
    assert classes.tolist() == ["a", "b"]
    assert labels.allowed.dtype == np.uint8
    assert labels.allowed.tolist() == expected
    assert labels.allowed[np.arange(3), labels.codes].all()
    assert labels.known.tolist() == [sum(row) == 1 for row in expected]
    assert labels.tells(X).tolist() == [expected[:2] != [ANY, ANY], expected[2] != ANY, False]


def test_labels_that_are_tuples_are_no_sets():
    classes, labels = pack_partial_labels([[("x", 1), None], [{("x", 1), ("y", 2)}], []], X)
    assert classes.tolist() == [("x", 1), ("y", 2)]
    assert labels.allowed.tolist() == [[1, 0], ANY, ANY]


@pytest.mark.parametrize(
    "Y", [[["a", "b"], ["a"], []], ["a", "b", "a"], np.array([3, 5, 3]), [["a", {"b"}], [["a"]], []]], ids=str
)
def test_where_all_is_known_nothing_is_new(Y):
    classes, codes = pack_partial_labels(Y, X)
    assert codes.dtype == np.int32
    assert codes.tolist() == [0, 1, 0]
    assert classes.size == 2
    np.testing.assert_array_equal(pack_labels(["a", "b", "a"], X)[1], codes)


@pytest.mark.parametrize(
    ("Y", "message"),
    [
        ([["a", set()], ["b"], []], "Sequence 0, token 1 has no possible label; give the labels that it may have, or"),
        ([[None, None], None, []], "Nothing is known of any token; give at least one token a label"),
        ([[None, "a"], [{"a", float("nan")}], []], "Sequence 1, token 0 has the label nan"),
        ([["a", {"a", None}], ["a"], []], "Sequence 0, token 1 has the label None"),
        ([["a", {3}], [None], []], "The labels cannot be sorted, they are of the kinds int, str"),
        ([["a", None, "a"], ["a"], []], "Sequence 0 has 2 tokens but 3 labels"),
    ],
)
def test_complaints(Y, message):
    with pytest.raises(ValueError, match=message):
        pack_partial_labels(Y, X)


@pytest.mark.parametrize("model", [ChainHMM(), ChainPerceptron()], ids=str)
def test_estimators_that_need_every_label_say_so(model):
    with pytest.raises(SequenceError, match=r"one label each; sequence 1, token 0 has not\. Use ChainSVC or ChainCRF"):
        model.fit([np.eye(2), np.eye(2)], [["a", "b"], [None, "a"]])
