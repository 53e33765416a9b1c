"""PARSEVAL: a worked example, sets of brackets by NLTK's measures, and the definition of crossing by hand."""

import pytest
from hypothesis import assume, given
from nltk.metrics.scores import f_measure, precision, recall
from nltk.tree import Tree as NltkTree

from maxmargin.grammars import Tree
from maxmargin.grammars.parseval import bracket_counts, bracket_f1, bracket_score, brackets_of
from tree_cases import trees

GOLD = "(TOP (S (NP (NP (DT the) (NN man)) (, ,) (ADJP (JJ old))) (VP (VBD gave) (PRT (RP up))) (. .)))"
FOUND = "(TOP (S (NP (DT the) (NN man)) (VP (, ,) (ADJP (JJ old)) (VP (VBD gave) (ADVP (RP up)))) (. .)))"


def test_a_worked_example():
    """Without the punctuation the words are the man old gave up.

    True: S 0-5, NP 0-3, NP 0-2, ADJP 2-3, VP 3-5, ADVP 4-5. Predicted: S 0-5, NP 0-2, VP 2-5, ADJP 2-3, VP 3-5, ADVP
    4-5, of which VP 2-5 crosses NP 0-3.
    """
    assert brackets_of(GOLD) == {
        ("S", 0, 5): 1,
        ("NP", 0, 3): 1,
        ("NP", 0, 2): 1,
        ("ADJP", 2, 3): 1,
        ("VP", 3, 5): 1,
        ("ADVP", 4, 5): 1,
    }
    assert bracket_counts([GOLD], [FOUND]) == [(6, 6, 5, 1)]
    score = bracket_score([GOLD, GOLD], [FOUND, GOLD])
    assert score == (11 / 12, 11 / 12, 11 / 12, 0.5, 0.5, 0.5, 12)
    assert bracket_f1([GOLD], [None]) == 0.0
    assert bracket_counts([GOLD], [FOUND], ignored=(), equal={}) == [(7, 7, 5, 1)]  # PRT is not ADVP


def relabelled(tree, words):
    """The tree over other words, with other brackets."""
    waiting = iter(words)

    def walk(node):
        return Tree(node.label, [next(waiting) if isinstance(child, str) else walk(child) for child in node.children])

    return walk(tree)


def spans_by_nltk(tree):
    """Labels and places of all nodes but tags, found by NLTK's positions of leaves."""
    theirs = NltkTree.fromstring(str(tree))
    found = []
    for position in theirs.treepositions():
        node = theirs[position]
        if isinstance(node, NltkTree) and isinstance(node[0], NltkTree):
            leaves = [
                k for k in range(len(theirs.leaves())) if theirs.leaf_treeposition(k)[: len(position)] == position
            ]
            found.append((node.label(), leaves[0], leaves[-1] + 1))
    return found


@given(trees(), trees())
def test_brackets_are_compared_as_sets(a, b):
    assume(len(a.words()) == len(b.words()))
    b = relabelled(b, a.words())
    true, found = spans_by_nltk(a), spans_by_nltk(b)
    ((n_true, n_found, hits, crossing),) = bracket_counts([a], [b], ignored=(), equal={})
    assert (n_true, n_found) == (len(true), len(found))
    crossed = [
        (label, s, e)
        for label, s, e in found
        if any({*range(s, e)} & {*range(t, f)} not in ({*range(s, e)}, {*range(t, f)}, set()) for _, t, f in true)
    ]
    assert crossing == len(crossed)
    if len({*true}) == len(true) and len({*found}) == len(found) and true and found:
        score = bracket_score([a], [b], ignored=(), equal={})
        assert score.precision == pytest.approx(precision({*true}, {*found}))
        assert score.recall == pytest.approx(recall({*true}, {*found}))
        assert score.f1 == pytest.approx(f_measure({*true}, {*found}) or 0.0)
        assert hits == len({*true} & {*found})


@given(trees())
def test_a_tree_is_right_about_itself(tree):
    assert bracket_score([tree], [tree])[:6] == (1, 1, 1, 1, 0, 1)


def test_repeated_brackets_count_one_by_one():
    twice, once = "(S (NP (NP (NN a))) (VB b))", "(S (NP (NN a)) (VB b))"
    assert bracket_counts([twice], [once]) == [(3, 2, 2, 0)]
    assert bracket_counts([once], [twice]) == [(2, 3, 2, 0)]
    assert bracket_counts([twice], [twice])[0].exact


def test_function_tags_do_not_count_unless_they_are_asked_for():
    """As EVALB: a label ends at its first hyphen or equals sign, then it is left out or taken for another."""
    gold = "(S-TPC-1 (NP-SBJ=2 (NN a)) (VP (VB b) (PRT-CLR (RP c)) (-X- (NN d))))"
    found = "(S (NP-TMP (NN a)) (VP-1 (VB b) (ADVP (RP c)) (-Y- (NN d))))"
    assert brackets_of(gold) == {("S", 0, 4): 1, ("NP", 0, 1): 1, ("VP", 1, 4): 1, ("ADVP", 2, 3): 1, ("-X-", 3, 4): 1}
    assert brackets_of("(TOP-1 (S (NN a)))") == {("S", 0, 1): 1}
    assert bracket_counts([gold], [found]) == [(5, 5, 4, 0)]
    assert bracket_counts([gold], [found], function_tags=True) == [(5, 5, 0, 0)]
    assert bracket_score([gold], [gold], function_tags=True).f1 == 1.0
    assert ("NP-SBJ=2", 0, 1) in brackets_of(gold, function_tags=True)


def test_the_true_tags_say_which_words_count():
    other_tag = "(S (NP (NN a)) (. b))"
    assert bracket_counts(["(S (NP (NN a)) (VB b))"], [other_tag]) == [(2, 2, 2, 0)]
    assert brackets_of(other_tag) == {("S", 0, 1): 1, ("NP", 0, 1): 1}


def test_bad_pairs():
    with pytest.raises(ValueError, match="There are 1 true and 0 predicted trees"):
        bracket_score([GOLD], [])
    with pytest.raises(ValueError, match="There are no trees"):
        bracket_score([], [])
    with pytest.raises(ValueError, match="true tree 1 is over 7 words, and the predicted one over 1"):
        bracket_score([GOLD, GOLD], [GOLD, "(S (NN a))"])
    with pytest.raises(ValueError, match="true tree 0 has 'a' where the predicted one has 'b'"):
        bracket_score(["(S (NN a))"], ["(S (NN b))"])
