"""A collection as an object of Python: threads, coroutines, containers, notebooks, pickles, public names."""

import asyncio
import contextlib
import html
import pickle
import pydoc
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from conftest import words

import pmbf
from pmbf import Collection, ParameterError
from pmbf.store import locks


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


def test_a_catalog_is_read_by_its_thread_and_by_those_that_it_is_lent_to(collection):
    collection.add_many([(f"text-{seed}", words(seed)) for seed in range(9)])
    opened = Collection(collection.path)
    catalog = opened._store.catalog

    def rows(lent):
        with catalog.lent() if lent else contextlib.nullcontext():
            return sorted(catalog.documents(range(9)))

    with ThreadPoolExecutor(4) as pool:
        with pytest.raises(ParameterError, match="the thread that began it"):
            pool.submit(rows, False).result()
        found = [pool.submit(rows, True) for _ in range(200)]
        own = [sorted(catalog.documents(range(9))) for _ in range(200)]
        assert [one.result() for one in found] == own
        with pytest.raises(ParameterError, match="the thread that began it"):
            pool.submit(rows, False).result()
        opened.close()
        with pytest.raises(ParameterError, match="is closed"):
            pool.submit(rows, True).result()


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


def alone(code, *values):
    """What a new process of Python prints that has imported nothing else of pmbf."""
    return subprocess.run([sys.executable, "-c", code, *values], capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("called", ["pmbf.alike.similar.update", "pmbf.verify.edits"])
def test_what_the_docs_call_by_dots_is_there_after_import_pmbf(called):
    assert alone(f"import pmbf; print({called}.__name__)") == called.rpartition(".")[2] + "\n"


@pytest.mark.parametrize(
    "imported",
    ["from pmbf.report import Report", "from pmbf.collection import Collection; from pmbf.report import Report"],
)
def test_a_notebook_shows_every_report_whatever_was_imported(collection, imported):
    collection.add(words(1), name="third.txt")
    report = collection.screen(words(1))
    shown = alone(f"import sys; {imported}; print(Report.from_json(sys.argv[1])._repr_html_())", report.to_json())
    assert "third.txt" in shown and "<table>" in shown


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


def test_help_names_the_classes_before_the_modules():
    shown = pydoc.plain(pydoc.render_doc(pmbf))
    described = shown[: shown.index("PACKAGE CONTENTS")]
    assert all(name in described for name in ("Collection", "repair", "Params", "Report", "Match", "PmbfError"))
