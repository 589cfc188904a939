"""What private questions cost: the tags of a site once, the tags on the wire, and each question at both sides.

The same queries are asked by keys, too: a private claim counts equal keys, wherever in the site they stand, and a claim
by keys those of one unit there.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from experiments.arguments import write_figures
from experiments.sites.cost import QUERY_WORDS, quantiles, queries_of, times_of
from experiments.sites.served import Relay, acquainted, collected, made, served
from measure import report
from measure.corpora import described
from pmbf import Collection
from pmbf.intake.texts import Text
from pmbf.sentences import SentenceReport, Sentences
from pmbf.sites import Partner, Registry, Sites, private
from pmbf.sites.names import parse_address
from pmbf.sites.private import Question
from pmbf.sites.tagging import TagSet
from pmbf.store.folder import Store


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
            collection.build_sentences()
        collected(folder / "home.pmbf", {"own": "Nothing here has been copied from anywhere, has it?"})
        home = made(folder, "home", None)
        home, site = acquainted([home, made(folder, "site", home.folder / "federation.key")])
        set_up = _tagged(site, folder / "site.pmbf")
        relay = Relay(parse_address(site.own.address)[1])
        partner = Partner(replace(site.own, address=f"127.0.0.1:{relay.port}"))
        with (
            served(site, folder / "site.pmbf", "--private") as answers,
            Collection(folder / "home.pmbf") as at_home,
        ):
            reports = [at_home.screen_sentences(query) for query in queries_of(pan, n)]
            asked = [(query, found) for query, found in zip(queries_of(pan, n), reports, strict=True)]
            tags = _moved(home, partner, relay, *asked[0])
            rows = [_measured(home, partner, relay, *one) for one in asked]
            at_site = times_of(answers, private.POINTS)[1:]
    figures = set_up | {
        "about": report.about(),
        "corpora": [described(one) for one in (pan / "src", *folders)],
        "n": len(rows),
        "tags_bytes": tags - rows[0]["there"] - rows[0]["back"],
        "rows": rows,
        "site_ms": at_site,
    }
    write_figures(figures, out)
    return table(figures)


def _tagged(site: Registry, collection: Path) -> dict[str, Any]:
    """Make the tags of a site, and return what they took."""
    with Store(collection) as store:
        known = Sentences(store).known_keys()
    clock, processor = time.perf_counter(), time.process_time()
    tags = TagSet(site.folder)
    tags.cover(known)
    made = {"set_up_s": time.perf_counter() - clock, "set_up_processor_s": time.process_time() - processor}
    points = Question(known[: len(known) // 10 * 10][:2000].reshape(-1, 10)).points
    processor = time.process_time()
    tags.multiplied(points)
    return made | {"n_keys": len(known), "site_us": 1e6 * (time.process_time() - processor) / len(points)}


def _asked(home: Registry, partner: Partner, query: str, found: SentenceReport, *, privately: bool) -> SentenceReport:
    told = Sites(home, [partner], seconds=3000, private=privately).ask(found, Text("", query))
    if told.problems:
        raise ChildProcessError(told.problems[0])
    return told


def _moved(home: Registry, partner: Partner, relay: Relay, query: str, found: SentenceReport) -> int:
    """Return the bytes of the first private question, with the tags."""
    before = relay.there + relay.back
    _asked(home, partner, query, found, privately=True)
    return relay.there + relay.back - before


def _measured(home: Registry, partner: Partner, relay: Relay, query: str, found: SentenceReport) -> dict[str, Any]:
    """Return what a private question moved, took and claimed, and what a question by keys claims."""
    there, back, processor = relay.there, relay.back, time.process_time()
    privately = _asked(home, partner, query, found, privately=True)
    row: dict[str, Any] = {
        "there": relay.there - there,
        "back": relay.back - back,
        "asker_s": time.process_time() - processor,
    }
    by_keys = _asked(home, partner, query, found, privately=False)
    mine, theirs = (
        {at for at, one in enumerate(some.sentences) if one.outcome == "claimed"} for some in (privately, by_keys)
    )
    (site,) = privately.sites
    counted = {"n_keys": site.n_keys, "n_equal": site.n_equal, "n_private": len(mine), "n_by_keys": len(theirs)}
    return row | counted | {"n_both": len(mine & theirs)}


def table(figures: dict[str, Any]) -> str:
    """Return the figures as a table in Markdown."""
    rows, n_keys = figures["rows"], figures["n_keys"]
    per_key = [1e6 * row["asker_s"] / row["n_keys"] for row in rows]
    n_private, n_by_keys, n_both = (sum(row[name] for row in rows) for name in ("n_private", "n_by_keys", "n_both"))
    lines = [
        f"{figures['n']} queries of {QUERY_WORDS:,} words, a site of {n_keys:,} keys",
        "",
        "| | |",
        "|---|---:|",
        f"| tags of all keys: s of the site on the clock | {figures['set_up_s']:,.0f} |",
        f"| tags of all keys: s of processor time | {figures['set_up_processor_s']:,.0f} |",
        f"| a key of a question at the site: µs of processor time | {figures['site_us']:,.0f} |",
        f"| a new key: µs of processor time | {1e6 * figures['set_up_processor_s'] / n_keys:,.0f} |",
        f"| tags on the wire, kept until they change: bytes | {figures['tags_bytes']:,} |",
        f"| tags on the wire: bytes a key | {figures['tags_bytes'] / n_keys:.2f} |",
        "",
        "| each question | median | 95 % | most |",
        "|---|---:|---:|---:|",
        f"| keys asked for | {quantiles([row['n_keys'] for row in rows])} |",
        f"| keys that are there | {quantiles([row['n_equal'] for row in rows])} |",
        f"| bytes to the site, TLS included | {quantiles([row['there'] for row in rows])} |",
        f"| bytes back | {quantiles([row['back'] for row in rows])} |",
        f"| µs of processor time a key at the asker | {quantiles(per_key)} |",
        f"| ms at the site, on the clock | {quantiles(figures['site_ms'])} |",
        "",
        f"sentences claimed privately {n_private:,}, by keys {n_by_keys:,}, both {n_both:,}",
    ]
    return "\n".join(lines)
