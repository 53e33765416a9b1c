"""``maxmargin align``: learn how to align from alignments, align, compare, and write the learned matrix."""

from __future__ import annotations

import json as json_text
import sys
import time
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Annotated, Any

import typer

from maxmargin.alignments.alignment import Alignment
from maxmargin.alignments.alphabet import Alphabet
from maxmargin.alignments.base import AlignmentEstimator
from maxmargin.alignments.crf import AlignmentCRF
from maxmargin.alignments.features import RESIDUE, Gaps, Simple
from maxmargin.alignments.formats import ALIGNMENT_FORMATS, read_alignments, read_fasta
from maxmargin.alignments.known import Known
from maxmargin.alignments.loss import LOSSES
from maxmargin.alignments.ncbi import write_matrix
from maxmargin.alignments.scores import alignment_q, alignment_score
from maxmargin.alignments.shape import MODES
from maxmargin.alignments.svm import AlignmentSVM
from maxmargin.cli.files import check_output
from maxmargin.cli.train import parse_c, parse_tol
from maxmargin.cli.warned import noted_warnings, tell
from maxmargin.console import make_console, number, print_table
from maxmargin.fitting.loading import load
from maxmargin.io.text import text_writer
from maxmargin.solvers.base import Status

align = typer.Typer(help="Learn how to align sequences, and align them.", no_args_is_help=True)

Model = Annotated[Path, typer.Argument(help="Model file.", show_default=False)]
Files = Annotated[
    list[Path], typer.Argument(help="Alignments, a family per file; Stockholm: several.", show_default=False)
]
Format = Annotated[
    str | None, typer.Option(help=f"{', '.join(ALIGNMENT_FORMATS)}; inferred from the file names if not given.")
]
Most = Annotated[int, typer.Option("--max-pairs", help="Pairs of sequences per alignment, drawn at random.")]
Upper = Annotated[
    bool, typer.Option("--upper-only", help="Only pairs of capital letters are aligned; always so in A3M, Stockholm.")
]
Seed = Annotated[int, typer.Option(help="Of the pairs that are drawn, and of training.")]
Jobs = Annotated[int, typer.Option("--n-jobs", help="Threads; -1 is all cores.")]
Decode = Annotated[
    str, typer.Option(help="best: highest score; risk: most pairs that are expected to be right; auto: risk for a crf.")
]
Near = Annotated[int | None, typer.Option("--shift", help="With risk: a pair may be off by so many positions.")]
Pairs = tuple[list[tuple[str, str]], list[Alignment]]


@align.command("train")
def _train(
    model: Model,
    files: Files,
    kind: Annotated[str, typer.Option("--model", help="svm, or crf (likelihood).")] = "svm",
    c: Annotated[str, typer.Option("--C", help="Weight of the sum of the risks, a number or 'scale'.")] = "scale",
    mode: Annotated[str, typer.Option(help=", ".join(MODES) + ".")] = "global",
    loss: Annotated[str, typer.Option(help="svm: " + ", ".join(LOSSES) + ".")] = "q",
    shift: Annotated[int, typer.Option(help="svm: how far from its true partner a position may be; 4 is Q4.")] = 0,
    gaps: Annotated[str, typer.Option(help="affine, linear, or residue: affine with a cost per letter.")] = "affine",
    asymmetric: Annotated[bool, typer.Option("--asymmetric", help="Score (a, b) may differ from (b, a).")] = False,
    known: Annotated[
        str | None, typer.Option(help="Start from a matrix: one of Biopython's, or a file in NCBI format.")
    ] = None,
    calibrate: Annotated[int | None, typer.Option(help="svm: folds by which to fit probabilities.")] = None,
    unknown: Annotated[str | None, typer.Option(help="Letter that stands for all not seen in training.")] = None,
    matrix: Annotated[Path | None, typer.Option(help="Write the learned matrix here, in NCBI format.")] = None,
    tol: Annotated[str, typer.Option(help="Largest gap of the objective per example and per C, or auto.")] = "auto",
    max_time: Annotated[float | None, typer.Option(help="Stops training after this many seconds.")] = None,
    most: Most = 50,
    upper: Upper = False,
    format: Format = None,
    seed: Seed = 0,
    n_jobs: Jobs = 1,
) -> None:
    """Learn substitution and gap scores from alignments and save them."""
    for path in (model, *([] if matrix is None else [matrix])):
        check_output(path, *files)
    sequences, alignments = _read(files, format, most, upper, seed)
    estimator = _estimator(kind, loss, shift, c, features=_features(gaps, asymmetric, known), mode=mode)
    if calibrate is not None and not isinstance(estimator, AlignmentSVM):
        raise ValueError("--calibrate is for --model svm: a crf has probabilities as it is.")
    estimator.set_params(
        tol=parse_tol(tol), max_time=max_time, n_jobs=n_jobs, random_state=seed, alphabet=_alphabet(sequences, unknown)
    )
    begin = time.perf_counter()
    with noted_warnings() as caught:
        estimator.fit(sequences, alignments)
        if calibrate is not None and isinstance(estimator, AlignmentSVM):
            estimator.calibrate(sequences, alignments, folds=calibrate)
    seconds = time.perf_counter() - begin
    solution = estimator.solution_
    if solution.status is Status.INFEASIBLE:
        raise ValueError(f"{solution.status.message} No model was written.")
    tell(caught)
    estimator.save(model)
    if matrix is not None:
        _write_matrix(estimator, matrix, whole=True)
    first, later = estimator.gap_scores()[0].tolist()
    rows = [
        ("pairs of sequences", str(len(sequences))),
        ("aligned positions", str(sum(map(len, alignments)))),
        ("weights", str(estimator.coef_.size)),
        ("C", number(estimator.C_)),
        ("gap", f"{number(first, 4)}, then {number(later, 4)}"),
        ("objective", number(solution.primal, 8)),
        ("status", solution.status.name.lower().replace("_", " ")),
        ("seconds", f"{seconds:.3f}"),
        ("model", str(model)),
    ]
    print_table(make_console(), "", ("", ""), rows, text_columns=2)


