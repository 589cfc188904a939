"""Documents that are nearly right: pieces cut, doubled, moved, overwritten, and words of the format put in."""

import os

from hypothesis import settings
from hypothesis import strategies as st

EXAMPLES = int(os.environ.get("PMBF_FUZZ", "0"))
"""How many of each target; none said: few, and the same each time."""

fuzzing = settings(max_examples=EXAMPLES or 80, derandomize=not EXAMPLES)
NUMBERS = (b"\0", b"\xff", b"\x7f\xff\xff\xff", b"\xff" * 8, b"\0" * 8, b"\x80", b"-1", b"99999999999")


@st.composite
def damaged(draw, seeds, tokens=()):
    """Draw one of some documents with up to eight changes; one in nine is whole."""
    raw = bytearray(draw(st.sampled_from(seeds)))
    for _ in range(draw(st.integers(0, 8))):
        start = draw(st.integers(0, len(raw)))
        stop = min(len(raw), start + draw(st.sampled_from((0, 1, 2, 4, 16, 200))))
        piece = bytes(raw[start:stop])
        raw[start:stop] = draw(
            st.sampled_from((b"", piece * 2, piece * 40, piece[::-1], *NUMBERS, *tokens)) | st.binary(max_size=8)
        )
    return bytes(raw)
