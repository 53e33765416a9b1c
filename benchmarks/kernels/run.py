"""Kernels, each part in a fresh interpreter with one thread.

entities   names in Spanish news, 300 sentences: tables 2 and 3 of Tsochantaridis, Joachims, Hofmann and Altun (2005)
processes  Gaussian process sequence models, 1,000 sentences: table 1.1 of Altun and Smola, Density estimation of
           structured outputs in reproducing kernel Hilbert spaces (2007)
accents    figures 1.2 to 1.4 of the same paper on generated sequences of two labels
pairs      the time of the exact kernel of degree 2 between tokens of text
rows       RBF kernels on UCI letter and MNIST, exact and by rank, beside SVC
stages     where the time of a fit by rank goes, beside the speed of a product of matrices
groups     sequences and rankings with exact RBF kernels, over rows of the kernel matrix and by a factor of it
large_c    a very large C, with an RBF kernel over rows
sampled    cuts of samples of the examples, with an RBF kernel on UCI letter
support    training rows that are left in the model, beside the support vectors of SVC

Data come from the folder that the environment variable MAXMARGIN_DATA names.

python benchmarks/kernels/run.py [entities ...] [--save]
"""

from __future__ import annotations

import sys
from pathlib import Path

if __name__ == "__main__":  # names of modules start at benchmarks/
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from shared.parts import main_of_parts

PARTS = ("entities", "processes", "accents", "pairs", "rows", "stages", "groups", "large_c", "sampled", "support")


def main(arguments: list[str] | None = None) -> int:
    return main_of_parts("kernels", PARTS, __doc__, arguments)


if __name__ == "__main__":
    sys.exit(main())
