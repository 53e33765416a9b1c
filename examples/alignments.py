"""Learn how to align: substitution and gap scores from known alignments, and homologs among decoys.

First pairs of invented sequences, in which letters change to their successors: an AlignmentSVM finds that out. Then
homologs among decoys, by the generative model and by a HomologySVM. With the environment variable MAXMARGIN_DATA set to
a folder that holds balifam_alignments/, a matrix is learned from protein families and compared with BLOSUM62 on others.
"""

import os
import tempfile
from pathlib import Path

from maxmargin import AlignmentSVM, HomologySVM
from maxmargin.alignments import Aligner, Alphabet, Gaps, GenerativeAligner, Simple, write_matrix
from maxmargin.datasets import load_balifam, make_homologs
from maxmargin.datasets.alignments import LETTERS
from maxmargin.metrics import alignment_q


def invented():
    """Pairs of sequences with known alignments."""
    natives, candidates, alignments = make_homologs(60, decoys=0, seed=1)
    pairs = [(x, row[0]) for x, row in zip(natives, candidates)]
    model = AlignmentSVM(features=Simple(symmetric=False) + Gaps(), mode="local", alphabet=LETTERS)
    model.fit(pairs[:40], alignments[:40])
    found = model.predict(pairs[40:])
    print(f"pairs of positions found: {alignment_q(alignments[40:], found):.2f}")
    x, y = pairs[40]
    print(found[0].text(x, y, scores=model.pair_scores([(x, y)])[0]))
    print()


def homologs():
    """A homolog among ten decoys, after 20 examples and with alignments of the homologs alone."""
    natives, candidates, alignments = make_homologs(120, seed=2)
    X = list(zip(natives, candidates))
    generative = GenerativeAligner(open=-0.8, symmetric=False, alphabet=LETTERS)
    generative.fit([(x, row[0]) for x, row in X[:20]], alignments[:20])
    right = sum(generative.rank(*x)[0].candidate == 0 for x in X[20:])
    print(f"homologs found by log-odds: {right} of 100")
    svm = HomologySVM(features=Simple(symmetric=False) + Gaps(affine=False), alphabet=LETTERS)
    svm.fit(X[:20], [(0, alignment) for alignment in alignments[:20]])
    print(f"homologs found by margins:  {100 * svm.score(X[20:], [0] * 100):.0f} of 100")
    print()


def proteins():
    """A matrix and gaps by letter from three quarters of the protein families, judged on the others."""
    families = load_balifam()
    chosen = [[(family, a, b) for a, b in family.pairs(20)] for family in families]
    train = [pair for k, pairs in enumerate(chosen) if k % 4 for pair in pairs]
    test = [pair for pairs in chosen[::4] for pair in pairs]
    letters = Alphabet("ARNDCQEGHILKMFPSTWYVX", unknown="X")
    model = AlignmentSVM(features=Simple() + Gaps("residue"), alphabet=letters)
    # Lower-case columns are less certain: good enough to learn from, but not to judge by.
    model.fit([sequences(*pair) for pair in train], [family.alignment(a, b, lower=True) for family, a, b in train])
    truths = [family.alignment(a, b) for family, a, b in test]
    aligner = Aligner("BLOSUM62", open=-14.0, extend=-1.0)
    theirs = [found.output for found in aligner.align_all(*zip(*(sequences(*pair) for pair in test)))]
    for name, found in (("BLOSUM62", theirs), ("learned", model.predict([sequences(*pair) for pair in test]))):
        print(f"{name:9} Q {alignment_q(truths, found):.3f}  Q4 {alignment_q(truths, found, window=4):.3f}")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "learned.txt"
        write_matrix(path, model.substitution_matrix(), letters.letters, gaps=tuple(model.gap_scores()[0]))
        print("\n".join(path.read_text().splitlines()[:5]))


def sequences(family, a, b):
    return family.sequences[a], family.sequences[b]


if __name__ == "__main__":
    invented()
    homologs()
    if os.environ.get("MAXMARGIN_DATA"):
        proteins()
