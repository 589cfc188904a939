"""Everyone with everyone, by features: a feature of a text is a number, and texts are alike if they share many.

sharing     counts of blocks of documents, the highest of each document
pairs       near-duplicates among texts, files or the documents of a collection
similar     a table beside a collection: of each document those that are most similar to it
resultsets  copies in a list of articles
"""

import importlib


def __getattr__(name: str) -> object:
    """Return a module of the room: `import pmbf` is enough for `pmbf.alike.similar.update`."""
    if name in ("pairs", "resultsets", "similar"):
        return importlib.import_module(f"pmbf.alike.{name}")
    raise AttributeError(f"module 'pmbf.alike' has no attribute {name!r}")
