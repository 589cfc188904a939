import asyncio
import html
import os
import pickle
import pydoc
import re
import shutil
import sqlite3
import typing
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields

import pytest
from conftest import touch, words

import pmbf
from pmbf import BusyError, Collection, NotFoundError, ParameterError, Params, repair
from pmbf.screen import Options, OptionValues
from pmbf.screen.widespread import MOST_SHARING
from pmbf.store import locks
from pmbf.store.folder import Store


def names(report):
    return [match.document.path for match in report.matches]


def test_a_copied_passage_is_found_with_its_exact_place(collection):
    source = words(1, 200)
    copied = source[300:800]
    collection.add(source, name="source")
    collection.add(words(2, 200), name="other")
    query = words(3, 50) + ". " + copied + " " + words(4, 50)
    report = collection.screen(query)
    assert names(report) == ["source"]
    passage = report.matches[0].passages[0]
    assert query[passage.query.start : passage.query.stop] in query[50:]
    assert source[passage.source.start : passage.source.stop] == query[passage.query.start : passage.query.stop]
    assert abs(passage.query.start - query.index(copied)) < 12
    assert passage.kind == "verbatim"
    assert passage.similarity == 1.0


def test_an_unrelated_text_finds_nothing(collection):
    collection.add_many([(f"text-{seed}", words(seed)) for seed in range(30)])
    assert not collection.screen(words(99)).found


def test_coverage_counts_each_character_once(collection):
    text = words(1)
    collection.add_many([("first", text + " one"), ("second", text + " two")])
    report = collection.screen(text)
    assert sorted(names(report)) == ["first", "second"]
    assert report.n_covered <= len(text)
    assert 0.99 < report.coverage <= 1.0
    assert report.matches[0].passages[0].also_in == (report.matches[1].document.id,)


def test_identical_contents_are_stored_once_and_listed_under_each_path(collection):
    first = collection.add(words(1), name="a")
    assert collection.add(words(1), name="b") == first
    assert [listed.paths for listed in collection.documents()] == [("a", "b")]
    assert collection.screen(words(1)).matches[0].document.paths == ("a", "b")


def test_a_document_goes_with_its_last_path(collection):
    collection.add_many([("a", words(1)), ("b", words(1))])
    collection.remove("a")
    assert collection.screen(words(1)).found
    collection.remove("b")
    assert not collection.screen(words(1)).found


def test_a_name_given_again_replaces_the_text(collection):
    collection.add(words(1), name="a")
    collection.add(words(2), name="a")
    assert not collection.screen(words(1)).found
    assert names(collection.screen(words(2))) == ["a"]


def test_removing_by_id_takes_all_paths(collection):
    document = collection.add_many([("a", words(1)), ("b", words(1))])[0]
    assert collection.remove(document) == 1
    assert list(collection.documents()) == []


def test_removing_what_is_not_there_removes_nothing(collection):
    collection.add(words(1), name="a")
    with pytest.raises(NotFoundError, match="has no document 'b'"):
        collection.remove("a", "b")
    assert names(collection.screen(words(1))) == ["a"]


def test_a_removed_text_loaded_again_is_found_again(collection):
    collection.add(words(1), name="a")
    collection.remove("a")
    collection.add(words(1), name="a")
    assert names(collection.screen(words(1))) == ["a"]


def test_compaction_recycles_ids_and_room(collection):
    ids = collection.add_many([(f"text-{seed}", words(seed)) for seed in range(40)])
    before = collection.stats()
    collection.remove(*ids[5:25])
    report = collection.compact()
    assert report.n_documents == 20
    assert collection.stats().n_removed == 0
    assert collection.stats().text_bytes < before.text_bytes
    again = collection.add_many([(f"again-{seed}", words(1000 + seed)) for seed in range(20)])
    assert again == ids[5:25]
    for seed in [*range(5), *range(25, 40)]:
        assert names(collection.screen(words(seed))) == [f"text-{seed}"]


def test_compacting_twice_changes_nothing(collection):
    collection.add(words(1), name="a")
    collection.compact()
    generation = collection.generation
    collection.compact()
    assert collection.generation == generation


