"""What a run takes, leaves out and names."""

import numpy as np
import pytest
from conftest import words
from hypothesis import given
from hypothesis import strategies as st

from pmbf import Collection, IncompleteError, NotFoundError, ParameterError, Params
from pmbf.alike.similar import Similarities, run, update
from pmbf.alike.similar.known import KNOWN
from pmbf.alike.similar.listing import worn_segments
from pmbf.alike.similar.similarities import components
from pmbf.jobs.executor import Inline, ShardFailed, local
from pmbf.store.files import StoredFile
from pmbf.store.folder import Store
from pmbf.store.pending import Change
from pmbf.store.writer import Writer
from tests.similar.tables import RULES, anew, made, ranged, table, text_of


def pairs(folder):
    with Similarities(folder) as similarities:
        return {(one.path, one.other_path): round(one.similarity, 2) for one in similarities.rows()}


def test_an_empty_collection_has_an_empty_table(tmp_path):
    folder = made(tmp_path / "c.pmbf", {})
    report = update(folder)
    assert (report.number, report.n_documents, report.n_rows) == (1, 0, 0)
    assert {} == pairs(folder)
    with Collection(folder) as collection:
        collection.add_many([("a", words(1)), ("b", words(1) + " more")])
    assert update(folder).n_rows == 2
    with Collection(folder) as collection:
        collection.remove("a", "b")
    assert (update(folder).n_removed, pairs(folder)) == (2, {})


def test_a_run_without_a_change_is_no_run(tmp_path):
    folder = made(tmp_path / "c.pmbf", {"a": words(1), "b": words(2)})
    assert 1 == update(folder).number
    before = sorted((folder / "similar").iterdir())
    assert 0 == update(folder).number
    assert before == sorted((folder / "similar").iterdir())


def test_a_similarity_is_the_share_of_the_first_documents_chunks(tmp_path):
    half, whole = words(3, 60), words(3, 60) + " " + words(4, 60)
    folder = made(tmp_path / "c.pmbf", {"half": half, "whole": whole, "other": words(5)})
    update(folder)
    assert {("half", "whole"): 1.0, ("whole", "half"): round(56 / 116, 2)} == pairs(folder)
    with Similarities(folder) as similarities:
        [row] = similarities.of("half")
        assert (row.similarity, round(row.reverse, 2), row.shared) == (1.0, round(56 / 116, 2), 56)


TEXTS = {
    "arabic": "كان البحر هادئا في ذلك الصباح وكان الصيادون يستعدون للخروج إلى الماء قبل طلوع الشمس",
    "chinese": "从前有一个渔夫住在海边的小村庄里每天清晨他都会划着小船出海打鱼",
    "greek": "η θάλασσα ήταν ήρεμη εκείνο το πρωί και οι ψαράδες ετοιμάζονταν να βγουν στο νερό",
    "hindi": "उस सुबह समुद्र शांत था और मछुआरे सूर्योदय से पहले पानी में जाने की तैयारी कर रहे थे",
    "russian": "в то утро море было спокойно и рыбаки готовились выйти на воду до восхода солнца",
    "thai": "เช้าวันนั้นทะเลสงบและชาวประมงกำลังเตรียมตัวออกเรือก่อนพระอาทิตย์ขึ้น",
}


def test_texts_of_all_scripts_are_compared(tmp_path):
    texts = {**TEXTS, **{f"{name} again": f"{text}\n{text} 2026" for name, text in TEXTS.items()}}
    folder = made(tmp_path / "c.pmbf", texts)
    update(folder)
    assert {1.0} == {share for (one, other), share in pairs(folder).items() if other == f"{one} again"}
    assert set(pairs(folder)) == {(one, other) for name in TEXTS for one, other in both(name, f"{name} again")}


def both(one, other):
    return (one, other), (other, one)


def test_documents_shorter_than_a_chunk_are_counted_and_have_no_similarities(tmp_path):
    folder = made(tmp_path / "c.pmbf", {"a": "one two", "b": "one two!", "c": "", "d": "... !!"})
    report = update(folder, min_shared=3)
    assert (report.n_documents, report.n_rows, report.n_unread) == (4, 0, 0)
    assert report.n_without == 2


def test_files_without_text_are_no_documents(tmp_path):
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(5000))
    (folder / "a.txt").write_text(words(1))
    with Collection(tmp_path / "c.pmbf", create=True) as collection:
        collection.load([folder])
    assert 1 == update(tmp_path / "c.pmbf").n_documents


