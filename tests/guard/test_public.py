"""What everybody has does not count: ignored texts, and the licences that come with pmbf."""

import importlib.util
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given as with_values
from hypothesis import strategies as st

from pmbf import Collection
from pmbf.base.errors import CorruptError
from pmbf.guard.allowing import LICENCES_FILE, Allowances, PublicText, are_in, licence_spans, licences, packed, parse
from pmbf.guard.checker import CollectionChecker
from pmbf.guard.endpoint import EndpointChecker
from pmbf.guard.filter.exporting import export
from pmbf.guard.filter.filterfile import EndpointFilter
from pmbf.guard.policy import Policy
from pmbf.guard.sources import Plan
from pmbf.guard.types import Payload
from pmbf.store.sitekey import SiteKey
from tests.conftest import ROOT, words
from tests.guard.conftest import CLEAN, LEAK, check, guard

MIT = "".join((ROOT / "LICENSE").read_text(encoding="utf-8").partition("Permission is")[1:])
"""Our own licence, without whose it is."""
OWN_WORDS = words(5, 90)
"""Some 360 letters, which somebody hung on a licence."""


def judged(checker, text, public=None, **policy):
    """Return the verdict on a text."""
    plan = Plan("path", iter([Payload("a.txt", ("a.txt",), text.encode(), "path")]), 1)
    return check(plan, Policy(**policy), checker, Allowances(checker.key, public=public or PublicText()))


@pytest.fixture(scope="module")
def checkers(tmp_path_factory):
    """A collection of documents that quote a licence, and its endpoint filter, as checkers."""
    folder = tmp_path_factory.mktemp("licensed")
    key = SiteKey(bytes(range(16)))
    with Collection(folder / "c.pmbf", create=True) as made:
        made.add(f"{words(1, 100)}\n\n{MIT}\n\n{words(2, 100)}", name="manual")
        made.add(f"{MIT}\n\n{OWN_WORDS}", name="terms")
        export(made, folder / "out.pmbx", key)
        yield [CollectionChecker(made), EndpointChecker(EndpointFilter(folder / "out.pmbx", key), key, min_chars=65)]
        assert made.check().problems == []


# ---------------------------------------------------------------------- what does not count


def test_a_licence_that_a_protected_document_quotes_does_not_block(checkers):
    for checker in checkers:
        found = judged(checker, f"{CLEAN}\n\n{MIT}\n")
        assert (found.action, found.findings) == ("clean", ())


def test_it_does_where_the_policy_says_so(checkers):
    for checker in checkers:
        assert judged(checker, f"{CLEAN}\n\n{MIT}\n", PublicText(licences=False)).action == "block"


def test_what_else_a_licence_has_counts_and_only_that(checkers):
    for checker in checkers:
        found = judged(checker, f"{CLEAN}\n\n{MIT}\n\n{OWN_WORDS}\n")
        assert found.action == "block"
        [finding] = [one for one in found.findings if one.action == "block"]
        n_letters = sum(map(str.isalnum, OWN_WORDS))
        # Alike but for some words at either end of either, which the samples do not tell.
        assert abs(finding.n_chars - n_letters) < 70
        assert finding.share_of_payload < 0.4


def test_text_between_two_licences_counts(checkers):
    for checker in checkers:
        assert judged(checker, f"{MIT}\n\n{words(1, 100)}\n\n{MIT}").action == "block"


def test_ignored_texts_do_not_count(checkers):
    for checker in checkers:
        public = PublicText((f"As told before: {words(1, 100)}",))
        assert judged(checker, words(1, 100)).action == "block"
        assert judged(checker, words(1, 100), public).action == "clean"


