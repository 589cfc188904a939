"""The kernels of `reference_counts`, which answers for them as long as they are not in C."""

from pmbf.kernels.reference_counts import add_highest, merge_counts, shared_counts

__all__ = ["add_highest", "merge_counts", "shared_counts"]
