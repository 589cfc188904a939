"""The kernels of `reference_chunks`, which answers for them as long as they are not in C."""

from pmbf.kernels.reference_chunks import chunk_ids, chunk_lists

__all__ = ["chunk_ids", "chunk_lists"]
