"""The store of sentences finds what a comparison of all texts finds, through every change, death and damage."""

from __future__ import annotations

import json
import os
import random
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pmbf import Collection, repair
from pmbf.base.errors import CorruptError, NotFoundError, ParameterError, UnsupportedError
from pmbf.collection.opened import OpenFolder
from pmbf.sentences import Sentences, building, by_keys, segments
from pmbf.sentences import state as states
from pmbf.store.folder import Store
from tests.sentences.texts import brute_force, found_by, sentence, text

QUERY = text(3, 100, 4, 5, 6, 101, 7, 8)


@pytest.fixture
def folder(tmp_path: Path) -> str:
    return str(tmp_path / "tides.pmbf")


def made(folder: str, n: int = 6, **how: str | int) -> None:
    with Collection(folder, create=True) as collection:
        collection.add_many((f"text {i}", text(*range(3 * i, 3 * i + 5))) for i in range(n))
        collection.build_sentences(**how)


@pytest.mark.parametrize("code", ["words", "paper"])
@pytest.mark.parametrize("key_bits", [32, 64])
def test_the_store_finds_what_a_comparison_of_all_units_finds(folder: str, code: str, key_bits: int) -> None:
    made(folder, code=code, key_bits=key_bits)
    found = found_by(folder, QUERY)
    assert found == brute_force(folder, QUERY, code)
    assert found


steps = st.lists(st.tuples(st.sampled_from(["add", "change", "remove", "compact"]), st.integers(0, 9)), max_size=12)


@given(steps, st.integers(0, 2**32))
@settings(max_examples=25, deadline=None)
def test_the_store_follows_every_change(tmp_path_factory: pytest.TempPathFactory, steps: list, seed: int) -> None:
    folder = str(tmp_path_factory.mktemp("walk") / "c.pmbf")
    chance, names = random.Random(seed), set[str]()
    made(folder, 3)
    names |= {f"text {i}" for i in range(3)}
    with Collection(folder) as collection:
        for verb, number in steps:
            name = f"text {number}"
            if verb in ("add", "change"):
                collection.add(text(*(chance.randrange(12) for _ in range(6))), name=name)
                names.add(name)
            elif verb == "remove" and name in names:
                collection.remove(name)
                names.discard(name)
            elif verb == "compact":
                collection.compact()
        assert collection.sentences_status().is_current
        assert not collection.check().problems
    assert found_by(folder, QUERY) == brute_force(folder, QUERY)


