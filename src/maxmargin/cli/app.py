"""Commands and their options; what they do is in the modules beside this one."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from maxmargin.chains.chunk_schemes import SCHEMES
from maxmargin.classes.taxonomies.losses import LOSSES
from maxmargin.cli.alignments import align
from maxmargin.cli.evaluate import evaluate_model
from maxmargin.cli.files import Source, check_output, option, refuse
from maxmargin.cli.measure import MEASURE_ONLY
from maxmargin.cli.predict import predict_file
from maxmargin.cli.ranking import RANKING_ONLY, train_ranking
from maxmargin.cli.sequence_options import MODELS, SEQUENCE_ONLY
from maxmargin.cli.sequence_predict import Answers
from maxmargin.cli.sequence_train import train_sequences
from maxmargin.cli.train import Settings, train_model
from maxmargin.cli.trees import TREE_MODELS, TREE_ONLY, train_trees
from maxmargin.console import make_console
from maxmargin.core.formulation import RESCALINGS, SLACKS
from maxmargin.demo.app import run_demo
from maxmargin.grammars.loss import LOSSES as TREE_LOSSES
from maxmargin.grammars.span_features import NAMES as SPAN_FEATURES
from maxmargin.io.read import FORMATS, RANKING_FORMATS, SEQUENCE_FORMATS, TREE_FORMATS, format_of
from maxmargin.solvers.choose import BY_NAME
from maxmargin.version import __version__

app = typer.Typer(
    name="maxmargin",
    help="Structured prediction with large margins.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich" if sys.stderr.isatty() and sys.stdout.isatty() else None,
)

app.add_typer(align, name="align")

_OF, _OF_RANKINGS, _OF_TREES = "Options for sequences", "Options for rankings", "Options for trees"

Data = Annotated[
    Path,
    typer.Argument(
        help="Examples: svmlight, csv or tsv; sequences: conll, crfsuite or svmhmm; rankings: letor; trees: "
        "brackets; gzipped or not.",
        show_default=False,
    ),
]
Model = Annotated[Path, typer.Argument(help="Model file.", show_default=False)]
Format = Annotated[str | None, typer.Option(help=f"{', '.join(FORMATS)}; inferred from the file name if not given.")]
LabelColumn = Annotated[str | None, typer.Option(help="Column of the labels in a table; the last one if not given.")]
ZeroBased = Annotated[bool, typer.Option("--zero-based", help="Indices of the svmlight file start at 0, not 1.")]
Cost = Annotated[Path | None, typer.Option(help="csv matrix of the costs of answers, one row a true class.")]
Comment = Annotated[
    str | None, typer.Option(help="For conll: leave out lines that start with this.", rich_help_panel=_OF)
]
Steps = Annotated[
    str | None,
    typer.Option(help=f"For sequences: only labels that fit together in {', '.join(SCHEMES)}.", rich_help_panel=_OF),
]
Scheme = Annotated[
    str | None,
    typer.Option(
        help=f"For sequences: how labels mark chunks: {', '.join(SCHEMES)}; inferred from them if not given.",
        rich_help_panel=_OF,
    ),
]
Jobs = Annotated[int, typer.Option("--n-jobs", help="Threads; -1 is all cores.")]


@app.callback(invoke_without_command=True)
def _options(version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False) -> None:
    if version:
        typer.echo(f"maxmargin {__version__}")
        raise typer.Exit


@app.command("train")
def _train(
    context: typer.Context,
    data: Data,
    model: Model,
    c: Annotated[str, typer.Option("--C", help="Weight of the sum of the risks, a number or 'scale'.")] = "scale",
    cost: Cost = None,
    measure: Annotated[
        str | None,
        typer.Option(
            help="Train two classes for f1, roc_area, prbep, fbeta(2), error_rate, ...; rankings for swapped_pairs, "
            "average_precision, ndcg, ndcg(10), mrr."
        ),
    ] = None,
    positive: Annotated[
        str | None, typer.Option(help="With --measure: the positive class; the second of the sorted two if not given.")
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(help="auto, likelihood or structural; with --measure auto or structural; auto if not given."),
    ] = None,
    threshold_for: Annotated[
        str | None,
        typer.Option(help="With --measure: set the threshold of labels for this measure, or none."),
    ] = None,
    taxonomy: Annotated[
        str | None,
        typer.Option(help="Classes in a tree: a file of edges (parent, child) or JSON; '.' or '/' divides names."),
    ] = None,
    tree_loss: Annotated[
        str | None, typer.Option(help=f"With --taxonomy: {', '.join(LOSSES)}; height if not given.")
    ] = None,
    node_weight: Annotated[
        float | None, typer.Option(help="With --taxonomy: q, a node of height h then weighs q ** h.")
    ] = None,
    rescaling: Annotated[str, typer.Option(help=", ".join(RESCALINGS) + ".")] = "margin",
    slack: Annotated[
        str | None,
        typer.Option(help=f"{', '.join(SLACKS)}; if not given squared for classes without costs, else linear."),
    ] = None,
    solver: Annotated[str, typer.Option(help=", ".join(["auto", *BY_NAME]) + ".")] = "auto",
    tol: Annotated[
        str, typer.Option(help="Largest gap of the objective per example and per C; auto is relative to the weights.")
    ] = "auto",
    max_iter: Annotated[int, typer.Option(help="Stops training after this many passes.")] = 1000,
    max_time: Annotated[float | None, typer.Option(help="Stops training after this many seconds.")] = None,
    kernel: Annotated[
        str, typer.Option(help="linear, rbf, poly, ...; with numbers as in poly(degree=2,gamma=0.1).")
    ] = "linear",
    rank: Annotated[int | None, typer.Option(help="Basis functions of the kernel; all if not given.")] = None,
    class_weight: Annotated[str | None, typer.Option(help="'balanced', or weights such as a=2,b=0.5.")] = None,
    no_intercept: Annotated[bool, typer.Option("--no-intercept", help="Add no constant feature.")] = False,
    label_column: LabelColumn = None,
    format: Format = None,
    zero_based: ZeroBased = False,
    n_jobs: Jobs = 1,
    seed: Annotated[int, typer.Option(help="Of the order in which examples are visited.")] = 0,
    verbose: Annotated[bool, typer.Option("--verbose", help="Show progress, and how training ended.")] = False,
    kind: Annotated[
        str,
        typer.Option(
            "--model",
            help=f"For sequences: {', '.join(MODELS)}; for trees: {', '.join(TREE_MODELS)}.",
            rich_help_panel=_OF,
        ),
    ] = "svm",
    templates: Annotated[
        str | None,
        typer.Option(
            help="For conll: entities (names), tagging (parts of speech), chunking (phrases), or a file of CRF++.",
            rich_help_panel=_OF,
        ),
    ] = None,
    comment: Comment = None,
    order: Annotated[
        int, typer.Option(help="Previous labels that a transition sees, 1 to 3.", rich_help_panel=_OF)
    ] = 1,
    window: Annotated[int, typer.Option(help="Neighbours whose features a token gets.", rich_help_panel=_OF)] = 0,
    eta: Annotated[float, typer.Option(help="Factor on the features of transitions.", rich_help_panel=_OF)] = 1.0,
    no_ends: Annotated[bool, typer.Option("--no-ends", help="No weights for ends.", rich_help_panel=_OF)] = False,
    min_count: Annotated[int, typer.Option(help="Drop attributes in fewer tokens.", rich_help_panel=_OF)] = 1,
    hashing: Annotated[int | None, typer.Option(help="Columns to hash attributes into.", rich_help_panel=_OF)] = None,
    l1: Annotated[float, typer.Option(help="crf: weight of |w|_1.", rich_help_panel=_OF)] = 0.0,
    l2: Annotated[float, typer.Option(help="crf: weight of |w|^2 / 2.", rich_help_panel=_OF)] = 1.0,
    observed: Annotated[
        bool, typer.Option("--observed", help="crf: only weights seen in training.", rich_help_panel=_OF)
    ] = False,
    passes: Annotated[int, typer.Option(help="perceptron: passes over the data.", rich_help_panel=_OF)] = 20,
    alpha: Annotated[float, typer.Option(help="hmm: added to every count.", rich_help_panel=_OF)] = 1.0,
    calibrate: Annotated[
        int | None, typer.Option(help="svm, perceptron: folds by which to fit probabilities.", rich_help_panel=_OF)
    ] = None,
    relevant: Annotated[float, typer.Option(help="Lowest grade that is relevant.", rich_help_panel=_OF_RANKINGS)] = 1.0,
    gain: Annotated[
        str, typer.Option(help="Of ndcg: exponential, linear.", rich_help_panel=_OF_RANKINGS)
    ] = "exponential",
    loss: Annotated[str, typer.Option(help=f"svm: {', '.join(TREE_LOSSES)}.", rich_help_panel=_OF_TREES)] = "f1",
    features: Annotated[
        str,
        typer.Option(help=f"svm, crf: of spans, such as {','.join(SPAN_FEATURES)}.", rich_help_panel=_OF_TREES),
    ] = "",
    prior: Annotated[
        str | None, typer.Option(help="svm, crf: pcfg, to begin from counts of rules.", rich_help_panel=_OF_TREES)
    ] = None,
    horizontal: Annotated[
        int | None, typer.Option(help="Next children that a rule knows; all if not given.", rich_help_panel=_OF_TREES)
    ] = None,
    vertical: Annotated[int, typer.Option(help="2: labels with that of the parent.", rich_help_panel=_OF_TREES)] = 1,
    input: Annotated[str, typer.Option(help="Parse tags, or words.", rich_help_panel=_OF_TREES)] = "tags",
    rare: Annotated[int, typer.Option(help="Uses up to which words go by their class.", rich_help_panel=_OF_TREES)] = 1,
    beam: Annotated[
        float | None,
        typer.Option(help="Leave out of spans what is so much worse than the best.", rich_help_panel=_OF_TREES),
    ] = None,
    function_tags: Annotated[
        bool, typer.Option("--function-tags", help="Keep labels such as NP-SBJ.", rich_help_panel=_OF_TREES)
    ] = False,
) -> None:
    """Learn a classifier, a model of label sequences, a ranking or a parser from labelled examples and save it."""
    given = _given(context)
    found = format_of(data, format)
    if found in SEQUENCE_FORMATS:
        others = sorted({"measure", "method", *MEASURE_ONLY, *RANKING_ONLY, *TREE_ONLY})
        refuse({option(name): name in given for name in others}, data, f"a {found} file")
        train_sequences(data, found, model, kind, given)
        return
    if found in RANKING_FORMATS:
        train_ranking(data, model, given)
        return
    if found in TREE_FORMATS:
        train_trees(data, model, kind, given)
        return
    refuse(
        {option(name): name in given for name in sorted(SEQUENCE_ONLY | RANKING_ONLY | TREE_ONLY)},
        data,
        f"a {found} file",
    )
    settings = Settings(
        C=c,
        cost=cost,
        taxonomy=taxonomy,
        tree_loss=tree_loss,
        node_weight=node_weight,
        rescaling=rescaling,
        slack=slack,
        solver=solver,
        tol=tol,
        max_iter=max_iter,
        max_time=max_time,
        kernel=kernel,
        rank=rank,
        class_weight=class_weight,
        fit_intercept=not no_intercept,
        n_jobs=n_jobs,
        seed=seed,
        verbose=verbose,
        measure=measure,
        positive=positive,
        method=method,
        threshold_for=threshold_for,
    )
    train_model(Source(data, format, label_column, zero_based), model, settings)


@app.command("predict")
def _predict(
    model: Model,
    data: Data,
    output: Annotated[Path | None, typer.Option(help="File to write to; commas if it ends in .csv, else tabs.")] = None,
    kbest: Annotated[
        int | None,
        typer.Option(help="Classes on a line, or labellings of a sequence, trees of a sentence and scores."),
    ] = None,
    until: Annotated[
        float | None, typer.Option(help="Of a taxonomy: go up from a class until its nodes have this probability.")
    ] = None,
    scores: Annotated[
        bool,
        typer.Option("--scores", help="Write scores after classes, probabilities after labels, scores before trees."),
    ] = False,
    label_column: LabelColumn = None,
    format: Format = None,
    zero_based: ZeroBased = False,
    n_jobs: Jobs = 1,
    comment: Comment = None,
    steps: Steps = None,
    confidence: Annotated[
        bool,
        typer.Option("--confidence", help="For sequences: probabilities of whole labellings.", rich_help_panel=_OF),
    ] = False,
    decode: Annotated[
        str,
        typer.Option(
            help="For sequences: viterbi, or marginal (token by token); for trees: risk (by brackets).",
            rich_help_panel=_OF,
        ),
    ] = "auto",
) -> None:
    """Write the class of each example, one per line; of sequences each token with its label added, of rankings the
    score of each document, of trees the tree of each sentence.

    Labels in the data are ignored.
    """
    answers = Answers(scores, kbest, confidence, decode, steps)
    predict_file(model, Source(data, format, label_column, zero_based, comment), output, until, answers, n_jobs)


@app.command("evaluate")
def _evaluate(
    model: Model,
    data: Data,
    cost: Cost = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
    label_column: LabelColumn = None,
    format: Format = None,
    zero_based: ZeroBased = False,
    n_jobs: Jobs = 1,
    comment: Comment = None,
    steps: Steps = None,
    scheme: Scheme = None,
) -> None:
    """Compare a model's answers with labels. Costs are the model's unless --cost gives others."""
    evaluate_model(model, Source(data, format, label_column, zero_based, comment), cost, steps, scheme, json, n_jobs)


@app.command("demo")
def _demo(
    output: Annotated[Path, typer.Option(help="Picture of the convergence curves.")] = Path("demo.png"),
    quick: Annotated[bool, typer.Option("--quick", help="Fewer examples, for a first look.")] = False,
) -> None:
    """Show what the library does, on handwritten digits, in well under a minute."""
    check_output(output)
    run_demo(output, quick=quick)


def _given(context: typer.Context) -> dict[str, Any]:
    """The options that were written on the command line, by the names of their parameters."""
    sources = {name: context.get_parameter_source(name) for name in context.params}
    return {
        name: context.params[name]
        for name, source in sources.items()
        if name not in ("data", "model") and source is not None and source.name == "COMMANDLINE"
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command line. What is wrong with data, files or options is one sentence on stderr and exit code 1."""
    try:
        app(None if arguments is None else list(arguments))
    except (ValueError, OSError, MemoryError) as error:
        make_console(stderr=True).print(f"error: {_sentence(error)}")
        sys.exit(1)


def _sentence(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename or 'A file'} cannot be used: {error.strerror.lower()}."
    return " ".join(str(error).split())
