"""Pages: reports as HTML files that open offline, send no request and can be read without script.

evidence  `evidence_page`: the text with its passages in colour, side by side with its sources
overview  `overview_page`: many reports, the texts by share, each with a link to its page
notebook  `notebook_view`: a report in a notebook
findings  what a page shows of a report: passages in query order, their words that differ, the texts
lines     the lines of a PDF as they are shown
cutting   a text in pieces that lie in the same passages
marked    the screened text as HTML
sources   the cards of the passages, and the texts of the sources
signs     signs of manipulation, with their places
shell     what every page has: head, policy, both themes; scripts and styles are in `assets/`
files     `write_page`: a page becomes a file, at once
charts    histograms as SVG
markup    foreign text as HTML, numbers and names as words
"""

from pmbf.pages.evidence import evidence_page
from pmbf.pages.notebook import notebook_view
from pmbf.pages.overview import OverviewRow, overview_page
from pmbf.pages.sources import Extent
from pmbf.pages.writing import write_page

__all__ = ["Extent", "OverviewRow", "evidence_page", "notebook_view", "overview_page", "write_page"]