@pytest.mark.parametrize("code", ["words", "paper"])
def test_common_keys_need_a_second_one_but_the_paper_s_miss_no_near_unit(
    folder: str, monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    monkeypatch.setattr(by_keys, "MOST_UNITS_ALONE", 2)
    monkeypatch.setattr(by_keys, "MOST_UNITS_OF_A_KEY", 4)
    with Collection(folder, create=True) as collection:
        collection.add_many((f"text {i}", text(1, i + 50) if i < 8 else text(2, i + 50)) for i in range(11))
        collection.build_sentences(code=code)
    query = text(1, 51) + "\n\n" + text(1, 99) + "\n\n" + text(2, 98)
    assert found_by(folder, query) == brute_force(folder, query, code)


def test_a_large_segment_has_a_directory_and_finds_the_same(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made(folder)
    before = found_by(folder, QUERY)
    monkeypatch.setattr(segments, "LEAST_WITH_DIRECTORY", 1)
    with Collection(folder) as collection:
        collection.build_sentences()
        assert not collection.check().problems
    assert found_by(folder, QUERY) == before


def test_many_small_changes_leave_few_segments(folder: str) -> None:
    made(folder, 1)
    with Collection(folder) as collection:
        for i in range(40):
            collection.add(text(200 + i, 300 + i), name=f"more {i}")
        assert collection.sentences_status().n_segments <= 6
        assert collection.sentences_status().n_documents == 41


def test_keys_and_spans_are_told_by_ordinal(folder: str) -> None:
    made(folder)
    with Store(folder) as store:
        sentences = Sentences(store)
        ordinals = np.arange(len(sentences))
        assert sentences.keys(ordinals).shape == (len(sentences), 10)
        assert (np.diff(sentences.spans(ordinals), axis=1) > 40).all()
        first = sentences.keys(ordinals[:1])
        assert sentences.look_up(first).units.tolist()[0] == 0


# ---------------------------------------------------------------------- stale, damaged, killed


def test_a_stale_store_is_told_and_follows_at_the_next_change(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made(folder)
    with monkeypatch.context() as patched, Collection(folder) as collection:
        patched.setattr(OpenFolder, "follow", lambda self, writer, compact=False: None)
        collection.add(text(500, 501), name="unseen")
        collection.remove("text 0")
    with Collection(folder) as collection:
        report = collection.screen_sentences(text(500, 501))
        assert not report.found
        assert ["sentences build" in problem for problem in report.problems] == [True]
        assert any("shows commit" in problem for problem in collection.check().problems)
        collection.add(text(600), name="another")
        assert collection.screen_sentences(text(500, 501)).found
        assert not collection.screen_sentences(text(500, 501)).problems
    assert found_by(folder, QUERY) == brute_force(folder, QUERY)


def test_sentences_of_a_removed_document_are_no_answer_in_a_stale_store(
    folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After compaction another document has the id: its text stands at other places."""
    made(folder)
    monkeypatch.setattr(OpenFolder, "follow", lambda self, writer, compact=False: None)
    with Collection(folder) as collection:
        collection.remove("text 1")
        collection.compact()
        collection.add(text(700, 701, 702, 703), name="another")
        report = collection.screen_sentences(text(3, 4, 5))
        assert not any("another" in source.document.paths for source in report.sources)
        assert report.problems


def test_every_flipped_byte_is_told(folder: str) -> None:
    made(folder, 3)
    paths = sorted((Path(folder) / "sentences").iterdir())
    assert [path.name for path in paths] == ["000001.units", "state"]
    for path in paths:
        whole = path.read_bytes()
        for at in range(0, len(whole), max(1, len(whole) // 60)):
            path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x10]) + whole[at + 1 :])
            with Collection(folder) as collection:
                with pytest.raises((CorruptError, UnsupportedError)):
                    collection.screen_sentences(QUERY)
                assert collection.check().problems
        path.write_bytes(whole)


def test_a_repair_makes_damaged_sentences_anew(folder: str) -> None:
    made(folder, code="paper")
    before = found_by(folder, QUERY)
    segment = Path(folder) / "sentences" / "000001.units"
    segment.write_bytes(segment.read_bytes()[:-9])
    report = repair(folder)
    assert report.ok and any("sentences made anew with the code 'paper'" in done for done in report.repaired)
    assert found_by(folder, QUERY) == before
    with Collection(folder) as collection:
        assert not collection.check().problems


def test_damaged_sentences_stop_no_load(folder: str) -> None:
    made(folder)
    (Path(folder) / "sentences" / "state").write_bytes(b"{}")
    with Collection(folder) as collection:
        collection.add(text(800), name="loaded")
        with pytest.raises(CorruptError, match="sentences build"):
            collection.screen_sentences(QUERY)
        collection.build_sentences()
        assert collection.screen_sentences(text(800)).found


@pytest.mark.parametrize("verb", ["build", "add", "compact"])
def test_killed_before_any_durable_step_nothing_is_lost(folder: str, verb: str) -> None:
    made(folder)
    with Collection(folder) as collection:
        collection.remove("text 2")
    for step in range(1, 40):
        if _survives(folder, verb, step):
            break
        with Collection(folder) as collection:
            report = collection.screen_sentences(QUERY)
            problems = report.problems
            assert collection.sentences_status().is_current or problems
        if not problems:
            assert found_by(folder, QUERY) == brute_force(folder, QUERY)
    assert step > 1
    with Collection(folder) as collection:
        collection.build_sentences()
        assert not collection.check().problems
    assert found_by(folder, QUERY) == brute_force(folder, QUERY)


def _survives(folder: str, verb: str, step: int) -> bool:
    """Change a collection in a process that dies before a durable step; return whether it ends before that step."""
    child = os.fork()
    if not child:
        steps = iter(range(1, step))
        replace = os.replace
        os.replace = lambda *names: replace(*names) if next(steps, None) else os._exit(9)  # type: ignore[assignment]
        try:
            with Collection(folder) as collection:
                if verb == "build":
                    collection.build_sentences()
                elif verb == "add":
                    collection.add(text(step + 900, 4, 5), name=f"step {step}")
                else:
                    collection.compact()
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status) == 0


def test_a_full_disk_keeps_the_sentences_before(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made(folder)
    before = found_by(folder, QUERY)

    def full(*arguments: object, **others: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(building, "write_segment", full)
    with Collection(folder) as collection, pytest.raises(OSError, match="No space left"):
        collection.build_sentences()
    monkeypatch.undo()
    assert found_by(folder, QUERY) == before


# ---------------------------------------------------------------------- the rest


def test_without_sentences_the_way_is_told(folder: str) -> None:
    with Collection(folder, create=True) as collection:
        collection.add(sentence(1), name="one")
        with pytest.raises(NotFoundError, match="pmbf sentences build"):
            collection.screen_sentences(QUERY)
        assert not collection.drop_sentences()


def test_dropped_sentences_leave_no_file(folder: str) -> None:
    made(folder)
    with Collection(folder) as collection:
        assert collection.drop_sentences()
        assert not collection.check().problems
    assert not (Path(folder) / "sentences").exists()


def test_a_text_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    from pmbf.base.params import Params

    (tmp_path / "gone.txt").write_text(text(1, 2))
    (tmp_path / "here.txt").write_text(text(3, 4))
    with Collection(tmp_path / "c.pmbf", create=True, params=Params(store_text=False)) as collection:
        collection.load([tmp_path / "gone.txt", tmp_path / "here.txt"])
        (tmp_path / "gone.txt").unlink()
        status = collection.build_sentences()
        assert len(status.unread) == 1
        report = collection.screen_sentences(text(3, 4))
        assert report.found and "1 document has no sentences" in report.problems[0]


def test_wrong_kinds_are_refused(folder: str) -> None:
    with Collection(folder, create=True) as collection:
        for how in ({"code": "md5"}, {"key_bits": 20}):
            with pytest.raises(ParameterError, match="code is"):
                collection.build_sentences(**how)


@pytest.mark.parametrize(("version", "told"), [(states.FORMAT + 1, "newer pmbf"), (1, "earlier pmbf.*sentences build")])
def test_a_state_of_another_version_is_refused_until_it_is_made_anew(folder: str, version: int, told: str) -> None:
    made(folder)
    path = states.location(Path(folder))
    line = json.dumps(json.loads(path.read_bytes().rpartition(b" ")[0]) | {"format": version}).encode()
    path.write_bytes(line + b" %08x\n" % zlib.crc32(line))
    with Collection(folder) as collection:
        with pytest.raises(UnsupportedError, match=told):
            collection.sentences_status()
        collection.build_sentences()
        assert collection.sentences_status().n_units
