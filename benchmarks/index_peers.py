"""Peers that keep which documents have a shingle or a word, and pmbf."""

from __future__ import annotations

import importlib
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.peer import Answer, Numbered, ranked, shingles
from measure.overlap import WORD, read_words
from measure.process import folder_bytes
from pmbf import Collection
from pmbf.base.params import Params
from pmbf.fingerprint import query_sample
from pmbf.intake.texts import Text
from pmbf.screen import Folder, candidates, screen
from pmbf.store.folder import Store


class Sourmash(Numbered):
    """sourmash: FracMinHash of one shingle in ten, in its reverse index in memory; ranked by containment."""

    scaled = 10

    def __init__(self, folder: Path) -> None:
        self.sourmash = importlib.import_module("sourmash")
        self.revindex = importlib.import_module("sourmash.index.revindex")
        self.file = folder / "signatures.json.gz"
        self.signatures: list[Any] = []
        self.index: Any = None

    def load(self, paths: Sequence[Path]) -> None:
        """Sketch the texts one by one, then index all.

        Its own wrapper hands over the sketches in quadratic time; the call behind the wrapper is linear.
        """
        sketches = (self._sketch(read_words(path), str(number)) for number, path in enumerate(paths))
        self.signatures = [sketch for sketch in sketches if len(sketch.minhash)]
        template = self._sketch("").minhash
        self.index = self.revindex.MemRevIndex(template=template)
        pointers = self.revindex.ffi.new("SourmashSignature*[]", [one._get_objptr() for one in self.signatures])
        make = self.revindex.lib.revindex_mem_new_with_sigs
        self.index._objptr = self.revindex.rustcall(make, pointers, len(self.signatures), template._get_objptr())

    def saved_bytes(self) -> int:
        """Return the bytes of its own compressed file of sketches, which are indexed again after reading."""
        with self.file.open("wb") as file:
            self.sourmash.save_signatures_to_json(self.signatures, file)
        return self.file.stat().st_size

    def ask(self, text: str) -> Answer:
        """Return the documents that contain sampled shingles of the text."""
        sketch = self._sketch(text)
        if not len(sketch.minhash):
            return []
        found = self.revindex.RevIndex.search(self.index, sketch, threshold=0.0, do_containment=True)
        return ranked({int(one.signature.name): one.score for one in found})

    def _sketch(self, text: str, name: str = "") -> Any:
        sketch = self.sourmash.MinHash(n=0, ksize=31, scaled=self.scaled)
        hashes = shingles(text)
        sketch.add_many(hashes[hashes <= np.uint64(sketch._max_hash)])
        return self.sourmash.SourmashSignature(sketch, name=name)


class SourmashWhole(Sourmash):
    """sourmash: every shingle, in its reverse index in memory; ranked by containment."""

    scaled = 1


class Fts5(Numbered):
    """SQLite FTS5 without contents; the 200 rarest words of the text, ranked by BM25."""

    n_words, n_best = 200, 500

    def __init__(self, folder: Path) -> None:
        self.file = folder / "fts5.sqlite"
        self.database = sqlite3.connect(self.file)
        self.database.execute("CREATE VIRTUAL TABLE texts USING fts5(body, content='')")
        self.counts: dict[str, int] = {}

    def load(self, paths: Sequence[Path]) -> None:
        """Insert the texts in one transaction, join the index, and count the documents of each word."""
        with self.database as writing:
            texts = ((number, read_words(path)) for number, path in enumerate(paths))
            writing.executemany("INSERT INTO texts(rowid, body) VALUES (?, ?)", texts)
            writing.execute("INSERT INTO texts(texts) VALUES ('optimize')")
        self.database.execute("CREATE VIRTUAL TABLE temp.words USING fts5vocab(main, texts, row)")
        self.counts = dict(self.database.execute("SELECT term, doc FROM words"))

    def saved_bytes(self) -> int:
        """Return the bytes of the database."""
        return self.file.stat().st_size

    def ask(self, text: str) -> Answer:
        """Return the documents that have some of the words."""
        words = {word for word in WORD.findall(text.lower()) if word in self.counts}
        rarest = sorted(words, key=lambda word: (self.counts[word], word))[: self.n_words]
        asked = " OR ".join(f'"{word}"' for word in rarest)
        found = self.database.execute(
            "SELECT rowid, -rank FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT ?", (asked, self.n_best)
        )
        return list(found) if rarest else []


class Pmbf:
    """pmbf: `pmbf load`, without texts; candidates by exact shared hashes."""

    params = Params(store_text=False)

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "peers.pmbf"
        self.numbers: dict[str, int] = {}
        self.store: Store

    def load(self, paths: Sequence[Path]) -> None:
        """Load the files on one processor, as `pmbf load --jobs 1` does."""
        self.numbers = {str(path.absolute()): number for number, path in enumerate(paths)}
        with Collection(self.folder, create=True, params=self.params) as collection:
            collection.load(paths, jobs=1)
        self.store = Store(self.folder)

    def saved_bytes(self) -> int:
        """Return the bytes of the collection's folder, without texts."""
        return folder_bytes(self.folder) - folder_bytes(self.folder / "texts")

    def ask(self, text: str) -> Answer:
        """Return the candidates, by most shared hashes in a window, then in all."""
        found = candidates(self.store.generation, query_sample(text, self.store.params))
        return [(one.document, one.evidence) for one in found]

    def number(self, key: int) -> int:
        """Return the number of a document's first path."""
        return min(self.numbers[path] for path in self.store.paths_of([key])[key])


class PmbfWhole(Pmbf):
    """pmbf: `pmbf load` with texts; the whole screening, with documents ranked by the evidence of their passages."""

    params = Params()

    def ask(self, text: str) -> Answer:
        """Return the documents with passages."""
        return [(match.document.id, match.evidence) for match in screen(Folder.of(self.store), Text("", text)).matches]
