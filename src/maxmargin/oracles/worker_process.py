"""What runs in a worker process: it reads pickled requests, calls what they ask for, and writes the answers."""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Callable
from typing import IO, Any

import cloudpickle

# A worker needs none of the estimators, so the package itself is completed only when something asks for one of its
# names: importing scikit-learn is most of the time that a start takes.
PROGRAM = """
import importlib.util, sys
sys.path[:] = {path!r}
spec = importlib.util.find_spec("maxmargin")
package = importlib.util.module_from_spec(spec)

def complete(name):
    if name.startswith("__"):
        raise AttributeError(name)
    vars(package).pop("__getattr__", None)
    spec.loader.exec_module(package)
    return getattr(package, name)

package.__getattr__ = complete
sys.modules["maxmargin"] = package
from maxmargin.oracles.worker_process import work
work()
"""
_kept: dict[str, Any] = {}


class WorkerError(RuntimeError):
    """A worker process that ended, or an error in one that could not be pickled."""


def write_message(pipe: IO[bytes], data: bytes) -> None:
    """Its length and the bytes."""
    pipe.write(len(data).to_bytes(8, "little"))
    pipe.write(data)
    pipe.flush()


def read_message(pipe: IO[bytes]) -> bytes | None:
    """The bytes, or None at the end."""
    size = pipe.read(8)
    if len(size) < 8:
        return None
    data = pipe.read(int.from_bytes(size, "little"))
    return data if len(data) == int.from_bytes(size, "little") else None


def work() -> None:
    """The loop of a worker: ``(function, arguments)`` in, ``(True, value)`` or ``(False, error)`` out, until the end.

    What the user's code prints goes to the standard error, since the standard output is the pipe of the answers.
    """
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    while (request := read_message(requests)) is not None:
        write_message(answers, _answer(request))


def _answer(request: bytes) -> bytes:
    try:
        function, arguments = pickle.loads(request)
        return bytes(cloudpickle.dumps((True, function(*arguments)), protocol=pickle.HIGHEST_PROTOCOL))
    except Exception as error:
        try:
            data: bytes = cloudpickle.dumps((False, error))
            pickle.loads(data)
        except Exception:  # an error that cannot travel is told by its text
            data = pickle.dumps((False, WorkerError(f"{type(error).__name__} in a worker process: {error}")))
        return data


def keep(name: str, value: Any) -> None:
    """Called in a worker: holds a value, or what its pickle holds, for later requests."""
    _kept[name] = pickle.loads(value) if isinstance(value, bytes) else value


def drop(name: str) -> None:
    """Called in a worker: lets go of a value."""
    _kept.pop(name, None)


def with_kept(name: str, function: Callable[..., Any], chunk: Any) -> Any:
    """Called in a worker: a function of the value that it holds, of what all chunks share, and of a chunk."""
    return function(_kept[name], _kept[f"{name} common"], chunk)