def test_the_command_ignores_files_and_licences(tmp_path, protected):
    (tmp_path / "leak.txt").write_text(f"{CLEAN}\n\n{LEAK}\n")
    (tmp_path / "public.txt").write_text("As told before: " + LEAK)
    assert guard("leak.txt", "-c", protected, "--ignore", "public.txt", cwd=tmp_path).returncode == 0
    assert guard("leak.txt", "-c", protected, "--ignore", "gone.txt", cwd=tmp_path).returncode == 3
    with Collection(tmp_path / "c.pmbf", create=True) as made:
        made.add(MIT, name="licence")
    (tmp_path / "LICENCE").write_text(MIT)
    assert guard("LICENCE", "-c", "c.pmbf", cwd=tmp_path).returncode == 0
    assert guard("LICENCE", "-c", "c.pmbf", cwd=tmp_path, PMBF_GUARD_ALLOW_LICENCES="no").returncode == 1


# ---------------------------------------------------------------------- where a text quotes a licence


def test_a_quoted_licence_is_found_however_it_is_set():
    dressed = [MIT, MIT.upper(), re.sub(r"\s+", " ", MIT), "\n".join(f" * {line}" for line in MIT.splitlines())]
    for text in dressed:
        spans = licence_spans(f"{CLEAN} {text} {CLEAN}")
        assert sum(map(len, spans)) > 0.9 * len(text)
        assert all(len(CLEAN) < span.start and span.stop < len(CLEAN) + len(text) + 2 for span in spans)


def test_a_holders_name_belongs_to_the_licence_and_a_sentence_does_not():
    name = MIT.replace("AUTHORS OR COPYRIGHT HOLDERS", "AUTHORS OF PMBF")
    [span] = licence_spans(name)
    assert len(span) > 0.9 * len(name)
    sentence = MIT.replace("AUTHORS OR COPYRIGHT HOLDERS", f"AUTHORS {words(3, 13)} HOLDERS")
    assert len(licence_spans(sentence)) == 2


@with_values(st.integers(0, 10**6))
def test_text_that_is_no_licence_quotes_none(seed):
    assert licence_spans(words(seed, 2000)) == []


@pytest.mark.parametrize("name", ["README.md", "docs/architecture.md", "examples/library/supply-agreement.txt"])
def test_prose_and_contracts_quote_none(name):
    assert licence_spans((ROOT / name).read_text(encoding="utf-8")) == []


@with_values(st.integers(0, 10**6))
def test_hashes_are_looked_up_as_numpy_would(seed):
    chance = np.random.default_rng(seed)
    some = chance.choice(licences(), 5)
    asked = np.concatenate([some, chance.integers(0, 1 << 32, 20, dtype=np.uint32), [0, 2**32 - 1]]).astype(np.uint32)
    for known in (licences(), some[:0], np.unique(some)):
        assert are_in(asked, known).tolist() == np.isin(asked, known).tolist()


# ---------------------------------------------------------------------- the file


def test_the_file_comes_back_as_it_was_written_and_holds_no_text():
    raw = LICENCES_FILE.read_bytes()
    assert packed(licences()) == raw
    assert np.all(np.diff(licences().astype(np.int64)) > 0)
    assert not re.search(rb"[a-z]{4}", raw[32:].lower()[:2000])


@pytest.mark.parametrize("damage", [
    lambda raw: raw[:20],
    lambda raw: b"\0" + raw[1:],
    lambda raw: raw[:8] + b"9" + raw[9:],
    lambda raw: raw[:-4],
    lambda raw: raw[:-1] + bytes([raw[-1] ^ 1]),
])  # fmt: skip
def test_a_damaged_file_is_refused(damage):
    with pytest.raises(CorruptError, match=r"here: .* install pmbf again"):
        parse(damage(LICENCES_FILE.read_bytes()), name="here")


def test_the_tool_makes_what_is_read(tmp_path):
    place = ROOT / "tools" / "make_licences.py"
    if not place.exists():
        pytest.skip("the tools are not part of the source distribution")
    spec = importlib.util.spec_from_file_location("make_licences", place)
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    hashes = tool.hashes_of([MIT, MIT])
    assert len(hashes) and np.isin(hashes, licences()).all()
    assert Path(tool.LICENCES_FILE) == LICENCES_FILE
