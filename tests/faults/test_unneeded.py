"""What an answer does not need stops no answer: it is told, with its name and the way out."""

import json
import shutil
from dataclasses import replace

import pytest
from conftest import words

from pmbf import Collection, Comparison, CorruptError, compare, page, repair
from pmbf.alike.similar import Similarities, update
from tests.forked import pmbf

QUERY = words(7) + " " + words(99)
HARMS = {
    "missing": lambda file: file.unlink(),
    "empty": lambda file: file.write_bytes(b""),
    "torn": lambda file: file.write_bytes(file.read_bytes()[: file.stat().st_size // 2]),
    "of another collection": lambda file: file.write_bytes(b"\0" * 200),
    "damaged in its head": lambda file: file.write_bytes(file.read_bytes()[:70] + b"\xff\xff" + file.read_bytes()[72:]),
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    path = tmp_path_factory.mktemp("whole") / "c.pmbf"
    with Collection(path, create=True) as collection:
        collection.add_many([(f"text-{seed:02}", words(seed)) for seed in range(30)])
        collection.remove("text-29")
        collection.build_sentences()
    return path


@pytest.fixture
def path(whole, tmp_path):
    shutil.copytree(whole, tmp_path / "c.pmbf")
    return tmp_path / "c.pmbf"


def answer(path, **options):
    with Collection(path) as collection:
        report = collection.screen(QUERY, **options)
        return report.warnings, [(match.document, match.passages) for match in report.matches]


@pytest.mark.parametrize("harm", HARMS)
def test_rows_of_the_filter_that_cannot_be_read_stop_no_answer_and_are_told(path, harm):
    [rows] = path.glob("tiles/*.rows")
    _, expected = answer(path)
    HARMS[harm](rows)
    [warning], found = answer(path)
    assert found == expected
    assert str(rows) in warning and f"`pmbf check --repair -c {path}`" in warning
    with Collection(path) as collection:
        reports = [*collection.screen_many([QUERY.encode()] * 3, jobs=2)]
        assert [report.warnings for report in reports] == [(warning,)] * 3
        assert collection.text(1) == words(0)
    report = repair(path)
    assert (report.lost, report.remaining) == ([], [])
    assert answer(path) == ((), expected)


@pytest.mark.parametrize("harm", HARMS)
def test_what_needs_the_rows_refuses_them_by_name(path, harm):
    [rows] = path.glob("tiles/*.rows")
    HARMS[harm](rows)
    uses = (
        lambda c: c.add_many([("new", words(50))]),
        lambda c: c.compact(),
        lambda c: c.stats(),
    )
    for use in uses:
        with Collection(path) as collection, pytest.raises(CorruptError, match=f"{rows.name}.*check --repair"):
            use(collection)
    with Collection(path) as collection:
        assert any(rows.name in problem for problem in collection.check().problems)


def test_the_command_and_the_leak_check_show_the_warning(path, tmp_path):
    [rows] = path.glob("tiles/*.rows")
    query = tmp_path / "query.txt"
    query.write_text(QUERY, encoding="utf-8")
    codes = [pmbf(verb, query, "-c", path).returncode for verb in ("screen", "guard")]
    rows.unlink()
    for verb, code in zip(("screen", "guard"), codes, strict=True):
        shown = pmbf(verb, query, "-c", path)
        told = "".join((shown.stdout + shown.stderr).split())
        assert shown.returncode == code
        assert f"didnotneedadamagedfile:{rows}" in told and "pmbfcheck--repair" in told
        assert str(rows) in json.loads(pmbf(verb, query, "-c", path, "--json").stdout)["warnings"][0]


def test_missing_postings_are_named_with_the_command_that_makes_them_anew(path):
    expected = answer(path)
    [postings] = path.glob("postings/*.post")
    postings.unlink()
    with pytest.raises(CorruptError, match=f"{postings.name}: the file is missing; run `pmbf check --repair"):
        answer(path)
    assert repair(path).remaining == []
    assert answer(path) == expected


def test_a_missing_text_that_the_answer_needs_is_named_and_one_that_it_does_not_need_stops_nothing(path):
    with Collection(path) as collection:
        collection.add_many([("elsewhere", words(60))])  # in a file of texts of its own
    _, expected = answer(path)
    first, last = sorted(path.glob("texts/*.text"))
    shutil.move(last, path / "kept")
    assert answer(path) == ((), expected)
    shutil.move(path / "kept", last)
    first.unlink()
    with Collection(path) as collection:
        [problem, *_] = collection.screen(QUERY).problems
    assert f"{first}: the file is missing; run `pmbf check --repair" in problem


def test_a_comparison_with_a_library_has_the_warning(path, tmp_path):
    [rows] = path.glob("tiles/*.rows")
    essays = [("a", words(7) + words(50)), ("b", words(7) + words(60))]
    expected = compare(essays, collection=path)
    rows.unlink()
    found = compare(essays, collection=path)
    assert str(rows) in found.warnings[0] and expected == replace(found, warnings=())
    assert found == Comparison.from_json(found.to_json())
    assert rows.name in page(found)
    for name, text in essays:
        (tmp_path / f"{name}.txt").write_text(text, encoding="utf-8")
    for how in ((), ("--table", "csv:-")):
        shown = pmbf("compare", tmp_path / "a.txt", tmp_path / "b.txt", "-c", path, *how)
        assert rows.name in "".join((shown.stdout + shown.stderr).split()) and shown.returncode == 0


def test_what_asks_no_filter_answers_as_before(path):
    update(path)

    def asked():
        with Similarities(path) as table, Collection(path) as collection:
            similar, sentences = table.of("text-01"), collection.screen_sentences(QUERY).to_json()
        pairs = pmbf("pairs", path, "--json")
        return similar, sentences, pairs.returncode, pairs.stdout

    expected = asked()
    next(path.glob("tiles/*.rows")).unlink()
    assert asked() == expected
