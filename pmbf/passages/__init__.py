"""The parts of `pmbf.verify`: how the passages that two texts share are found, bounded and weighed."""