def test_a_reader_keeps_its_generation(collection):
    collection.add(words(1), name="a")
    with Collection(collection.path) as reader:
        collection.remove("a")
        collection.compact()
        collection.add(words(2), name="b")
        assert names(reader.screen(words(1))) == ["a"]
        assert not reader.screen(words(2)).found
    with Collection(collection.path) as reader:
        assert names(reader.screen(words(2))) == ["b"]


def test_there_is_one_writer(collection):
    with Store(collection.path, writable=True), pytest.raises(BusyError):
        collection.add(words(1), name="a")
    assert collection.stats().n_documents == 0


def test_other_parameters_are_refused(collection):
    with pytest.raises(ParameterError, match="shingle_tokens is 3, not 7"):
        Collection(collection.path, params=Params(shingle_tokens=7))


def test_a_folder_with_something_else_is_not_made_a_collection(tmp_path):
    (tmp_path / "letter.txt").write_text("dear all")
    with pytest.raises(ParameterError, match="needs a folder of its own"):
        Collection(tmp_path, create=True)


def test_a_name_that_is_no_text_is_refused(collection):
    with pytest.raises(ParameterError, match="name is 2024"):
        collection.add(words(1), name=2024)
    with pytest.raises(ParameterError, match="the text of 'a' is bytes"):
        collection.add(b"bytes", name="a")


def test_ids_out_of_all_bounds_are_not_there(collection):
    for id_ in (-1, 2**32, 2**70):
        with pytest.raises(NotFoundError):
            collection.remove(id_)
        with pytest.raises(NotFoundError):
            collection.text(id_)


def test_a_closed_collection_says_so(tmp_path):
    collection = Collection(tmp_path / "c.pmbf", create=True)
    collection.close()
    with pytest.raises(ParameterError, match="is closed; open it again"):
        collection.screen(words(1))


def test_a_start_that_was_cut_short_does_not_bar_the_folder(tmp_path):
    (tmp_path / "c.pmbf").mkdir()
    (tmp_path / "c.pmbf" / "catalog.sqlite.tmp").write_bytes(b"half")
    (tmp_path / "c.pmbf" / "writer.lock").touch()
    with Collection(tmp_path / "c.pmbf", create=True) as collection:
        assert collection.check().problems == []


def test_of_several_first_loads_one_makes_the_collection(tmp_path):
    children = []
    for number in range(4):
        if not (child := os.fork()):
            try:
                with Collection(tmp_path / "c.pmbf", create=True) as made:
                    made.add(words(number), name=f"text-{number}")
                os._exit(0)
            finally:
                os._exit(1)
        children.append(child)
    done = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    with Collection(tmp_path / "c.pmbf") as collection:
        present = {listed.paths[0] for listed in collection.documents()}
        assert collection.check().problems == []
    assert {f"text-{number}" for number, code in enumerate(done) if code == 0} <= present


def test_damage_among_the_paths_is_found_and_named(tmp_path):
    path = tmp_path / "c.pmbf"
    with Collection(path, create=True) as made:
        made.add_many([("a", words(1)), ("b", words(2))])
    connection = sqlite3.connect(path / "catalog.sqlite")
    connection.execute("DELETE FROM path WHERE path = 'a'")
    connection.commit()
    connection.close()
    report = repair(path)
    assert report.lost == ["document 1, which has no path"]
    with Collection(path) as made:
        assert made.check().problems == []
    connection = sqlite3.connect(path / "catalog.sqlite")
    connection.execute("UPDATE path SET path = 'c'")
    connection.commit()
    connection.close()
    with Collection(path) as made:
        assert any("fails its checksum" in problem for problem in made.check().problems)


def test_drafts_of_one_text_are_sources_however_many(tmp_path):
    draft = words(6000, 300)
    with Collection(tmp_path / "c.pmbf", create=True) as made:
        made.add_many([(f"text-{seed:03}", words(seed, 300)) for seed in range(100)])
        made.add_many([(f"draft-{seed:02}", words(7000 + seed, 40) + " " + draft) for seed in range(30)])
        report = made.screen(draft[:900] + " " + words(8000, 600))
        assert len(report.matches) == 30


