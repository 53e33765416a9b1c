"""Writes src/maxmargin/_core.pyi from the built extension (run after a change of the bindings)."""

from __future__ import annotations

import importlib
from pathlib import Path

from nanobind.stubgen import StubGen

TARGET = Path(__file__).resolve().parents[2] / "src" / "maxmargin" / "_core.pyi"


def main() -> None:
    generator = StubGen(importlib.import_module("maxmargin._core"))
    generator.put(importlib.import_module("maxmargin._core"))
    text = (
        generator.get()
        .replace("-> tuple:", "-> tuple[Any, ...]:")
        .replace("-> list:", "-> list[Any]:")
        .replace("import Annotated,", "import Annotated, Any,")
    )
    TARGET.write_text(text)


if __name__ == "__main__":
    main()
