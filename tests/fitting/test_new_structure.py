"""What a new structure costs: one folder, and at most five lines in files that others share.

The folder is tests/support/grades: a problem, its loss, and an estimator. It trains, predicts and comes back from model
files as it stands. Then it is put into a copy of the library together with the lines that a structure of the library
adds to shared files, and the tests of the layout and of all estimators must take it up by themselves.
"""

from __future__ import annotations

import difflib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import maxmargin
from grades import GradeSVC
from grades.structure import Grades
from maxmargin import _core
from reference import FORMULATIONS, enumerate_planes, solve

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "tests" / "support" / "grades"
MOST_SHARED_LINES = 5
SHARED = {  # file: a place in it, and what stands there afterwards
    "src/maxmargin/__init__.py": (
        "\n__all__ = [\n",
        'from maxmargin.grades.grade_svc import GradeSVC\n\n__all__ = [\n    "GradeSVC",\n',
    ),
    "tests/test_layout.py": ("FAMILIES = {", 'FAMILIES = {"grades", '),
    "tests/support/estimator_cases.py": ("CASES = {\n", 'CASES = {\n    "GradeSVC": Case(mm.GradeSVC, GRADES),\n'),
}
COPIED_TESTS = ("test_contract.py", "test_bad_input.py", "test_sparse_inputs.py")
RUN_THERE = """
import sys
sys.meta_path = [finder for finder in sys.meta_path if "editable" not in type(finder).__module__]
sys.path.insert(0, sys.argv[1])
import maxmargin, pytest
assert maxmargin.__file__.startswith(sys.argv[1]), maxmargin.__file__
sys.exit(pytest.main(sys.argv[2:]))
"""

rng = np.random.default_rng(0)
X = rng.standard_normal((12, 3))
Y = np.clip(np.round(X[:, 0] + 0.5 * rng.standard_normal(12)).astype(int) + 1, 0, 2)


@pytest.mark.parametrize(("rescaling", "slack"), [pair for pair in FORMULATIONS if pair[1] != "hard"])
@pytest.mark.parametrize("solver", ["auto", "one-slack", "n-slack", "bcfw"])
def test_it_reaches_the_optimum(solver, rescaling, slack):
    best = solve(enumerate_planes(Grades(3, 3), list(X), Y.tolist(), rescaling, slack), 0.5)
    model = GradeSVC(0.5, rescaling=rescaling, slack=slack, solver=solver, tol=1e-6).fit(X, Y)
    assert model.solution_.primal == pytest.approx(best.value, rel=1e-4, abs=1e-6)
    assert set(model.predict(X)) <= {0, 1, 2}


def test_it_comes_back_from_a_model_file(tmp_path):
    names = np.array(["bad", "fair", "good"])
    model = GradeSVC().fit(X, names[Y])
    model.save(tmp_path / "model.zip")
    loaded = maxmargin.load(tmp_path / "model.zip")
    assert type(loaded) is GradeSVC
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    assert loaded.solution_.primal == model.solution_.primal


def test_it_imports_only_what_all_structures_share():
    text = "".join(path.read_text() for path in FOLDER.glob("*.py"))
    units = set(re.findall(r"from maxmargin\.(\w+)", text))
    assert units == {"fitting", "oracles", "rows", "solvers"}
    assert "import maxmargin" not in text
    assert "from maxmargin import" not in text


def test_one_folder_and_few_shared_lines_make_it_a_structure_of_the_library(tmp_path):
    no_caches = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=no_caches)
    shutil.copytree(FOLDER, tmp_path / "src" / "maxmargin" / "grades", ignore=no_caches)
    shutil.copy(_core.__file__, tmp_path / "src" / "maxmargin")
    shutil.copytree(ROOT / "tests" / "support", tmp_path / "tests" / "support", ignore=no_caches)
    shutil.rmtree(tmp_path / "tests" / "support" / "grades")
    (tmp_path / "tests" / "estimators").mkdir()
    for name in COPIED_TESTS:
        shutil.copy(ROOT / "tests" / "estimators" / name, tmp_path / "tests" / "estimators")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)

    added = 0
    for name, (place, replaced) in SHARED.items():
        before = (ROOT / name).read_text(encoding="utf-8")
        assert before.count(place) == 1
        after = before.replace(place, replaced)
        (tmp_path / name).write_text(after, encoding="utf-8")
        added += sum(line.startswith("+ ") for line in difflib.ndiff(before.splitlines(), after.splitlines()))
    assert added <= MOST_SHARED_LINES

    command = [sys.executable, "-c", RUN_THERE, str(tmp_path / "src"), "-v", "-p", "no:cacheprovider", "-k"]
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    ended = subprocess.run(
        [*command, "GradeSVC or grades or every", "tests/test_layout.py", "tests/estimators"],
        cwd=tmp_path,
        env=clean,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout[-5000:] + ended.stderr
    passed = {line.split(" ")[0] for line in ended.stdout.splitlines() if " PASSED" in line}
    for name in (
        "tests/estimators/test_contract.py::test_every_estimator_has_a_case",
        "tests/estimators/test_contract.py::test_model_files[GradeSVC]",
        "tests/estimators/test_contract.py::test_pickles[GradeSVC]",
        "tests/estimators/test_bad_input.py::test_settings[C=-1-GradeSVC]",
        "tests/estimators/test_sparse_inputs.py::test_prediction_refuses_damaged_matrices[GradeSVC]",
        "tests/test_layout.py::test_every_unit_has_a_floor",
        "tests/test_layout.py::test_imports_point_down[src/maxmargin/grades/grade_svc.py]",
        "tests/test_layout.py::test_structures_know_no_solvers[src/maxmargin/grades/structure.py]",
    ):
        assert name in passed
