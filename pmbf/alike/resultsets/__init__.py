"""Result sets: which articles of a list of search results are copies of each other, within a millisecond.

    text ─prepared─► PreparedArticle, 520 bytes              once, when the article is stored
    ─────────────────────────────────────────────────────────────────────────────────────────
    PreparedArticle, … ─alike─► pairs ─groups─► Group, …     at each request
    two texts ─shared─► what they share                      on demand

prepared     a text to its hashes, and their bytes
alike_pairs  prepared articles to the pairs that are alike; boilerplate, which does not count
duplicates   the answer for one set; groups and reasons when they are asked for
sets         `ResultSets`: all of it
"""

from pmbf.alike.resultsets.alike_pairs import Rule
from pmbf.alike.resultsets.duplicates import Duplicate, Duplicates, Group, SharedText
from pmbf.alike.resultsets.prepared import PreparedArticle
from pmbf.alike.resultsets.sets import ResultSets

__all__ = ["Duplicate", "Duplicates", "Group", "PreparedArticle", "ResultSets", "Rule", "SharedText"]
