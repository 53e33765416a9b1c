"""What can be trained with what: structure x formulation x solver, as a rule, as tests' cells, and as a table.

``python tests/support/support_table.py`` prints the table in Markdown. ``tests/solvers/test_table.py`` fits every cell:
a "yes" must converge to the optimum (with a kernel, to that of the explicit form where the kernel is linear), "inexact"
must train without claiming a gap, a refusal must be raised in so many words.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

FORMULATIONS = {
    ("margin", "linear"): "margin rescaling, linear slack",
    ("slack", "linear"): "slack rescaling, linear slack",
    ("none", "linear"): "zero-one loss, linear slack",
    ("margin", "squared"): "margin rescaling, squared slack",
    ("slack", "squared"): "slack rescaling, squared slack",
    ("none", "squared"): "zero-one loss, squared slack",
    ("none", "hard"): "hard margin",
}
SOLVERS = ("auto", "one-slack", "n-slack", "bcfw", "subgradient", "perceptron")


@dataclass(frozen=True)
class Structure:
    """``powers`` are the methods beyond the three that every Problem has; None is a structure of the library.

    ``zero_one``: the loss only takes the values 0 and 1. ``costs``: it is a matrix that the user gave, or another loss
    that the perceptron does not know. ``by_loss``: words of the refusal where the best output at each value of the loss
    is not known, so that only margin rescaling with linear slack and the zero-one loss are exact. ``greedy``: its
    searches are heuristics. ``measure``: the loss is one of all rows of a group together.
    """

    name: str
    powers: tuple[str, ...] | None
    zero_one: bool = False
    costs: bool = False
    greedy: bool = False
    by_loss: str = ""
    measure: str | None = None

    @property
    def rows(self) -> bool:
        """Whether it is a structure over rows, which may have a kernel."""
        return any(kind in self.name for kind in _OVER_ROWS) or self.name == "the same, over 16 labels"


_OVER_ROWS = ("MulticlassSVC", "TaxonomySVC", "ChainSVC", "MeasureSVC", "RankingSVM", "MultilabelSVC")
RANKING = "the most violated ranking is known"
STRUCTURES = (
    Structure("`MulticlassSVC`", None, zero_one=True),
    Structure("`MulticlassSVC(cost=...)`", None, costs=True),
    Structure("`MulticlassSVC(output_features=...)`", None, zero_one=True),
    Structure("`TaxonomySVC`", None),
    Structure("`TaxonomySVC(loss=matrix)`", None, costs=True),
    Structure("`ChainSVC`", None),
    Structure("`ChainSVC(cost=...)`", None, costs=True),
    Structure("`DiversityRanker`", None, greedy=True),
    Structure("`MeasureSVC('error_rate')`", None, measure="error_rate"),
    Structure("`MeasureSVC` of other measures", None, measure="f1"),
    Structure("`MeasureSVC('average_precision')`", None, measure="average_precision", by_loss=RANKING),
    Structure("`RankingSVM`", None),
    Structure("`RankingSVM(measure='ndcg')`", None, costs=True, by_loss=RANKING),
    Structure("`RankingSVM(measure='average_precision')`", None, costs=True, by_loss=RANKING),
    Structure("`RankingSVM(measure='mrr')`", None, costs=True, by_loss=RANKING),
    Structure("`MultilabelSVC`", None),
    Structure("`MultilabelSVC(loss='f1')`", None, costs=True),
    Structure("`MultilabelSVC(loss='zero-one')`", None, zero_one=True),
    Structure("`MultilabelSVC(interactions='independent')`", None),
    Structure("`MultilabelSVC(interactions='full')`", None),
    Structure("the same, over 16 labels", None, by_loss="must look at every value of the loss"),
    Structure("`ProgramSVM`", None),
    Structure("`ProgramSVM` of a space with `costs`", None),
    Structure("`ProgramSVM` of a space with `counts`", None),
    Structure("`AlignmentSVM`", None),
    Structure("`AlignmentSVM(loss='f1')`", None),
    Structure("`AlignmentSVM(loss='zero-one')`", None, zero_one=True),
    Structure("`HomologySVM`", None),
    Structure("`HomologySVM(loss='zero-one')`", None, zero_one=True),
    Structure("`GrammarSVM`", None),
    Structure("`GrammarSVM(loss='hamming')`", None),
    Structure("`GrammarSVM(loss='zero-one')`", None, zero_one=True),
    Structure("a Problem with `argmax` alone", ()),
    Structure("with `argmax` and `zero_one`", (), zero_one=True),
    Structure("with `kbest`", ("kbest",)),
    Structure("with `argmax_by_loss`", ("argmax_by_loss",)),
    Structure("with `kbest` and `argmax_by_loss`", ("kbest", "argmax_by_loss")),
    Structure("with `outputs`", ("outputs",)),
)


def missing_power(structure: Structure, rescaling: str, slack: str) -> str | None:
    """The method that a Problem lacks for an exact search, or None."""
    if structure.powers is None or "outputs" in structure.powers:
        return None
    if rescaling == "none" or slack == "hard":  # the best output other than the truth
        return None if "kbest" in structure.powers else "kbest"
    if (rescaling, slack) == ("margin", "linear"):  # the loss adds to the score
        return None
    if rescaling == "margin" and structure.zero_one:  # the root of a zero-one loss is itself
        return None
    return None if "argmax_by_loss" in structure.powers else "argmax_by_loss"  # the best output at each loss


def refusal(structure: Structure, rescaling: str, slack: str, solver: str) -> str | None:
    """A word that the refusal must contain (the method to add, or what the solver lacks); None where it trains."""
    if structure.greedy and (rescaling == "none" or slack == "hard"):
        return "equally wrong"  # of many choices that cover the same, all but one would count as mistakes
    if solver == "perceptron":
        costs = structure.costs or structure.measure not in (None, "error_rate")
        return None if (rescaling, slack) == ("margin", "linear") and not costs else "perceptron"
    if slack == "hard" and solver in ("one-slack", "subgradient"):
        return "slack"
    if structure.by_loss and rescaling != "none" and (rescaling, slack) != ("margin", "linear"):
        return structure.by_loss
    return missing_power(structure, rescaling, slack)


def cells() -> list[tuple[Structure, str, str, str]]:
    return [
        (structure, rescaling, slack, solver)
        for structure in STRUCTURES
        for rescaling, slack in FORMULATIONS
        for solver in SOLVERS
    ]


def kernel_cells() -> list[tuple[Structure, str, str]]:
    """What is trained with a kernel: every structure over rows, wherever it is trained at all."""
    return [
        (structure, rescaling, slack)
        for structure in STRUCTURES
        for rescaling, slack in FORMULATIONS
        if structure.rows and refusal(structure, rescaling, slack, "auto") is None
    ]


def kernel_row_cells() -> list[tuple[Structure, str, str, str]]:
    """What is trained over rows of a kernel matrix, with every solver that can; hard margins need features."""
    return [
        (structure, rescaling, slack, solver)
        for structure, rescaling, slack in kernel_cells()
        for solver in ("auto", "one-slack", "n-slack", "bcfw")
        if slack != "hard"
    ]


def kernel_text(structure: Structure, rescaling: str, slack: str) -> str:
    if not structure.rows:
        return ""
    return "yes" if (structure, rescaling, slack) in kernel_cells() else "no"


def cell_text(structure: Structure, rescaling: str, slack: str, solver: str) -> str:
    word = refusal(structure, rescaling, slack, solver)
    if word is None:
        return "inexact" if structure.greedy else "yes"
    return f"add `{word}`" if word == missing_power(structure, rescaling, slack) else "no"


def markdown() -> str:
    """One table a formulation: structures down, solvers across, and whether it is trained with a kernel."""
    lines: list[str] = []
    for (rescaling, slack), title in FORMULATIONS.items():
        lines += [
            f"### {title[0].upper()}{title[1:]}",
            "",
            row(["", *(f"`{solver}`" for solver in SOLVERS), "`kernel`"]),
        ]
        lines.append(row(["---"] * (len(SOLVERS) + 2)))
        for structure in STRUCTURES:
            texts = [cell_text(structure, rescaling, slack, solver) for solver in SOLVERS]
            lines.append(row([structure.name, *texts, kernel_text(structure, rescaling, slack)]))
        lines.append("")
    return "\n".join(lines)


def row(parts: list[Any]) -> str:
    return f"| {' | '.join(map(str, parts))} |"


if __name__ == "__main__":
    print(markdown())
