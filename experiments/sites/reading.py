"""What does a member read in a day of texts that a site does not show, by yes and no alone?

A real site at the level `count`, and pmbf's own client. The member knows the beginnings of some units of its documents
and has other texts, from which it counts what follows what (`follows`). Three ways of reading on (`readers`) are tried,
until the units of a day are spent or no question helps: of as many units as a day has questions for; and of a few, if
the site's bars are exact and a unit answers any number of questions. Letters that a reader takes as read before its
first question count apart.
"""

from __future__ import annotations

import random
import secrets
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from experiments.arguments import write_figures
from experiments.sites.follows import Follows
from experiments.sites.readers import Bars, Letters, Reader, WordsByKeys, WordsByPart, keys_of
from experiments.sites.served import acquainted, collected, made, served
from measure import report
from measure.corpora import described, read
from pmbf import kernels
from pmbf.errors import NotFoundError
from pmbf.sentences.comparing import Asked
from pmbf.sentences.verdict import plain
from pmbf.sites import Registry, protocol, sparing
from pmbf.sites.client import Conversation
from pmbf.sites.keying import NONCE_BYTES, Keys, fingerprints, random_ones, task_key, top_bits
from pmbf.sites.protocol import CODE, N_KEYS, PADDED_UNITS, KeysAsked
from pmbf.sites.registry import USUAL_UNITS_A_DAY
from pmbf.sites.texts import TextsAsked

KNOWN_SHARE = 0.75
"""Of each unit, from its beginning on."""
READERS: dict[str, type[Reader]] = {"letters": Letters, "words, by parts": WordsByPart, "words, by keys": WordsByKeys}
N_TEXTS, TEXT_CHARS, ASCII_SHARE = 400, (2000, 20_000), 0.98
"""Texts that are drawn, and of which lengths; every tenth is the site's. Other letters than those of ASCII are few."""
MANY, FEW = 600, 60
"""Units that are read side by side: with 32 questions each as many as take a day, and with all questions of a day."""
MEASURES: dict[str, tuple[int, dict[str, float]]] = {
    "blurred bars, 32 questions a unit": (MANY, {}),
    "exact bars, any number of questions": (
        FEW, {"MOST_QUESTIONS": 10**9, "BLURRED_SIMILARITY": 0.0, "BLURRED_COLUMNS": 0}
    ),
}  # fmt: skip
"""How many units are read, and what is another number in `pmbf.sites.sparing`, by what a site does."""


@dataclass(frozen=True)
class Day:
    """What a member reads in a day.

    Args:
        reader: How it reads.
        measures: What the site does against it.
        n_targets: Units that it reads.
        n_units: Units that it asks for.
        guessed: Letters that it takes as read without a question, rightly.
        letters: Letters that it has read in the end, rightly, these among them.
        most: Letters of one unit that were read by questions, at most.
        wrong: Units of which it takes a wrong letter as read.
    """

    reader: str
    measures: str
    n_targets: int
    n_units: int
    guessed: int
    letters: int
    most: int
    wrong: int


def run(corpus: Path, *, seed: int, out: Path | None = None, most_targets: int = MANY) -> str:
    """Return the figures as Markdown.

    Args:
        corpus: Documents in English, as `.txt` files, searched recursively; `N_TEXTS` of them are drawn.
        seed: Seed of all draws.
        out: JSON file to write.
        most_targets: Units that are read side by side, at most.

    Raises:
        NotFoundError: The corpus has too few units.
    """
    chance = random.Random(seed)
    texts = _drawn(corpus, chance)
    own = dict([*texts.items()][::10])
    follows = Follows([plain(text) for name, text in texts.items() if name not in own])
    units = _units(own, chance, most_targets)
    figures = {
        "about": report.about(), "corpora": [described(corpus)], "seed": seed, "n_texts": len(texts),
        "n_own": len(own), "n_chars": sum(map(len, texts.values())), "known": KNOWN_SHARE,
    }  # fmt: skip
    days = []
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch)
        collection = collected(place / "site.pmbf", own)
        site = made(place, "site", None)
        member, site = acquainted([made(place, "member", site.folder / "federation.key"), site])
        site = replace(site, level="count").stored()
        for measures, (n_targets, values) in MEASURES.items():
            for name, kind in READERS.items():
                _forget(site)
                with served(site, collection, **values):
                    days.append(_day(member, units[:n_targets], follows, (name, kind), (measures, values)))
                write_figures(figures | {"days": [asdict(one) for one in days]}, out)
    return table([asdict(one) for one in days])


def _drawn(corpus: Path, chance: random.Random) -> dict[str, str]:
    """Return texts by name, in the order of the draw."""
    paths = sorted(path for path in corpus.rglob("*.txt") if path.is_file())
    chance.shuffle(paths)
    drawn: dict[str, str] = {}
    for path in paths:
        text = read(path)
        is_plain = sum(map(str.isascii, text)) >= ASCII_SHARE * len(text)
        if is_plain and TEXT_CHARS[0] <= len(text) <= TEXT_CHARS[1] and len(drawn) < N_TEXTS:
            drawn[path.relative_to(corpus).as_posix()] = text
    return drawn


