"""Corpora of real text that anybody can build: `python -m experiments corpus debian-small OUT`."""
