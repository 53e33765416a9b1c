"""Where the data sets are: a folder given by the caller or by the environment variable MAXMARGIN_DATA."""

from __future__ import annotations

import os
from os import PathLike
from pathlib import Path

VARIABLE = "MAXMARGIN_DATA"


class MissingDataError(FileNotFoundError):
    """A data set that is not there; the message says where it was looked for."""


def data_file(name: str, folder: str | PathLike[str] | None = None) -> Path:
    """The path of a file such as ``'mnist/train-labels-idx1-ubyte.gz'`` inside the data folder.

    Parameters
    ----------
    name : path relative to the data folder
    folder : the data folder; None takes it from the environment variable MAXMARGIN_DATA
    """
    given = os.environ.get(VARIABLE) if folder is None else folder
    if not given:
        raise MissingDataError(
            f"{name} is needed: set the environment variable {VARIABLE} to the folder that holds it, or pass folder=."
        )
    root = Path(given)
    origin = f"named by {VARIABLE}" if folder is None else "given"
    if not root.is_dir():
        raise MissingDataError(
            f"The data folder {origin} does not exist: {root}. {VARIABLE} must name the folder that holds {name}."
        )
    path = root / name
    if not path.is_file():
        raise MissingDataError(
            f"There is no {name} in the data folder {root} {origin}; put it there or change {VARIABLE}."
        )
    return path