def _units(texts: dict[str, str], chance: random.Random, n: int) -> list[str]:
    """Return units of documents that can be attacked: plain, of ASCII, and one unit by themselves."""
    found = []
    for text in texts.values():
        for start, stop in kernels.units(text.encode(), code=CODE).spans.tolist():
            unit = plain(text[start:stop])
            if unit.isascii() and 110 <= len(unit) <= 190 and keys_of(unit) is not None:
                found.append(unit)
    if len(found) < n:
        raise NotFoundError(f"there are {len(found):,} units that can be read, and {n:,} are to be")
    return chance.sample(found, n)


def _forget(site: Registry) -> None:
    """Begin a new day at the site."""
    for file in (site.folder / "questions").glob("*"):
        file.unlink()


def _day(
    member: Registry, units: Sequence[str], follows: Follows, reader: tuple[str, type[Reader]], site: tuple[str, Any]
) -> Day:
    (name, kind), (measures, values) = reader, site
    bars = Bars(*(values.get(which, vars(sparing)[which]) for which in ("BLURRED_SIMILARITY", "BLURRED_COLUMNS")))
    most_questions = values.get("MOST_QUESTIONS", sparing.MOST_QUESTIONS)
    known = [int(KNOWN_SHARE * len(one)) for one in units]
    readers = [kind(one, n, follows, bars) for one, n in zip(units, known, strict=True)]
    rests = [one[n:] for one, n in zip(units, known, strict=True)]
    guessed = [one.n_right(rest) for one, rest in zip(readers, rests, strict=True)]
    n_asked, n_units = [0] * len(units), 0
    while True:
        asking = [(at, one.question()) for at, one in enumerate(readers) if n_asked[at] < most_questions]
        some = [(at, one) for at, one in asking if one]
        words = [one.words for _, one in some if one.words]
        cost = -(-len(some) // PADDED_UNITS) * PADDED_UNITS + len(words)
        if not some or n_units + cost > USUAL_UNITS_A_DAY:
            break
        n_units += cost
        said = _answered(member, np.stack([one.keys for _, one in some]), words)
        for place, (at, _) in enumerate(some):
            n_asked[at] += 1
            readers[at].learn(yes=place in said)
    right = [one.n_right(rest) for one, rest in zip(readers, rests, strict=True)]
    wrong = sum(len(one.read) > n for one, n in zip(readers, right, strict=True))
    most = max(n - before for n, before in zip(right, guessed, strict=True))
    return Day(name, measures, len(units), n_units, sum(guessed), sum(right), most, wrong)


def _answered(member: Registry, keys: Keys, words: Sequence[str]) -> set[int]:
    """Return of which units a site says yes: that it claims them, or if there are words that they are alike."""
    (site,) = member.partners.values()
    talk = Conversation(member, site, Asked.of("", CODE), [0], bool(words), 600)
    talk._until = time.monotonic() + talk.seconds
    hello, nonce = talk._greeted(), secrets.token_hex(NONCE_BYTES)
    parts = map(bytes.fromhex, (hello.challenge, nonce))
    key = task_key(member.federation_key(), member.own.fingerprint, site.card.fingerprint, *parts)
    sent = np.concatenate(
        [fingerprints(top_bits(keys, hello.key_bits), key), random_ones(-len(keys) % PADDED_UNITS, N_KEYS)]
    )
    message = KeysAsked(hello.challenge, nonce, hello.epoch, len(sent), bool(words), 600)
    told = protocol.KeysAnswer.decoded(talk._exchanged("POST", protocol.KEYS, message.encoded(sent)), len(sent))
    said = {unit for unit, _ in told.claims}
    if words:
        fields = protocol.Fields(talk._exchanged("POST", protocol.TEXTS, _words(hello.challenge, words).encoded()))
        said = {row[0] for one in fields.items("resembling", len(words) * 1000) for row in one["units"]}
    talk.hang_up()
    return said


def _words(challenge: str, words: Sequence[str]) -> TextsAsked:
    spans, at = list[tuple[int, int]](), 0
    for one in words:
        spans.append((at, at + len(one)))
        at += len(one) + 40
    text = "".join(one + "\n" * 40 for one in words)
    return TextsAsked(challenge, text, tuple(range(len(words))), tuple(spans), tuple(spans))


def table(days: Sequence[dict[str, Any]]) -> str:
    """Return the figures as a table in Markdown."""
    lines = [
        "| the site has | the member reads | units read | units asked for | letters read by questions "
        "| most of one unit | units with a wrong letter |",
        "|---|---|---:|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {one['measures']} | {one['reader']} | {one['n_targets']:,} | {one['n_units']:,} | "
        f"{one['letters'] - one['guessed']:,} | {one['most']:,} | {one['wrong']:,} |"
        for one in days
    ]
    return "\n".join(lines)