def test_a_text_that_cannot_be_read_is_named_and_tried_again(tmp_path):
    folder = tmp_path / "texts"
    folder.mkdir()
    for number in range(4):
        (folder / f"{number}.txt").write_text(words(7) + " " + words(number))
    with Collection(tmp_path / "c.pmbf", create=True, params=Params(store_text=False)) as collection:
        collection.load([folder])
    content = (folder / "2.txt").read_text()
    (folder / "2.txt").unlink()
    report = update(tmp_path / "c.pmbf")
    assert (report.n_documents, report.n_unread, report.n_rows) == (3, 1, 6)
    assert [str(folder / "2.txt")] == list(report.incomplete)
    with Similarities(tmp_path / "c.pmbf") as similarities:
        assert [str(folder / "2.txt")] == list(similarities.status().incomplete)
        with pytest.raises(NotFoundError, match="no run has taken it yet"):
            similarities.of(str(folder / "2.txt"))
    assert (0, 1) == ((again := update(tmp_path / "c.pmbf")).number, again.n_unread)
    (folder / "2.txt").write_text(content)
    report = update(tmp_path / "c.pmbf")
    assert (report.number, report.n_documents, report.n_unread, report.n_rows) == (2, 4, 0, 12)


def test_a_text_that_was_not_read_to_its_end_is_named(tmp_path):
    with Collection(tmp_path / "c.pmbf", create=True) as collection:
        collection.add("a b c d e f g", name="whole")
    with Store(tmp_path / "c.pmbf", writable=True) as store:
        document = next(store.catalog.live_documents())
        Writer(store).apply(Change(changed_documents=[document._replace(problems="page 3: damaged")]))
    report = update(tmp_path / "c.pmbf")
    assert ({"whole": "page 3: damaged"}, 0, 1) == (report.incomplete, report.n_unread, report.n_documents)


def test_common_chunks_are_frozen_until_they_are_renewed(tmp_path):
    folder = made(tmp_path / "c.pmbf", {f"text-{number}": f"ax by cz. {words(number)}" for number in range(5)})
    ranged(folder, **RULES)
    assert 0 == ranged(folder).n_common
    with Collection(folder) as collection:
        collection.add_many([(f"more-{number}", f"ax by cz. {words(100 + number)}") for number in range(5)])
    ranged(folder)
    assert (10, 0) == ((full := ranged(folder, full=True)).n_documents, full.n_common)
    assert table(folder)["common"] == [(b"",)] and len(pairs(folder)) > 0
    assert 2 == ranged(folder, renew=True, **RULES).n_common
    assert {} == pairs(folder)
    with Collection(folder) as collection:
        collection.remove(*(f"more-{number}" for number in range(5)))
    ranged(folder)
    assert {} == pairs(folder) and table(folder) == anew(folder, tmp_path / "copy.pmbf")


def test_rules_change_with_a_renewal_alone(tmp_path):
    folder = made(tmp_path / "c.pmbf", {"a": words(1), "b": words(1) + " two"})
    update(folder, n_words=4)
    assert 0 == update(folder, n_words=4).number
    with pytest.raises(ParameterError, match="n_words is 6, but 4 in the runs before"):
        update(folder, n_words=6)
    assert "full" == update(folder, renew=True, n_words=6).kind
    with Similarities(folder) as similarities:
        assert (6, 28) == ((rules := similarities.status().rules).n_words, rules.bits)
    update(folder, renew=True, keep=7)
    with Similarities(folder) as similarities:
        assert (6, 7) == ((rules := similarities.status().rules).n_words, rules.keep)


@pytest.mark.parametrize(("rule", "value"), [("jobs", 0), ("bits", 29), ("keep", 0), ("n_words", 33), ("common", 0)])
def test_rules_outside_their_range_are_refused(tmp_path, rule, value):
    folder = made(tmp_path / "c.pmbf", {"a": words(1)})
    with pytest.raises(ParameterError, match=f"{rule} is {value}"):
        update(folder, **{rule: value})


def test_processes_leave_the_table_of_one(tmp_path):
    folder = made(tmp_path / "c.pmbf", {f"text-{number}": text_of(number) for number in range(40)})
    update(folder, jobs=2, executor=local(2), **RULES)
    with Collection(folder) as collection:
        collection.remove("text-3", "text-5")
        collection.add("text of another kind " + text_of(3), name="text-7")
    assert "incremental" == update(folder, jobs=3, executor=local(3)).kind
    assert table(folder) == anew(folder, tmp_path / "copy.pmbf")


def test_a_full_run_of_a_large_collection_uses_processes(tmp_path, monkeypatch):
    started = []
    monkeypatch.setattr(run, "local", lambda n_shards: started.append(n_shards) or local(n_shards))
    folder = made(tmp_path / "c.pmbf", {f"text-{number}": text_of(number) for number in range(9)})
    update(folder, jobs=2)
    monkeypatch.setattr(run, "_LARGE_CHARS", 100)
    update(folder, jobs=2, full=True)
    with Collection(folder) as collection:
        collection.remove("text-3")
    update(folder, jobs=2)
    assert [1, 2, 1] == started


