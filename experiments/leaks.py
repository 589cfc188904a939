"""Does the leak check find protected text that leaves, and nothing else?

- false findings: findings in files that have nothing to do with the protected documents, under the default policy. Look
  at them: a licence that both sides quote is a real copy;
- missed: passages of 300 letters and digits, one from each of some protected documents, planted in such files in eight
  disguises. A passage counts as found if it blocks by its characters alone.

With `--endpoint` the collection's endpoint filter is asked instead, under a new key; it names opaque ids.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import tempfile
import textwrap
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from measure import report
from measure.commands import add_numbers, positive
from pmbf.collection import Collection
from pmbf.guard.allowing import Allowances
from pmbf.guard.checker import Checker, CollectionChecker
from pmbf.guard.checking import judged
from pmbf.guard.endpoint import EndpointChecker
from pmbf.guard.filter.exporting import export
from pmbf.guard.filter.filterfile import EndpointFilter
from pmbf.guard.policy import Policy
from pmbf.guard.session import verdict
from pmbf.guard.sources import Plan, of_paths
from pmbf.guard.types import Payload, Verdict
from pmbf.store.sitekey import read_or_make_key

PASSAGE_CHARS = 300
LOOKALIKES = str.maketrans("aeopcyxi", "аеорсухі")
"""Latin letters, and the Cyrillic letters that look the same."""


def without_accents(text: str) -> str:
    """Return a text without the marks on its letters."""
    return "".join(char for char in unicodedata.normalize("NFD", text) if not unicodedata.combining(char))


def mixed_scripts(text: str) -> str:
    """Return a text with some letters of another script in each second word, as honest words never have."""
    words = text.split()
    return " ".join(
        word[:1] + word[1:].translate(LOOKALIKES) if n % 2 and word[:1].isascii() else word
        for n, word in enumerate(words)
    )


DISGUISES: dict[str, Callable[[str], str]] = {
    "verbatim": lambda text: text,
    "wrapped anew": lambda text: textwrap.fill(text, 31, initial_indent="   > ", subsequent_indent="   "),
    "in capitals": str.upper,
    "without accents": without_accents,
    "with zero-width characters": lambda text: re.sub(r"(\w\w)(\w)", "\\1\u200b\\2", text),
    "with soft hyphens": lambda text: re.sub(r"(\w\w\w)(\w)", "\\1\u00ad\\2", text),
    "with letters of another script": mixed_scripts,
    "in full-width letters": lambda text: "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the experiment."""
    parser.add_argument("folder", type=Path, help="folder of files that share nothing with the protected documents")
    words = "folders of protected documents"
    parser.add_argument("--protected", type=Path, nargs="+", required=True, metavar="FOLDER", help=words)
    parser.add_argument("--most", type=positive, metavar="N", help="documents drawn of each protected folder (all)")
    parser.add_argument("--files", dest="n_files", type=positive, metavar="N", help="files drawn of the folder (all)")
    parser.add_argument("--endpoint", action="store_true", help="ask the collection's endpoint filter")
    add_numbers(parser, n_planted=(200, "passages planted in each disguise"), seed=(2, "seed of the passages"))


def run(
    protected: Sequence[Path],
    folder: Path,
    *,
    n_planted: int,
    seed: int,
    most: int | None = None,
    n_files: int | None = None,
    endpoint: bool = False,
) -> dict[str, Any]:
    """Return the figures: `file < document` of each false finding; passages missed, and of these warned of.

    Args:
        protected: Folders of documents that must not leave.
        folder: Files that have nothing to do with them. The protected folders may be among its folders.
        n_planted: Passages planted, for each disguise.
        seed: Seed of the passages, of their places, and of what is drawn.
        most: Documents drawn of each protected folder; None: all.
        n_files: Files drawn of `folder`; None: all.
        endpoint: Whether the collection's endpoint filter is asked.
    """
    chance = random.Random(seed)
    secrets = [path for one in protected for path in _drawn(_files(one), most, chance)]
    files = _drawn([path for path in _files(folder) if not _is_below(path, protected)], n_files, chance)
    with (
        tempfile.TemporaryDirectory() as scratch,
        Collection(Path(scratch) / "protected.pmbf", create=True) as collection,
    ):
        collection.load(secrets)
        checker = _endpoint(collection, Path(scratch)) if endpoint else CollectionChecker(collection, apparatus=False)
        policy = Policy()
        plain = _checked(of_paths(list(map(str, files)), policy, folder), policy, checker)
        missed, only_warned = _missed(collection, checker, _carriers(files, plain), n_planted, chance)
        return {
            "corpus": folder.name,
            "seed": seed,
            "n_protected": collection.stats().n_documents,
            "n_files": plain.counts.n_files,
            "blocked": _named(plain, "block", folder),
            "warned": _named(plain, "warn", folder),
            "planted": n_planted,
            "missed": missed,
            "only_warned": only_warned,
        }


