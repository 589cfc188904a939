"""Sentences: which sentences of a text stand in which documents; a store beside a collection, made from its texts.

build, follow, drop    make the store, let it follow a change, delete it
Sentences              the store, opened: units by their keys
screened               texts in, their SentenceReports out; of one text, screen_sentences
"""

from pmbf.sentences.building import build, follow
from pmbf.sentences.by_keys import Sentences, Status
from pmbf.sentences.report import Sentence, SentenceOrigin, SentenceReport, SentenceSource, SiteAnswer, StretchPair
from pmbf.sentences.screening import SentenceAnswer, SentenceFolder, options_of, screen_sentences, screened
from pmbf.sentences.state import drop, exists

__all__ = [
    "Sentence",
    "SentenceAnswer",
    "SentenceFolder",
    "SentenceOrigin",
    "SentenceReport",
    "SentenceSource",
    "Sentences",
    "SiteAnswer",
    "Status",
    "StretchPair",
    "build",
    "drop",
    "exists",
    "follow",
    "options_of",
    "screen_sentences",
    "screened",
]
