"""PCFG: the best trees of NLTK's parser, probabilities by listing all trees, files, unknown input, and bad input."""

import nltk
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score

import maxmargin
from maxmargin.datasets import make_treebank
from maxmargin.grammars import PCFG, Grammar, NotDerivable, Tree
from maxmargin.metrics import bracket_f1
from tree_cases import treebank, trees

TEXT = """
S -> NP VP [0.8] | VP [0.2]
NP -> NP PP [0.2] | DT NN [0.3] | DT JJ JJ NN [0.1] | NP CC NP [0.1] | N [0.3]
PP -> P NP [1.0]
VP -> V NP [0.4] | V NP PP [0.3] | V [0.1] | VP CC VP [0.1] | X [0.1]
X -> N [0.5] | VP PP [0.5]
N -> 'Ann' [0.4] | 'Bob' [0.3] | 'saw' [0.3]
DT -> 'the' [1.0]
JJ -> 'old' [1.0]
NN -> 'man' [0.5] | 'park' [0.5]
CC -> 'and' [1.0]
P -> 'in' [0.6] | 'with' [0.4]
V -> 'saw' [0.7] | 'met' [0.3]
"""
WORDS = ["Ann", "Bob", "saw", "the", "old", "man", "park", "and", "in", "with", "met"]
SENTENCES = [
    "Ann saw the man in the park",
    "Ann saw Bob and met the old old man in the park with Bob",
    "saw",
    "Bob and Ann met Ann and Bob in the park",
    "saw saw saw",
    "met Bob with Ann in the park",
]


@pytest.mark.parametrize("sentence", SENTENCES)
def test_the_best_tree_is_that_of_nltk(sentence):
    words = sentence.split()
    (theirs,) = nltk.ViterbiParser(nltk.PCFG.fromstring(TEXT)).parse(words)
    model = PCFG.from_text(TEXT)
    ((best,),) = model.predict_kbest([words], 1)
    assert best.score == pytest.approx(np.log(theirs.prob()))
    assert model.predict([words]) == [best.output]
    assert best.output == Tree.of(theirs) or len(model.predict_kbest([words], 2)[0]) == 2


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=7))
def test_any_words(words):
    theirs = list(nltk.ViterbiParser(nltk.PCFG.fromstring(TEXT)).parse(words))
    (ours,) = PCFG.from_text(TEXT).predict_kbest([words], 1)
    assert len(ours) == len(theirs)
    if ours:
        assert ours[0].score == pytest.approx(np.log(theirs[0].prob()))
        assert ours[0].output.words() == words


def test_many_tags_that_few_symbols_stand_beside():
    """More tags than the classes of neighbours by which a chart leaves symbols out."""
    rng = np.random.default_rng(0)
    tags, phrases = [f"T{k}" for k in range(150)], ["S", "A", "B", "C", "D"]
    below = {
        p: {tuple(rng.choice([*phrases, *tags[30 * k : 30 * k + 30]], 2)) for _ in range(40)}
        for k, p in enumerate(phrases)
    }
    lines = [f"{p} -> {' | '.join(f'{a} {b} [{1 / len(own)}]' for a, b in sorted(own))}" for p, own in below.items()]
    text = "\n".join([*lines, *(f"{tag} -> 'w{tag}' [1.0]" for tag in tags)])
    model, parser = PCFG.from_text(text), nltk.ViterbiParser(nltk.PCFG.fromstring(text))
    sentences: list[list[str]] = []
    while len(sentences) < 15:
        symbols = ["S"]
        while set(symbols) & set(phrases) and len(symbols) < 12:
            at = next(k for k, symbol in enumerate(symbols) if symbol in phrases)
            symbols[at : at + 1] = sorted(below[symbols[at]])[rng.integers(len(below[symbols[at]]))]
        if not set(symbols) & set(phrases) and len(symbols) > 2:
            sentences.append([f"w{tag}" for tag in symbols])
    for words, (best,), inside in zip(
        sentences, model.predict_kbest(sentences, 1), model.predict_marginals(sentences), strict=True
    ):
        assert best.score == pytest.approx(np.log(next(parser.parse(words)).prob()))
        assert inside["S", 0, len(words)] >= 1.0 - 1e-9


