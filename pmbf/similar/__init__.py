"""Similarities: of each document of a collection to each other, kept up to date run by run.

update            computes what changed since the last run
Rules             what a chunk is, which chunks count, how much is kept
RunReport         what a run did
"""

from pmbf.similar.report import RunReport
from pmbf.similar.rules import Rules
from pmbf.similar.run import update

__all__ = ["Rules", "RunReport", "update"]
