"""PARSEVAL: a worked example, sets of brackets by NLTK's measures, EVALB's way of counting written out, and the
definition of crossing by hand."""

import re

import numpy as np
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
    assert bracket_counts([gold], [found], function_tags=True) == [(5, 5, 1, 0)]  # numbers are no part of a label
    assert bracket_score([gold], [gold], function_tags=True).f1 == 1.0
    assert ("NP-SBJ", 0, 1) in brackets_of(gold, function_tags=True)


def test_what_is_no_list_of_trees_is_named():
    tree = "(S (A a))"
    with pytest.raises(TypeError, match="y_true must be a list of trees, not a single one"):
        bracket_score(tree, tree)
    with pytest.raises(ValueError, match="The predicted tree 1: line 1"):
        bracket_score([tree] * 2, [tree, "(S"])
    with pytest.raises(TypeError, match="ignored must be a list of labels, not the text 'TOP'"):
        bracket_score([tree], [tree], ignored="TOP")


def test_the_true_tags_say_which_words_count():
    other_tag = "(S (NP (NN a)) (. b))"
    assert bracket_counts(["(S (NP (NN a)) (VB b))"], [other_tag]) == [(2, 2, 2, 0)]
    assert brackets_of(other_tag) == {("S", 0, 1): 1, ("NP", 0, 1): 1}


def test_brackets_over_no_words_that_count_are_left_out():
    gold = "(S (NP (NN a)) (PRN (: --)) (VP (VB b) (NP (-NONE- *))))"
    found = "(S (NP (NN a)) (: --) (VP (VB b)))"
    assert bracket_counts([gold], [found]) == [(3, 3, 3, 0)]
    assert bracket_counts([found], [gold])[0].exact
    assert bracket_counts([gold], [gold], ignored=()) == [(5, 5, 5, 0)]
    assert brackets_of("(S (, ,))") == {}


def test_trees_with_and_without_traces_are_compared():
    gold = "(S (NP (-NONE- *T*-1)) (VP (VB go) (NP (NN home)) (. .)))"
    assert bracket_score([gold], ["(S (VP (VB go) (NP (NN home)) (. .)))"]).exact == 1.0
    # a wrong tag of the full stop does not matter, as the other words are the same
    assert bracket_counts([gold], ["(S (VP (VB go) (NP (NN home) (NN .))))"]) == [(3, 3, 3, 0)]
    # without full stop, or with another one, each tree goes by its own tags
    assert bracket_score([gold], ["(S (VP (VB go) (NP (NN home))))"]).exact == 1.0
    assert bracket_score([gold], ["(S (VP (VB go) (NP (NN home))) (. !))"]).exact == 1.0
    with pytest.raises(ValueError, match="over 2 words that count, and the predicted one over 3"):
        bracket_score([gold], ["(S (VP (VB go) (NP (NN home) (NN !))))"])
    with pytest.raises(ValueError, match="over 4 words that count, and the predicted one over 3"):
        bracket_score([gold], ["(S (VP (VB go) (NP (NN home)) (. .)))"], ignored=())


DELETED = {"TOP", "-NONE-", ",", ":", "``", "''", "."}


def evalb_brackets(text):
    """Words and brackets as EVALB reads them: deleted words have no place, brackets of no length are dropped."""
    words, brackets, opened = [], [], []
    tokens = re.findall(r"[()]|[^()\s]+", text)
    for k, token in enumerate(tokens):
        if token == "(":
            opened.append((tokens[k + 1], len(words), tokens[k + 2] != "("))
        elif token == ")":
            label, start, is_tag = opened.pop()
            label = re.split("[-=]", label)[0] or label
            if not is_tag and start < len(words) and label not in DELETED:
                brackets.append(("ADVP" if label == "PRT" else label, start, len(words)))
        elif tokens[k - 1] != "(" and opened[-1][0] not in DELETED:
            words.append(token)
    return words, brackets


def random_tree(rng, words, label="S"):
    """Over ``(word, tag)`` pairs."""
    leaves = [Tree(tag, [word]) for word, tag in words]
    while len(leaves) > 1 or rng.random() < 0.4:
        first = rng.integers(len(leaves))
        last = first + 1 + rng.integers(min(3, len(leaves) - first))
        leaves[first:last] = [Tree(str(rng.choice(["NP", "NP-SBJ", "VP", "PRT", "ADVP"])), leaves[first:last])]
    return Tree(label, leaves)


def with_ignored(rng, words):
    """Traces between the words."""
    found = []
    for word in words:
        found += [("*", "-NONE-")] * rng.binomial(1, 0.3) + [word]
    return found


def test_counts_of_random_trees_with_traces_and_punctuation_are_those_of_evalb():
    rng = np.random.default_rng(0)
    tags = ["NN", "VB", ",", ":", "."]
    empty = crossings = 0
    for _ in range(300):
        said = [(f"w{k}", str(rng.choice(tags))) for k in range(rng.integers(1, 8))]
        gold = random_tree(rng, with_ignored(rng, said), "TOP")
        kept = [word for word in said if word[1] not in DELETED or rng.random() < 0.8]
        found = random_tree(rng, with_ignored(rng, kept or said))
        (words, true), (others, predicted) = evalb_brackets(str(gold)), evalb_brackets(str(found))
        assert words == others
        left, hits = predicted.copy(), 0
        for bracket in true:
            if bracket in left:
                left.remove(bracket)
                hits += 1
        crossing = sum(any(a < s < b < e or s < a < e < b for _, a, b in true) for _, s, e in predicted)
        assert bracket_counts([gold], [found]) == [(len(true), len(predicted), hits, crossing)]
        empty += not words
        crossings += crossing
    assert empty > 5
    assert crossings > 50


def test_bad_pairs():
    with pytest.raises(ValueError, match="There are 1 true and 0 predicted trees"):
        bracket_score([GOLD], [])
    with pytest.raises(ValueError, match="There are no trees"):
        bracket_score([], [])
    with pytest.raises(ValueError, match="true tree 1 is over 5 words that count, and the predicted one over 1"):
        bracket_score([GOLD, GOLD], [GOLD, "(S (NN a))"])
    with pytest.raises(ValueError, match="true tree 0 has 'a' where the predicted one has 'b'"):
        bracket_score(["(S (NN a))"], ["(S (NN b))"])
