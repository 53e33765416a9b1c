"""The methods of the chain benchmark: what makes each, what it needs, the settings that are tried and the curve."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from itertools import product
from typing import Any

Settings = dict[str, Any]


def grid(**values: Sequence[Any]) -> list[Settings]:
    """All combinations of the values."""
    return [dict(zip(values, combination)) for combination in product(*values.values())]


@dataclass(frozen=True)
class Method:
    """A method: the class that packs and trains, the modules it needs, and settings.

    ``fixed`` always holds. ``tried`` are the settings among which the held-out part chooses (``like`` names a method
    whose choice is taken over), ``further`` more of them on the workloads it names. ``curve`` are the limits at which
    points of accuracy over seconds are taken.
    """

    module: str
    name: str
    needs: tuple[str, ...] = ()
    fixed: Mapping[str, Any] = field(default_factory=dict)
    tried: Sequence[Settings] = ()
    further: Mapping[str, Sequence[Settings]] = field(default_factory=dict)
    like: str = ""
    curve: Sequence[Settings] = ()

    def make(self, settings: Settings) -> Any:
        return getattr(importlib.import_module(self.module), self.name)(**{**self.fixed, **settings})

    def tried_on(self, workload: str) -> list[Settings]:
        return [*self.tried, *self.further.get(workload, ())]

    def missing(self) -> str:
        """Which of the modules it needs is not installed; empty if all are."""
        absent = [module for module in self.needs if find_spec(module) is None]
        return f"{absent[0]} is not installed" if absent else ""


def _crfsuite(algorithm: str, **more: Any) -> Method:
    return Method("chains.crfsuite", "CRFsuite", ("pycrfsuite",), {"algorithm": algorithm}, **more)


def _epochs(*counts: int) -> list[Settings]:
    return grid(max_iterations=counts)


_VW = ("chains.vw", "VW", ("vowpalwabbit",))
_C2 = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
_LIKE_OURS = grid(c2=_C2, marks=(True,), every_feature=(True,))
LBFGS, ONE_PASS = "CRFsuite lbfgs", "VW one pass"
METHODS: dict[str, Method] = {
    "ChainSVC": Method(
        "chains.ours",
        "OursSVC",
        tried=grid(C=(0.0125, 0.025, 0.05, 0.1, 0.2, 0.4, 0.8)),
        curve=grid(max_iter=(1, 2, 4, 8, 1000)),
    ),
    "ChainCRF": Method(
        "chains.ours",
        "OursCRF",
        curve=grid(max_iter=(1, 2, 4, 8, 1000)),
    ),
    LBFGS: _crfsuite(
        "lbfgs",
        tried=grid(c2=_C2),
        further={"ocr": _LIKE_OURS, "ocr-reverse": _LIKE_OURS},
        curve=_epochs(10, 20, 40, 80, 2**31 - 1),
    ),
    "CRFsuite l2sgd": _crfsuite("l2sgd", like=LBFGS, curve=_epochs(1, 3, 10, 30, 100)),
    "CRFsuite ap": _crfsuite("ap", tried=_epochs(5, 10, 30, 100), curve=_epochs(1, 3, 10, 30, 100)),
    "CRFsuite pa": _crfsuite(
        "pa", tried=grid(c=(0.02, 1.0), max_iterations=(10, 30, 100)), curve=_epochs(1, 3, 10, 30, 100)
    ),
    "CRFsuite arow": _crfsuite(
        "arow", tried=grid(gamma=(1.0, 10.0), max_iterations=(10, 30)), curve=_epochs(1, 3, 10, 30)
    ),
    ONE_PASS: Method(*_VW, tried=grid(rate=(0.25, 0.5, 1.0), history=(1, 2)), curve=grid(passes=(1,))),
    "VW more passes": Method(
        *_VW,
        tried=grid(passes=(3, 10), rate=(0.25, 0.5), history=(1, 2)),
        curve=grid(passes=(2, 4, 8, 16)),
    ),
    "seqlearn": Method(
        "chains.seqlearn",
        "Seqlearn",
        ("seqlearn", "six"),
        tried=grid(max_iter=(5, 10, 20)),
        curve=grid(max_iter=(1, 3, 10)),
    ),
}
OURS = ("ChainSVC", "ChainCRF")
