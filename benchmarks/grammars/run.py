"""Parsing the sample of the Penn treebank, each part in a fresh interpreter with one thread.

table5    PCFG and structural SVMs with zero-one loss and with F1 loss, from tags: sentences of at most 10 words by
          cross validation, then those of at most 15; and the one-slack form with cache beside the n-slack form
features  sentences of at most 40 words: features of spans beside markovisation and parent annotation
speed     best trees beside NLTK's ViterbiParser, and the time of a rule application beside that of a multiply-add
search    the exact search with the F1 loss by the length of sentences
risk      trees of least risk beside the most likely ones

Data come from the folder that the environment variable MAXMARGIN_DATA names.

python benchmarks/grammars/run.py [table5 ...] [--save]
"""

from __future__ import annotations

import sys
from pathlib import Path

if __name__ == "__main__":  # names of modules start at benchmarks/
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from shared.parts import main_of_parts

PARTS = ("table5", "features", "speed", "search", "risk")


def main(arguments: list[str] | None = None) -> int:
    return main_of_parts("grammars", PARTS, __doc__, arguments)


if __name__ == "__main__":
    sys.exit(main())
