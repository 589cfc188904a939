"""The way out: a text in, the documents it shares passages with out, with proof.

text ─► sampled hashes          fingerprint.py
     ─► looked up and weighed   rarity.py        what few rows hold says much
     ─► candidates              candidates.py    rows with evidence, their documents, exact shared hashes
     ─► texts compared          comparing.py     passages, resolved against each other
     ─► Report                  answering.py     of one text
                                many.py          of many, in several processes
"""

from pmbf.screen.answering import screen
from pmbf.screen.candidates import Candidate, Hashes, candidates, find, rows_looked_into
from pmbf.screen.exempt import spans_in
from pmbf.screen.many import Answer, Reader, answers
from pmbf.screen.options import Options
from pmbf.screen.rarity import EVIDENCE_HASHES, needed

__all__ = [
    "EVIDENCE_HASHES",
    "Answer",
    "Candidate",
    "Hashes",
    "Options",
    "Reader",
    "answers",
    "candidates",
    "find",
    "needed",
    "rows_looked_into",
    "screen",
    "spans_in",
]
