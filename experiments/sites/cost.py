"""What a task costs a large site: bytes on the wire, time at the site; and how often a claim is right.

A house with one document asks a site, over TLS, for texts of 4,000 words: by keys alone, and with words.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from experiments.arguments import write_figures
from experiments.sites.served import Relay, acquainted, collected, made, served
from measure import report
from measure.corpora import described, read
from pmbf import Collection
from pmbf.intake.texts import Text
from pmbf.sentences.comparing import Asked
from pmbf.sites import Partner, Registry, Sites, protocol
from pmbf.sites.held import Held
from pmbf.sites.keying import fingerprints
from pmbf.sites.names import parse_address

QUERY_WORDS = 4000


def run(pan: Path, folders: Sequence[Path], *, n: int, out: Path | None = None) -> str:
    """Return the figures as Markdown.

    Args:
        pan: A corpus of PAN: its sources stand at the site, its suspicious texts are the queries.
        folders: Folders of further texts at the site.
        n: Queries.
        out: JSON file to write.
    """
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        with Collection(folder / "site.pmbf", create=True) as collection:
            collection.load([pan / "src", *folders])
            n_units = collection.build_sentences().n_units
        collected(folder / "home.pmbf", {"own": "Nothing here has been copied from anywhere, has it?"})
        home = made(folder, "home", None)
        home, site = acquainted([home, made(folder, "site", home.folder / "federation.key")])
        relay = Relay(parse_address(site.own.address)[1])
        partner = Partner(replace(site.own, address=f"127.0.0.1:{relay.port}"))
        with served(site, folder / "site.pmbf") as answers, Collection(folder / "home.pmbf") as at_home:
            rows = [_measured(home, partner, at_home, relay, query) for query in queries_of(pan, n)]
            keys_ms, words_ms = (times_of(answers, path) for path in (protocol.KEYS, protocol.TEXTS))
        processor_s = _alone(folder / "site.pmbf", queries_of(pan, n))
    figures = {
        "about": report.about(),
        "corpora": [described(one) for one in (pan / "src", *folders)],
        "n_units": n_units,
        "n": len(rows),
        "rows": rows,
        "keys_ms": keys_ms,
        "words_ms": words_ms,
        "alone_ms": [1000 * seconds for seconds in processor_s],
    }
    write_figures(figures, out)
    return table(figures)


def queries_of(pan: Path, n: int) -> list[str]:
    """Return the beginnings of texts, of 4,000 words each; shorter texts are joined."""
    queries, words = list[str](), list[str]()
    for path in sorted((pan / "susp").glob("*.txt")):
        words += read(path).split(" ")
        while len(words) >= QUERY_WORDS and len(queries) < n:
            queries.append(" ".join(words[:QUERY_WORDS]))
            words = words[QUERY_WORDS:]
    return queries


def _measured(home: Registry, partner: Partner, at_home: Collection, relay: Relay, query: str) -> dict[str, Any]:
    """Return what one query moved and found, by keys alone and with words."""
    row: dict[str, Any] = {}
    found = at_home.screen_sentences(query)
    outcomes = []
    for name, texts in (("keys", False), ("words", True)):
        before = relay.there, relay.back
        told = Sites(home, [partner], texts=texts, seconds=300).ask(found, Text("", query))
        if told.problems:
            raise ChildProcessError(told.problems[0])
        row[name] = [relay.there - before[0], relay.back - before[1]]
        outcomes.append([one.outcome for one in told.sentences])
    claimed, sure = ({at for at, one in enumerate(some) if one in ("claimed", "found")} for some in outcomes)
    return row | {
        "n_units": told.sites[0].n_units,
        "n_shared": told.sites[0].n_shared,
        "n_chars": len(query),
        "n_claimed": len(claimed),
        "n_found": len(sure),
        "n_both": len(claimed & sure),
    }


def _alone(collection: Path, queries: Sequence[str]) -> list[float]:
    """Return the seconds of processor time in which a site reads the fingerprints of each query and looks them up."""
    held, seconds = Held(collection), list[float]()
    key = np.array([3, 4], np.uint64)
    for query in queries:
        asked = fingerprints(Asked.of(query, protocol.CODE).units.keys >> np.uint64(32) << np.uint64(32), key)
        before = time.process_time()
        held.by_keys(held.candidates(asked, key), "text", texts=False)
        seconds.append(time.process_time() - before)
    return seconds


def times_of(answers: Path, path: str) -> list[float]:
    """Return the milliseconds of each answer under a path: its line ends with `ms=TIME outcome=VERDICT`."""
    lines = (line.split() for line in answers.read_text().splitlines())
    return [float(words[6].removeprefix("ms=")) for words in lines if len(words) == 8 and words[2:4] == [path, "200"]]


def quantiles(values: Sequence[float]) -> str:
    """Return the median, 95 % and the most, as cells of a table."""
    ordered = sorted(values)
    return f"{ordered[len(ordered) // 2]:,.0f} | {ordered[int(0.95 * len(ordered))]:,.0f} | {ordered[-1]:,.0f}"


def table(figures: dict[str, Any]) -> str:
    """Return the figures as a table in Markdown."""
    rows = figures["rows"]
    n_claimed, n_found, n_both = (sum(row[name] for row in rows) for name in ("n_claimed", "n_found", "n_both"))
    lines = [
        f"{figures['n']} queries of {QUERY_WORDS:,} words, a site of {figures['n_units']:,} units, "
        f"{protocol.N_KEYS * figures['n_units']:,} keys",
        "",
        "| | median | 95 % | most |",
        "|---|---:|---:|---:|",
        f"| units asked for | {quantiles([row['n_units'] for row in rows])} |",
        f"| by keys: bytes to the site, TLS included | {quantiles([row['keys'][0] for row in rows])} |",
        f"| by keys: bytes back | {quantiles([row['keys'][1] for row in rows])} |",
        f"| by keys: bytes in all | {quantiles([sum(row['keys']) for row in rows])} |",
        f"| by keys: ms at the site | {quantiles(figures['keys_ms'])} |",
        f"| by keys: ms of processor time for reading and look-up | {quantiles(figures['alone_ms'])} |",
        f"| with words: characters of the query sent | {quantiles([row['n_shared'] for row in rows])} |",
        f"| with words: bytes in all, texts of sources included | {quantiles([sum(row['words']) for row in rows])} |",
        f"| with words: ms at the site for the words | {quantiles(figures['words_ms'] or [0.0])} |",
        "",
        f"sentences found by words {n_found:,}, claimed by keys {n_claimed:,}, both {n_both:,}: "
        f"{n_both / max(1, n_claimed):.1%} of the claims are right, and of the sentences that words "
        f"find {n_both / max(1, n_found):.1%} are claimed",
    ]
    return "\n".join(lines)
