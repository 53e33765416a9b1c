"""Spaces of outputs that you write down yourself: a recursion in a few lines, then parse trees that come ready.

First a space of its own: all ways to cut a string without blanks into words; every piece of up to ten letters is an
edge. Then dependency trees of invented sentences: projective ones by dynamic programming, those with crossing arcs as
spanning trees. With the environment variable MAXMARGIN_DATA set to a folder that holds ud_english_ewt/, the sentences
are those of the English web treebank.
"""

import os

import numpy as np

from maxmargin import Perceptron, ProgramCRF, ProgramPerceptron, StructuralSVM
from maxmargin.datasets import load_ud_ewt_trees, make_dependency_trees, make_sentences
from maxmargin.programs import DependencyFeatures, ProgramBuilder, TreeProblem
from maxmargin.programs.spaces import ProjectiveTrees

LONGEST = 10


class Words:
    """All ways to cut a string into words of up to LONGEST letters; an output is the tuple of the words."""

    columns = 1 << 14

    def program(self, x):
        builder = ProgramBuilder(n_features=self.columns)
        builder.edge(0)  # edge 0 starts before the first letter
        for begin, end in self.pieces(x):
            word = x[begin:end]
            seen = {word, f"{len(word)} letters", f"starts {word[:2]}", f"ends {word[-2:]}"}
            builder.edge(end, [begin], {self.column(text): 1.0 for text in seen})
        return builder.program(len(x))

    def pieces(self, x):
        return [(begin, end) for begin in range(len(x)) for end in range(begin + 1, min(begin + LONGEST, len(x)) + 1)]

    def column(self, text):
        return sum(ord(letter) * 31**k for k, letter in enumerate(text)) % self.columns

    def edges(self, x, y):
        ends = np.cumsum([len(word) for word in y]).tolist()
        pieces = self.pieces(x)
        return [0, *(1 + pieces.index(piece) for piece in zip([0, *ends], ends))]

    def output(self, x, edges):
        pieces = sorted(self.pieces(x)[edge - 1] for edge in edges if edge > 0)
        return tuple(x[begin:end] for begin, end in pieces)


def cut_into_words():
    sentences = [tuple(words) for words in make_sentences(120, n_words=15, lengths=(3, 6), seed=0)[0]]
    sentences = [words for words in sentences if max(map(len, words)) <= LONGEST]
    strings = ["".join(words) for words in sentences]
    model = ProgramCRF(Words()).fit(strings[:80], sentences[:80])
    right = [y == found for y, found in zip(sentences[80:], model.predict(strings[80:]))]
    print(f"{100 * np.mean(right):.0f} % of {len(right)} new strings are cut into the right words")
    for guess in model.predict_kbest(strings[80:81], 3)[0]:
        print(f"  {guess.score:6.2f}  {' '.join(guess.output)}")


def parse():
    if os.environ.get("MAXMARGIN_DATA"):
        (sentences, heads), (test, test_heads) = load_ud_ewt_trees("dev"), load_ud_ewt_trees("test")
        sentences, heads, test, test_heads = sentences[:1000], heads[:1000], test[:500], test_heads[:500]
    else:
        sentences, heads = make_dependency_trees(300, crossing=0.2, seed=0)
        test, test_heads = make_dependency_trees(100, crossing=0.2, seed=1)
    features = DependencyFeatures(bits=18)
    space = ProjectiveTrees(features)
    kept = [i for i, y in enumerate(heads) if can_derive(space, sentences[i], y)]
    print(f"{len(sentences)} sentences to learn from, {len(kept)} of them with trees that do not cross")
    parser = ProgramPerceptron(space, passes=5).fit([sentences[i] for i in kept], [heads[i] for i in kept])
    free = StructuralSVM(TreeProblem(features), solver=Perceptron(passes=5)).fit(sentences, heads)
    for name, model in (("projective trees", parser), ("spanning trees", free)):
        right = np.concatenate([y == found for y, found in zip(test_heads, model.predict(test))])
        print(f"{name}: {100 * right.mean():.1f} % of the words have the right head")


def can_derive(space, sentence, heads):
    try:
        space.edges(sentence, heads)
    except ValueError:  # not projective
        return False
    return True


if __name__ == "__main__":
    cut_into_words()
    parse()
