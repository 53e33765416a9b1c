"""Installs the library as the README says, into a new environment, and runs the README's first example there.

    python tests/support/fresh_install.py

``pip install .`` builds a wheel in isolation and installs that. The example runs in an empty folder, so that it
imports the installed package and nothing of the source tree. Packages come from the package index: this is a check of
``make fresh-install`` and of the CI, not one of the fast tests, which use no network.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

WHERE = """
import pathlib, sys, maxmargin
where = pathlib.Path(maxmargin.__file__).resolve()
assert where.is_relative_to(pathlib.Path(sys.prefix).resolve()), f"imported from {where}, not from the wheel"
print(f"maxmargin {maxmargin.__version__} from a wheel, {maxmargin._core.isa()}")
"""


def first_example() -> str:
    """The first Python block of the README."""
    found = re.search(r"^```python\n(.*?)^```$", (ROOT / "README.md").read_text(encoding="utf-8"), re.M | re.S)
    if found is None:
        sys.exit("README.md has no Python example.")
    return found[1]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        environment = Path(folder, "environment")
        venv.create(environment, with_pip=True)
        python = environment / ("Scripts" if sys.platform == "win32" else "bin") / "python"
        subprocess.run(
            [python, "-m", "pip", "--disable-pip-version-check", "--quiet", "install", str(ROOT)], check=True
        )
        for program in (WHERE, first_example()):
            subprocess.run([python, "-W", "error", "-c", program], cwd=folder, check=True)


if __name__ == "__main__":
    main()
