"""Result sets on real revisions and on planted edits, beside other programs: docs/resultsets.md.

revisions   two releases of the same documents, and which pairs of all are copies
wire        articles with the edits that a news wire's articles undergo
methods     ways of finding duplicates: ours, and two peers
scoring     precision and recall of each way, its threshold chosen on one half and shown on the other
command     the command line, and the tables
"""
