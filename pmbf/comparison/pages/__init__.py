"""A comparison as HTML: an overview, and the passages of each pair on a page of their own, or all in one file.

overview      what is written where; the page with figures, charts and tables
charts        histogram, graph, matrix, timeline
html_parts    pairs, clusters, texts, settings; the passages of a pair
names         how texts are called, numbered and coloured
"""

from pmbf.comparison.pages.overview import page, write_pages

__all__ = ["page", "write_pages"]
