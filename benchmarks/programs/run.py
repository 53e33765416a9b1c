"""Dynamic programs, each part in a fresh interpreter with one thread.

core    building a program in NumPy form and asking it; the chain as an explicit program beside the chain's own kernel
rivals  semi-Markov segmentation and projective trees beside torch-struct (extra bench)
chunks  noun phrases of CoNLL-2000 as segments and as tags of a chain
trees   dependency parsing of UD English EWT

Data come from the folder that the environment variable MAXMARGIN_DATA names.

python benchmarks/programs/run.py [core ...] [--save]
"""

from __future__ import annotations

import sys
from pathlib import Path

if __name__ == "__main__":  # names of modules start at benchmarks/
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from shared.parts import main_of_parts

PARTS = ("core", "rivals", "chunks", "trees")


def main(arguments: list[str] | None = None) -> int:
    return main_of_parts("programs", PARTS, __doc__, arguments)


if __name__ == "__main__":
    sys.exit(main())
