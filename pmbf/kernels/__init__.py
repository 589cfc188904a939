"""The one door to the hot loops: text in, tokens and samples out; hashes in, bits and counts out.

Two twins answer the same names with the same results and the same errors: the native kernels, in C, and the NumPy
reference. The native ones answer where they are built; `PMBF_KERNELS=native` and `PMBF_KERNELS=reference` choose one.
Nothing outside this package imports a module of it: a contract in `pyproject.toml` says so. What a module gives to
others stands in its `__all__`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pmbf.kernels.align_rules import *
from pmbf.kernels.choice import NAME as NAME
from pmbf.kernels.choice import NATIVE_MISSING as NATIVE_MISSING
from pmbf.kernels.choice import kernels_of
from pmbf.kernels.lookalikes import alike as alike
from pmbf.kernels.types import *

# One twin is checked for types; the other has the same names and, so the tests say, the same types.
if TYPE_CHECKING:
    from pmbf.kernels.reference_align import *
    from pmbf.kernels.reference_bits import *
    from pmbf.kernels.reference_files import *
    from pmbf.kernels.reference_gaps import *
    from pmbf.kernels.reference_keyed import *
    from pmbf.kernels.reference_query import *
    from pmbf.kernels.reference_records import *
    from pmbf.kernels.reference_runs import *
    from pmbf.kernels.reference_text import *
    from pmbf.kernels.reference_turning import *
    from pmbf.kernels.reference_words import *
else:
    globals().update(kernels_of(NAME))
