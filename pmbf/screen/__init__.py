"""The way out: a text in, the documents it shares passages with out, with proof.

text ─► sampled hashes          fingerprint.py
     ─► candidates              candidates.py    rows above chance, their documents, exact shared hashes
     ─► texts compared          comparing.py     passages, resolved against each other
     ─► Report                  answering.py     one text, or many
"""

from pmbf.screen.answering import screen
from pmbf.screen.candidates import (
    WINDOW_HASHES,
    Candidate,
    Hashes,
    candidates,
    candidates_of_each,
    informative,
    rows_above_chance,
    windows,
)
from pmbf.screen.options import Options

__all__ = [
    "WINDOW_HASHES",
    "Candidate",
    "Hashes",
    "Options",
    "candidates",
    "candidates_of_each",
    "informative",
    "rows_above_chance",
    "screen",
    "windows",
]