@given(st.lists(trees(6, plain=True), min_size=1, max_size=3), st.sampled_from([None, 0, 1]), st.sampled_from([1, 2]))
def test_trained_probabilities_are_those_of_nltk(bank, horizontal, vertical):
    model = PCFG(horizontal=horizontal, vertical=vertical, chains=6).fit([tree.tokens() for tree in bank], bank)
    grammar = model.grammar_
    names = {symbol: nltk.Nonterminal(str(symbol)) for symbol in grammar.symbols}
    rules = [
        nltk.ProbabilisticProduction(
            names[grammar.symbols[row[0]]], [names[grammar.symbols[child]] for child in row[1:]], prob=np.exp(weight)
        )
        for row, weight in zip([*grammar.binary, *grammar.unary], model.coef_, strict=True)
    ]
    tags = [
        nltk.ProbabilisticProduction(nltk.Nonterminal(tag), [f"word {tag}"], prob=1.0) for tag in grammar.lexicon.known
    ]
    theirs = nltk.ViterbiParser(
        nltk.PCFG(names[grammar.symbols[grammar.start]], [*rules, *tags], calculate_leftcorners=False)
    )
    for tree in bank:
        sentence = [tag for _, tag in tree.tokens()]
        found = list(theirs.parse([f"word {tag}" for tag in sentence]))
        assert model.predict_kbest([sentence], 1)[0][0].score == pytest.approx(np.log(found[0].prob()))


def test_probabilities_are_those_of_all_trees():
    model = PCFG.from_text(TEXT)
    words = SENTENCES[1].split()
    (ranked,) = model.predict_kbest([words], 10_000)
    assert 10 < len(ranked) < 10_000
    assert len({tree for _, tree in ranked}) == len(ranked)
    share = np.exp([score for score, _ in ranked])
    share /= share.sum()
    expected = {}
    for p, (_, tree) in zip(share, ranked, strict=True):
        for node, span in zip(tree.nodes(), tree.spans(), strict=True):
            if not node.is_tag:
                expected[span] = expected.get(span, 0.0) + p
    (found,) = model.predict_marginals([words], least=1e-12)
    assert found == {span: pytest.approx(p) for span, p in expected.items() if p > 1e-12}
    (drawn,) = model.sample([words], n_samples=4000, random_state=1)
    best = ranked[0].output
    assert drawn.count(best) / 4000 == pytest.approx(share[0], abs=0.03)
    (safe,) = model.predict([words], decode="risk")
    worth = [
        sum(2 * found.get(s, 0.0) - 1 for n, s in zip(t.nodes(), t.spans(), strict=True) if not n.is_tag)
        for _, t in ranked
    ]
    own = [tree for _, tree in ranked].index(safe)
    assert worth[own] == pytest.approx(max(worth))


def test_words_or_tags_with_unknown_ones():
    bank = treebank()
    X = [tree.tokens() for tree in bank]
    for kind in ("tags", "words"):
        model = PCFG(input=kind, horizontal=1, chains=3).fit(X, bank)
        assert model.score(X, bank) > 0.9
        (tree,) = model.predict([[("the", "DT"), ("zebra", "NEW"), ("sleeps", "VBZ")]])
        assert str(tree).startswith("(S (NP (DT the) (")
        assert tree.words() == ["the", "zebra", "sleeps"]
    assert model.predict([["the", "zebra", "sleeps"]])[0] == tree


def test_a_sentence_without_a_derivation_gets_a_flat_tree():
    model = PCFG().fit([tree.tokens() for tree in treebank()], treebank())
    assert str(model.predict([["IN", "IN"]])[0]) == "(S (IN IN) (IN IN))"
    assert model.predict_kbest([["IN", "IN"]], 2) == [[]]
    assert model.predict_marginals([["IN", "IN"], ["NNP", "VBZ"]])[1]["S", 0, 2] == pytest.approx(1.0)
    assert model.predict([]) == []
    words = PCFG(input="words").fit([tree.words() for tree in treebank()], treebank())
    assert str(words.predict([[("the", "DT"), ("the", "DT")]])[0]) == "(S (DT the) (DT the))"
    assert words.predict([["the", "unheard-of"]])[0].words() == ["the", "unheard-of"]


def test_a_flat_tree_has_the_commonest_root():
    y = ["(FRAG (NN a))", *["(S (NN a) (VB b))"] * 3, *["(NP (NN a))"] * 2]
    model = PCFG().fit([Tree.of(tree).tokens() for tree in y], y)
    assert str(model.predict([["VB", "VB"]])[0]) == "(S (VB VB) (VB VB))"


def test_model_files(tmp_path):
    bank = treebank()
    X = [tree.tokens() for tree in bank]
    for kind in ("tags", "words"):
        model = PCFG(input=kind, horizontal=1, vertical=2).fit(X, bank)
        model.save(tmp_path / "model.mm")
        again = maxmargin.load(tmp_path / "model.mm")
        assert again.get_params() == model.get_params()
        assert again.predict_kbest(X, 3) == model.predict_kbest(X, 3)


