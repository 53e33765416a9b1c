"""Who called into this library."""

from __future__ import annotations

import sys
import sysconfig
from functools import cache
from pathlib import Path
from types import FrameType

_RUNNERS = ("sklearn", "joblib")  # run the fits of a search, however many functions of the user lie between


def called_by_library() -> bool:
    """Whether another installed package called into this one, or runs the user's code that did.

    The first case is any package in the environment's folders of packages (a search, a pipeline), as the caller of the
    outermost function of this library; the second is scikit-learn or joblib anywhere below. Notebooks and test
    runners, which run everything, do not count.
    """
    stack = _stack()
    own = _package(stack[0])
    outside = stack[max(i for i, frame in enumerate(stack) if _package(frame) == own) + 1 :]
    if not outside:
        return False
    installed = outside[0].f_code.co_filename.startswith(_package_folders())
    return installed or any(_package(frame) in _RUNNERS for frame in outside)


def _stack() -> list[FrameType]:
    """The frames of this thread, the innermost first."""
    frames: list[FrameType] = []
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        frames.append(frame)
        frame = frame.f_back
    return frames


def _package(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__")).partition(".")[0]


@cache
def _package_folders() -> tuple[str, ...]:
    paths = sysconfig.get_paths()
    return tuple({str(Path(paths[name])) for name in ("purelib", "platlib")})
