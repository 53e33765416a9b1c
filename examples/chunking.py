"""Chunks of sentences: from columns of text to phrases, with confidence, second guesses and constraints.

Without data the sentences are invented ones, whose words tell by their endings what they are. With the environment
variable MAXMARGIN_DATA set to a folder that holds conll2000/, the newspaper text of CoNLL 2000 takes their place.
"""

import os

from maxmargin import ChainCRF, ChainSVC
from maxmargin.chains.features import chunking_templates, tagging_templates
from maxmargin.datasets import load_conll2000, make_sentences
from maxmargin.metrics import chunks_of


def invented():
    """Words with noun and verb phrases in BIO labels: a determiner, adjectives and nouns; adverbs and a verb."""
    kinds = {"DET": "NP", "ADJ": "NP", "NOUN": "NP", "VERB": "VP", "ADV": "VP"}
    ends = {"NOUN", "VERB"}  # a phrase ends with one of these
    words, tags = make_sentences(400, seed=0)
    labels = []
    for sentence in tags:
        labels.append([])
        for t, tag in enumerate(sentence):
            same = t > 0 and kinds[sentence[t - 1]] == kinds[tag] and sentence[t - 1] not in ends and tag != "DET"
            labels[-1].append(("I-" if same else "B-") + kinds[tag])
    return words[:300], labels[:300], words[300:], labels[300:], tagging_templates()


def newspaper():
    """(word, part of speech) with the chunks of CoNLL 2000; a fourth of the training text, for a quick look."""
    X, Y = load_conll2000("train")
    return X[::4], Y[::4], *load_conll2000("test"), chunking_templates()


def bracketed(tokens, labels):
    """The words with their phrases in brackets."""
    words = [token if isinstance(token, str) else token[0] for token in tokens]
    for start, end, kind in sorted(chunks_of(labels)):
        words[start] = f"[{kind} {words[start]}"
        words[end - 1] += "]"
    return " ".join(words)


def main():
    X, Y, X_test, Y_test, templates = newspaper() if os.environ.get("MAXMARGIN_DATA") else invented()
    print(f"{len(X)} sentences to learn from, {len(X_test)} to test")

    svm = ChainSVC(templates=templates).fit(X, Y)
    crf = ChainCRF(templates=templates).fit(X, Y)
    for model in (svm, crf):
        score = model.chunk_score(X_test, Y_test)
        print(
            f"{type(model).__name__}: {model.score(X_test, Y_test):.3f} of the tokens right, chunks: precision "
            f"{score.precision:.3f}, recall {score.recall:.3f}, F1 {score.f1:.3f}"
        )

    # The sentence of which the model is least sure, among those of a readable length.
    some = [i for i, x in enumerate(X_test) if 5 <= len(x) <= 12]
    confidence = crf.predict_confidence([X_test[i] for i in some])
    x = X_test[some[int(confidence.argmin())]]
    print("\nleast sure of:", bracketed(x, crf.predict([x])[0]))
    for rank, guess in enumerate(crf.predict_kbest([x], 3)[0], 1):
        print(f"  guess {rank}, score {guess.score:.2f}: {bracketed(x, guess.output)}")

    marginals = crf.predict_marginals([x])[0]
    doubtful = int(marginals.max(axis=1).argmin())
    best = sorted(zip(marginals[doubtful], crf.classes_), reverse=True)[:3]
    print(f"  token {doubtful}:", ", ".join(f"{label} {probability:.2f}" for probability, label in best))
    print("  labels that are at least 80 % sure, else -:", *[y or "-" for y in crf.predict([x], abstain=0.8)[0]])

    # What is known beforehand: I-x follows B-x or I-x only, and the first token begins a noun phrase.
    known = [["B-NP", *[None] * (len(x) - 1)]]
    print("  with B-NP first and BIO steps:", *crf.predict([x], known=known, steps="BIO")[0])

    print("\nwhy the doubtful token has its label:")
    print(crf.explain(x, doubtful))
    print("\nstrongest transitions:")
    print(crf.top_transitions(5))


if __name__ == "__main__":
    main()
