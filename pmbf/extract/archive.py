"""Zip files that a stranger made, read in memory and never beyond what the limits allow.

The headers of a zip are claims. What is checked before anything is expanded: the number of members, their claimed
sizes and ratios, that no two overlap (one compressed kernel served many times), encryption. What is checked while
expanding: that a member is as long as it claimed, and the sum over the whole document.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterator

from pmbf.errors import IncompleteError
from pmbf.extract.limits import MIB
from pmbf.extract.reading import Reading

CHUNK_BYTES = MIB
LOCAL_HEADER_BYTES = 30
_ZIP_ERRORS = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError, ValueError, RuntimeError)
"""What `zipfile` raises on forged, cut and encrypted members. RuntimeError is its word for "needs a password"."""


class Archive:
    """The members of one zip file.

    Raises:
        IncompleteError: The file is cut short, damaged or encrypted, or claims more than the limits allow.
    """

    def __init__(self, raw: bytes, reading: Reading) -> None:
        self._reading = reading
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(raw))
        except (*_ZIP_ERRORS, IndexError, KeyError) as error:
            raise IncompleteError(f"damaged or cut short: {error}") from None
        self._members = {m.filename: m for m in self._zip.infolist() if not m.is_dir()}
        self._check_claims()

    def names(self) -> list[str]:
        """Return the members' names, numbers in numeric order: slide2 before slide10."""
        return sorted(self._members, key=_natural)

    def chunks(self, name: str) -> Iterator[bytes]:
        """Yield a member's bytes, piece by piece.

        Raises:
            IncompleteError: It is damaged, not as long as it claims, or too much with what was expanded before.
        """
        n_bytes = 0
        try:
            with self._zip.open(self._members[name]) as member:
                while chunk := member.read(CHUNK_BYTES):
                    n_bytes += len(chunk)
                    self._reading.spend_expanded(len(chunk))
                    yield chunk
        except _ZIP_ERRORS as error:
            if isinstance(error, IncompleteError):
                raise
            raise IncompleteError(f"{name}: damaged: {error}") from None
        if n_bytes != self._members[name].file_size:
            raise IncompleteError(f"{name}: {n_bytes} bytes, its header says {self._members[name].file_size}")

    def read(self, name: str) -> bytes:
        """Return a member's bytes, bounded as in `chunks`."""
        return b"".join(self.chunks(name))

    def head(self, name: str, n_bytes: int) -> bytes:
        """Return a member's first bytes without the check of its end."""
        for chunk in self.chunks(name):
            return chunk[:n_bytes]
        return b""

    def _check_claims(self) -> None:
        limits = self._reading.limits
        self._reading.spend_entries(len(self._zip.filelist))
        for member in self._zip.filelist:
            if member.flag_bits & 1:
                raise IncompleteError("encrypted: remove its password first")
            ratio = member.file_size / max(1, member.compress_size)
            if member.file_size > MIB and ratio > limits.max_ratio:
                raise IncompleteError(f"{member.filename}: expands {ratio:.0f} times, limit {limits.max_ratio}")
        if sum(member.file_size for member in self._zip.filelist) > limits.max_expanded_bytes:
            raise IncompleteError(f"expands to more than the limit of {limits.max_expanded_bytes} bytes")
        if len(set(self._zip.namelist())) < len(self._zip.filelist):
            raise IncompleteError("two members have one name: readers disagree which of them counts")
        self._check_overlaps()

    def _check_overlaps(self) -> None:
        stop = 0
        for member in sorted(self._zip.filelist, key=lambda member: member.header_offset):
            if member.header_offset < stop:
                raise IncompleteError(f"{member.filename}: overlaps another member")
            stop = member.header_offset + LOCAL_HEADER_BYTES + member.compress_size


def _natural(name: str) -> list[tuple[int, str]]:
    return [(int(digits), "") if digits else (-1, other) for digits, other in re.findall(r"(\d{1,18})|(\D+)", name)]
