"""A comparison as HTML: an overview, and the passages of each pair on a page of their own, or all in one file.

files     what is written where
overview  the page with figures, charts and tables
charts    histogram, graph, matrix, timeline
layout    where the nodes of the graph are
tables    pairs, clusters, texts, settings
passages  the passages of a pair inside the overview
names     how texts are called, numbered and coloured
"""

from pmbf.comparison.pages.files import page, write_pages

__all__ = ["page", "write_pages"]
