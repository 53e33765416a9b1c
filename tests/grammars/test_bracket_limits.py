"""Required and forbidden brackets: predictions are those among all trees that have them, listed."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maxmargin import PCFG, GrammarCRF
from maxmargin.datasets import make_treebank
from maxmargin.grammars import Span

TREES = make_treebank(80, seed=5)
PARSERS = [
    PCFG(horizontal=1).fit([tree.tokens() for tree in TREES], TREES),
    PCFG(chains=3).fit([tree.tokens() for tree in TREES], TREES),
    GrammarCRF(0.3, horizontal=0, features=("first", "split")).fit([tree.tokens() for tree in TREES], TREES),
]
SHORT = [tree for tree in TREES if 4 <= len(tree.tokens()) <= 9]
PHRASES = ("NP", "PP", "VP", "S")


def brackets_of(tree):
    return {span for span, node in zip(tree.spans(), tree.nodes(), strict=True) if not node.is_tag}


@st.composite
def limited(draw):
    """A parser, a sentence, and brackets: of its trees, or anywhere."""
    parser, tree = draw(st.sampled_from(PARSERS)), draw(st.sampled_from(SHORT))
    x = tree.tokens()
    listed = parser.predict_kbest([x], 5000)[0]
    seen = sorted({bracket for _, each in listed for bracket in brackets_of(each)})
    places = st.integers(0, len(x) - 1)
    anywhere = st.builds(
        lambda label, a, b: Span(label, min(a, b), max(a, b) + 1), st.sampled_from(PHRASES), places, places
    )
    bracket = st.one_of(st.sampled_from(seen), anywhere)
    known = set(parser.grammar_.bracket_labels)
    lists = st.lists(bracket, max_size=3).map(lambda own: [each for each in own if each.label in known])
    return parser, x, listed, draw(lists), draw(lists)


@settings(max_examples=60)
@given(limited())
def test_predictions_are_those_of_the_trees_that_are_left(case):
    parser, x, listed, forbidden, required = case
    assert len(listed) < 5000
    left = [
        each
        for each in listed
        if set(required) <= brackets_of(each.output) and not set(forbidden) & brackets_of(each.output)
    ]
    limits = {"forbidden": [forbidden], "required": [required]}
    if not left:
        kbest = partial(parser.predict_kbest, k=5000)
        for predict in (parser.predict, kbest, parser.predict_marginals, parser.sample):
            with pytest.raises(ValueError, match="Example 0: the grammar derives no tree"):
                predict([x], **limits)
        return
    found = parser.predict_kbest([x], 5000, **limits)[0]
    assert {each.output for each in found} == {each.output for each in left}
    np.testing.assert_allclose([each.score for each in found], [each.score for each in left])
    best = parser.predict([x], **limits)[0]
    assert parser.predict_kbest([x], 1, **limits)[0][0].score == pytest.approx(found[0].score)
    assert best in {each.output for each in left if each.score >= left[0].score - 1e-9}
    shares = np.exp(np.array([each.score for each in left]) - left[0].score)
    expected: dict[Span, float] = {}
    for share, each in zip(shares / shares.sum(), left, strict=True):
        for span, node in zip(each.output.spans(), each.output.nodes(), strict=True):
            if not node.is_tag:
                expected[span] = expected.get(span, 0.0) + share
    marginals = parser.predict_marginals([x], least=0.0, **limits)[0]
    for span in {*marginals, *expected}:
        assert marginals.get(span, 0.0) == pytest.approx(expected.get(span, 0.0), abs=1e-9)
    outputs = {each.output for each in left}
    assert set(parser.sample([x], n_samples=5, **limits)[0]) <= outputs
    assert parser.predict([x], decode="risk", **limits)[0] in outputs


def test_sentences_without_limits_beside_others_are_as_they_were():
    parser, X = PARSERS[0], [tree.tokens() for tree in SHORT]
    pairs = [[brackets_of(each.output) for each in own] for own in parser.predict_kbest(X, 2)]
    at = next(i for i, own in enumerate(pairs) if len(own) == 2 and own[0] - own[1])
    away = min(pairs[at][0] - pairs[at][1])
    forbidden = [None] * len(X)
    forbidden[at] = [away]
    plain, found = parser.predict(X), parser.predict(X, forbidden=forbidden)
    assert [i for i in range(len(X)) if found[i] != plain[i]] == [at]
    assert brackets_of(found[at]) == pairs[at][1]


@pytest.mark.parametrize(
    ("limits", "kind", "message"),
    [
        (
            {"required": [[("XP", 0, 1)]]},
            ValueError,
            "Example 0: the required bracket .*'XP'.* the grammar does not have",
        ),
        (
            {"forbidden": [[("NP", 0, 99)]]},
            ValueError,
            "Example 0: the forbidden bracket .* is not within the sentence",
        ),
        ({"forbidden": [["NP"]]}, TypeError, "must be a label, the first word and one past the last, not 'NP'"),
        ({"required": [None, None]}, ValueError, "required must be a list with one entry for each of the 1 sentences"),
        ({"required": [[("NP", 0, 2), ("NP", 1, 3)]]}, ValueError, "leave some of them out"),
    ],
)
def test_limits_that_make_no_sense(limits, kind, message):
    x = SHORT[0].tokens()
    with pytest.raises(kind, match=message) as one:
        PARSERS[0].predict([x], **limits)
    with pytest.raises(kind) as other:
        PARSERS[0].predict_kbest([x], 2, **limits)
    assert str(one.value) == str(other.value)


def test_the_brackets_of_a_tree_can_be_required():
    trees = make_treebank(40)
    X = [tree.tokens() for tree in trees]
    model = PCFG(horizontal=0).fit(X, trees)
    assert model.predict(X) != trees
    assert model.predict(X, required=[tree.brackets() for tree in trees]) == trees
    assert trees[0].brackets() == [s for s in trees[0].spans() if s.label not in {tag for _, tag in X[0]}]
    with pytest.raises(ValueError, match=r"does not have above tags. Tags are no brackets; Tree.brackets"):
        model.predict(X, required=[tree.spans() for tree in trees])


@pytest.mark.parametrize("own", [5, "NP", [(["NP"], 0, 1)]])
def test_what_is_no_list_of_brackets_is_a_sentence(own):
    trees = make_treebank(20)
    X = [tree.tokens() for tree in trees]
    with pytest.raises((ValueError, TypeError), match="Example 1: "):
        PCFG().fit(X, trees).predict(X[:2], required=[None, own])
