"""Shared by experiments and benchmarks: figures with their commit, processes of their own, corpora, planted texts."""
