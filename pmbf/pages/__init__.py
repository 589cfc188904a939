"""Pages: reports as HTML files that open offline, send no request and can be read without script.

evidence  `evidence_page`: the text with its passages in colour, side by side with its sources
overview  `overview_page`: many reports, the texts by share, each with a link to its page
notebook  `notebook_view`: a report in a notebook
findings  what a page shows of a report: passages in query order, their words that differ, signs of manipulation
cutting   a text in pieces that lie in the same passages
marked    the screened text as HTML
sources   the cards of the passages, and the texts of the sources
lists     sections, and sentences, beside the sources
shell     what every page has: head, policy, both themes; scripts and styles are in `assets/`. `write_page`
markup    foreign text as HTML, numbers and names as words, histograms as SVG
"""

from pmbf.pages.evidence import evidence_page
from pmbf.pages.notebook import notebook_view
from pmbf.pages.overview import OverviewRow, overview_page
from pmbf.pages.shell import write_page
from pmbf.pages.sources import Extent

__all__ = ["Extent", "OverviewRow", "evidence_page", "notebook_view", "overview_page", "write_page"]