def test_opening_what_is_not_there_leaves_no_trace(tmp_path):
    with pytest.raises(NotFoundError):
        Collection(tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("text", ["", " \n\t", "…!?", "🙂", "one", "two words", "\ud800 lone"])
def test_a_text_of_any_shortness_is_stored_and_finds_itself(collection, text):
    collection.add(text, name="a")
    assert collection.check().problems == []
    report = collection.screen(text)
    has_words = any(character.isalnum() for character in text)
    assert names(report) == (["a"] if has_words else [])


@pytest.mark.parametrize("placement", ["single-row", "multi-row"])
def test_a_long_document_is_found_by_each_of_its_passages(tmp_path, placement):
    text = words(1, 60_000)
    with Collection(tmp_path / "c.pmbf", create=True, params=Params(placement=placement, row_capacity=4100)) as made:
        made.add_many([("long", text), *((f"text-{seed}", words(seed)) for seed in range(2, 30))])
        assert (made.stats().n_rows > 2) == (placement == "multi-row")
        for start in range(0, len(text) - 600, len(text) // 12):
            assert "long" in names(made.screen(words(77, 30) + " " + text[start : start + 600]))
        assert made.check().problems == []


def test_a_crowded_row_hides_nothing(tmp_path):
    text = words(1, 120_000)
    params = Params(placement="single-row", row_capacity=4100)
    with Collection(tmp_path / "c.pmbf", create=True, params=params) as made:
        made.add_many([("long", text), *((f"text-{seed}", words(seed)) for seed in range(2, 20))])
        for start in range(0, len(text) - 400, len(text) // 30):
            assert "long" in names(made.screen(text[start : start + 300]))


@pytest.mark.parametrize("method", ["hashes", "popcount"])
def test_both_methods_find_a_copy(collection, method):
    collection.add_many([(f"text-{seed}", words(seed, 400)) for seed in range(60)])
    assert names(collection.screen(words(7, 400), method=method)) == ["text-7"]


def test_more_rows_than_a_tile_are_sealed_and_found(tmp_path):
    params = Params(row_capacity=64, segment_chars=1024)
    with Collection(tmp_path / "c.pmbf", create=True, params=params) as made:
        made.add_many([(f"text-{seed}", words(seed, 150)) for seed in range(700)])
        stats = made.stats()
        assert stats.n_rows > 512
        assert stats.n_sealed >= 1
        made.remove(*(f"text-{seed}" for seed in range(0, 60, 2)))
        made.compact()
        assert made.check().problems == []
        for seed in [1, 59, 300, 699]:
            assert names(made.screen(words(seed, 150))) == [f"text-{seed}"]
        assert not made.screen(words(2, 150)).found


def test_boilerplate_is_told_of_a_few_that_have_it_unless_it_is_asked_for(tmp_path):
    licence = words(5000, 120)
    with Collection(tmp_path / "c.pmbf", create=True) as made:
        made.add_many([(f"text-{seed:03}", words(seed, 300) + "\n" + licence) for seed in range(100)])
        report = made.screen(words(9000, 500) + "\n" + licence)
        assert len(names(report)) == MOST_SHARING
        assert report.query.n_common_hashes > 10
        assert names(made.screen(words(50, 300) + "\n" + licence)) == ["text-050"]
        assert len(names(made.screen(licence))) > 50


def test_without_stored_texts_the_file_is_read_again(tmp_path, folder):
    with Collection(tmp_path / "c.pmbf", create=True, params=Params(store_text=False)) as made:
        made.load([folder])
        assert made.stats().text_bytes == 0
        assert names(made.screen(words(3))) == [str(folder / "text-3.txt")]
        touch(folder / "text-3.txt", "changed")
        report = made.screen(words(3))
        [match] = report.matches
        assert match.passages == ()
        assert "its text is not stored, and the file is gone, has changed or is larger than" in match.problem
        assert report.problems == (f"not compared with {match.document.path}: {match.problem}",)


def test_sources_not_compared_for_one_reason_are_one_problem(tmp_path):
    with Collection(tmp_path / "c.pmbf", create=True) as made:
        made.add_many([("a", words(1)), ("b", words(2))])
    next((tmp_path / "c.pmbf" / "texts").iterdir()).unlink()
    with Collection(tmp_path / "c.pmbf") as damaged:
        for jobs in (1, 2):
            [report] = damaged.screen_many([words(1) + words(2)], jobs=jobs)
            assert [match.document.path for match in report.matches] == ["a", "b"]
            assert len(report.problems) == 1
            assert report.problems[0].startswith("not compared with a and 1 more: ")


def test_repair_rebuilds_tiles_from_fingerprints(tmp_path):
    path = tmp_path / "c.pmbf"
    with Collection(path, create=True) as made:
        made.add_many([(f"text-{seed}", words(seed)) for seed in range(30)])
    for tile in (path / "tiles").iterdir():
        tile.write_bytes(b"rubbish")
    assert repair(path).ok
    with Collection(path) as made:
        assert made.check().problems == []
        assert names(made.screen(words(5))) == ["text-5"]


def damage(path, kind):
    for victim in (path / kind).glob("*"):
        victim.write_bytes(victim.read_bytes()[:-1] + b"?")


def test_repair_reads_damaged_texts_again_from_their_files(tmp_path, folder):
    path = tmp_path / "c.pmbf"
    with Collection(path, create=True) as made:
        made.load([folder])
        made.add(words(500), name="no file")
    damage(path, "texts")
    with Collection(path) as made:
        assert made.check().problems
    assert repair(path).lost == []
    with Collection(path) as made:
        assert made.check().problems == []
        assert names(made.screen(words(4))) == [str(folder / "text-4.txt")]
        assert names(made.screen(words(500))) == ["no file"]


def test_a_document_whose_text_is_gone_is_still_found(tmp_path):
    """Its fingerprint is made of the postings."""
    path = tmp_path / "c.pmbf"
    with Collection(path, create=True, params=Params(segment_chars=1024)) as made:
        made.add_many([(f"text-{seed}", words(seed, 900)) for seed in range(5)])
    shutil.rmtree(path / "texts")
    report = repair(path)
    assert (report.ok, report.lost) == (True, [])
    assert "fingerprint of document 1 made anew from the postings" in report.repaired
    with Collection(path) as made:
        assert made.check().problems == []
        [match] = made.screen(words(3, 900)).matches
        assert match.document.path == "text-3"
        assert "its text is not stored" in match.problem
        made.remove("text-1")
        made.compact()
        assert made.check().problems == []


def test_repair_rescues_fingerprints_without_texts(tmp_path):
    path = tmp_path / "c.pmbf"
    with Collection(path, create=True, params=Params(store_text=False)) as made:
        made.add_many([(f"text-{seed}", words(seed)) for seed in range(5)])
    damage(path, "fingerprints")
    with Collection(path) as made:
        assert made.check().problems
        assert names(made.screen(words(3))) == ["text-3"]
    assert repair(path).lost == []
    with Collection(path) as made:
        assert made.check().problems == []
        assert names(made.screen(words(3))) == ["text-3"]


def test_repair_names_what_is_lost(tmp_path):
    path = tmp_path / "c.pmbf"
    with Collection(path, create=True) as made:
        made.add(words(1), name="only here")
    for kind in ("tiles/*.tile", "texts/*"):
        next(path.glob(kind)).unlink()
    report = repair(path)
    assert report.lost == ["only here"]
    with Collection(path) as made:
        assert made.check().problems == []
        assert list(made.documents()) == []


def test_threads_share_one_object_and_each_finds_what_one_alone_finds(collection):
    collection.add_many([(f"text-{seed}", words(seed)) for seed in range(20)])
    texts = [words(seed)[100:600] for seed in range(40)]
    alone = [collection.screen(text) for text in texts]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(collection.screen, texts)) == alone
        assert pool.submit(repr, collection).result() == repr(collection)


def test_a_coroutine_screens_in_other_threads(collection):
    collection.add_many([(f"text-{seed}", words(seed)) for seed in range(5)])

    async def screened():
        return await asyncio.gather(*(asyncio.to_thread(collection.screen, words(seed)) for seed in range(10)))

    assert [report.found for report in asyncio.run(screened())] == [True] * 5 + [False] * 5


def test_every_thread_sees_what_another_thread_has_changed(collection):
    with ThreadPoolExecutor(1) as pool:
        assert not pool.submit(collection.screen, words(1)).result().found
        collection.add(words(1), name="a")
        assert pool.submit(collection.screen, words(1)).result().found
        pool.submit(collection.remove, "a").result()
        assert not collection.screen(words(1)).found


def test_threads_that_add_wait_for_each_other(collection):
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda seed: collection.add(words(seed), name=f"text-{seed}"), range(12)))
    assert sorted(listed.paths[0] for listed in collection) == sorted(f"text-{seed}" for seed in range(12))


