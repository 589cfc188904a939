"""The kernel of `reference_join`, which answers for it as long as it is not in C."""

from pmbf.kernels.reference_join import jaccard_join

__all__ = ["jaccard_join"]
