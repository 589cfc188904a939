"""What an export holds and what it does not; its ids have names where the collection is."""

import json
import random
import stat

import pytest

from pmbf import Collection, Params
from pmbf.base.errors import CorruptError, ParameterError, UnsupportedError
from pmbf.fingerprint import fingerprint
from pmbf.guard.endpoint import EndpointChecker
from pmbf.guard.filter import opaque
from pmbf.guard.filter.exporting import export
from pmbf.guard.filter.filterfile import EndpointFilter
from pmbf.guard.filter.opaque import Stretch
from pmbf.intake.texts import Text
from pmbf.report import Span
from pmbf.store.sitekey import SiteKey
from tests.conftest import words
from tests.endpoint.conftest import OFFER, PLAN, SHORT, TEXTS

NEEDLE_BYTES = 12


def found(path, key, text):
    [report] = EndpointChecker(EndpointFilter(path, key), key, min_chars=65).check([Text("t", text)])
    return report.matches


def named(collection, matches):
    ids = [match.document.path for match in matches]
    return [part.path for _, part in opaque.resolve(collection.path, ids)]


def pieces(content):
    return {content[i : i + NEEDLE_BYTES] for i in range(len(content) - NEEDLE_BYTES + 1)}


def test_no_piece_of_a_text_a_name_a_fingerprint_or_the_key_stands_in_the_file(protected, exported, key_file, key):
    hidden = [*TEXTS, *TEXTS.values(), str(protected.path), protected.id, key_file.read_text()]
    hidden = [one.encode() for one in hidden] + [key.secret]
    hidden += [bytes.fromhex(document.sha256) for document in protected.documents()]
    hidden += [fingerprint(text, protected.params).record() for text in TEXTS.values()]
    assert max(map(len, hidden[-len(TEXTS) :])) > 1000
    assert pieces(exported.read_bytes()) & set().union(*map(pieces, hidden)) == set()
    assert stat.S_IMODE(exported.stat().st_mode) == 0o600


def test_a_passage_is_found_with_its_own_characters_and_named_by_the_collection(protected, exported, key):
    before = words(50, 80)
    leak = OFFER[9000:9600]
    [match] = found(exported, key, f"{before}\n{leak}\n{words(51, 80)}")
    [passage] = match.passages
    assert len(before) - 30 < passage.query.start < len(before) + 10
    assert len(leak) - 10 < passage.query.stop - len(before) < len(leak) + 30
    assert passage.source == Span(0, 0)
    [(_, part)] = opaque.resolve(protected.path, [match.document.path])
    assert part.path == "offer-to-the-crown.txt"
    assert part.start <= 9000 and part.stop >= 9600


@pytest.mark.parametrize("between", ["-\n  ", "-", "\n", " ", "", "\u00ad\n", "- ", "\u200b"])
def test_no_way_to_break_words_hides_a_piece_of_a_passage(tmp_path, key, between):
    plain = words(21, 60).split()
    with Collection(tmp_path / "c.pmbf", create=True) as made:
        parted = [f"{word[:3]}-{word[3:]}" if n in (12, 40, 50) else word for n, word in enumerate(plain)]
        made.add(f"{words(22, 40)} {' '.join(parted)} {words(23, 40)}", name="a")
        export(made, tmp_path / "out", key)
    text = " ".join(f"{word[:3]}{between}{word[3:]}" if n % 7 == 5 else word for n, word in enumerate(plain))
    [match] = found(tmp_path / "out", key, f"{words(24, 40)} {text} {words(25, 40)}")
    [passage] = match.passages
    begin = len(words(24, 40)) + 1
    assert passage.query.start <= begin and passage.query.stop >= begin + len(text)


@pytest.mark.parametrize(
    "line",
    ["{} 0.409 0.{}76 {} 122484", "20-{}th J{} 2.{}-fold JJ", "{} {} k 9 q ~ {} x"],
    ids=["table", "list", "noise"],
)
def test_numbers_and_short_words_are_protected_like_others(tmp_path, key, line):
    chosen = random.Random(7)
    lines = "\n".join(line.format(*(chosen.choice("0123456789abcdefxyz") for _ in range(3))) for _ in range(40))
    with Collection(tmp_path / "c.pmbf", create=True) as made:
        made.add(f"{words(22, 40)} {lines} {words(23, 40)}", name="a")
        export(made, tmp_path / "out", key)
    [match] = found(tmp_path / "out", key, f"{words(24, 40)} {lines} {words(25, 40)}")
    assert match.n_covered >= len(lines)