def test_a_closed_object_is_closed_in_each_thread_and_holds_no_lock(tmp_path):
    shared = Collection(tmp_path / "c.pmbf", create=True)
    shared.add(words(1), name="a")
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(shared.screen, words(1)).result().found
        with locks.no_readers(shared.path) as alone:
            assert not alone
        shared.close()
        with pytest.raises(ParameterError, match="is closed; open it again"):
            pool.submit(shared.screen, words(1)).result()
        with locks.no_readers(shared.path) as alone:
            assert alone


def test_an_iterator_taken_to_another_thread_says_where_it_goes_on(collection):
    collection.add_many([(f"text-{seed}", words(seed)) for seed in range(9)])
    reports = collection.screen_many([words(seed) for seed in range(9)])
    assert next(reports).found
    with ThreadPoolExecutor(1) as pool, pytest.raises(ParameterError, match="goes on in the thread that began it"):
        pool.submit(list, reports).result()


def test_a_collection_is_a_container_of_its_documents(collection):
    assert (len(collection), list(collection)) == (0, [])
    first, second = collection.add_many([("a", words(1)), ("b", words(2))])
    assert len(collection) == 2
    assert [listed.paths for listed in collection] == [("a",), ("b",)]
    assert all(listed in collection for listed in collection)
    assert first in collection
    collection.remove(second)
    assert second not in collection