def _endpoint(collection: Collection, scratch: Path) -> Checker:
    key, _ = read_or_make_key(scratch / "site.key")
    export(collection, scratch / "endpoint.pmbx", key)
    return EndpointChecker(EndpointFilter(scratch / "endpoint.pmbx", key), key, min_chars=Policy().min_chars)


def _checked(plan: Plan, policy: Policy, checker: Checker) -> Verdict:
    return verdict(plan, policy, judged(plan.payloads, policy, checker, Allowances(checker.key)))


def _named(verdict: Verdict, action: str, folder: Path) -> list[str]:
    """Return the file and the document of each finding with an action, as paths below the folder."""
    found = (one for one in verdict.findings if one.action == action)
    return [f"{one.payload.name} < {one.document_path}".replace(f"{folder}{os.sep}", "") for one in found]


def _files(folder: Path) -> list[Path]:
    """Return the files of a folder, at any depth."""
    return sorted(path for path in folder.rglob("*") if path.is_file() and not path.name.startswith("."))


def _is_below(path: Path, folders: Sequence[Path]) -> bool:
    return any(path.is_relative_to(folder) for folder in folders)


def _drawn(paths: Sequence[Path], n: int | None, chance: random.Random) -> list[Path]:
    """Return some of the paths, drawn by chance and sorted; all if there are no more."""
    return list(paths) if n is None or n >= len(paths) else sorted(chance.sample(paths, n))


def _carriers(files: Sequence[Path], plain: Verdict) -> list[Path]:
    """Return the text files in which nothing was found."""
    found = {one.payload.name for one in plain.findings}
    return [path for path in files if path.suffix == ".txt" and str(path) not in found]


def _missed(
    collection: Collection,
    checker: Checker,
    carriers: Sequence[Path],
    n_planted: int,
    chance: random.Random,
) -> tuple[dict[str, int], dict[str, int]]:
    """Return how many passages did not block, and how many of these gave a warning, by disguise."""
    policy = Policy(block_document_share=None, block_payload_share=None)
    passages = list(_passages(collection, n_planted, chance))
    missed, only_warned = {}, {}
    for disguise, dressed in DISGUISES.items():
        payloads = [_planted(dressed(one), chance.choice(carriers), chance) for one in passages]
        plan = Plan("path", iter(payloads), len(payloads))
        verdict = _checked(plan, policy, checker)
        blocked, warned = (
            {one.payload.name for one in verdict.findings if one.action == action} for action in ("block", "warn")
        )
        missed[disguise], only_warned[disguise] = len(payloads) - len(blocked), len(warned - blocked)
    return missed, only_warned


def _passages(collection: Collection, n_planted: int, chance: random.Random) -> Iterator[str]:
    """Yield a passage of each of some documents: words from a place on, until it has enough letters and digits."""
    ids = [one.id for one in collection.documents() if one.n_chars > 4 * PASSAGE_CHARS]
    chance.shuffle(ids)
    found = (_passage(collection.text(document).split(), chance) for document in ids)
    yield from islice(filter(None, found), n_planted)


def _passage(words: Sequence[str], chance: random.Random) -> str:
    """Return some of a document's words; nothing if too few are left after the drawn place."""
    chosen, n_chars = [], 0
    for word in words[chance.randrange(len(words) // 2) :]:
        chosen.append(word)
        n_chars += sum(map(str.isalnum, word))
        if n_chars >= PASSAGE_CHARS:
            return " ".join(chosen)
    return ""


def _planted(passage: str, carrier: Path, chance: random.Random) -> Payload:
    paragraphs = carrier.read_text(encoding="utf-8", errors="replace").split("\n\n")
    paragraphs.insert(chance.randrange(len(paragraphs) + 1), passage)
    name = f"{carrier.name}-{chance.getrandbits(64):016x}.txt"
    return Payload(name, (name,), "\n\n".join(paragraphs).encode(), "path")


def table(figures: dict[str, Any]) -> str:
    """Return the false findings, and the table of `shares`."""
    findings = "\n".join(f"  {one}" for one in (*figures["blocked"], *figures["warned"]))
    return f"{figures['n_files']:,} files against {figures['n_protected']:,} documents\n{findings}\n\n{shares(figures)}"


def shares(some: dict[str, Any]) -> str:
    """Return a table of what was found, and what was missed in each disguise."""
    lines = report.head("| what | of | found |")
    lines.append(f"| findings in files that are no copies, blocking | {some['n_files']:,} | {len(some['blocked'])} |")
    lines.append(f"| the same, warnings | {some['n_files']:,} | {len(some['warned'])} |")
    lines += [f"| planted, {name} | {some['planted']} | {some['planted'] - n} |" for name, n in some["missed"].items()]
    return "\n".join(lines) + "\n"


def told(some: dict[str, Any]) -> str:
    """Return the files with a finding as a list, each with its number of documents."""
    files = Counter(one.partition(" < ")[0] for one in (*some["blocked"], *some["warned"]))
    return "\n".join(f"- `{name}`: {n}" for name, n in files.items()) or "Nothing was found in those files."
