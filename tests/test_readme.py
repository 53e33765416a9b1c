"""The examples of the README and of the pages in docs/ run, with warnings as errors.

The ``python`` blocks of a page are run one after the other in one namespace and an empty folder; lines of ``sh`` blocks
that start with ``maxmargin`` are run there too. A ``text`` block right after a ``python`` block is what that prints.
"""

from __future__ import annotations

import ast
import dataclasses
import io
import re
import shlex
import subprocess
import sys
import warnings
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from maxmargin import BlockCoordinate, NSlack, OneSlack, Perceptron, Subgradient

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


class Block(NamedTuple):
    language: str
    first_line: int
    text: str
    expected: str | None


def blocks_of(page: Path) -> list[Block]:
    source = page.read_text(encoding="utf-8")
    found: list[Block] = []
    end_of_last = -1
    for match in re.finditer(r"^```(\w*)\n(.*?)^```$", source, re.MULTILINE | re.DOTALL):
        language, text = match[1], match[2]
        follows = found and found[-1].language == "python" and not source[end_of_last : match.start()].strip()
        if language == "text" and follows:
            found[-1] = found[-1]._replace(expected=text)
        else:
            found.append(Block(language, source[: match.start()].count("\n") + 1, text, None))
        end_of_last = match.end()
    return found


def run_python(block: Block, page: Path, namespace: dict[str, Any]) -> None:
    code = compile("\n" * block.first_line + block.text, str(page), "exec")  # errors show the line of the page
    printed = io.StringIO()
    with warnings.catch_warnings(), redirect_stdout(printed):
        warnings.simplefilter("error")
        exec(code, namespace)
    if block.expected is not None:
        assert printed.getvalue().split() == block.expected.split(), f"line {block.first_line} of {page.name}"


def run_shell(block: Block, folder: Path) -> None:
    for line in block.text.splitlines():
        if line.startswith("maxmargin "):
            program = [sys.executable, "-W", "error", "-c", "from maxmargin.cli import main; main()"]
            command = [*program, *shlex.split(line)[1:]]
            answer = subprocess.run(command, cwd=folder, capture_output=True, text=True)
            assert answer.returncode == 0, f"{line}\n{answer.stderr}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for block in blocks_of(page):
        if block.language == "python":
            run_python(block, page, namespace)
        elif block.language == "sh":
            run_shell(block, tmp_path)


def test_the_readme_has_examples_of_both_kinds():
    languages = [block.language for block in blocks_of(ROOT / "README.md")]
    assert languages.count("python") >= 2
    assert "sh" in languages


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_fences_are_closed(page):
    assert page.read_text(encoding="utf-8").count("\n```") % 2 == 0


@pytest.mark.parametrize("solver", [BlockCoordinate, NSlack, OneSlack, Subgradient, Perceptron])
def test_every_setting_of_a_solver_is_documented_with_its_default(solver):
    page = (ROOT / "docs" / "solvers.md").read_text(encoding="utf-8")
    section = page.split(f"## {solver.__name__}, ")[1].split("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)` \| `([^`]+)` \|", section, re.MULTILINE) or re.findall(r"`(\w+)=([^`]+)`", section)
    documented = {name: ast.literal_eval(default) for name, default in rows}
    assert documented == {field.name: field.default for field in dataclasses.fields(solver)}
