import os
import tracemalloc

import pytest
from conftest import names, touch, words

from pmbf import BusyError, Collection, NotFoundError, ParameterError, Params
from pmbf.screen.widespread import MOST_SHARING
from pmbf.store import database
from pmbf.store.folder import Store


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


def test_documents_may_be_removed_while_they_are_listed(collection):
    collection.add_many([(f"text-{seed}", words(seed)) for seed in range(8)])
    for listed in collection.documents():
        if listed.id % 2:
            collection.remove(listed.id)
    assert [listed.id for listed in collection] == [2, 4, 6, 8]


def test_a_list_of_documents_takes_no_memory_for_each(collection):
    collection.add_many([(f"{'name-' * 80}{number}", f"word {number}") for number in range(10_000)])
    tracemalloc.start()
    try:
        assert sum(1 for _ in collection.documents()) == 10_000
        assert tracemalloc.get_traced_memory()[1] < 3 << 20  # names and checksums alone have 5 MB
    finally:
        tracemalloc.stop()


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
    with Collection(
        tmp_path / "c.pmbf", create=True, params=Params.rows(placement=placement, row_capacity=4100)
    ) as made:
        made.add_many([("long", text), *((f"text-{seed}", words(seed)) for seed in range(2, 30))])
        assert (made.stats().n_rows > 2) == (placement == "multi-row")
        for start in range(0, len(text) - 600, len(text) // 12):
            assert "long" in names(made.screen(words(77, 30) + " " + text[start : start + 600]))
        assert made.check().problems == []


def test_a_crowded_row_hides_nothing(tmp_path):
    text = words(1, 120_000)
    params = Params.rows(placement="single-row", row_capacity=4100)
    with Collection(tmp_path / "c.pmbf", create=True, params=params) as made:
        made.add_many([("long", text), *((f"text-{seed}", words(seed)) for seed in range(2, 20))])
        for start in range(0, len(text) - 400, len(text) // 30):
            assert "long" in names(made.screen(text[start : start + 300]))


def test_more_rows_than_a_tile_are_sealed_and_found(tmp_path):
    params = Params.rows(row_capacity=64, segment_chars=1024)
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


def test_boilerplate_is_told_of_a_few_that_have_it(tmp_path):
    licence = words(5000, 120)
    texts = [words(seed, 300).replace("o", f"o{seed:02}") for seed in range(100)]  # each in words of its own
    with Collection(tmp_path / "c.pmbf", create=True) as made:
        made.add_many([(f"text-{seed:03}", f"{text}\n{licence}") for seed, text in enumerate(texts)])
        report = made.screen(words(9000, 500) + "\n" + licence)
        assert len(names(report)) == MOST_SHARING
        assert report.query.n_common_hashes > 10
        assert names(made.screen(f"{texts[50]}\n{licence}"))[0] == "text-050"
        alone = made.screen(licence)
        assert len(names(alone)) == MOST_SHARING
        told = "more than 50 documents have nearly all of the text; at most 3 of those are named"
        assert alone.warnings == (told,)


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


def test_a_load_leaves_no_file_that_nobody_needs(collection, folder):
    for number in range(3):
        (folder / f"{number}.txt").write_text(words(50 + number), encoding="utf-8")
        collection.load([folder])
        named = {collection.path / name for name in collection._store.generation.names()}
        assert {one for one in collection.path.glob("t*/*") if one.is_file()} <= named


@pytest.mark.parametrize("by", ["id", "name"])
def test_many_documents_are_removed_with_as_many_statements_as_few(tmp_path, monkeypatch, by):
    counted, connect = [], database.connect

    def traced(*arguments, **more):
        connection = connect(*arguments, **more)
        connection.set_trace_callback(counted.append)
        return connection

    monkeypatch.setattr(database, "connect", traced)
    n_statements = []
    with Collection(tmp_path / "c.pmbf", create=True) as collection:
        ids = collection.add_many([(f"text-{number}", words(number)) for number in range(70)])
        for some in (range(3), range(3, 63)):
            counted.clear()
            collection.remove(*([ids[one] for one in some] if by == "id" else [f"text-{one}" for one in some]))
            n_statements.append(len([one for one in counted if one.startswith(("SELECT", "DELETE"))]))
        assert collection.check().problems == []
        assert sorted(one.paths[0] for one in collection.documents()) == sorted(f"text-{n}" for n in range(63, 70))
    assert n_statements[0] == n_statements[1]
