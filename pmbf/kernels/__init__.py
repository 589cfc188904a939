"""The one door to the hot loops: text in, tokens and samples out; hashes in, bits and counts out.

There are two twins with the same names, results and errors: the native kernels, in C, and the reference, in plain
Python and NumPy. If the native kernels are built, then they answer. `PMBF_KERNELS=native` and `PMBF_KERNELS=reference`
choose a twin. Code outside imports this package only, never a module of it: a contract in `pyproject.toml` checks that.
The `__all__` of a module lists what others may use.

A kernel refuses with a `ParameterError`: an array of another dtype or shape, a number outside its range, numbers that
do not ascend where they should, bytes that are not UTF-8, and postings, pages or an index that are damaged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pmbf.kernels.align_rules import *
from pmbf.kernels.asked import *
from pmbf.kernels.choice import NAME as NAME
from pmbf.kernels.choice import NATIVE_MISSING as NATIVE_MISSING
from pmbf.kernels.choice import kernels_of
from pmbf.kernels.evident_rules import *
from pmbf.kernels.inverted_layout import *
from pmbf.kernels.lookalikes import alike as alike
from pmbf.kernels.postings_layout import *
from pmbf.kernels.segment_rows import *
from pmbf.kernels.sentence_rules import *
from pmbf.kernels.types import *

# mypy checks the types of one twin. Tests check that the other twin has the same names and types.
if TYPE_CHECKING:
    from pmbf.kernels.reference_bits import *
    from pmbf.kernels.reference_compare import *
    from pmbf.kernels.reference_evident import *
    from pmbf.kernels.reference_hash import *
    from pmbf.kernels.reference_inverted import *
    from pmbf.kernels.reference_postings import *
    from pmbf.kernels.reference_records import *
    from pmbf.kernels.reference_resultset import *
    from pmbf.kernels.reference_text import *
    from pmbf.kernels.reference_units import *
else:
    globals().update(kernels_of(NAME))