def test_habits_of_scikit_learn():
    bank = treebank() * 4
    X = [tree.tokens() for tree in bank]
    model = PCFG(vertical=2)
    assert clone(model).get_params() == model.get_params()
    search = GridSearchCV(model, {"vertical": [1, 2], "horizontal": [None, 1]}, cv=2).fit(X, bank)
    assert search.best_score_ == pytest.approx(search.best_estimator_.score(X, bank), abs=0.2)
    weighed = PCFG().fit(X[:5], bank[:5], sample_weight=[2, 1, 1, 1, 3])
    repeated = PCFG().fit([X[0], *X[:5], X[4], X[4]], [bank[0], *bank[:5], bank[4], bank[4]])
    np.testing.assert_allclose(sorted(weighed.coef_), sorted(repeated.coef_))
    score = weighed.score(X[:2], [bank[0], bank[1]], sample_weight=[2, 1])
    assert score == pytest.approx(bracket_f1([bank[0], *bank[:2]], weighed.predict([X[0], *X[:2]])))


def test_a_given_grammar_must_derive_the_trees():
    bank = treebank()
    X = [tree.tokens() for tree in bank]
    grammar = Grammar.from_treebank(bank[:2])
    assert PCFG(grammar=grammar).fit(X[:2], bank[:2]).grammar_ is grammar
    with pytest.raises(ValueError, match="Example 2: The tree has the root 'NP', and the grammar starts with 'S'"):
        PCFG(grammar=grammar).fit(X, bank)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y": [Tree("NN", ["dog"])]}, "X has 5 .*y has 1|5 .* 1"),
        ({"X": [["DT"]] * 5}, "Example 0: The tree is over 3 words, and the sentence has 1"),
        ({"X": [[]] * 5}, "Example 0: A sentence is empty"),
        ({"y": ["(S"] * 5}, "Tree 0: line 1, column 1: this bracket is never closed"),
        ({"sample_weight": [1.0]}, "sample_weight"),
    ],
)
def test_bad_training_data(change, message):
    given = {"X": [tree.tokens() for tree in treebank()], "y": treebank(), **change}
    with pytest.raises(ValueError, match=message):
        PCFG().fit(given.pop("X"), given.pop("y"), **given)


def test_bad_use():
    bank = treebank()
    model = PCFG().fit([tree.tokens() for tree in bank], bank)
    with pytest.raises(ValueError, match="decode must be 'best' or 'risk', not 'luck'"):
        model.predict([["NN"]], decode="luck")
    with pytest.raises(TypeError, match="Example 1: A sentence must be a list of tags"):
        model.predict([["NN"], "the dog"])
    with pytest.raises(ValueError, match="k must be a positive integer"):
        model.predict_kbest([["NN"]], 0)
    with pytest.raises(ValueError, match="vertical must be a positive integer"):
        PCFG(vertical=0).fit([["NN"]], ["(NN a)"])
    for text, message in (
        ("S -> 'a'", "Line 1 has a rule of 'S' and no probability"),
        ("S -> 'a' [0.5]", "probabilities of 'S' add up to 0.5"),
    ):
        with pytest.raises(ValueError, match=message):
            PCFG.from_text(text)


def test_a_beam_may_leave_out_the_best():
    words = SENTENCES[1].split()
    exact, narrow = PCFG.from_text(TEXT), PCFG.from_text(TEXT)
    narrow.beam = 0.0
    ((first, *_),) = exact.predict_kbest([words], 1)
    found = narrow.predict_kbest([words], 1)[0]
    assert all(ranked.score <= first.score + 1e-12 for ranked in found)


def test_a_sentence_whose_trees_a_beam_loses_is_parsed_without_it():
    """Over a b the better X stays, and Y is lost, which the only tree has."""
    rules = "S -> X D [0.9] | Y G [0.1]\nX -> A B [1]\nY -> A B [0.5] | B A [0.5]\nD -> C E [1]\nG -> C F [1]\n"
    rules += "\n".join(f"{name} -> '{name.lower()}' [1]" for name in "ABCEF")
    exact, narrow = PCFG.from_text(rules), PCFG.from_text(rules)
    narrow.beam = 0.0
    x = ["a", "b", "c", "f"]
    assert narrow.predict([x]) == exact.predict([x]) == [Tree.from_text("(S (Y (A a) (B b)) (G (C c) (F f)))")]
    assert narrow.predict_kbest([x], 3) == exact.predict_kbest([x], 3)
    assert narrow.predict([x], required=[[("G", 2, 4)]]) == exact.predict([x])
    assert narrow.predict_kbest([["a", "a"]], 1) == [[]]  # there is none


