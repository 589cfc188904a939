"""From a text to its report."""

from __future__ import annotations

from pmbf import verify
from pmbf.fingerprint import QuerySample, query_sample
from pmbf.report import Match, Query, Report
from pmbf.screen.candidates import Candidate, candidates, informative
from pmbf.screen.comparing import matches, share, sources
from pmbf.screen.options import Options
from pmbf.store import Store
from pmbf.text import clean


def screen(store: Store, text: str, *, name: str = "", options: Options | None = None) -> Report:
    """Return which documents a text shares passages with.

    Args:
        store: The collection, at its generation.
        text: The whole text.
        name: What to call it in the report.
        options: What to look for.

    Raises:
        CorruptError: A file of the collection that the answer needs is damaged.
    """
    options = options or Options()
    text = clean(text)
    sample = query_sample(text, store.params)
    found = candidates(store, sample, options)
    compared = sources(store, found[: options.max_candidates])
    return report(store, name, sample, found, matches(store, text, len(sample), compared, options), options)


def report(
    store: Store, name: str, sample: QuerySample, found: list[Candidate], confirmed: tuple[Match, ...], options: Options
) -> Report:
    """Return the report of a query whose candidates have been compared."""
    n_compared = min(len(found), options.max_candidates)
    cut = f"{len(found)} candidates, only the best {n_compared} compared; raise max_candidates (--max-candidates)"
    covered = verify.union_length([passage.query for match in confirmed for passage in match.passages])
    n_documents, _ = store.catalog.count_documents()
    return Report(
        query=_query(name, sample, len(informative(sample.hashes, store.stop_hashes()))),
        matches=confirmed,
        n_covered=covered,
        coverage=share(covered, sample.n_chars),
        n_documents=n_documents,
        n_candidates=n_compared,
        generation=store.generation,
        problems=(cut,) if n_compared < len(found) else (),
        collection=str(store.folder),
    )


def _query(name: str, sample: QuerySample, n_informative: int) -> Query:
    return Query(
        name=name,
        n_chars=sample.n_chars,
        n_tokens=sample.n_tokens,
        n_hashes=len(sample.hashes),
        n_mixed_tokens=sample.n_mixed,
        n_invisible=sample.n_invisible,
        n_stop_hashes=len(sample.hashes) - n_informative,
    )
