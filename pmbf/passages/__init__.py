"""The parts of `pmbf.verify`: how shared passages are found, bounded and weighed."""
