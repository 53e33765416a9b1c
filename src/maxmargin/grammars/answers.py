"""What parsers answer: trees of what the core has found, and what they say where it has found none."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

from maxmargin.core.ranked import Ranked
from maxmargin.fitting.warning import warn_caller
from maxmargin.grammars.grammar import Grammar
from maxmargin.grammars.lexicon import words_and_tags
from maxmargin.grammars.tree import Tree, rebuilt
from maxmargin.grammars.undoing import best_trees


def flat_tree(grammar: Grammar, sentence: Any) -> Tree:
    """One node above the tags of all words, for sentences that a grammar cannot derive."""
    words, tags = words_and_tags(sentence)
    if tags is None:
        tags = words
        if not grammar.lexicon.by_tags:
            own = grammar.lexicon
            tags = [grammar.symbols[own.symbols_of(number)[0]].label for number in grammar.numbers(sentence)]
    return Tree(grammar.root_label, [Tree(tag, [word]) for word, tag in zip(words, tags, strict=True)])


def with_true_words(example: int, sentence: Any, found: Tree, truth: Any) -> Tree:
    """A predicted tree over the words of the true one where its sentence has tags alone."""
    if words_and_tags(sentence)[1] is not None:
        return found
    words = Tree.of(truth).words()
    if len(words) != len(sentence):
        raise ValueError(
            f"Example {example}: the tree is over {len(words)} words, and the sentence has {len(sentence)}."
        )
    waiting = iter(words)

    def over_words(label: str, children: list[Tree | str]) -> Tree:
        return Tree(label, [next(waiting)] if isinstance(children[0], str) else children)

    made = rebuilt(found, over_words)
    assert made is not None
    return made


def say_if_words(grammar: Grammar, sentences: Sequence[Any]) -> None:
    """Warns where a grammar of tags is asked about sentences none of whose tags it knows: they may be words."""
    if not sentences or not grammar.lexicon.by_tags:
        return
    known = set(grammar.lexicon.known)
    for sentence in sentences:
        words, tags = words_and_tags(sentence)
        if not known.isdisjoint(tags or words):
            return
    warn_caller(
        "This parser reads tags, and none of the tags of these sentences was in its trees; each may then be any tag. "
        "If they are words, give pairs (word, tag), or learn a parser with input='words'.",
        UserWarning,
    )


def check_found(found: Iterable[Any], forbidden: Any, required: Any) -> None:
    """Raises for the first sentence without a tree where limits may be the reason."""
    for i, some in enumerate(found):
        limited = any(given is not None and given[i] for given in (forbidden, required))
        if limited and not some:
            raise ValueError(
                f"Example {i}: the grammar derives no tree with all the required brackets and none of the forbidden "
                "ones; leave some of them out."
            )


def ranked_trees(grammar: Grammar, sentences: Sequence[Any], found: Any) -> list[list[Ranked[Tree]]]:
    """Trees of all sentences with their scores, of what the core answers."""
    first, rules, scores, ends, _ = found
    first, scores, ends = first.tolist(), scores.tolist(), ends.tolist()
    ranked = []
    for sentence, begin, end in zip(sentences, ends, ends[1:]):
        rows = [rules[a:b] for a, b in pairwise(first[begin : end + 1])]
        trees = best_trees(grammar, rows, sentence) if rows else []
        ranked.append([Ranked(score, tree) for score, tree in zip(scores[begin:end], trees, strict=True)])
    return ranked
