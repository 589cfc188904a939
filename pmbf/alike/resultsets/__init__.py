"""Result sets: which articles of a list of search results are copies of each other, within a millisecond.

    text ─preparing─► PreparedArticle, 520 bytes                 once, when the article is stored
    ────────────────────────────────────────────────────────────────────────────────────────
    PreparedArticle, … ─comparing─► pairs ─grouping─► Group, …   at each request
    two texts ─reasons─► what they share                         on demand

prepared     the hashes of one article, and their bytes
preparing    a text to its hashes: words, or sentences
stemming     the stems of words, once for each word
kept         what was prepared lately, by key
boilerplate  hashes that many unlike articles of a background have
comparing    prepared articles to the pairs that are alike
grouping     pairs to groups, each with the article that is shown
duplicates   the answer for one set; groups and reasons when they are asked for
reasons      what two texts share, with its places
sets         `ResultSets`: all of it
"""

from pmbf.alike.resultsets.alike_pairs import Rule
from pmbf.alike.resultsets.duplicates import Duplicates
from pmbf.alike.resultsets.grouping import Duplicate, Group
from pmbf.alike.resultsets.prepared import PreparedArticle
from pmbf.alike.resultsets.reasons import SharedText
from pmbf.alike.resultsets.sets import ResultSets

__all__ = ["Duplicate", "Duplicates", "Group", "PreparedArticle", "ResultSets", "Rule", "SharedText"]