def test_words_for_a_parser_of_tags_come_with_a_warning():
    model = PCFG().fit([["DT", "NN", "VBZ"]], ["(S (NP (DT DT) (NN NN)) (VP (VBZ VBZ)))"])
    with pytest.warns(UserWarning, match="This parser reads tags, .* input='words'"):
        model.predict([["the", "dog", "barks"]])
    model.predict([["the", "dog", "barks"], ["DT", "dog", "barks"]])  # some are known


def test_sentences_of_tags_alone_are_scored_over_the_words_of_the_true_trees():
    trees = make_treebank(60)
    pairs = [tree.tokens() for tree in trees]
    tags = [[tag for _, tag in sentence] for sentence in pairs]
    model = PCFG(horizontal=1).fit(tags, trees)
    assert model.score(tags, trees) == model.score(pairs, trees) < 1.0
    assert model.score(tags, [str(tree) for tree in trees]) == model.score(pairs, trees)
    folds = cross_val_score(PCFG(horizontal=1), tags, trees, cv=3, error_score="raise")
    assert folds.tolist() == cross_val_score(PCFG(horizontal=1), pairs, trees, cv=3).tolist()
    with pytest.raises(ValueError, match="Example 1: the tree is over 3 words, and the sentence has 2"):
        model.score([["NN", "VBZ"]] * 2, ["(S (NN a) (VBZ b))", "(S (DT a) (NN b) (VBZ c))"])


def test_numpy_numbers_are_numbers_of_options():
    trees = treebank()
    X = [tree.tokens() for tree in trees]
    search = GridSearchCV(PCFG(), {"vertical": np.arange(1, 3), "horizontal": np.arange(2)}, cv=2).fit(X, trees)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    with pytest.raises(ValueError, match="vertical must be a positive integer"):
        PCFG(vertical=True).fit(X, trees)


def test_scores_of_given_trees_are_those_of_the_list(tmp_path):
    trees = treebank()
    X = [tree.tokens() for tree in trees]
    model = PCFG(vertical=2).fit(X, trees)
    for sentence in X[:4]:
        ranked = model.predict_kbest([sentence], 3)[0]
        found = model.decision_value([sentence] * len(ranked), [tree for _, tree in ranked])
        np.testing.assert_allclose(found, [score for score, _ in ranked], rtol=1e-12)
    unknown = [("x", "QQ"), *X[0][1:]]
    with pytest.raises(NotDerivable, match="Example 0: The grammar has no tag 'QQ', which the tree has at word 0"):
        model.decision_value([unknown], model.predict([unknown]))


def test_a_loaded_parser_keeps_the_grammar_that_it_was_given(tmp_path):
    grammar = Grammar.from_text("S -> NP VP\nNP -> 'a'\nVP -> 'b'")
    model = PCFG(grammar=grammar).fit([["a", "b"]], ["(S (NP a) (VP b))"])
    for own in (PCFG().fit([["NP", "VP"]], ["(S (NP a) (VP b))"]), model):
        own.save(tmp_path / "model.mm")
        assert (maxmargin.load(tmp_path / "model.mm").grammar is None) == (own.grammar is None)
    again = maxmargin.load(tmp_path / "model.mm").fit([["a", "b"]], ["(S (NP a) (VP b))"])
    np.testing.assert_array_equal(again.coef_, model.coef_)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (
            lambda m, X: m.sample(X, n_samples=2**64),
            "n_samples must be at most 2,147,483,647, not 18,446,744",
        ),
        (lambda m, X: m.sample(X, random_state="a"), "random_state must be None, a whole number from 0"),
        (lambda m, X: m.predict(None), "Sentences must be a list"),
    ],
)
def test_questions_that_make_no_sense(ask, message):
    trees = treebank()
    X = [tree.tokens() for tree in trees]
    with pytest.raises((TypeError, ValueError), match=message):
        ask(PCFG().fit(X, trees), X[:1])


def test_a_list_ends_where_there_are_no_more_trees():
    trees = treebank()
    X = [tree.tokens() for tree in trees[:1]]
    model = PCFG().fit([tree.tokens() for tree in trees], trees)
    assert model.predict_kbest(X, 2**40) == model.predict_kbest(X, 1000)