class Dying:
    """An executor whose holders die at a call."""

    def __init__(self, method):
        self._inline, self._method = Inline(), method

    def start(self, holder, arguments):
        self._inline.start(holder, arguments)

    def call(self, method, arguments, timeout_s=None):
        if method == self._method:
            return {shard: ShardFailed(shard, "its node is gone") for shard in arguments}
        return self._inline.call(method, arguments)

    def close(self):
        self._inline.close()


@pytest.mark.parametrize("method", ["lists", "hold", "count"])
def test_a_holder_that_dies_ends_the_run_and_changes_nothing(tmp_path, method):
    folder = made(tmp_path / "c.pmbf", {f"text-{number}": text_of(number) for number in range(20)})
    ranged(folder, **RULES)
    before = table(folder)
    with Collection(folder) as collection:
        collection.add(text_of(99), name="text-3")
    with pytest.raises(IncompleteError, match="its node is gone; nothing was changed"):
        update(folder, jobs=2, executor=Dying(method))
    assert before == table(folder) and len(list((folder / "similar").glob("*.chunks"))) == 1
    ranged(folder)
    assert table(folder) == anew(folder, tmp_path / "copy.pmbf")


def test_documents_that_changed_since_are_left_out(tmp_path):
    folder = made(tmp_path / "c.pmbf", {name: words(1) + " " + name for name in "abcd"})
    update(folder)
    with Collection(folder) as collection:
        collection.remove("a")
        collection.compact()
        collection.add_many([("e", words(2)), ("b", words(3))])
    with Similarities(folder) as similarities:
        assert {("c", "d"), ("d", "c")} == {(one.path, one.other_path) for one in similarities.rows()}
        assert ["d"] == [one.other_path for one in similarities.of("c")]
        assert [("c", "d")] == [cluster.paths for cluster in similarities.clusters(0.5)]
        assert [("c", "d")] == [(one.path, one.other_path) for one in similarities.pairs()]
        status = similarities.status()
        assert (status.n_new, status.n_gone) == (2, 2)


def test_both_directions_are_shown_where_one_row_was_cut(tmp_path):
    texts = {f"short-{number}": f"{words(1, 30)} {words(number + 10, 6 + number)}" for number in range(5)}
    folder = made(tmp_path / "c.pmbf", texts | {"long": words(1, 40)})
    update(folder, keep=2)
    with Similarities(folder) as similarities:
        found = similarities.of("long")
        assert 5 == len(found) > 2 and {"long"} == {one.path for one in found}
        assert all(one.shared >= 26 and 0 < one.reverse < 1 for one in found)


def test_there_is_nothing_to_show_before_a_run(tmp_path):
    folder = made(tmp_path / "c.pmbf", {"a": words(1)})
    with pytest.raises(NotFoundError, match="pmbf similar update"):
        Similarities(folder)
    with pytest.raises(NotFoundError, match="no collection there"):
        update(tmp_path / "none.pmbf")


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), max_size=40))
def test_components_are_those_of_a_search(edges):
    edges = [(one, other) for one, other in edges if one != other]
    beside = {node: {node} for edge in edges for node in edge}
    for one, other in edges:
        joined = beside[one] | beside[other]
        for node in joined:
            beside[node] = joined
    expected = sorted({tuple(sorted(some)) for some in beside.values()})
    assert expected == [tuple(some) for some in components(np.array(edges, np.int64).reshape(-1, 2))]


def test_few_segments_stay_however_many_runs_there_were():
    sizes: dict[int, int] = {}
    for number in range(1, 200):
        known = np.zeros(len(sizes), KNOWN)
        known["segment"], known["n_chunks"] = list(sizes), list(sizes.values())
        files = {serial: StoredFile(serial, "CHNK", 4 * size + 24, 0) for serial, size in sizes.items()}
        worn = worn_segments(files, known, 100)
        sizes[number] = 100 + sum(sizes.pop(serial) for serial in worn)
        assert len(sizes) <= 9 and sum(sizes.values()) == 100 * number


def test_a_collection_is_changed_while_its_similarities_are_read(tmp_path):
    folder = made(tmp_path / "c.pmbf", {"a": words(1), "b": words(1) + " b"})
    update(folder)
    with Similarities(folder) as similarities, Collection(folder) as collection:
        collection.remove("a")
        assert 2 == len(list(similarities.rows()))
