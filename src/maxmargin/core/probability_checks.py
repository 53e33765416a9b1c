"""Does a user's Problem keep its promises about probabilities and about inputs with fewer outputs?"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin.core.outputs import same_output, shown
from maxmargin.core.problem import Unsupported, asked, has_power, joint_loss
from maxmargin.core.rivals import Rivals, read_only
from maxmargin.core.vectors import dot

Floats = npt.NDArray[np.float64]
_SLACK = 1e-7  # relative; sums over many outputs may be taken in any order


def check_probabilities(rivals: Rivals, outputs: list[Any], w: Floats) -> None:
    """Compares the powers of probabilities with each other, with the outputs that are known, and with all of them where
    ``outputs`` lists them; what a problem refuses as ``Unsupported`` is not asked for."""
    check = _Probabilities(rivals, outputs, read_only(rivals.within(w)))
    for power in ("log_partition", "sample", "minimum_risk", "expected_loss", "restricted"):
        if has_power(rivals.problem, power):
            try:
                getattr(check, power)()
            except Unsupported:
                continue


class _Probabilities:
    def __init__(self, rivals: Rivals, outputs: list[Any], w: Floats) -> None:
        self.rivals, self.outputs, self.w = rivals, outputs, w
        self.where = f"of example {rivals.i}"

    def ask(self, power: str, *given: Any) -> Any:
        return asked(self.rivals.problem, power, self.rivals.i, self.rivals.x, *given)

    def fault(self, power: str, text: str) -> ValueError:
        return ValueError(f"{self.rivals.name}.{power} {self.where} {text}")

    def scores(self, outputs: list[Any]) -> Floats:
        return np.array([dot(self.rivals.vectors[self.rivals.add(y)], self.w) for y in outputs])

    def number(self, power: str, *given: Any) -> float:
        """What a power answers, which must be a finite number."""
        found = self.ask(power, self.w, *given)
        if not isinstance(found, int | float | np.number) or not np.isfinite(found):
            raise self.fault(power, f"is {shown(found)}, not a finite number.")
        return float(found)

    def log_partition(self) -> None:
        found = self.number("log_partition")
        known = self.scores(self.outputs or self.rivals.outputs)
        value = float(np.logaddexp.reduce(known))
        if _below(found, value) or (self.outputs and _below(value, found)):
            least = "" if self.outputs else "at least "
            what = "all" if self.outputs else "those that are known"
            raise self.fault(
                "log_partition", f"is {found:.6g}; the sum of exp(score) over {what} gives {least}{value:.6g}."
            )

    def sample(self) -> None:
        found = list(self.ask("sample", self.w, 2, np.random.default_rng(0)))
        if len(found) != 2:
            raise self.fault("sample", f"gave {len(found)} outputs where 2 were asked for.")
        for y in found:
            self.known("sample", y)

    def minimum_risk(self) -> None:
        self.known("minimum_risk", self.ask("minimum_risk", self.w))

    def known(self, power: str, y: Any) -> None:
        self.rivals.add(y)
        if self.outputs and not any(same_output(y, other) for other in self.outputs):
            raise self.fault(power, f"gave {shown(y)}, which outputs does not list.")

    def expected_loss(self) -> None:
        problem = self.rivals.problem
        asks = [self.rivals.target, problem.argmax(self.rivals.x, self.w)]
        risks = [self.number("expected_loss", y) for y in asks]
        if min(risks) < 0.0:
            raise self.fault("expected_loss", f"is {min(risks):.6g} for {shown(asks[int(np.argmin(risks))])}.")
        if self.outputs and not (has_power(problem, "target") or has_power(problem, "impute")):
            scores = self.scores(self.outputs)
            p = np.exp(scores - np.logaddexp.reduce(scores))
            for y, risk in zip(asks, risks):
                mean = float(p @ [joint_loss(problem, truth, y, self.rivals.i) for truth in self.outputs])
                if abs(risk - mean) > _SLACK * (1.0 + mean):
                    raise self.fault(
                        "expected_loss", f"is {risk:.6g} for {shown(y)}; the mean over all outputs is {mean:.6g}."
                    )
        if has_power(problem, "minimum_risk"):
            safest = self.ask("minimum_risk", self.w)
            risk = self.number("expected_loss", safest)
            if _below(min(risks), risk):
                better = asks[int(np.argmin(risks))]
                raise self.fault(
                    "minimum_risk",
                    f"gave {shown(safest)}, whose expected loss is {risk:.6g}; that of {shown(better)} is "
                    f"{min(risks):.6g}.",
                )

    def restricted(self) -> None:
        """Without limits nothing changes."""
        problem = self.rivals.problem
        same = self.ask("restricted", None, None)
        found = problem.argmax(same, self.w)
        value, best = self.scores([found, problem.argmax(self.rivals.x, self.w)])
        if _below(value, best) or _below(best, value):
            raise self.fault(
                "restricted",
                f"without limits leaves {shown(found)} as the best output, of score {value:.6g}, where "
                f"argmax without it finds {best:.6g}.",
            )


def _below(value: float, bound: float) -> bool:
    return value < bound - _SLACK * (1.0 + abs(bound))
