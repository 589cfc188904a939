"""Write `pmbf/guard/licences.bin`: the hashes of licences, which are no leaks for `pmbf guard`.

    python tools/make_licences.py FILE...

Each FILE is the text of a licence. docs/licences.md lists the licences in the shipped file.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from pmbf import kernels
from pmbf.arrays import distinct
from pmbf.guard.public import LICENCES_FILE, Hashes, packed, sampled
from pmbf.text import utf8


def hashes_of(texts: Iterable[str]) -> Hashes:
    """Return the hashes by which texts are recognised, ascending, each once."""
    found = [sampled(kernels.tokenise(utf8(text)))[0] for text in texts]
    return distinct(np.concatenate([np.empty(0, np.uint32), *found]))


def main(names: list[str]) -> None:
    """Write the file."""
    if not names:
        sys.exit(__doc__)
    hashes = hashes_of(Path(name).read_text(encoding="utf-8", errors="replace") for name in names)
    LICENCES_FILE.write_bytes(packed(hashes))
    print(f"{LICENCES_FILE}: {len(hashes):,} hashes of {len(names):,} texts")


if __name__ == "__main__":
    main(sys.argv[1:])