@align.command("predict")
def _predict(
    model: Model,
    sequences: Annotated[Path, typer.Argument(help="FASTA; each two records are a pair.", show_default=False)],
    output: Annotated[Path | None, typer.Option(help="File to write to.")] = None,
    form: Annotated[
        str, typer.Option("--as", help="gapped (FASTA), cigar (names, score, CIGAR), text or html (pictures).")
    ] = "gapped",
    decode: Decode = "auto",
    shift: Near = None,
    n_jobs: Jobs = 1,
) -> None:
    """Align the sequences of a FASTA file, the first with the second, the third with the fourth, and so on."""
    if form not in _FORMS:
        raise ValueError(f"--as must be one of {', '.join(_FORMS)}, not {form!r}.")
    if output is not None:
        check_output(output, model, sequences)
    estimator = _load(model, n_jobs)
    names, letters = read_fasta(sequences)
    if len(names) % 2 or not names:
        raise ValueError(f"{sequences} has {len(names)} records; each two of them are a pair, so give an even number.")
    _check_letters(estimator, sequences, names, letters)
    pairs = list(zip(letters[::2], letters[1::2]))
    answers = _aligned(estimator, pairs, decode, shift)
    scores = estimator.decision_value(pairs, answers)
    text = "".join(
        _written(form, estimator, own, pair, answer, score)
        for own, pair, answer, score in zip(zip(names[::2], names[1::2]), pairs, answers, scores.tolist())
    )
    if output is None:
        sys.stdout.write(text)
        return
    with text_writer(output) as file:
        file.write(text)


@align.command("evaluate")
def _evaluate(
    model: Model,
    files: Files,
    most: Most = 50,
    upper: Upper = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
    decode: Decode = "auto",
    shift: Near = None,
    format: Format = None,
    seed: Seed = 0,
    n_jobs: Jobs = 1,
) -> None:
    """Compare a model's alignments with known ones: Q, Q4, precision and F1 of aligned pairs."""
    estimator = _load(model, n_jobs)
    sequences, truths = _read(files, format, most, upper, seed, estimator)
    answers = _aligned(estimator, sequences, decode, shift)
    score = alignment_score(truths, answers)
    results = {
        "pairs": len(truths),
        "q": score.recall,
        "q4": alignment_q(truths, answers, window=4),
        "precision": score.precision,
        "f1": score.f1,
    }
    if json:
        json_text.dump(results, sys.stdout, indent=1)
        sys.stdout.write("\n")
        return
    names = {"q": "Q", "q4": "Q4", "precision": "precision of pairs", "f1": "F1 of pairs"}
    rows = [("pairs of sequences", str(len(truths)))]
    print_table(make_console(), "", ("", ""), rows + [(names[key], f"{results[key]:.4f}") for key in names])


