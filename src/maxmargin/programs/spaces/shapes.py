"""Topologies that inputs of one shape share: built once, kept while there is room."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

Shape = TypeVar("Shape")


class Shapes(Generic[Shape]):
    """Calls ``build(*key)`` for a key that it has not seen lately, and keeps up to ``room`` answers."""

    def __init__(self, build: Callable[..., Shape], room: int = 1024) -> None:
        self.build, self.room = build, room
        self.kept: dict[tuple[Hashable, ...], Shape] = {}

    def __call__(self, *key: Any) -> Shape:
        found = self.kept.pop(key, None)
        if found is None:
            found = self.build(*key)
            if len(self.kept) >= self.room:
                del self.kept[next(iter(self.kept))]
        self.kept[key] = found
        return found

    def __getstate__(self) -> dict[str, Any]:
        return {"build": self.build, "room": self.room, "kept": {}}
