"""The screening of a text: a text in, the documents it shares passages with out, with proof.

text ─► sampled hashes          fingerprint.py
     ─► looked up and weighed   rarity.py        a hash that few documents have weighs much
     ─► candidates              candidates.py    the evidence of each document
                                bar.py           which documents have enough of it
                                widespread.py    documents that share a run of common hashes
                                rows.py          which rows of the filter are looked into
     ─► not compared            leaving_out.py   the query's own document
     ─► what does not count     exempt.py        quotations and bibliographies (apparatus.py), ignored texts
     ─► texts compared          comparing.py     passages, resolved against each other
                                near.py          of a long source, only what lies near the query's hashes
                                vocabulary.py    how rare words are in the collection
     ─► Report                  answering.py     of one text
                                many.py          of many texts, batch by batch
     ─► Compared                mutual.py        documents of the collection with each other, each pair once

working.py has the threads of `many` and `mutual`, sources.py the rows of the catalog that both look at.
stores.py says what all this asks of a collection, so that one on many nodes can answer as well.
"""

from pmbf.screen.answering import screen
from pmbf.screen.candidates import Candidate, Hashes, candidates, find
from pmbf.screen.exempt import exempt, spans_in
from pmbf.screen.leaving_out import LeavingOut, LeftPaths
from pmbf.screen.many import Answer, answers, reports
from pmbf.screen.mutual import mutual
from pmbf.screen.options import Options, OptionValues
from pmbf.screen.rarity import EVIDENCE_HASHES

__all__ = [
    "EVIDENCE_HASHES",
    "Answer",
    "Candidate",
    "Hashes",
    "LeavingOut",
    "LeftPaths",
    "OptionValues",
    "Options",
    "answers",
    "candidates",
    "exempt",
    "find",
    "mutual",
    "reports",
    "screen",
    "spans_in",
]
