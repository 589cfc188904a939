"""Similarities: of each document of a collection to each other, kept up to date run by run.

update            computes what changed since the last run
Similarities      the table: Similar rows, clusters, its status
TableRules        what a chunk is, which chunks count, how much is kept
RunReport         what a run did
"""

from pmbf.alike.similar.report import DocumentCluster, RunReport, Similar, TableStatus
from pmbf.alike.similar.rules import TableRules
from pmbf.alike.similar.run import update
from pmbf.alike.similar.similarities import Similarities

__all__ = ["DocumentCluster", "RunReport", "Similar", "Similarities", "TableRules", "TableStatus", "update"]
