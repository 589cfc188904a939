"""One collection on many nodes: sealed volumes in a depot that all nodes share, and holders that answer from them.

In the depot:
untrusted.py       what a depot says and holds, checked where it comes in
depot.py           files by their SHA-256, manifests by their number; written once; objects.py: in an object store
noted.py           how far the collection had come: a lost manifest is told
manifest.py        Volume, Manifest: which volumes make a generation; the commit
volumes.py         a collection's folder sealed into the depot, and fetched to a node's disk

On a node:
placement.py       which nodes have which volumes
opened.py          the volumes that a node has open
holder.py          Holder: what a node answers from its volumes
found.py           which documents have which hashes: by volume, by node, and all together
comparing.py       a query as it is sent, and its sources in a volume
making.py          new volumes, and changed ones

With who asks:
filter_rows.py     RowsHere: the rows of the filter of all volumes: which may have which hashes
calls.py           Nodes: each volume asked of a node that has it, and of the next one if that node fails
spread.py          SpreadBackend: the volumes as a screening asks for them, in two rounds of calls
texts.py           documents and their texts, read through the nodes
changing.py        changes that nodes make and one process commits, by the tasks of working.py
collection.py      ClusterCollection: the verbs
upkeep.py          what a collection has, what is missing, what is damaged; volumes joined, old files deleted
"""
