"""Which ready set of templates is for names: F1 of whole names in Spanish news and in English novels.

``--choice`` prints what ``entity_templates`` were chosen by instead: two splits within the Spanish training sentences.
All models are trained to a fine ``tol``, so that where training stops does not blur the comparison; everything else is
at its default. Data come from the folder that the environment variable MAXMARGIN_DATA names.

    python benchmarks/chains/studies/entity_templates.py [--choice] [--model svm]
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

if __name__ == "__main__":  # names of modules start at benchmarks/
    sys.path[0] = str(Path(__file__).resolve().parents[2])

from maxmargin import ChainCRF, ChainSVC
from maxmargin.chains.features import TEMPLATE_SETS, Templates, chunking_templates, entity_templates, tagging_templates
from maxmargin.datasets import load_conll2002, load_litbank
from shared.tables import console, new_table

MODELS = {"svm": ChainSVC, "crf": ChainCRF}
TOL = 0.03
Sentences = tuple[list[Any], list[list[str]]]


def part(sentences: Sentences, rows: slice) -> Sentences:
    return sentences[0][rows], sentences[1][rows]


def within_training() -> dict[str, tuple[Sentences, Sentences]]:
    """The splits by which templates were chosen."""
    train = load_conll2002("train")
    return {
        "first 3,000, last 2,000": (part(train, slice(0, 3000)), part(train, slice(-2000, None))),
        "3,000 to 5,500, first 2,000": (part(train, slice(3000, 5500)), part(train, slice(0, 2000))),
    }


def held_out() -> dict[str, tuple[Sentences, Sentences]]:
    """Test sets, which were not looked at for the choice."""
    return {
        "Spanish news": (load_conll2002("train"), load_conll2002("test")),
        "English novels": (load_litbank("train"), load_litbank("test")),
    }


def candidates() -> dict[str, Templates]:
    """The ready sets, and parts of the one for names."""
    tagging, entities = len(tagging_templates()), entity_templates().token_templates
    shapes = tuple(template for template in entities[tagging:] if "shape" in template.literals[0])
    near = tuple(template for template in entities[tagging:] if "shape" not in template.literals[0])
    return {
        "tagging": tagging_templates(),
        "tagging, shapes together": tagging_templates() + Templates(shapes),
        "tagging, words near by": tagging_templates() + Templates(near),
        "entities": entity_templates(),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--choice", action="store_true", help="the splits and sets that the choice was made by")
    parser.add_argument("--model", default="svm", choices=tuple(MODELS))
    arguments = parser.parse_args()
    sets = candidates() if arguments.choice else {name: make() for name, make in TEMPLATE_SETS.items()}
    table = new_table("F1 of names", ["data", "templates", "precision", "recall", "F1", "CPU s"])
    for data, (train, test) in (within_training() if arguments.choice else held_out()).items():
        for name, templates in sets.items():
            if templates == chunking_templates() and isinstance(train[0][0][0], str):
                continue  # there are no parts of speech
            begin = time.process_time()
            model = MODELS[arguments.model](templates=templates, tol=TOL).fit(*train)
            seconds = time.process_time() - begin
            score = model.chunk_score(*test)
            shares = (f"{100 * share:.1f}" for share in (score.precision, score.recall, score.f1))
            table.add_row(data, name, *shares, f"{seconds:.1f}")
    console.print(table)


if __name__ == "__main__":
    main()
