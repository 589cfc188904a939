"""One collection on many nodes: sealed volumes in a depot that all nodes share, and holders that answer from them.

names.py        what a depot says, checked where it comes in
plain.py        files and folders that are no links
depot.py        files by their SHA-256, manifests by their number; written once
noted.py        how far the collection had come: a lost manifest is told
manifest.py     Volume, Manifest: which volumes make a generation; the commit
volumes.py      a collection's folder sealed into the depot, and fetched to a node's disk
placement.py    which nodes have which volumes
holder.py       Holder: what a node answers from its volumes
rows.py         RowsHere: with who asks, the rows of the filter of all volumes: which may have which hashes
calls.py        Nodes: each volume asked of a node that has it, and of the next one if that node fails
found.py        which documents have which hashes, added up over volumes
spread.py       the volumes as one generation and one catalog
asking.py       texts screened in two rounds of calls
checking.py     all that a depot has is looked at
"""