def test_a_notebook_shows_the_first_documents_and_no_tag_of_theirs(collection):
    collection.add_many([(f"<b>{seed}</b>\udce9", words(seed)) for seed in range(12)])
    shown = collection._repr_html_()
    assert shown.encode().count(b"&lt;b&gt;") == 10
    assert "<b>" not in shown
    assert "12 documents, the first 10 of them" in shown
    with Collection(collection.path) as other:
        pass
    assert other._repr_html_() == f"<p>{html.escape(repr(other))}</p>"


def test_a_pickled_collection_is_opened_again_where_it_is_unpickled(collection):
    collection.add(words(1), name="a")
    with pickle.loads(pickle.dumps(collection)) as again:
        assert again.screen(words(1)).found
        assert [listed.paths for listed in again.documents()] == [("a",)]


def test_a_collection_and_a_report_are_shown_in_one_short_line(collection):
    collection.add_many([("a", words(1)), ("b", words(2))])
    assert repr(collection) == f"<Collection {str(collection.path)!r}: 2 documents>"
    report = collection.screen(words(1), name="essay")
    assert repr(report) == "<Report of 'essay': 100% in 1 of 2 documents>"
    with Collection(collection.path) as other:
        pass
    assert repr(other) == f"<Collection {str(collection.path)!r}: closed>"


def test_the_package_lists_its_public_names():
    assert {"Collection", "Report", "Match", "Params", "repair"} <= set(dir(pmbf))
    assert not {"importlib", "TYPE_CHECKING", "annotations"} & set(dir(pmbf))
    assert all(hasattr(pmbf, name) for name in dir(pmbf))


