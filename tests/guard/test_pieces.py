"""A long text is compared piece by piece: what is found, and what is counted, is that of the whole text."""

import gc
import random
import sys
import tracemalloc
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmbf import Collection
from pmbf.base.span import common, merged
from pmbf.extract import Part, part_at
from pmbf.guard import judging, pieces
from pmbf.guard.allowing import Allowances, PublicText
from pmbf.guard.checker import CollectionChecker
from pmbf.guard.git import Object, Repository
from pmbf.guard.judging import Measured
from pmbf.guard.pieces import Encoded, Piece, windows
from pmbf.guard.policy import Policy
from pmbf.guard.sources import of_content, of_index, of_paths
from pmbf.guard.types import Payload
from pmbf.report import DocumentRef, Match, Passage, Query, Report, Span
from tests.conftest import words
from tests.extract import builders as make
from tests.guard.conftest import LEAK, OTHER_SECRET, SECRET, check

SMALL, AROUND = 20_000, 2_000


@pytest.fixture
def in_pieces(monkeypatch):
    def cut(n_chars=SMALL, around=AROUND):
        monkeypatch.setattr(pieces, "PIECE_CHARS", n_chars)
        monkeypatch.setattr(pieces, "AROUND", around)

    return cut


def shown(verdict):
    return [replace(one, payload=one.payload.bare()).to_dict() for one in verdict.findings], [
        one.reason for one in verdict.incomplete
    ]


def text_with(*passages, n_words=9000, seed=3):
    """Return a long text with passages at random places, in order."""
    cover, chance = words(seed, n_words).split(" "), random.Random(seed)
    for passage in passages:
        cover.insert(chance.randrange(len(cover)), passage)
    return " ".join(cover)


def test_pieces_follow_one_another_and_end_at_blanks(in_pieces):
    in_pieces()
    text = text_with()
    found = windows(text)
    assert len(found) > 2
    assert "".join(text[one.own.start : one.own.stop] for one in found) == text
    for one in found:
        assert len(one.own) <= SMALL
        assert one.own.stop == len(text) or text[one.own.stop - 1] == " "
        assert one.seen.start == 0 or one.own.start - one.seen.start >= AROUND
        assert one.seen.stop == len(text) or one.seen.stop - one.own.stop >= AROUND


def test_a_text_without_a_blank_is_cut_all_the_same(in_pieces):
    in_pieces()
    assert [len(one.own) for one in windows("x" * 50_000)] == [20_000, 20_000, 10_000]
    assert windows("") == [Piece(Span(0, 0), Span(0, 0))]


