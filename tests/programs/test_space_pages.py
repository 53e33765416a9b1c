"""Every ready space has a page, which shows its file."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

from maxmargin.programs import MatchingProblem, TreeProblem, spaces

DOCS = Path(__file__).resolve().parents[2] / "docs"
KINDS = [*(getattr(spaces, name) for name in spaces.__all__), TreeProblem, MatchingProblem]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_ready_space_has_a_page_with_an_example_and_its_file(kind):
    index = (DOCS / "spaces.md").read_text(encoding="utf-8")
    page = DOCS / re.search(rf"\[`{kind.__name__}`\]\((spaces/\w+\.md)\)", index)[1]
    text = page.read_text(encoding="utf-8")
    assert re.search(rf"^```python$.*\b{kind.__name__}\(.*^```$", text, re.MULTILINE | re.DOTALL)
    linked = re.search(r"^\[(.+\.py)\]\((.+\.py)\)$", text, re.MULTILINE)
    shown = (page.parent / linked[2]).resolve()
    assert shown == DOCS.parent / linked[1]
    assert Path(inspect.getsourcefile(kind)).as_posix().endswith(linked[1].removeprefix("src/"))  # or an installed copy
    assert len(shown.read_text(encoding="utf-8").splitlines()) <= 200


def test_every_page_is_in_the_list():
    index = (DOCS / "spaces.md").read_text(encoding="utf-8")
    assert {f"spaces/{path.name}" for path in (DOCS / "spaces").glob("*.md")} == set(
        re.findall(r"\((spaces/\w+\.md)\)", index)
    )