def test_whether_a_path_is_listed_is_asked_with_in(collection, folder, monkeypatch):
    collection.load([folder])
    monkeypatch.chdir(folder)
    assert "text-1.txt" in collection
    assert folder / "text-1.txt" in collection
    assert "text-99.txt" not in collection
    assert 99 not in collection
    assert 1.5 not in collection


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"min_char": 40}, "there is no option min_char; did you mean min_chars?"),
        ({"colour": 1}, "there is no option colour; there are min_chars, min_similarity, threshold,"),
        ({"min_chars": "40"}, "min_chars is '40', expected a whole number, at least 1"),
        ({"min_chars": 0}, "min_chars is 0, expected a whole number, at least 1"),
        ({"threshold": 20}, "threshold is 20, expected a number from 0 to 1"),
        ({"threshold": float("nan")}, "threshold is nan, expected a number from 0 to 1"),
        ({"min_evidence": "much"}, "min_evidence is 'much', expected a number above 0, or None"),
        ({"ignore": words(1)}, "expected a list of texts"),
        ({"ignore": [1]}, "expected a list of texts"),
    ],
)
def test_an_option_that_is_none_or_out_of_range_is_refused_with_what_is_expected(collection, options, told):
    with pytest.raises(ParameterError, match=re.escape(told)):
        collection.screen(words(1), **options)
    with pytest.raises(ParameterError, match=re.escape(told)):
        collection.screen_many([words(1)], **options)


def test_the_options_are_typed_by_name():
    assert list(typing.get_type_hints(OptionValues)) == [field.name for field in fields(Options)]


def test_a_text_to_ignore_may_come_in_a_list(collection):
    collection.add(words(1), name="a")
    assert collection.screen(words(1)).found
    assert not collection.screen(words(1), ignore=[words(1)]).found


def test_what_is_no_text_among_many_is_told_with_its_row_and_stops_nothing(collection):
    collection.add(words(1), name="a")
    reports = list(collection.screen_many([words(1), float("nan"), words(1)]))
    assert [report.found for report in reports] == [True, False, True]
    assert reports[1].problems == (
        "queries[1]: a query is nan (float), expected a text, the bytes of a file, or a pathlib.Path",
    )
    with pytest.raises(ParameterError, match=r"a query is nan \(float\)"):
        collection.screen(float("nan"))


def test_a_path_given_as_a_text_is_refused_and_among_many_told_with_its_row(collection, folder, monkeypatch):
    collection.load([folder])
    monkeypatch.chdir(folder)
    with pytest.raises(ParameterError, match=r"'text-1\.txt' looks like a path"):
        collection.screen("text-1.txt")
    path, text = collection.screen_many(["text-1.txt", words(1)])
    assert text.found
    assert "queries[0]: 'text-1.txt' looks like a path" in path.problems[0]
    assert collection.screen(folder / "text-1.txt").problems == ()


@pytest.mark.parametrize(
    ("pairs", "told"),
    [
        ([("a", words(1)), ("b", float("nan"))], "texts[1]: the text of 'b' is float, expected str"),
        ([("a", words(1)), (float("nan"), "b")], "texts[1]: name is nan, expected what to call the text"),
        ([("a", words(1)), "b"], "texts[1] is 'b', expected a pair (name, text)"),
        ([(words(n), f"row {n}") for n in range(9)], "add_many takes pairs (name, text), the name first"),
        ([("a", "a.pdf"), ("b", "b.pdf"), ("c", words(1))], "2 of 3 texts look like paths, such as 'a.pdf'; `load`"),
    ],
)
def test_texts_that_are_none_or_swapped_with_their_names_are_refused_and_nothing_is_stored(collection, pairs, told):
    with pytest.raises(ParameterError, match=re.escape(told)):
        collection.add_many(pairs)
    with pytest.raises(ParameterError, match=r"texts look like paths, such as 'a\.pdf'; `load` takes files"):
        collection.add("a.pdf", name="a")
    assert collection.n_documents == 0


