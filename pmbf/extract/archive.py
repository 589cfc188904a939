"""Zip files that a stranger made, read in memory and within the limits.

The headers of a zip are claims. Checked before anything is expanded: the number of members, that none is encrypted, and
that no two share a name or overlap (a bomb lists the same compressed bytes many times). Checked before a member is
expanded: its ratio. Checked during its expansion: that it is as long as it claims, and the sum over the whole document.
"""

from __future__ import annotations

import io
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator

from pmbf.base.errors import IncompleteError
from pmbf.extract.limits import MIB
from pmbf.extract.reading import OverLimitError, Reading
from pmbf.extract.strings import runs

CHUNK_BYTES = MIB
HEAD_BYTES = 4096
LOCAL_HEADER_BYTES = 30
DESCRIPTOR_BYTES = 24
"""A member's bytes may be followed by their length and checksum, once more."""
_ZIP_ERRORS = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError, ValueError, RuntimeError)
"""Errors of `zipfile` on forged, cut and encrypted members. RuntimeError means "needs a password"."""


class Archive:
    """The members of one zip file; `IncompleteError` if it is cut short, damaged, encrypted, or claims too much."""

    def __init__(self, raw: bytes, reading: Reading) -> None:
        self._raw, self._reading = raw, reading
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(raw))
        except (*_ZIP_ERRORS, IndexError, KeyError) as error:
            raise IncompleteError(f"damaged or cut short: {error}") from None
        # Folders are empty. To other programs a member that calls itself a folder and holds bytes is a file.
        self._members = {m.filename: m for m in self._zip.infolist() if m.file_size or not m.filename.endswith("/")}
        self._check_claims()

    def names(self) -> list[str]:
        """Return the members' names, numbers in numeric order: slide2 before slide10."""
        return sorted(self._members, key=_natural)

    def chunks(self, name: str) -> Iterator[bytes]:
        """Return a member's bytes, piece by piece. If it expands too far, then the whole document is over a limit."""
        if not self.is_within_ratio(name):
            times = self._members[name].file_size / max(1, self._members[name].compress_size)
            raise OverLimitError(
                f"{name}: expands {times:.0f} times, limit {self._reading.limits.max_ratio} (max_ratio)"
            )
        return self._expanded(name)

    def is_within_ratio(self, name: str) -> bool:
        """Tell whether a member expands within the limits, by the claims of its header."""
        member = self._members[name]
        return member.file_size <= max(MIB, member.compress_size * self._reading.limits.max_ratio)

    def read(self, name: str) -> bytes:
        """Return a member's bytes, bounded as in `chunks`."""
        return b"".join(self.chunks(name))

    def head(self, name: str) -> bytes:
        """Return a member's first bytes, at most `HEAD_BYTES`; its ratio does not matter."""
        return next(self._expanded(name, HEAD_BYTES), b"")

    def beside(self) -> str:
        """Return the text in bytes that are no content of a member: in comments, extra fields, gaps, behind the end."""
        edges = [0, *(at for _, start, stop in self._contents() for at in (start, stop)), len(self._raw)]
        text = runs(b"".join(self._raw[start:stop] for start, stop in zip(edges[::2], edges[1::2], strict=True)))
        self._reading.spend_text(len(text))
        return self._reading.part(text, "comments")

    def unclaimed(self) -> Iterator[tuple[int, int]]:
        """Yield the ranges of bytes before the directory that belong to no member. Other programs may read them."""
        before = 0
        for header, _, stop in self._contents():
            if header > before + DESCRIPTOR_BYTES or (not before and header):
                yield before, header
            before = stop
        if self._zip.start_dir > before + DESCRIPTOR_BYTES:
            yield before, self._zip.start_dir

    def _contents(self) -> Iterator[tuple[int, int, int]]:
        """Yield where the header of each member begins, and where its packed content begins and ends, in order."""
        for member in sorted(self._zip.filelist, key=lambda member: member.header_offset):
            try:
                n_name, n_extra = struct.unpack_from("<HH", self._raw, member.header_offset + LOCAL_HEADER_BYTES - 4)
            except struct.error as error:
                raise IncompleteError(f"damaged: {error}") from None
            start = member.header_offset + LOCAL_HEADER_BYTES + n_name + n_extra
            yield member.header_offset, start, start + member.compress_size

    def _expanded(self, name: str, chunk_bytes: int = CHUNK_BYTES) -> Iterator[bytes]:
        n_bytes = 0
        try:
            with self._zip.open(self._members[name]) as member:
                while chunk := member.read(chunk_bytes):
                    n_bytes += len(chunk)
                    self._reading.spend_expanded(len(chunk))
                    yield chunk
        except _ZIP_ERRORS as error:
            if isinstance(error, IncompleteError):
                raise
            raise IncompleteError(f"{name}: damaged: {error}") from None
        if n_bytes != self._members[name].file_size:
            raise IncompleteError(f"{name}: {n_bytes} bytes, its header says {self._members[name].file_size}")

    def _check_claims(self) -> None:
        self._reading.spend_entries(len(self._zip.filelist))
        for member in self._zip.filelist:
            if member.flag_bits & 1:
                raise IncompleteError("encrypted: remove its password first")
        if len(set(self._zip.namelist())) < len(self._zip.filelist):
            raise IncompleteError("two members have one name: readers disagree which of them counts")
        stop = 0
        for member in sorted(self._zip.filelist, key=lambda member: member.header_offset):
            if member.header_offset < stop:
                raise IncompleteError(f"{member.filename}: overlaps another member")
            stop = member.header_offset + LOCAL_HEADER_BYTES + member.compress_size


def _natural(name: str) -> list[tuple[int, str]]:
    return [(int(digits), "") if digits else (-1, other) for digits, other in re.findall(r"(\d{1,18})|(\D+)", name)]