def test_numbers_at_the_edge_belong_to_a_passage(tmp_path, key):
    secret = f"{words(21, 40)} of 3 5 17 at 1 2 3"
    with Collection(tmp_path / "c.pmbf", create=True) as made:
        made.add(f"{words(22, 40)} {secret} {words(23, 40)}", name="a")
        export(made, tmp_path / "out", key)
    text = f"{words(24, 40)} {secret}\n"
    [match] = found(tmp_path / "out", key, f"{text}{words(25, 40)}")
    assert max(passage.query.stop for passage in match.passages) >= len(text) - 8


def test_unrelated_text_is_not_found(exported, key):
    assert found(exported, key, words(60, 5000)) == ()


def test_ignored_texts_are_not_protected(protected, key, tmp_path):
    export(protected, tmp_path / "out", key, ignore=[PLAN[500:1500]])
    matches = found(tmp_path / "out", key, PLAN)
    spans = [passage.query for match in matches for passage in match.passages]
    # A gram may reach into what is ignored, and the key decides which are sampled.
    assert spans and all(span.stop < 640 or span.start > 1360 for span in spans)


def test_what_many_documents_have_is_not_protected(tmp_path, key):
    licence = words(7, 60)
    with Collection(tmp_path / "c.pmbf", create=True) as made:
        made.add_many((f"d{n}.txt", f"{words(100 + n, 60)} {licence}") for n in range(60))
        export(made, tmp_path / "out", key)
    assert found(tmp_path / "out", key, licence) == ()
    assert len(found(tmp_path / "out", key, words(100, 60))) == 1


def test_documents_too_short_to_be_found_are_named(protected, key, tmp_path):
    report = export(protected, tmp_path / "out", key)
    assert (report.n_documents, report.too_short, report.problems) == (3, ("note-on-the-door.txt",), ())
    assert found(tmp_path / "out", key, SHORT) == ()


def test_the_same_collection_and_key_make_the_same_file(protected, exported, key, tmp_path):
    export(protected, tmp_path / "again", key)
    assert (tmp_path / "again").read_bytes() == exported.read_bytes()
    export(protected, tmp_path / "other", SiteKey(bytes(16)))
    assert found(tmp_path / "other", SiteKey(bytes(16)), PLAN)[0].document != found(exported, key, PLAN)[0].document


def test_ids_keep_their_names_after_loads_removals_and_other_exports(protected, exported, key, tmp_path):
    [match] = found(exported, key, PLAN)
    protected.remove("secret-plan-of-march.txt")
    protected.compact()
    protected.add(words(9, 300), name="new.txt")
    export(protected, tmp_path / "later", key)
    export(protected, tmp_path / "other", SiteKey(bytes(16)))
    assert named(protected, [match]) == ["secret-plan-of-march.txt"]
    assert found(tmp_path / "later", key, PLAN) == ()
    assert named(protected, found(tmp_path / "later", key, words(9, 300))) == ["new.txt"]


def test_an_unknown_id_has_no_name(protected, exported):
    assert list(opaque.resolve(protected.path, ["px-0123456789abcdef"])) == [("px-0123456789abcdef", None)]


def test_a_damaged_map_is_refused(protected, exported):
    [path] = (protected.path / "exports").iterdir()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    content = path.read_text()
    path.write_text(content.replace("secret-plan", "public-plan"))
    with pytest.raises(CorruptError, match="damaged"):
        list(opaque.resolve(protected.path, ["px-0123456789abcdef"]))
    path.write_text(json.dumps({"pmbf_export": 2}))
    with pytest.raises(UnsupportedError, match="has version 2"):
        list(opaque.resolve(protected.path, []))
    path.write_text(content)
    assert all(isinstance(part, Stretch) for _, part in opaque.resolve(protected.path, opaque.ids_in(content)))


def test_a_document_that_cannot_be_read_is_told(tmp_path, key):
    (tmp_path / "texts").mkdir()
    for number in (1, 2):
        (tmp_path / "texts" / f"{number}.txt").write_text(words(number, 200))
    with Collection(tmp_path / "c.pmbf", create=True, params=Params(store_text=False)) as made:
        made.load([tmp_path / "texts"])
        (tmp_path / "texts" / "2.txt").unlink()
        report = export(made, tmp_path / "out", key)
    [(path, why)] = report.problems
    assert path.endswith("2.txt") and "not stored" in why
    assert found(tmp_path / "out", key, words(1, 200))


def test_the_filter_is_not_written_into_the_collection(protected, key):
    for out in (protected.path, protected.path / "tiles" / "out"):
        with pytest.raises(ParameterError, match="lies in the collection"):
            export(protected, out, key)


def test_a_changed_word_does_not_hide_what_stands_behind_it(exported, key):
    leak = OFFER.split()[1000:1055]
    leak[35] = "otherwise"
    match = found(exported, key, " ".join([words(50, 40), *leak, words(51, 40)]))[0]
    assert match.n_covered > 0.95 * len(" ".join(leak))
