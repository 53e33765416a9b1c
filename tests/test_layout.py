"""The shape of the source tree: which way imports point, how long files are, and that the extension loads."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from maxmargin import _core

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "maxmargin"
NATIVE = ROOT / "native"

FAMILIES = {
    "classes",
    "chains",
    "labels",
    "measures",
    "rankings",
    "diversity",
    "problems",
    "programs",
    "alignments",
    "grammars",
}
# A unit (a module or a folder of the package) may import itself and the units of lower floors.
FLOORS = (
    {"_core", "version", "core"},
    {"oracles", "io"},
    {"solvers", "rows"},
    {"groups"},
    {"fitting"},
    FAMILIES,
    {"metrics", "datasets", "plots", "console", "report"},
    {"demo"},
    {"cli"},
)
FLOOR_OF = {unit: floor for floor, units in enumerate(FLOORS) for unit in units}

# Modules of a family that are its structure: they know nothing of how it is trained.
STRUCTURES = re.compile(r"(.*oracle|loss(es)?|likelihood|.*_features|output_maps|placed_classes|binary_rows|structure)")
STRUCTURES_BY_NAME = {
    "grammars.grammar",
    "classes.multiclass",
    "chains.chain",
    "labels.multilabel",
    "labels.pairs",
    "programs.topology",
    "programs.choices",
    "programs.matching_problem",
    "programs.tree_problem",
    "programs.queries",
    "alignments.alignment",
}

PYTHON_FILES = sorted(PACKAGE.rglob("*.py"))
NATIVE_FILES = sorted(path for path in NATIVE.rglob("*") if path.suffix in {".hpp", ".cpp", ".inl", ".h"})
STRUCTURE_FILES = [
    path
    for path in PYTHON_FILES
    if path.parent.name in FAMILIES
    and (STRUCTURES.fullmatch(path.stem) or f"{path.parent.name}.{path.stem}" in STRUCTURES_BY_NAME)
]


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


def test_every_unit_has_a_floor():
    units = {unit_of(path) for path in PYTHON_FILES} - {"__init__"}
    assert units <= FLOOR_OF.keys(), "Give the new unit a place in FLOORS."


@pytest.mark.parametrize("path", [path for path in PYTHON_FILES if unit_of(path) in FLOOR_OF], ids=name_of)
def test_imports_point_down(path):
    own = unit_of(path)
    wrong = [
        f"line {line} imports maxmargin.{unit}"
        for line, unit in imported_units(path)
        if unit != own and not FLOOR_OF.get(unit, len(FLOORS)) < FLOOR_OF[own]
    ]
    assert not wrong, f"{name_of(path)} is on floor {FLOOR_OF[own]} ({own}) and may not: {'; '.join(wrong)}"


@pytest.mark.parametrize("path", STRUCTURE_FILES, ids=name_of)
def test_structures_know_no_solvers(path):
    assert not {"solvers", "fitting"} & {found for _, found in imported_units(path)}


@pytest.mark.parametrize("path", [path for path in PYTHON_FILES if unit_of(path) == "solvers"], ids=name_of)
def test_solvers_do_not_ask_what_an_oracle_is(path):
    """What it can do is in its capabilities, or a method of every oracle."""
    kinds = {f"maxmargin.oracles.{kind}" for kind in ("native", "from_problem", "processes", "cached")}
    assert not {module.rpartition(".")[0] for _, module in imported_modules(path)} & kinds
    called = [node.func for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
    assert not {"getattr", "hasattr"} & {function.id for function in called if isinstance(function, ast.Name)}


def test_every_family_has_a_structure():
    assert {path.parent.name for path in STRUCTURE_FILES} == FAMILIES - {"rankings", "problems"}


@pytest.mark.parametrize("folder", [NATIVE / "include" / "maxmargin", NATIVE / "src", NATIVE / "bindings"], ids=name_of)
def test_native_families_do_not_include_each_other(folder):
    for path in sorted(folder.rglob("*")):
        family = path.relative_to(folder).parts[0]
        if family in FAMILIES and path.is_file():
            included = re.findall(r'#include "(?:maxmargin/)?(\w+)/', path.read_text(encoding="utf-8"))
            assert not (FAMILIES - {family, "programs"}) & set(included), name_of(path)  # programs are a floor below


def test_the_module_has_the_bindings_of_all_folders():
    folders = {path.parent.name for path in (NATIVE / "bindings").glob("*/*.cpp")}
    listed = re.findall(r"^  bind\((\w+)\)", (NATIVE / "bindings" / "module.cpp").read_text(encoding="utf-8"), re.M)
    assert sorted(listed) == sorted(folders)


@pytest.mark.parametrize("page", ["docs/architecture.md", "CONTRIBUTING.md"])
def test_paths_in_the_documentation_exist(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    places = (ROOT, PACKAGE, NATIVE / "include" / "maxmargin", NATIVE, NATIVE / "src")
    named = set(re.findall(r"`([\w./-]+(?:\.(?:py|pyi|hpp|cpp|inl|md|txt)|/))`", text))
    assert len(named) > 10
    assert not sorted(name for name in named if not any((place / name).exists() for place in places))


def test_the_import_reader_sees_every_form(tmp_path):
    lines = [
        "import maxmargin.solvers.base",
        "from maxmargin import _core",
        "from maxmargin.core.planes import Planes",
        "def f():",
        "    from maxmargin.fitting.loading import load",
    ]
    path = tmp_path / "example.py"
    path.write_text("\n".join(lines))
    assert sorted(unit for _, unit in imported_units(path)) == ["_core", "core", "fitting", "solvers"]


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
    assert _core.isa() in {"avx512", "avx2", "baseline"}


def test_the_plain_instruction_set_can_be_forced():
    """In a process of its own: the choice is made once, at the first use."""
    program = "from maxmargin import _core; print(_core.isa())"
    environment = {**os.environ, "MAXMARGIN_ISA": "baseline"}
    answer = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    assert answer.stdout.strip() == "baseline"
