"""A corpus as a folder: a `.txt` file for each document, in a folder for each package, and a summary.

A document is the text that `plain_text` makes of a file, in UTF-8. Documents under 500 bytes are left out. If a package
has a text twice, then the second is left out. Texts that differ a little stay: two versions of a handbook, two
spellings of a language. A package's folder appears when all its documents are written. So a build that was stopped goes
on with the next package. The summary, `.corpus.json`, is hidden, so that no load takes it for a document.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from experiments.corpus import debian
from experiments.corpus.plain import plain_text
from pmbf.base.errors import NotFoundError

LISTS = Path(__file__).parent
LEAST_BYTES = 500
SUMMARY = ".corpus.json"
_SUPERFLUOUS = ("usr/share/doc/", "usr/share/gnome/help/", "usr/share/man/")


@dataclass(frozen=True, slots=True)
class Package:
    """The documents of one package: version, number and bytes."""

    name: str
    version: str
    documents: int
    bytes: int

    def __str__(self) -> str:
        return f"{self.name} {self.version}: {self.documents:,} documents, {self.bytes / 1e6:.1f} MB"


def listed(name: str) -> tuple[str, list[str]]:
    """Return the description in a list of packages, and the packages.

    Args:
        name: Name of a list beside this module, or the path of another list. A line is a package; `#` begins a comment.

    Raises:
        NotFoundError: There is no such list.

    >>> listed("debian-small")[1][:2]
    ['debian-handbook', 'git-doc']
    """
    path = next((path for path in (LISTS / f"{name}.list", Path(name)) if path.is_file()), None)
    if path is None:
        known = ", ".join(sorted(one.stem for one in LISTS.glob("*.list")))
        raise NotFoundError(f"{name}: is no list of packages and no file; lists are {known}")
    lines = path.read_text(encoding="utf-8").splitlines()
    about = " ".join(line.lstrip("# ") for line in lines if line.startswith("#"))
    return about, [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def build(
    packages: Sequence[str], out: Path, *, debs: Path | None = None, on_done: Callable[[str], None] = print
) -> list[str]:
    """Write the documents of packages below a folder, and return a line for each package that failed.

    Args:
        packages: Names, as apt has them. A package whose folder exists is not fetched again.
        out: Folder to write.
        debs: Folder of .deb files, which are used instead of downloads.
        on_done: Called with a line for each package.
    """
    out.mkdir(parents=True, exist_ok=True)
    done, failed = {one.name: one for one in summary(out)}, []
    for number, name in enumerate(packages, 1):
        if name not in done or not (out / name).is_dir():
            try:
                done[name] = _written(name, out, debs)
            except NotFoundError as error:
                failed.append(f"{name}: {error}")
                on_done(f"{number} of {len(packages)}: {failed[-1]}")
                continue
            content = {"packages": [asdict(done[one]) for one in sorted(done)]}
            (out / SUMMARY).write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
        on_done(f"{number} of {len(packages)}: {done[name]}")
    return failed


def summary(folder: Path) -> list[Package]:
    """Return the packages of a corpus; none if `build` did not write the folder."""
    path = folder / SUMMARY
    if not path.exists():
        return []
    return [Package(**one) for one in json.loads(path.read_text(encoding="utf-8"))["packages"]]


def total(packages: Sequence[Package]) -> str:
    """Return the size of a corpus in words.

    >>> total([Package("a", "1", 2, 3_000_000), Package("b", "1", 1, 1_000_000)])
    '3 documents, 4.0 MB, of 2 packages'
    """
    n_documents, n_bytes = sum(one.documents for one in packages), sum(one.bytes for one in packages)
    return f"{n_documents:,} documents, {n_bytes / 1e6:.1f} MB, of {len(packages)} packages"


def _written(name: str, out: Path, debs: Path | None) -> Package:
    unfinished = out / f"{name}.part"
    n_documents = n_bytes = 0
    with debian.fetched(name, debs) as deb:
        for leftover in (unfinished, out / name):
            shutil.rmtree(leftover, ignore_errors=True)
        unfinished.mkdir()
        for path, text in _documents(deb):
            target = unfinished / f"{path}.txt"
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(text)
            n_documents += 1
            n_bytes += len(text)
        version = debian.version(deb)
    unfinished.rename(out / name)
    return Package(name, version, n_documents, n_bytes)


def _documents(deb: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the path and the text of each document of a package; equal texts once."""
    seen = set[bytes]()
    for path, content in debian.files(deb):
        found = plain_text(path, content)
        text = (found or "").encode("utf-8", "replace")
        digest = hashlib.sha256(text).digest()
        if len(text) >= LEAST_BYTES and digest not in seen:
            seen.add(digest)
            yield _short(path), text


def _short(path: str) -> str:
    """Return a file's path without the folders that all documentation shares."""
    return next((path.removeprefix(prefix) for prefix in _SUPERFLUOUS if path.startswith(prefix)), path)
