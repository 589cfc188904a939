"""The kernels of `reference_inverted`, which answers for them as long as they are not in C."""

from pmbf.kernels.reference_inverted import drop_features, invert, update_inverted

__all__ = ["drop_features", "invert", "update_inverted"]
