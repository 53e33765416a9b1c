"""``maxmargin train``, ``predict`` and ``evaluate`` on files of bracketed trees."""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from maxmargin.cli.files import check_output, option
from maxmargin.cli.sequence_predict import Answers
from maxmargin.cli.train import parse_c, parse_tol
from maxmargin.cli.warned import noted_warnings, tell
from maxmargin.console import make_console, number, print_table
from maxmargin.grammars.answers import flat_tree
from maxmargin.grammars.base import GrammarEstimator
from maxmargin.grammars.brackets import numbered_trees
from maxmargin.grammars.crf import GrammarCRF
from maxmargin.grammars.parseval import bracket_score
from maxmargin.grammars.pcfg import PCFG
from maxmargin.grammars.penn import plain_tree, without_function_tag
from maxmargin.grammars.svm import GrammarSVM
from maxmargin.grammars.tree import Tree
from maxmargin.io.read import TREE_FORMATS, format_of, told_format
from maxmargin.io.text import text_writer
from maxmargin.solvers.base import Status

TREE_MODELS: dict[str, type[GrammarEstimator]] = {"svm": GrammarSVM, "crf": GrammarCRF, "pcfg": PCFG}
TREE_ONLY = frozenset({"horizontal", "vertical", "input", "rare", "function_tags", "features", "prior", "loss", "beam"})
_INPUT = {"horizontal", "vertical", "input", "rare", "function_tags", "beam", "n_jobs", "format", "kind"}
_LEARNED = _INPUT | {"features", "prior", "c", "solver", "tol", "max_iter", "max_time", "seed", "verbose"}
_MEANING = {
    "svm": _LEARNED | {"loss", "rescaling", "slack"},
    "crf": _LEARNED | {"l1", "l2"},
    "pcfg": _INPUT,
}
_SAME = frozenset(
    {"horizontal", "vertical", "input", "rare", "prior", "loss", "beam", "rescaling", "slack", "l1", "l2"}
    | {"solver", "max_iter", "max_time", "n_jobs"}
)
_CHANGED: dict[str, Callable[[Any], tuple[str, Any]]] = {
    "c": lambda text: ("C", parse_c(text)),
    "tol": lambda text: ("tol", parse_tol(text)),
    "seed": lambda seed: ("random_state", seed),
    "verbose": lambda flag: ("verbose", int(flag)),
    "features": lambda names: ("features", tuple(name for name in names.split(",") if name)),
}


def train_trees(data_path: Path, path: Path, kind: str, given: Mapping[str, Any]) -> None:
    """Reads, fits, saves, and prints what came out; ``given`` are the options on the command line by name."""
    if kind not in TREE_MODELS:
        raise ValueError(
            f"--model must be one of {', '.join(TREE_MODELS)} for {data_path}, a file of trees, not {kind!r}."
        )
    for name in given:
        if name not in _MEANING[kind]:
            raise ValueError(f"{option(name)} has no meaning for --model {kind} on a file of trees; leave it out.")
    check_output(path, data_path)
    parameters = {name: value for name, value in given.items() if name in _SAME}
    parameters |= dict(change(given[name]) for name, change in _CHANGED.items() if name in given)
    trees = read_cleaned(data_path, given.get("function_tags", False))
    model: Any = TREE_MODELS[kind](**parameters)
    begin = time.perf_counter()
    with noted_warnings() as caught:
        model.fit([tree.tokens() for tree in trees], trees)
    seconds = time.perf_counter() - begin
    if model.solution_.status is Status.INFEASIBLE:
        raise ValueError(f"{model.solution_.status.message} No model was written; use --slack linear.")
    tell(caught)
    model.save(path)
    _print_summary(model, trees, path, seconds)


def predict_trees(
    model: GrammarEstimator, data_path: Path, format: str | None, output: Path | None, answers: Answers
) -> None:
    """Writes the tree of each sentence on a line; with several, or with scores, columns before it. A sentence that the
    grammar cannot derive has a flat tree, whose score is -inf."""
    check_format(data_path, format)
    if answers.decode == "risk" and (answers.kbest is not None or answers.scores):
        raise ValueError(
            "--decode risk chooses a tree by its brackets, which has no score; leave --kbest and --scores out."
        )
    sentences = [tree.tokens() for tree in read_cleaned(data_path, True)]
    with noted_warnings() as caught:
        lines = list(_lines(model, sentences, answers))
    tell(caught)
    if output is None:
        sys.stdout.writelines(lines)
        return
    with text_writer(output) as file:
        file.writelines(lines)