LONG = words(1, 400)
TEXTS = {
    "clean": text_with(),
    "a passage": text_with(LEAK),
    "two documents": text_with(LEAK, OTHER_SECRET[100:700]),
    "a passage again and again": text_with(*[LEAK[:120]] * 9),
    "short passages": text_with(*(SECRET[at : at + 90] for at in range(0, 1800, 200))),
    "a whole document": text_with(LONG),
    "hidden": text_with(LEAK) + "\n" + "".join(f"&#{ord(char)};" for char in LEAK),
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_in_pieces_gives_the_findings_of_the_whole(in_pieces, verdict_on, name):
    plans = [of_content("a.txt", TEXTS[name].encode(), "path", Policy()) for _ in range(2)]
    whole = shown(verdict_on(plans[0]))
    in_pieces()
    assert shown(verdict_on(plans[1])) == whole
    assert bool(whole[0]) == (name != "clean")


@pytest.mark.parametrize("before", range(0, 900, 60))
def test_a_passage_across_a_cut_is_one_passage(in_pieces, verdict_on, before):
    in_pieces(8_000, 1_000)
    cover = words(3, 3000)
    at = windows(cover)[1].own.start - before
    text = cover[:at].rpartition(" ")[0] + " " + LEAK + " " + cover[at:]
    cut = shown(verdict_on(of_content("a.txt", text.encode(), "path", Policy())))
    in_pieces(1 << 20)
    assert cut == shown(verdict_on(of_content("a.txt", text.encode(), "path", Policy())))
    assert [len(one["evidence"]) for one in cut[0]] == [1]


def test_a_passage_longer_than_a_piece_is_one_passage(in_pieces, verdict_on):
    in_pieces(1_000, 250)
    [finding] = verdict_on(
        of_content("a.txt", f"{words(5, 200)} {LONG} {words(6, 200)}".encode(), "path", Policy())
    ).findings
    [snippet] = finding.snippets
    assert snippet.text.split()[:-1] == LONG.split()[: len(snippet.text.split()) - 1]
    assert finding.share_of_document > 0.95


def test_a_note_in_another_piece_allows_a_passage(in_pieces, verdict_on):
    text = text_with() + f"\n{LEAK}\n" + text_with(seed=4)
    [finding] = verdict_on(of_content("a.txt", text.encode(), "path", Policy())).findings
    in_pieces()
    text = f"pmbf:allow {finding.snippets[0].fingerprint}\n{text}"
    found = verdict_on(of_content("a.txt", text.encode(), "path", Policy()))
    assert [one.action for one in found.findings] == ["allowed"]


def test_public_text_across_a_cut_does_not_count(in_pieces, protected):
    in_pieces(4_000, 900)
    text = words(3, 1500) + " " + LEAK + " " + words(4, 1500)
    with Collection(protected) as collection:
        allowances = Allowances(b"key", public=PublicText((LEAK,)))
        found = check(
            of_content("a.txt", text.encode(), "path", Policy()), Policy(), CollectionChecker(collection), allowances
        )
    assert found.action == "clean"


def test_parts_and_lines_of_a_document_in_pieces_are_those_of_the_whole(in_pieces, verdict_on):
    members = {f"{n}.txt": words(n, 3000).replace(" ", "\n") + f"\n{LEAK}\n" for n in (5, 6, 7)}
    raw = make.zipped(members)
    whole = shown(verdict_on(of_content("a.zip", raw, "path", Policy())))
    in_pieces()
    assert shown(verdict_on(of_content("a.zip", raw, "path", Policy()))) == whole


def test_letters_are_counted_alike_in_pieces(in_pieces):
    text = " ".join([words(1, 300), "ﬁne ﷺ", "中文字" * 90, "exam-\nple", "Ünïcode x̄"] * 9)
    spans = [Span(0, len(text)), Span(5, 900), Span(2000, 2001), Span(len(text) - 40, len(text))]
    whole = [Measured(text).all_within([one]) for one in spans]
    in_pieces(1_000, 100)
    assert [Measured(text).all_within([one]) for one in spans] == whole


SPAN = st.tuples(st.integers(0, 60), st.integers(0, 60)).map(lambda two: Span(min(two), max(two)))
SPANS = st.lists(SPAN, max_size=9)


@given(SPANS, SPANS)
def test_public_text_elsewhere_changes_no_count(public, spans):
    measured = Measured("a b" * 20, merged(public))
    inside = [one for span in merged(spans) for one in measured.public_in(span)]
    assert inside == [one for one in common(spans, public) if len(one)]
    assert measured.within(spans) == measured.all_within(spans) - measured.all_within(common(spans, public))


@given(SPANS, SPAN)
def test_the_document_that_holds_a_span_is_found_without_a_look_at_those_elsewhere(spans, span):
    parts = [Part(one.start, one.stop, str(number)) for number, one in enumerate(sorted(spans))]
    assert judging._Parts(parts).at(span) == part_at(parts, span.start, span.stop)


@given(st.text(alphabet="a\n", max_size=60), st.data())
def test_the_lines_of_a_span_are_counted_from_where_they_begin(text, data):
    place = st.integers(0, len(text))
    start, stop, begin = (*sorted((data.draw(place), data.draw(place))), data.draw(place))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(judging, "_BLOCK_CHARS", 5)
        first, last = Measured(text).lines(Span(start, stop), begin)
    assert first == 1 + text[begin:start].count("\n")
    assert last == first + text[start : max(start, stop - 1)].count("\n")


def test_the_lines_of_a_passage_are_not_counted_from_the_beginning_of_the_text():
    class Looked(Encoded):
        n_looked = 0

        def count(self, char, start, stop, /):
            Looked.n_looked += max(0, min(stop, len(self)) - start)
            return super().count(char, start, stop)

    text = Looked(b"word\n" * 200_000)
    measured = Measured(text)
    for at in range(0, 1_000_000, 1000):
        assert measured.lines(Span(at, at + 500)) == (at // 5 + 1, at // 5 + 100)
    assert Looked.n_looked < 100 * len(text)  # a look from the beginning for each was 500 times its length


@given(st.text(alphabet="a\n éß中😀\u0301", max_size=40), st.data())
def test_slices_of_encoded_text_are_those_of_the_text(text, data):
    start, stop = (data.draw(st.integers(0, len(text) + 2)) for _ in range(2))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(pieces, "_BLOCK_BYTES", 5)
        encoded = Encoded(text.encode())
        assert len(encoded) == len(text)
        assert encoded[start:stop] == text[start:stop]
        assert encoded[:stop] == text[:stop] and encoded[start:] == text[start:]
        if start <= stop:
            assert encoded.count("\n", start, stop) == text.count("\n", start, stop)


def test_a_long_text_is_never_decoded_as_a_whole(in_pieces, verdict_on):
    """One character beyond U+FFFF makes a `str` take four bytes for each character."""
    in_pieces(40_000)
    chance = random.Random(1)
    cover = [" ".join("".join(chance.choices("aehilnorst", k=6)) for _ in range(20_000)) for _ in range(5)]
    text = ("😀 " + f" {LEAK} ".join(cover * 6)).encode()
    plan = of_content("a.txt", text, "path", Policy())
    verdict_on(of_content("a.txt", text[:100_000], "path", Policy()))  # what is made once is made
    tracemalloc.start()
    try:
        found = verdict_on(plan)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found.action == "block"
    assert most < 4 * len(text)


def n_steps(call):
    """Return how many lines and calls of Python a call takes."""
    events = []

    def traced(frame, event, arg):
        events.append(event)
        return traced

    before = sys.gettrace()
    sys.settrace(traced)
    try:
        call()
    finally:
        sys.settrace(before)
    return len(events)


def with_passages(n, *, moved=0):
    """Return a match with passages of 80 letters, and the same passages once more further on."""
    at = [(place + further, place) for further in ((0, moved) if moved else (0,)) for place in range(0, 100 * n, 100)]
    passages = tuple(Passage(Span(one, one + 80), Span(two, two + 80), 1.0, "verbatim") for one, two in at)
    return Match(DocumentRef(1, "a", ("a",), 100 * n), 0.5, n, 80 * n, 0.5, 80, passages)


def test_passages_of_two_pieces_are_joined_in_steps_that_grow_with_their_number():
    def joined(n):
        report = Report(Query("a.txt", 100 * n, 1, 1), (with_passages(n),), 1, 1.0, 1, 1, 0)
        [match] = pieces.joined([0, 50 * n], [report, replace(report, matches=(with_passages(n // 2),))]).matches
        assert len(match.passages) == n + n // 2  # a passage of the second piece stands elsewhere in the source

    assert n_steps(lambda: joined(400)) < 2.2 * n_steps(lambda: joined(200))


def test_text_read_in_two_ways_counts_once_in_steps_that_grow_with_the_passages():
    def once(n):
        parts = judging._Parts([Part(100 * n, 200 * n, "escapes")])
        match = with_passages(n, moved=100 * n)
        assert judging._once(match, parts).passages == match.passages[:n]

    assert n_steps(lambda: once(400)) < 2.2 * n_steps(lambda: once(200))


class Watched(CollectionChecker):
    """Counts the files whose bytes are still held while their text is compared."""

    n_held = 0

    def check(self, texts):
        for text in texts:
            held = [one for one in gc.get_objects() if isinstance(one, Payload | Object) and one.content]
            Watched.n_held += len(held)
            yield from super().check([text])


@pytest.mark.parametrize("of", ["paths", "index"])
def test_the_bytes_of_a_file_are_not_held_while_its_text_is_compared(git, protected, monkeypatch, of):
    monkeypatch.setattr(Watched, "n_held", 0)
    names = [f"{number}.html" for number in range(3)]
    for name in names:
        git.write(name, f"<p>{name} {LEAK}")
    git("add", ".")
    by_name = of_paths([str(git.folder / name) for name in names], Policy(), git.folder)
    plan = by_name if of == "paths" else of_index(Repository(git.folder), Policy())
    with Collection(protected) as collection:
        checker = Watched(collection)
        found = check(plan, Policy(), checker, Allowances(checker.key))
    assert len(found.findings) == 3
    assert Watched.n_held == 0
