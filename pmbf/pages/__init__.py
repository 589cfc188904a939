"""Pages: reports as HTML files that open offline, send no request and can be read without script.

evidence_page     one report: the text with its passages in colour, side by side with its sources
overview_page     many reports: the texts by share, each with a link to its page
notebook_view     a report in a notebook
write_page        a page becomes a file, at once
shell, charts     what every page has: head, policy, both themes, histogram
"""

from pmbf.pages.evidence import evidence_page
from pmbf.pages.notebook import notebook_view
from pmbf.pages.overview import Screened, overview_page
from pmbf.pages.sources import Extent
from pmbf.pages.writing import write_page

__all__ = ["Extent", "Screened", "evidence_page", "notebook_view", "overview_page", "write_page"]
