"""Names that documents share by chance, by the bits of a hash, with the room and the time that wider hashes take.

Made-up documents of 60 hashes. Their first 32 bits take so few values that a name is shared by 1.4 other documents, as
among 10,000,000 documents of 300 hashes: 300 · 10⁷ / 2³¹. The other bits are drawn at random. Times are CPU time.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import fmean, median
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import arguments
from measure import report
from pmbf.fingerprint import Fingerprint, QuerySample
from pmbf.hashes import Hashes, first_bits
from pmbf.params import HASH_BITS, Params
from pmbf.screen import candidates
from pmbf.store.folder import Store
from pmbf.store.incoming import NewDocument, NewDocuments
from pmbf.store.tables import ListedPath
from pmbf.store.writer import Writer

Figures = dict[str, Any]

DOCUMENTS = 100_000
SHARED = 1.4
HASHES = 60
_QUERIES, _CHARS, _TOGETHER = 50, 1200, 25_000


def add_arguments(some: Any) -> None:
    """Add the benchmark to the command line."""
    what = "names shared by chance, and what wider hashes cost"
    one = arguments.add_benchmark(some, "widths", what, _run, table)
    one.add_argument("--documents", type=int, default=DOCUMENTS, metavar="N", help=f"documents ({DOCUMENTS})")


def _run(given: argparse.Namespace) -> Figures:
    return run(given.documents, on_done=arguments.show)


def run(n_documents: int, *, on_done: Callable[[Figures], None]) -> Figures:
    """Return the figures of collections of the same documents, with hashes of each width.

    Args:
        n_documents: Documents, at least 100.
        on_done: Called with the figures of each width.
    """
    results = []
    for hash_bits in HASH_BITS:
        with tempfile.TemporaryDirectory() as place:
            one = {"name": f"{hash_bits} bits", "hash_bits": hash_bits} | _measured(
                Path(place) / "c.pmbf", n_documents, hash_bits
            )
        results.append(one)
        on_done(one)
    return {"n_documents": n_documents, "results": results}


# ---------------------------------------------------------------------- measured


def documents(n_documents: int, hash_bits: int) -> Iterator[Hashes]:
    """Yield the hashes of each document, ascending; each width has the first bits of the same hashes.

    >>> [[len(one), one.dtype.name] for one in documents(1, 48)]
    [[60, 'uint64']]
    """
    random = np.random.default_rng(7)
    n_values = max(2**16, round(n_documents * HASHES / SHARED))
    for _ in range(n_documents):
        upper = np.unique(random.integers(0, n_values, HASHES, np.uint64)) * np.uint64(2**31 // n_values)
        hashes = upper << np.uint64(32) | random.integers(0, 2**32, len(upper), np.uint64)
        yield first_bits(hashes) if hash_bits == 32 else hashes & np.uint64(2**64 - 2 ** (64 - hash_bits))


def _measured(folder: Path, n_documents: int, hash_bits: int) -> Figures:
    Store.create(folder, Params(hash_bits=hash_bits, store_text=False))
    asked: list[tuple[int, Hashes]] = []
    n_hashes, start = 0, process_time()
    with Store(folder, writable=True) as store:
        writer = Writer(store)
        for number, hashes in enumerate(documents(n_documents, hash_bits)):
            name = f"document/{number}"
            [id_] = writer.add(NewDocuments.of([_document(number, hashes)]))
            writer.attach({name: ListedPath(name, id_, -1, -1)})
            n_hashes += len(hashes)
            if number % (n_documents // _QUERIES) == 0:
                asked.append((id_, hashes))
            if number % _TOGETHER == _TOGETHER - 1:
                writer.commit()
        writer.commit()
    figures: Figures = {"load_s": process_time() - start, "n_hashes": n_hashes}
    with Store(folder) as store:
        n_bytes = {
            kind: sum(one.payload_bytes for one in store.catalog.files(kind)) for kind in ("TILE", "POST", "FPRT")
        }
        figures |= {"index_bytes": n_bytes["TILE"] + n_bytes["POST"], "record_bytes": n_bytes["FPRT"]}
        return figures | _asked(store, asked)


def _document(number: int, hashes: Hashes) -> NewDocument:
    bounds = np.array([0, len(hashes)], np.uint32)
    return NewDocument("text", f"{number:064x}", b"", Fingerprint(hashes, bounds, _CHARS, _CHARS // 6))


def _asked(store: Store, asked: list[tuple[int, Hashes]]) -> Figures:
    """Return what the queries find, each of which is a document: its hashes in another order, three words apart."""
    others, evidence, false, look_ups = [], [], [], []
    random = np.random.default_rng(9)
    for id_, hashes in asked:
        sample = _sample(random.permutation(hashes))
        store.generation.documents_having(sample.hashes, limit=2**31)
        start = process_time()
        having = store.generation.documents_having(sample.hashes, limit=2**31)
        look_ups.append(process_time() - start)
        others.append(float(having.n_having.mean()) - 1)
        found = candidates(store.generation, sample)
        evidence.append(sum(one.evidence for one in found if one.document == id_))
        false.append(sum(one.document != id_ for one in found))
    return {
        "n_others": fmean(others),
        "evidence": fmean(evidence),
        "n_false": fmean(false),
        "look_up_s": median(look_ups),
    }


def _sample(hashes: Hashes) -> QuerySample:
    tokens: NDArray[np.uint32] = 3 * np.arange(len(hashes), dtype=np.uint32)
    return QuerySample(hashes, np.empty(0, np.uint32), tokens, _CHARS, _CHARS // 6, 0, 0)


def table(figures: Figures) -> str:
    """Return the figures as a Markdown table."""
    done = figures["results"]
    lines = [
        report.line(figures["about"]),
        f"{figures['n_documents']:,} documents of {HASHES} hashes; CPU time of one thread",
        "",
        *report.head("| bits of a hash | " + " | ".join(str(one["hash_bits"]) for one in done) + " |"),
    ]
    rows = {
        "others that share a hash": [f"{one['n_others']:.3f}" for one in done],
        "evidence of a copy, nats": [f"{one['evidence']:.1f}" for one in done],
        "false candidates of a query": [f"{one['n_false']:.2f}" for one in done],
        "tiles and postings, bytes a hash": [f"{one['index_bytes'] / one['n_hashes']:.2f}" for one in done],
        "records, bytes a hash": [f"{one['record_bytes'] / one['n_hashes']:.2f}" for one in done],
        "load, a document": [report.time(one["load_s"] / figures["n_documents"]) for one in done],
        "look-up of 60 hashes": [report.time(one["look_up_s"]) for one in done],
    }
    lines += [f"| {name} | " + " | ".join(values) + " |" for name, values in rows.items()]
    return "\n".join(lines) + "\n"
