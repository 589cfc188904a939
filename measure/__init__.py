"""What experiments and benchmarks share: figures and their commit, processes of their own, corpora, planted texts."""
