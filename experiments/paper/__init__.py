"""The experiments of the paper on the pseudo-matrix Bloom filter, run with pmbf: `python -m experiments paper`.

Source:
    Tskhay, Butakov & Kim 2014, Fast filtering of texts by means of a modified Bloom filter (in Russian).
"""
