"""Model files: a zip of one JSON and some .npy members, with a version, written atomically, never executed."""

from __future__ import annotations

import errno
import hashlib
import io
import json
import os
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import asdict, is_dataclass
from os import PathLike
from typing import Any

import numpy as np

from maxmargin.fitting.model_archive import MOST_TEXT, ModelArchive, ModelFileError, write_archive
from maxmargin.fitting.model_parts import ModelArrays
from maxmargin.solvers.automatic import Automatic
from maxmargin.solvers.block_coordinate import BlockCoordinate
from maxmargin.solvers.dual_likelihood import DualLikelihood
from maxmargin.solvers.lbfgs import LBFGS
from maxmargin.solvers.n_slack import NSlack
from maxmargin.solvers.one_slack import OneSlack
from maxmargin.solvers.online import Perceptron, Subgradient
from maxmargin.solvers.stochastic import StochasticGradient
from maxmargin.version import __version__

FORMAT = "maxmargin-model"
VERSION = 1
_UNSAVED = ("callback", "verbose", "n_jobs", "warm_start")
_settings: dict[str, type[Any]] = {}  # dataclasses that are values of parameters, by name
_texts: dict[str, tuple[type[Any], Callable[[Any], Any], Callable[[Any], Any]]] = {}  # other values, by their key


def keep_settings(*kinds: type[Any]) -> None:
    """Dataclasses of plain values (solvers, measures) that files keep where they are values of parameters."""
    _settings.update({kind.__name__: kind for kind in kinds})


def keep_values(key: str, kind: type[Any], write: Callable[[Any], Any], read: Callable[[Any], Any]) -> None:
    """Another kind of value that files keep: ``write`` makes plain values of it, and ``read`` the value of these."""
    _texts[key] = (kind, write, read)


keep_settings(Automatic, OneSlack, NSlack, BlockCoordinate, Subgradient, Perceptron)
keep_settings(LBFGS, DualLikelihood, StochasticGradient)


