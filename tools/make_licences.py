"""Write `pmbf/guard/licences.bin`: the hashes of licences and of their notices, which are no leaks for `pmbf guard`.

    python tools/make_licences.py LICENCE... --notices FILE... --heads FILE...

Each LICENCE is the text of a licence; its hashes are sampled. Of the files behind `--notices`, such as
`/usr/share/doc/*/copyright`, and of the first 30 lines of the files behind `--heads`, such as C headers, all hashes are
kept that three different texts have: a notice stands in many files, the names and years between its words do not.
docs/licences.md lists the files of the shipped list. A name that begins with @ is a file with a name a line.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from pmbf import kernels
from pmbf.base.arrays import distinct
from pmbf.guard.allowing import LICENCES_FILE, Hashes, packed, sampled, windows
from pmbf.text import utf8

LEAST_FILES = 3
HEAD_LINES = 30


def hashes_of(texts: Iterable[str]) -> Hashes:
    """Return the hashes by which texts are recognised, ascending, each once."""
    found = [sampled(kernels.tokenise(utf8(text)))[0] for text in texts]
    return distinct(np.concatenate([np.empty(0, np.uint32), *found]))


def common_hashes(texts: Iterable[str]) -> Hashes:
    """Return the hashes that `LEAST_FILES` different texts have, ascending."""
    found = [distinct(windows(kernels.tokenise(utf8(text)))) for text in dict.fromkeys(texts)]
    hashes, n_files = np.unique(np.concatenate([np.empty(0, np.uint32), *found]), return_counts=True)
    return hashes[n_files >= LEAST_FILES]


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("licences", nargs="+", metavar="LICENCE")
    parser.add_argument("--notices", nargs="*", default=[], metavar="FILE")
    parser.add_argument("--heads", nargs="*", default=[], metavar="FILE")
    given = parser.parse_args()
    of_licences = hashes_of(_texts(given.licences))
    of_notices = common_hashes(_texts(given.notices))
    of_heads = common_hashes("\n".join(text.splitlines()[:HEAD_LINES]) for text in _texts(given.heads))
    hashes = distinct(np.concatenate([of_licences, of_notices, of_heads]))
    LICENCES_FILE.write_bytes(packed(hashes))
    print(f"{LICENCES_FILE}: {len(hashes):,} hashes")
    print(f"{len(of_licences):,} of licences, {len(of_notices):,} of notices, {len(of_heads):,} of heads")


def _texts(names: Iterable[str]) -> Iterator[str]:
    for name in names:
        if name.startswith("@"):
            yield from _texts(Path(name[1:]).read_text(encoding="utf-8").splitlines())
        else:
            yield Path(name).read_text(encoding="utf-8", errors="replace")


if __name__ == "__main__":
    main()
