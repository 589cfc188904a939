"""The screening of a text: a text in, the documents it shares passages with out, with proof.

text ─► sampled hashes          fingerprint.py
     ─► looked up and weighed   weighing.py      a hash that few documents have weighs much; who has enough
     ─► candidates              candidates.py    the evidence of each document
                                widespread.py    documents that share a run of common hashes
                                by_rows.py       the paper's way: rows of the filter in place of postings
     ─► not compared            leaving_out.py   the query's own document
     ─► what does not count     exempt.py        quotations and bibliographies, ignored texts
     ─► texts compared          comparing.py     passages
                                near.py          of a long source, only what lies near the query's hashes
     ─► resolved                resolving.py     what of the passages counts; the matches
     ─► Report                  answering.py     all stages in order, batch by batch
     ─► Compared                mutual.py        documents of the collection with each other, each pair once

Each stage takes a batch of queries, and fills in a part of each query's record (`screened.py`). One text is a batch of
one. backend.py says what the stages ask of a collection: folder.py answers for one in a folder, with workers
(`working.py`) if they are asked for; one on many nodes can answer as well. If a file that an answer needs is damaged,
then whatever reads it raises a `CorruptError`.
"""

from pmbf.screen.answering import answers, reports, screen, screened
from pmbf.screen.backend import Backend
from pmbf.screen.candidates import Candidate, Hashes, candidates, find
from pmbf.screen.exempt import exempt, spans_in
from pmbf.screen.folder import Folder
from pmbf.screen.leaving_out import LeavingOut, LeftPaths
from pmbf.screen.mutual import mutual
from pmbf.screen.options import Options, OptionValues
from pmbf.screen.screened import Answer
from pmbf.screen.weighing import EVIDENCE_HASHES

__all__ = [
    "EVIDENCE_HASHES",
    "Answer",
    "Backend",
    "Candidate",
    "Folder",
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
    "screened",
    "spans_in",
]