def save_model(
    path: str | PathLike[str],
    estimator: Any,
    arrays: Mapping[str, Any],
    without: tuple[str, ...] = (),
    structure: Mapping[str, Any] | None = None,
) -> None:
    """Writes an estimator's parameters and fitted arrays, and plain values that tell how they belong together.

    A temporary file beside ``path`` is written, flushed to disk and renamed, so a crash leaves the old file or the new.
    """
    kept = {
        name: value
        for name, value in estimator.get_params(deep=False).items()
        if name not in _UNSAVED and name not in without
    }
    large = {f"param_{name}": value for name, value in kept.items() if _is_large(value)}
    params = {
        name: {"member": f"param_{name}"} if f"param_{name}" in large else _as_json(name, value)
        for name, value in kept.items()
    }
    arrays = {**arrays, **large}
    members = {name: _as_bytes(name, value) for name, value in arrays.items()}
    head = {
        "format": FORMAT,
        "version": VERSION,
        "written_by": __version__,
        "estimator": type(estimator).__name__,
        "params": params,
        "fitted": _fitted(estimator),
        **({} if structure is None else {"structure": dict(structure)}),
        "objects": [name for name, value in arrays.items() if np.asarray(value).dtype.kind == "O"],
        "members": {name: hashlib.sha256(data).hexdigest() for name, data in members.items()},
    }
    text = json.dumps(head, indent=1, allow_nan=False).encode()
    if len(text) > MOST_TEXT:
        raise ValueError(
            f"The parameters and names of the model have {len(text)} bytes as JSON; a model file keeps at most "
            f"{MOST_TEXT}."
        )
    checksum = hashlib.sha256(text).hexdigest().encode()
    parts = {"model.json": text, "model.sha256": checksum} | {f"{name}.npy": data for name, data in members.items()}
    folder = os.path.dirname(os.path.abspath(path))
    if not os.path.isdir(folder):
        raise FileNotFoundError(errno.ENOENT, "The folder of the model file does not exist", folder)
    handle, temporary = tempfile.mkstemp(dir=folder, prefix=".maxmargin-", suffix=".tmp")
    try:
        with os.fdopen(handle, "w+b") as file:
            write_archive(file, parts)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def read_model(path: str | PathLike[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The JSON head and the arrays of a model file, or ``ModelFileError`` with what is wrong."""
    with open(path, "rb") as file:
        try:
            archive = ModelArchive(path, file)
            head, text = archive.head()
            if not isinstance(head, dict) or head.get("format") != FORMAT:
                raise ModelFileError(f"{path} is not a maxmargin model file.")
            if head.get("version") != VERSION:
                raise ModelFileError(
                    f"{path} has format version {head.get('version')!s:.80}, and this maxmargin reads version "
                    f"{VERSION}: save the model again."
                )
            archive.check_head(text)
            arrays = {}
            for name, digest in head["members"].items():
                array = archive.array(name, digest)
                arrays[name] = array.astype(object) if name in head["objects"] else array
            return head, arrays
        except ModelFileError:
            raise
        except Exception as error:  # whatever noise does to a parser, it means the same to the user
            raise ModelFileError(f"{path} is damaged or not a maxmargin model file ({error}).") from error


def _is_large(value: Any) -> bool:
    """Whether a parameter is an array that would make much text."""
    return isinstance(value, np.ndarray) and value.dtype.kind in "biuf" and value.size > 10_000


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _as_bytes(name: str, value: Any) -> bytes:
    array = np.asarray(value)
    if array.dtype.kind == "O":
        if not all(isinstance(item, str) for item in array.ravel()):
            raise ValueError(
                f"{name} holds Python objects other than strings, which a model file cannot keep; use str or numbers."
            )
        if any(item.endswith("\0") for item in array.ravel()):
            raise ValueError(f"{name} holds a string that ends with NUL, which NumPy would drop; give it another name.")
        array = array.astype(np.str_)
    if array.dtype.kind not in "biufUS":
        raise ValueError(f"{name} has dtype {array.dtype}, which a model file cannot keep; use numbers or strings.")
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=False)
    return buffer.getvalue()


def _as_json(name: str, value: Any) -> Any:
    """A parameter in JSON; arrays as nested lists, solver and measure objects by class and settings."""
    if isinstance(value, np.ndarray):
        return {"array": value.tolist()}
    if isinstance(value, np.generic):
        return value.item()
    for key, (kind, write, _) in _texts.items():
        if isinstance(value, kind):
            return {key: write(value)}
    if is_dataclass(value) and not isinstance(value, type):
        if type(value).__module__.partition(".")[0] != "maxmargin":
            raise ValueError(
                f"The parameter {name} is a {type(value).__name__}, which is code; a model file keeps only our "
                "solvers and measures."
            )
        return {
            "solver": type(value).__name__,
            "settings": {key: _as_json(name, item) for key, item in asdict(value).items()},
        }
    if isinstance(value, dict):
        return {"pairs": [[_as_json(name, key), _as_json(name, item)] for key, item in value.items()]}
    if isinstance(value, tuple):
        return {"tuple": [_as_json(name, item) for item in value]}
    if isinstance(value, list):
        return [_as_json(name, item) for item in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise ValueError(
        f"The parameter {name} is a {type(value).__name__}, which a model file cannot keep: "
        "set it to a plain value before saving."
    )


def parameter_from_json(value: Any, arrays: ModelArrays) -> Any:
    """The value of a parameter from what a file says of it."""
    if isinstance(value, list):
        return [parameter_from_json(item, arrays) for item in value]
    if not isinstance(value, dict):
        return value
    if "member" in value:
        return arrays[value["member"]]
    if "array" in value:
        return np.array(value["array"])
    if "tuple" in value:
        return tuple(parameter_from_json(item, arrays) for item in value["tuple"])
    if "pairs" in value:
        return {parameter_from_json(key, arrays): parameter_from_json(item, arrays) for key, item in value["pairs"]}
    for key, (_, _, read) in _texts.items():
        if key in value:
            return read(value[key])
    settings = {name: parameter_from_json(item, arrays) for name, item in value["settings"].items()}
    return _settings[value["solver"]](**settings)


def _fitted(estimator: Any) -> dict[str, Any]:
    """Numbers of the fit that are worth keeping; nothing for an estimator without a solver."""
    solution = getattr(estimator, "solution_", None)
    if solution is None:
        return {}
    return {
        **({"C_": float(estimator.C_)} if hasattr(estimator, "C_") else {}),
        "n_iter_": int(estimator.n_iter_),
        "status": solution.status.name,
        "primal": solution.primal,
        "dual": solution.dual,
        "oracle_calls": solution.oracle_calls,
    }
