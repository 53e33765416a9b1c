"""Alignments, each part in a fresh interpreter with one thread.

speed     scores and paths of 10,000 pairs beside Biopython and parasail (extra bench)
training  AlignmentSVM on 2,000 pairs of length 200
homology  a homolog among decoys: table 4 and figure 2 of Tsochantaridis, Joachims, Hofmann and Altun (2005)
proteins  families of BAliBASE: learned scores beside BLOSUM62 in Biopython (extra bench)

Data come from the folder that the environment variable MAXMARGIN_DATA names.

python benchmarks/alignments/run.py [speed ...] [--save]
"""

from __future__ import annotations

import sys
from pathlib import Path

if __name__ == "__main__":  # names of modules start at benchmarks/
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from shared.parts import main_of_parts

PARTS = ("speed", "training", "homology", "proteins")


def main(arguments: list[str] | None = None) -> int:
    return main_of_parts("alignments", PARTS, __doc__, arguments)


if __name__ == "__main__":
    sys.exit(main())
