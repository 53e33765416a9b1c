"""Builds the pages of docs/ and the API reference as HTML: ``python docs/build.py site``.

The pages are Markdown (markdown2), the reference comes from the docstrings (pdoc). The README becomes the first
page; those of docs/spaces/ are not in the menu. A line that is nothing but a link to a Python file is replaced by that
file. Links between pages are checked: a link to a file or heading that does not exist ends the build.
"""

from __future__ import annotations

import pkgutil
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import markdown2
import pdoc

import maxmargin

ROOT = Path(__file__).resolve().parents[1]

# Source, name of the page in the site, title in the menu.
IN_MENU = (
    (ROOT / "README.md", "index.html", "maxmargin"),
    (ROOT / "docs" / "vocabulary.md", "vocabulary.html", "One vocabulary"),
    (ROOT / "docs" / "formulations.md", "formulations.html", "Formulations"),
    (ROOT / "docs" / "solvers.md", "solvers.html", "Solvers"),
    (ROOT / "docs" / "support.md", "support.html", "What trains with what"),
    (ROOT / "docs" / "custom_problem.md", "custom_problem.html", "A problem of your own"),
    (ROOT / "docs" / "programs.md", "programs.html", "Dynamic programs"),
    (ROOT / "docs" / "grammars.md", "grammars.html", "Grammars"),
    (ROOT / "docs" / "alignments.md", "alignments.html", "Alignments"),
    (ROOT / "docs" / "spaces.md", "spaces.html", "Ready spaces"),
    (ROOT / "docs" / "sequences.md", "sequences.html", "Label sequences"),
    (ROOT / "docs" / "sequence_input.md", "sequence_input.html", "Sequences as input"),
    (ROOT / "docs" / "measures.md", "measures.html", "Measures of a whole sample"),
    (ROOT / "docs" / "taxonomies.md", "taxonomies.html", "Classes that know each other"),
    (ROOT / "docs" / "multilabel.md", "multilabel.html", "Label vectors"),
    (ROOT / "docs" / "ranking.md", "ranking.html", "Rankings"),
    (ROOT / "docs" / "diversity.md", "diversity.html", "Diverse rankings"),
    (ROOT / "docs" / "defaults.md", "defaults.html", "Defaults"),
    (ROOT / "docs" / "defaults_measured.md", "defaults_measured.html", "Defaults, measured"),
    (ROOT / "docs" / "architecture.md", "architecture.html", "Architecture"),
    (ROOT / "CONTRIBUTING.md", "contributing.html", "Contributing"),
    (ROOT / "CHANGELOG.md", "changelog.html", "Changes"),
)
PAGES = (
    *IN_MENU,
    *(
        (path, f"space_{path.stem}.html", path.read_text(encoding="utf-8").splitlines()[0].lstrip("# "))
        for path in sorted((ROOT / "docs" / "spaces").glob("*.md"))
    ),
)
EXTRAS = ["fenced-code-blocks", "tables", "header-ids", "code-friendly", "cuddled-lists"]

TEMPLATE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ font: 16px/1.55 system-ui, sans-serif; color: #1b1f24; margin: 0 auto; max-width: 58rem; padding: 1rem; }}
nav {{ display: flex; flex-wrap: wrap; gap: .3rem 1.1rem; padding: .6rem 0; border-bottom: 1px solid #d5d9de; }}
nav a[aria-current] {{ font-weight: 600; color: inherit; text-decoration: none; }}
a {{ color: #0b5cad; }}
pre {{ background: #f5f6f8; padding: .8rem 1rem; overflow-x: auto; border-radius: 4px; line-height: 1.35; }}
code {{ font: .875em ui-monospace, monospace; background: #f5f6f8; }}
table {{ border-collapse: collapse; display: block; overflow-x: auto; }}
th, td {{ border: 1px solid #d5d9de; padding: .3rem .6rem; text-align: left; vertical-align: top; }}
{highlighting}
</style>
<nav>{menu}</nav>
<main>
{body}
</main>
</html>
"""


def main(target: Path) -> None:
    """Writes the site to ``target``, replacing what a former build wrote there."""
    if target.exists():
        if any(target.iterdir()) and not (target / "index.html").exists():
            sys.exit(f"{target} does not look like a former build; it is left alone.")
        shutil.rmtree(target)
    target.mkdir(parents=True)
    addresses = {source: name for source, name, _ in PAGES}
    bodies = {name: convert(source, addresses) for source, name, _ in PAGES}
    highlighting = pygments_style()
    for _, name, title in PAGES:
        page = TEMPLATE.format(title=title, menu=menu(name), body=bodies[name], highlighting=highlighting)
        (target / name).write_text(page, encoding="utf-8")
    pdoc.render.configure(docformat="numpy", footer_text="maxmargin")
    pdoc.pdoc(*public_modules(), output_directory=target / "api")
    shutil.copy(ROOT / "LICENSE", target)
    check_links(target)
    print(f"{len(PAGES)} pages and the API reference are in {target}/")


def public_modules() -> Iterator[str]:
    """What pdoc does not find by itself: it stays out of the modules of a package that has ``__all__``."""
    yield "maxmargin"
    for module in pkgutil.walk_packages(maxmargin.__path__, "maxmargin."):
        parent, _, name = module.name.rpartition(".")
        if not name.startswith("_") and hasattr(sys.modules[parent], "__all__"):
            yield module.name


def convert(source: Path, addresses: dict[Path, str]) -> str:
    """A page as HTML, its links to other Markdown pages turned into links to their HTML."""
    html = str(markdown2.markdown(with_files(source), extras=EXTRAS))

    def translate(match: re.Match[str]) -> str:
        path, mark, heading = match[1].partition("#")
        page = addresses.get((source.parent / path).resolve()) if path else None
        return f'href="{page}{mark}{heading}"' if page else match[0]

    return re.sub(r'href="([^":]*)"', translate, html)


def with_files(source: Path) -> str:
    """The text of a page, with the Python files in it that lines of their own link to."""

    def included(match: re.Match[str]) -> str:
        code = (source.parent / match[2]).resolve().read_text(encoding="utf-8")
        return f"`{match[1]}`\n\n```python\n{code}```"

    return re.sub(r"^\[([^\]]+)\]\(([^)]+\.py)\)$", included, source.read_text(encoding="utf-8"), flags=re.MULTILINE)


def menu(current: str) -> str:
    entries = [(name, title) for _, name, title in IN_MENU] + [("api/maxmargin.html", "API")]
    return "".join(
        f'<a href="{name}"{" aria-current=page" if name == current else ""}>{title}</a>' for name, title in entries
    )


def pygments_style() -> str:
    from pygments.formatters import HtmlFormatter

    return str(HtmlFormatter(style="friendly").get_style_defs(".codehilite"))


def check_links(target: Path) -> None:
    """Every relative link of the pages leads to a file of the site, and to a heading of it where it names one."""
    missing = []
    for _, name, _ in PAGES:
        for link in re.findall(r'href="([^":]*)"', (target / name).read_text(encoding="utf-8")):
            path, _, heading = link.partition("#")
            page = target / (path or name)
            if not page.is_file():
                missing.append(f"{name}: {link} does not exist")
            elif heading and f'id="{heading}"' not in page.read_text(encoding="utf-8"):
                missing.append(f"{name}: {link} names no heading of that page")
    if missing:
        sys.exit("Broken links:\n" + "\n".join(missing))


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "site"))