def test_the_rows_that_cannot_be_stored_are_told_and_the_others_stored(collection):
    told = []
    pairs = [("a", words(1)), ("b", float("nan")), ("", words(2)), ("c", words(3))]
    ids = collection.add_many(pairs, on_problem=told.append)
    assert [collection.text(one) for one in ids if one] == [words(1), words(3)]
    assert ids[1:3] == [None, None]
    assert told == [
        "texts[1]: the text of 'b' is float, expected str; decode or load files",
        "texts[2]: name is '', expected what to call the text",
    ]


def test_a_long_name_with_a_short_text_may_be_meant(collection):
    collection.add("A few words.", name=words(1))
    collection.add_many([(words(2), "A few."), ("a", words(3)), ("b", words(4))])
    assert collection.n_documents == 4


def test_a_report_as_a_dict_holds_lists_and_no_tuples(collection):
    collection.add(words(1), name="a")

    def tuples(value):
        inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        return isinstance(value, tuple) or any(map(tuples, inside))

    report = collection.screen(words(1))
    assert report.found
    assert not tuples(report.to_dict())
    assert not any(tuples(listed.to_dict()) for listed in collection.documents())


def test_a_report_gives_its_texts_after_the_collection_is_closed_and_after_pickling(collection, folder):
    source, query = words(1), words(3, 20) + " " + words(1)
    collection.add(source, name="a")
    (folder / "query.txt").write_text(query, encoding="utf-8")
    with Collection(collection.path) as other:
        told = [
            other.screen(query),
            *other.screen_many([query, folder / "query.txt"]),
            *other.screen_many([query], jobs=2),
        ]
    for report in [*told, *pickle.loads(pickle.dumps(told))]:
        assert query == report.texts.query
        assert [source] == [report.texts.source(match.document.id) for match in report.matches]
    collection.remove("a")
    with pytest.raises(NotFoundError):
        told[0].texts.source(told[0].matches[0].document.id)


def test_the_texts_of_a_report_stand_neither_in_json_nor_in_comparisons(collection):
    collection.add(words(1), name="a")
    report = collection.screen(words(1))
    read = pmbf.Report.from_json(report.to_json())
    assert "texts" not in report.to_dict()
    assert read == report
    assert read.texts is None
    assert hash(read) == hash(report)


def test_a_report_says_where_the_characters_are_that_do_not_count(collection):
    quoted = "“" + words(1) + "”"
    collection.add(words(1), name="a")
    report = collection.screen("He said: " + quoted, exclude_quotations=True)
    assert report.query.excluded == (pmbf.Span(9, 9 + len(quoted)),)
    assert pmbf.Report.from_json(report.to_json()) == report
    assert report.to_dict()["query"]["excluded"] == [[9, 9 + len(quoted)]]


def test_reports_and_their_matches_are_pickled(collection):
    collection.add(words(1), name="a")
    report = collection.screen(words(1))
    assert pickle.loads(pickle.dumps(report)) == report
    assert pickle.loads(pickle.dumps(report.matches[0])) == report.matches[0]


def test_pandas_makes_a_table_of_the_matches(collection):
    pandas = pytest.importorskip("pandas")
    collection.add_many([("a", words(1)), ("b", words(2))])
    report = collection.screen(words(1) + " " + words(2))
    table = pandas.json_normalize(report.to_dict(), "matches")
    assert sorted(table["document.path"]) == ["a", "b"]
    passages = pandas.json_normalize(report.to_dict(), ["matches", "passages"], [["matches", "document", "path"]])
    assert sorted(passages["matches.document.path"]) == ["a", "b"]


def test_help_names_the_classes_before_the_modules():
    shown = pydoc.plain(pydoc.render_doc(pmbf))
    described = shown[: shown.index("PACKAGE CONTENTS")]
    assert all(name in described for name in ("Collection", "repair", "Params", "Report", "Match", "PmbfError"))


def test_a_load_leaves_no_file_that_nobody_needs(collection, folder):
    for number in range(3):
        (folder / f"{number}.txt").write_text(words(50 + number), encoding="utf-8")
        collection.load([folder])
        named = {collection.path / name for name in collection._store.generation.names()}
        assert {one for one in collection.path.glob("t*/*") if one.is_file()} <= named
