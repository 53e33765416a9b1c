"""The zip of a model file, read without trusting it: no member is larger than it says, and none is executed."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Iterable, Mapping
from os import PathLike, fspath
from typing import Any, BinaryIO

import numpy as np

MOST_TEXT = 1 << 26
"""Bytes of JSON in a model file; read, they take up to 20 times as much memory."""

EXPANSION = 100
"""How many times larger than the file its parts may be; what would expand more is stored without compression."""

FREE = 1 << 24
"""Bytes that the parts of any file may have."""

_PIECE = 1 << 22


class ModelFileError(ValueError):
    """A model file that cannot be read."""


class ModelArchive:
    """An open model file. Sizes are compared before anything is read, checksums after it.

    Reading raises whatever zipfile, json or NumPy raise for noise, and ``ModelFileError`` for what is found here.
    """

    def __init__(self, path: str | PathLike[str], file: BinaryIO) -> None:
        self._path = fspath(path)
        self._zip = zipfile.ZipFile(file)
        names = [info.filename for info in self._zip.infolist()]
        if len(set(names)) < len(names):
            raise ModelFileError(f"{self._path} is damaged: it has two parts of one name.")
        size = file.seek(0, 2)
        stated = sum(info.file_size for info in self._zip.infolist())
        if stated > EXPANSION * size + FREE:
            raise ModelFileError(
                f"{self._path} has {size} bytes and says that its parts have {stated}, more than {EXPANSION} times as "
                "many; this is no file that save writes. Save the model again."
            )

    def head(self) -> tuple[Any, bytes]:
        """The JSON part as a value and as bytes."""
        stated = self._zip.getinfo("model.json").file_size
        if stated > MOST_TEXT:
            raise ModelFileError(
                f"{self._path} says that its model.json has {stated} bytes; at most {MOST_TEXT} are read."
            )
        text = self._zip.read("model.json")
        return json.loads(text.decode(), parse_constant=_refuse_constant), text

    def check_head(self, text: bytes) -> None:
        """Compares the JSON part with its checksum."""
        if self._zip.getinfo("model.sha256").file_size != 64:
            raise ModelFileError(f"{self._path} is damaged: its checksum of model.json is no checksum.")
        if self._zip.read("model.sha256").decode() != hashlib.sha256(text).hexdigest():
            raise ModelFileError(f"{self._path} is damaged: the checksum of model.json does not match.")

    def array(self, name: str, digest: str) -> np.ndarray[Any, Any]:
        """A member as an array of numbers or text, read once and in place."""
        info = self._zip.getinfo(f"{name}.npy")
        with self._zip.open(info) as member:
            seen = _Hashed(member)
            version = np.lib.format.read_magic(seen)
            read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
            shape, columns_first, dtype = read(seen)
            if dtype.kind not in "biufUS":
                raise ModelFileError(f"{self._path} is damaged: its member {name} has dtype {dtype}.")
            array = _room(shape, dtype, info.file_size - seen.count)
            if array is None:
                raise ModelFileError(f"{self._path} is damaged: its member {name} is not as long as it says.")
            if array.nbytes:
                for piece in _pieces(memoryview(array.reshape(-1).view(np.uint8))):  # type: ignore[arg-type]
                    if seen.into(piece) != len(piece):
                        raise ModelFileError(f"{self._path} is damaged: its member {name} is cut off.")
            if member.read(1) or seen.digest() != digest:
                raise ModelFileError(f"{self._path} is damaged: the checksum of its member {name} does not match.")
        if columns_first:
            array = array.reshape(shape[::-1]).transpose()
        _check_text(self._path, name, array)
        return np.ascontiguousarray(array.astype(dtype.newbyteorder("="), copy=False)).reshape(shape)


class _Hashed:
    """A binary file that counts and hashes what is read from it."""

    def __init__(self, file: Any) -> None:
        self._file, self._hash, self.count = file, hashlib.sha256(), 0

    def read(self, size: int = -1, /) -> bytes:
        data: bytes = self._file.read(size)
        self._hash.update(data)
        self.count += len(data)
        return data

    def into(self, target: memoryview) -> int:
        done = 0
        while done < len(target) and (got := self._file.readinto(target[done:])):
            done += got
        self._hash.update(target[:done])
        return done

    def digest(self) -> str:
        return self._hash.hexdigest()


def _room(shape: Iterable[int], dtype: np.dtype[Any], size: int) -> np.ndarray[Any, Any] | None:
    """An array for ``size`` bytes, or None where the shape wants another number of them."""
    count = 1
    for length in (sizes := tuple(shape)):
        count *= int(length)
    if any(length < 0 for length in sizes) or count * dtype.itemsize != size:
        return None
    return np.empty(sizes, dtype=dtype)


def _pieces(whole: memoryview) -> Iterable[memoryview]:
    return (whole[start : start + _PIECE] for start in range(0, len(whole), _PIECE))


def _check_text(path: str, name: str, array: np.ndarray[Any, Any]) -> None:
    """Bytes may be any; characters must be characters."""
    if array.dtype.kind != "U" or not array.size or not array.itemsize:
        return
    codes = np.ascontiguousarray(array).reshape(-1).view(array.dtype.byteorder.replace("|", "=") + "u4")
    if codes.max() > 0x10FFFF or ((codes >= 0xD800) & (codes <= 0xDFFF)).any():
        raise ModelFileError(f"{path} is damaged: its member {name} holds text that is not Unicode.")


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is no number")


def write_archive(file: BinaryIO, parts: Mapping[str, bytes]) -> None:
    """Writes the parts; without compression where they would expand more than ``ModelArchive`` allows."""
    for compression in (zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED):
        file.seek(0)
        file.truncate()
        with zipfile.ZipFile(file, "w", compression) as archive:
            for name, data in parts.items():
                archive.writestr(name, data)
        if sum(map(len, parts.values())) <= EXPANSION * file.seek(0, 2) + FREE:
            return
