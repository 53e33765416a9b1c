"""The shape of the source tree: which way imports point, how long files are, and that the extension loads."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from maxmargin import _core

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "maxmargin"
NATIVE = ROOT / "native"

# A unit (a module or a folder of the package) may import itself and the units of earlier layers.
LAYERS = (
    {"input_checks"},
    {"_core", "version", "vectors", "planes", "rescaling", "outputs", "weight_bounds"}
    | {"chunk_schemes", "sequences", "taxonomies"},
    {"problem", "features", "metrics", "coverage", "measures"},
    {"rivals"},
    {"checking"},
    {"oracles", "io"},
    {"structures", "solvers", "datasets"},
    {"inspection"},
    {"estimators"},
    {"console", "report", "plots", "demo_problem"},
    {"weight_plots", "taxonomy_plots"},
    {"demo_chains"},
    {"demo"},
    {"cli"},
)
LAYER_OF = {unit: layer for layer, units in enumerate(LAYERS) for unit in units}

PYTHON_FILES = sorted(PACKAGE.rglob("*.py"))
NATIVE_FILES = sorted(path for path in NATIVE.rglob("*") if path.suffix in {".hpp", ".cpp", ".inl", ".h"})


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def unit_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported_modules(path: Path) -> Iterator[tuple[int, str]]:
    """Line and dotted name of everything imported, inside functions too; ``from a import b`` counts as ``a.b``."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            here = path.relative_to(PACKAGE.parent).parts[: -node.level] if node.level else ()
            module = ".".join([*here, *([node.module] if node.module else [])])
            yield from ((node.lineno, f"{module}.{alias.name}") for alias in node.names)


def imported_units(path: Path) -> Iterator[tuple[int, str]]:
    for line, module in imported_modules(path):
        parts = module.split(".")
        if parts[0] == "maxmargin" and len(parts) > 1:
            yield line, parts[1]


def test_every_unit_has_a_layer():
    units = {unit_of(path) for path in PYTHON_FILES} - {"__init__"}
    assert units <= LAYER_OF.keys(), "Give the new unit a place in LAYERS."


@pytest.mark.parametrize("path", [path for path in PYTHON_FILES if unit_of(path) in LAYER_OF], ids=name_of)
def test_imports_point_one_way(path):
    own = unit_of(path)
    wrong = [
        f"line {line} imports maxmargin.{unit}"
        for line, unit in imported_units(path)
        if unit != own and not LAYER_OF.get(unit, len(LAYERS)) < LAYER_OF[own]
    ]
    assert not wrong, f"{name_of(path)} is in layer {LAYER_OF[own]} ({own}) and may not: {'; '.join(wrong)}"


def test_solvers_and_structures_do_not_know_each_other():
    """The rule that matters most, spelt out: whatever the layers say, neither of the two may name the other."""
    for unit, forbidden in (
        ("solvers", {"structures", "estimators"}),
        ("structures", {"solvers", "estimators"}),
        ("oracles", {"structures", "solvers", "estimators"}),
    ):
        for path in sorted((PACKAGE / unit).rglob("*.py")):
            assert not forbidden & {found for _, found in imported_units(path)}, name_of(path)


def test_the_import_reader_sees_every_form(tmp_path):
    lines = [
        "import maxmargin.solvers.base",
        "from maxmargin import _core",
        "from maxmargin.planes import Planes",
        "def f():",
        "    from maxmargin.estimators import load",
    ]
    path = tmp_path / "example.py"
    path.write_text("\n".join(lines))
    assert sorted(unit for _, unit in imported_units(path)) == ["_core", "estimators", "planes", "solvers"]


@pytest.mark.parametrize("path", [path for path in PYTHON_FILES if path.name == "__init__.py"], ids=name_of)
def test_init_files_only_re_export(path):
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        listing = isinstance(node, ast.Assign) and [ast.unparse(target) for target in node.targets] == ["__all__"]
        imported = isinstance(node, ast.Import | ast.ImportFrom)
        assert docstring or listing or imported, f"{name_of(path)} line {node.lineno}: {ast.unparse(node)}"


@pytest.mark.parametrize("path", [*PYTHON_FILES, *NATIVE_FILES], ids=name_of)
def test_no_file_is_longer_than_400_lines(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 400


@pytest.mark.parametrize("path", [path for path in NATIVE_FILES if "bindings" not in path.parts], ids=name_of)
def test_the_native_core_knows_no_python(path):
    text = path.read_text(encoding="utf-8")
    assert "nanobind" not in text
    assert "Python.h" not in text


def test_the_extension_names_its_instruction_set():
    assert _core.isa() in {"avx2", "baseline"}


def test_the_plain_instruction_set_can_be_forced():
    """In a process of its own: the choice is made once, at the first use."""
    program = "from maxmargin import _core; print(_core.isa())"
    environment = {**os.environ, "MAXMARGIN_ISA": "baseline"}
    answer = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    assert answer.stdout.strip() == "baseline"
