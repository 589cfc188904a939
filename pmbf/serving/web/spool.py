"""Uploads that wait: each in a file without a name, all together of bounded size."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from pmbf.serving.http.messages import HttpError

MOST_BYTES, MOST_FILES = 4 << 30, 512
"""Of all uploads together."""


class Spool:
    """The bytes of uploads that are read or wait.

    Args:
        most_bytes: Bytes of all uploads together; more are refused.
        most_files: Files of all uploads together; a program can open some 1,000.
    """

    def __init__(self, most_bytes: int = MOST_BYTES, most_files: int = MOST_FILES) -> None:
        self.n_bytes, self.n_files = 0, 0
        self._most_bytes, self._most_files = most_bytes, most_files

    def take(self, n_bytes: int = 0, n_files: int = 0) -> None:
        """Take room.

        Raises:
            HttpError: There is too little.
        """
        if self.n_bytes + n_bytes > self._most_bytes:
            raise HttpError(503, f"{self.n_bytes} bytes wait already; ask again later", Retry_After="5")
        if self.n_files + n_files > self._most_files:
            raise HttpError(503, f"{self.n_files} files wait already; ask again later", Retry_After="5")
        self.n_bytes += n_bytes
        self.n_files += n_files

    def give(self, n_bytes: int = 0, n_files: int = 0) -> None:
        """Give room back."""
        self.n_bytes -= n_bytes
        self.n_files -= n_files


class Spooled:
    """The bytes of one upload on disk. They take room until the file is closed, or nobody has it any more."""

    def __init__(self, spool: Spool) -> None:
        with disk_is_not_full():
            self._file = tempfile.TemporaryFile()  # noqa: SIM115 (closed by `close`)
        self._spool, self._n_bytes, self._n_files = spool, 0, 0
        spool.take(n_files=1)
        self._n_files = 1

    def __del__(self) -> None:
        with suppress(AttributeError):  # the file could not be made
            self.close()

    def write(self, piece: bytes) -> None:
        """Append bytes.

        Raises:
            HttpError: There is too little room, or the disk is full.
        """
        self._spool.take(len(piece))
        self._n_bytes += len(piece)
        with disk_is_not_full():
            self._file.write(piece)

    def read(self) -> bytes:
        """Return all bytes."""
        with disk_is_not_full():
            self._file.seek(0)
        return self._file.read()

    def close(self) -> None:
        """Drop the bytes."""
        self._file.close()
        self._spool.give(self._n_bytes, self._n_files)
        self._n_bytes = self._n_files = 0


@contextmanager
def disk_is_not_full() -> Iterator[None]:
    """Tell the client of a file that cannot be written. Raises `HttpError`."""
    try:
        yield
    except ConnectionError:  # the client has gone
        raise
    except OSError as error:
        raise HttpError(503, f"the upload cannot be kept: {error.strerror}", Retry_After="5") from None
