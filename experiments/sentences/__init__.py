"""Screening by sentences: `python -m experiments sentences`."""
