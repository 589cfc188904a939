"""The work folder of a run: its finished blocks, each written once, so that a run that was killed is continued.

    offset  bytes  field
         0      8  magic          89 50 41 49 52 53 0D 0A
         8      4  CRC-32 of all that follows
        12      4  bytes of the header
        16      …  header         JSON: what the block is of, and the name, dtype and length of each array
         …      …  the arrays, one after another

A block that is damaged, or of another run, counts as not there: it is made again and replaced.
"""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from shutil import rmtree
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmbf import kernels
from pmbf.base.errors import ParameterError
from pmbf.store.folders import make_folder, replacing, temporary_folder
from pmbf.store.locks import writer_lock

Arrays = dict[str, NDArray[Any]]

MAGIC = b"\x89PAIRS\r\n"
_HEAD = struct.Struct("<8sII")
_DTYPES = ("uint8", "int8", "uint16", "uint32", "uint64", "int64")
_MARK = "pmbf-pairs.txt"
_MARKED = "Finished blocks of `pmbf pairs`. The same command continues from them. Remove the folder when it is done.\n"


class Work:
    """A folder of blocks, which exists. One process at a time has it.

    Thread rule: threads may read and write blocks of different names.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def read(self, name: str, run: str) -> Arrays | None:
        """Return the arrays of a finished block; None if there is none, it is damaged, or it is of another run."""
        try:
            content = self._path(name).read_bytes()
        except FileNotFoundError:
            return None
        return arrays_in(content, run)

    def write(self, name: str, run: str, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Write a block; after a crash it is there whole or not at all."""
        with replacing(self._path(name)) as file:
            file.write(as_bytes(run, arrays))

    def remove(self, name: str) -> None:
        """Remove a block, if there is one."""
        self._path(name).unlink(missing_ok=True)

    @contextmanager
    def mapped_folder(self) -> Iterator[Path]:
        """Yield an empty folder for what the processes of the run map; it is removed."""
        path = self.folder / "mapped"
        rmtree(path, ignore_errors=True)  # that a killed run left
        path.mkdir(mode=0o700)
        try:
            yield path
        finally:
            rmtree(path, ignore_errors=True)

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}.block"


@contextmanager
def work_folder(folder: str | os.PathLike[str] | None) -> Iterator[Work]:
    """Yield the work folder of a run: the one given, which stays, or a temporary one.

    Raises:
        ParameterError: The folder holds something else.
        BusyError: Another process works in it.
    """
    with ExitStack() as stack:
        if folder is None:
            yield Work(stack.enter_context(temporary_folder("pmbf-pairs-")))
            return
        path = Path(folder)
        make_folder(path, mode=0o700)
        if not (path / _MARK).exists():
            if any(path.iterdir()):
                raise ParameterError(f"work is {path}, which holds other files, expected a new or an empty folder")
            (path / _MARK).write_text(_MARKED)
        stack.enter_context(writer_lock(path))
        yield Work(path)


def as_bytes(run: str, arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Return a block as it is stored."""
    described = [[name, array.dtype.name, len(array)] for name, array in arrays.items()]
    header = json.dumps({"run": run, "arrays": described}).encode()
    parts = [header, *(np.ascontiguousarray(array).tobytes() for array in arrays.values())]
    body = struct.pack("<I", len(header)) + b"".join(parts)
    return MAGIC + struct.pack("<I", kernels.checksum(body)) + body


def arrays_in(content: bytes, run: str | None = None) -> Arrays | None:
    """Return the arrays of a stored block; None if it is damaged or of another run."""
    if len(content) < _HEAD.size:
        return None
    magic, crc, n_header = _HEAD.unpack_from(content)
    if magic != MAGIC or kernels.checksum(memoryview(content)[12:]) != crc:
        return None
    header = json.loads(content[_HEAD.size : _HEAD.size + n_header])
    if run is not None and header["run"] != run:
        return None
    arrays, at = {}, _HEAD.size + n_header
    for name, dtype, length in header["arrays"]:
        if dtype not in _DTYPES:
            return None
        arrays[name] = np.frombuffer(content, dtype, length, at).copy()  # aligned
        at += arrays[name].nbytes
    return arrays


def run_of(content: bytes) -> str:
    """Return what a sound block is of."""
    _, _, n_header = _HEAD.unpack_from(content)
    return str(json.loads(content[_HEAD.size : _HEAD.size + n_header])["run"])
