"""Features of arcs: what they depend on, and that they are enough to learn invented trees."""

import numpy as np
import pytest

from enumerated_choices import reaches_root
from maxmargin import Perceptron, StructuralSVM
from maxmargin.datasets import make_dependency_trees
from maxmargin.io.conllu import Sentence
from maxmargin.programs import DependencyFeatures, TreeProblem


def sentence(*words, tags=None):
    names = tuple(tags or ["X"] * len(words))
    return Sentence(words, words, names, names, None, ("",) * len(words))


def arc(matrix, n, head, word):
    row = (word - 1) * (n + 1) + head
    return set(matrix.indices[matrix.indptr[row] : matrix.indptr[row + 1]].tolist())


def test_rows_are_arcs_of_ones_and_a_word_is_not_above_itself():
    found = DependencyFeatures(bits=20)(sentence("a", "b", "c", tags="DNV"))
    assert found.shape == (12, 2**20)
    assert set(found.data) == {1.0}
    assert not found.data.flags.writeable  # all matrices share it
    assert [arc(found, 3, d, d) for d in (1, 2, 3)] == [set()] * 3
    between = {len(arc(found, 3, h, d)) for h, d in ((1, 3), (3, 1), (0, 2))}
    assert between == {len(arc(found, 3, 0, 1)) + 2}  # one tag between, alone and with the distance
    assert len(arc(found, 3, 0, 3)) == len(arc(found, 3, 0, 1)) + 4


def test_features_depend_on_what_they_are_said_to():
    make = DependencyFeatures(bits=30)
    base = make(sentence("a", "b", "c", "d", tags="DNVA"))
    assert arc(base, 4, 1, 2) != arc(base, 4, 2, 1)
    far = make(sentence("a", "b", "c", "z", tags="DNVA"))  # a word that is not at either end
    assert arc(base, 4, 1, 2) == arc(far, 4, 1, 2)
    assert arc(base, 4, 1, 4) != arc(far, 4, 1, 4)
    other = make(sentence("a", "b", "c", "d", tags="DXVA"))  # a tag between
    shared = arc(base, 4, 1, 4) & arc(other, 4, 1, 4)
    assert len(arc(base, 4, 1, 4)) - len(shared) in range(2, 16)
    again = DependencyFeatures(bits=30)(sentence("a", "b", "c", "d", tags="DNVA"))
    np.testing.assert_array_equal(base.indices, again.indices)
    upper = make(sentence("A", "B", "C", "D", tags="DNVA"))
    np.testing.assert_array_equal(base.indices, upper.indices)


@pytest.mark.parametrize("bits", [7, 31])
def test_numbers_of_columns_have_bounds(bits):
    with pytest.raises(ValueError, match="from 8 to 30"):
        DependencyFeatures(bits=bits)


def test_a_sentence_needs_tags():
    with pytest.raises(ValueError, match="2 words, 1 and 1 tags"):
        DependencyFeatures()(sentence("a", "b", tags="X"))


@pytest.mark.parametrize("crossing", [0.0, 1.0])
def test_invented_trees_are_trees(crossing):
    sentences, heads = make_dependency_trees(50, crossing=crossing, seed=1)
    for words, above in zip(sentences, heads):
        tree = {d: int(above[d - 1]) for d in range(1, len(words) + 1)}
        assert all(reaches_root(tree, d) for d in tree)
        assert (above == 0).sum() == 1
        TreeProblem().check_choice(above, len(words) + 1)


def test_invented_trees_are_learned():
    sentences, heads = make_dependency_trees(120, seed=2)
    make = DependencyFeatures(bits=16)
    X = [make(each) for each in sentences]
    model = StructuralSVM(TreeProblem(), solver=Perceptron(passes=5)).fit(X[:80], heads[:80])
    right = sum(int((y == found).sum()) for y, found in zip(heads[80:], model.predict(X[80:])))
    first_word_before = sum(int((y == np.arange(y.size)).sum()) for y in heads[80:])
    total = sum(y.size for y in heads[80:])
    assert right > 0.85 * total > 1.3 * first_word_before


def test_generators_name_what_is_wrong():
    with pytest.raises(ValueError, match="crossing from 0 to 1"):
        make_dependency_trees(3, crossing=2.0)