def evaluate_trees(model: GrammarEstimator, data_path: Path, format: str | None, as_json: bool) -> None:
    """Prints precision, recall and F1 of brackets, exact matches and crossing brackets, as EVALB counts them; for a
    model that predicts function tags the F1 of whole labels too."""
    check_format(data_path, format)
    labels = model.grammar_.bracket_labels
    function_tags = any(without_function_tag(label) != label for label in labels)
    trees = read_cleaned(data_path, function_tags)
    sentences = [tree.tokens() for tree in trees]
    with noted_warnings() as caught:
        found = model.predict(sentences)
    tell(caught)
    score = bracket_score(trees, found)
    results = {"sentences": len(trees), "words": sum(map(len, sentences)), **score._asdict()}
    results["brackets"] = results.pop("support")
    if function_tags:
        results["f1_function_tags"] = bracket_score(trees, found, function_tags=True).f1
    if as_json:
        json.dump(results, sys.stdout, indent=1)
        sys.stdout.write("\n")
        return
    names = {
        "f1": "F1",
        "exact": "exact match",
        "crossing": "crossing brackets",
        "uncrossed": "without crossing brackets",
        "f1_function_tags": "F1 with function tags",
    }
    rows = [(name, str(results[name])) for name in ("sentences", "words", "brackets")]
    shown = ("precision", "recall", "f1", "exact", "crossing", "uncrossed", "f1_function_tags")
    rows += [(names.get(name, name), f"{results[name]:.4f}") for name in shown if name in results]
    print_table(make_console(), "", ("", ""), rows)


def read_cleaned(path: Path, function_tags: bool) -> list[Tree]:
    """The trees of a file without traces, and without function tags unless they are to be kept."""
    found = []
    for line, tree in numbered_trees(path):
        try:
            found.append(plain_tree(tree, function_tags=function_tags))
            found[-1].tokens()  # every word has a tag
        except ValueError as error:
            raise ValueError(f"{path}, line {line}: {error}") from error
    return found


def check_format(path: Path, format: str | None) -> None:
    """Raises for a file that is told to be something other than trees."""
    found = format_of(path, format) if format is not None else told_format(path) or "brackets"
    if found not in TREE_FORMATS:
        raise ValueError(f"{path} is a {found} file, but the model parses; give a file of bracketed trees.")


def _lines(model: GrammarEstimator, sentences: list[Any], answers: Answers) -> Iterator[str]:
    if answers.kbest is None and not answers.scores:
        decode = "risk" if answers.decode == "risk" else "best"
        yield from (f"{tree}\n" for tree in model.predict(sentences, decode=decode))
        return
    for i, ranked in enumerate(model.predict_kbest(sentences, answers.kbest or 1)):
        for rank, (score, tree) in enumerate(ranked or [(-math.inf, flat_tree(model.grammar_, sentences[i]))]):
            columns = [] if answers.kbest is None else [str(i), str(rank)]
            yield "\t".join([*columns, f"{score:.9g}", f"{tree}\n"])


def _print_summary(model: Any, trees: list[Tree], path: Path, seconds: float) -> None:
    grammar = model.grammar_
    rows = [
        ("trees", str(len(trees))),
        ("words", str(sum(len(tree.words()) for tree in trees))),
        ("symbols", str(len(grammar.symbols))),
        ("rules", str(grammar.n_rules)),
        ("estimator", type(model).__name__),
    ]
    if hasattr(model, "C_"):
        rows += [
            ("C", number(model.C_)),
            ("objective", number(model.solution_.primal, 8)),
            ("gap", number(model.solution_.gap, 3)),
        ]
    rows += [
        ("status", model.solution_.status.name.lower().replace("_", " ")),
        ("seconds", f"{seconds:.3f}"),
        ("model", str(path)),
    ]
    print_table(make_console(), "", ("", ""), rows, text_columns=2)