@align.command("matrix")
def _matrix(
    model: Model,
    output: Annotated[Path, typer.Argument(help="File to write to.", show_default=False)],
    real: Annotated[bool, typer.Option("--real", help="Six digits (Biopython) instead of whole numbers.")] = False,
) -> None:
    """Write the learned substitution matrix in NCBI format, which Biopython, parasail and BLAST read."""
    check_output(output, model)
    _write_matrix(_load(model, 1), output, whole=not real)


_FORMS = ("gapped", "cigar", "text", "html")


def _written(
    form: str,
    estimator: AlignmentEstimator,
    names: tuple[str, str],
    pair: tuple[str, str],
    answer: Alignment,
    score: float,
) -> str:
    if form == "cigar":
        return "\t".join([*names, f"{score:.9g}", answer.cigar()]) + "\n"
    if form == "gapped":
        return "".join(f">{name}\n{row}\n" for name, row in zip(names, answer.gapped(*pair)))
    title = f"{names[0]} and {names[1]}: {score:.6g}"
    scores = estimator.pair_scores([pair])[0]
    if form == "text":
        return f"{title}\n{answer.text(*pair, scores=scores)}\n\n"
    return f"<p>{escape(title)}</p>\n{answer.html(*pair, scores=scores)}\n"


def _estimator(kind: str, loss: str, shift: int, c: str, **grid: Any) -> AlignmentSVM | AlignmentCRF:
    if kind == "svm":
        return AlignmentSVM(parse_c(c), loss=loss, shift=shift, **grid)
    if kind != "crf":
        raise ValueError(f"--model must be svm or crf, not {kind!r}.")
    return AlignmentCRF(parse_c(c), **grid)


def _features(gaps: str, asymmetric: bool, known: str | None) -> Any:
    parts = {"affine": Gaps(), "linear": Gaps(affine=False), "residue": Gaps(RESIDUE)}
    if gaps not in parts:
        raise ValueError(f"--gaps must be one of {', '.join(parts)}, not {gaps!r}.")
    found = Simple(symmetric=not asymmetric) + parts[gaps]
    return found if known is None else found + Known(Path(known) if Path(known).is_file() else known)


def _alphabet(sequences: list[tuple[str, str]], unknown: str | None) -> Any:
    if unknown is None:
        return None
    return Alphabet(
        sorted({unknown, *(letter for pair in sequences for own in pair for letter in own)}), unknown=unknown
    )


def _aligned(
    estimator: AlignmentEstimator, pairs: list[tuple[str, str]], decode: str, shift: int | None
) -> list[Alignment]:
    if decode == "risk" and not estimator.probabilistic and not getattr(estimator, "calibrated_", False):
        raise ValueError(
            "--decode risk needs probabilities, which this model has not learned: train it with --calibrate 3, or with "
            "--model crf."
        )
    return estimator.predict(pairs, decode=decode, shift=shift)


def _check_letters(estimator: AlignmentEstimator, path: Path, names: Sequence[str], texts: Sequence[str]) -> None:
    """Raises where a record has letters that the model does not know, naming the record."""
    for name, text in zip(names, texts):
        estimator.layout_.alphabets[RESIDUE].encode(text, f"{path}: the sequence {name!r}")


def _read(
    files: list[Path],
    format: str | None,
    most: int,
    upper: bool,
    seed: int,
    estimator: AlignmentEstimator | None = None,
) -> Pairs:
    """Pairs of sequences of all alignments in files, and their alignments; all letters are those of the model."""
    sequences, alignments = [], []
    for path in files:
        for family in read_alignments(path, format=format, lower=False if upper else None):
            if estimator is not None:
                _check_letters(estimator, path, family.names, family.sequences)
            for a, b in family.pairs(most, seed=seed):
                found = family.alignment(a, b)
                if len(found):
                    sequences.append((family.sequences[a], family.sequences[b]))
                    alignments.append(found)
    if not sequences:
        raise ValueError(f"{', '.join(map(str, files))}: no two sequences have aligned positions.")
    return sequences, alignments


def _write_matrix(estimator: AlignmentEstimator, path: Path, *, whole: bool) -> None:
    letters = estimator.layout_.alphabets[RESIDUE].letters
    first, later = estimator.gap_scores()[0].tolist()
    write_matrix(path, estimator.substitution_matrix(), [str(one) for one in letters], whole=whole, gaps=(first, later))


def _load(path: Path, n_jobs: int) -> AlignmentEstimator:
    model = load(path)
    if not isinstance(model, AlignmentEstimator):
        raise ValueError(f"{path} holds a {type(model).__name__}, which does not align; give a model of align train.")
    model.n_jobs = n_jobs
    return model
