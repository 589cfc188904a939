import os
import signal

import pytest
from conftest import touch, words
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pmbf import extract
from pmbf.base.errors import ParameterError
from pmbf.base.params import Params
from pmbf.collection import Collection
from pmbf.extract import Limits
from pmbf.intake import batches
from pmbf.intake.discovery import discover
from pmbf.store.incoming import NewDocuments
from pmbf.store.writer import Writer

pytestmark = pytest.mark.slow


def paths(collection):
    return sorted(os.path.basename(path) for listed in collection.documents() for path in listed.paths)


def counts(report):
    return {
        name: value for name, value in report.to_dict().items() if name.startswith("n_") and value and name != "n_bytes"
    }


def test_a_folder_is_loaded_and_then_skipped(collection, folder):
    assert counts(collection.load([folder])) == {"n_added": 10}
    assert counts(collection.load([folder])) == {"n_unchanged": 10}


def test_a_changed_file_replaces_its_document(collection, folder):
    collection.load([folder])
    touch(folder / "text-3.txt", words(333))
    assert counts(collection.load([folder])) == {"n_replaced": 1, "n_unchanged": 9}
    assert not collection.screen(words(3)).found
    assert collection.screen(words(333)).found


def test_a_touched_file_with_the_same_contents_is_unchanged(collection, folder):
    collection.load([folder])
    touch(folder / "text-3.txt", words(3))
    assert counts(collection.load([folder])) == {"n_unchanged": 10}


def test_a_copy_of_a_file_is_one_more_path(collection, folder):
    (folder / "copy.txt").write_text(words(3), encoding="utf-8")
    assert counts(collection.load([folder])) == {"n_added": 10, "n_same": 1}
    assert len(list(collection.documents())) == 10


def test_prune_takes_out_what_is_gone_below_the_given_paths(collection, folder, tmp_path):
    other = tmp_path / "other.txt"
    other.write_text(words(50), encoding="utf-8")
    collection.load([folder, other])
    collection.add(words(60), name="no file")
    (folder / "text-3.txt").unlink()
    other.unlink()
    assert collection.load([folder], prune=True).n_pruned == 1
    assert "text-3.txt" not in paths(collection)
    assert "other.txt" in paths(collection)


@pytest.mark.parametrize("accident", ["moved", "emptied"])
def test_a_folder_that_is_gone_or_empty_proves_nothing(collection, folder, accident):
    collection.load([folder])
    folder.rename(folder.with_name("elsewhere"))
    if accident == "emptied":
        folder.mkdir()
    report = collection.load([folder], prune=True)
    assert report.n_pruned == 0
    assert any("nothing was pruned below it" in problem.reason for problem in report.problems)
    assert len(paths(collection)) == 10


def test_patterns_choose_files(collection, folder):
    (folder / "sub").mkdir()
    (folder / "sub" / "note.md").write_text(words(70), encoding="utf-8")
    collection.load([folder], include=["*.md", "text-1.txt"], exclude=["text-[2-9]*"])
    assert paths(collection) == ["note.md", "text-1.txt"]


def test_deep_folders_are_walked(collection, tmp_path):
    deep = tmp_path
    for _ in range(300):
        deep = deep / "d"
    deep.mkdir(parents=True)
    (deep / "text.txt").write_text(words(1), encoding="utf-8")
    assert counts(collection.load([tmp_path / "d"])) == {"n_added": 1}


def test_a_collection_is_no_document(collection):
    (problem,) = collection.load([collection.path]).problems
    assert problem.reason == "is a collection, expected documents"


def test_a_folder_with_a_catalog_of_another_program_is_loaded(collection, folder):
    (folder / "catalog.sqlite").write_bytes(b"SQLite format 3\0" + bytes(99))
    assert counts(collection.load([folder])) == {"n_added": 11, "n_without_text": 1}


@pytest.mark.parametrize("name", ["paths", "include", "exclude", "queries"])
def test_a_single_text_is_not_taken_for_its_letters(collection, folder, name):
    for one in ("abc", b"abc", folder):
        with pytest.raises(ParameterError, match=f"^{name} is the single "):
            if name == "queries":
                collection.screen_many(one)
            else:
                collection.load(**{"paths": [folder], name: one})
    assert collection.n_documents == 0


def test_a_path_with_a_nul_is_a_problem(collection, folder):
    report = collection.load([folder, "a\0b"])
    assert report.n_added == 10
    assert len(report.problems) == 1


def test_what_was_not_read_is_said_at_every_load(collection, tmp_path):
    (tmp_path / "letter.html").write_text(f"<p>{words(1)}</p>", encoding="utf-8")
    (tmp_path / "damaged.txt").write_bytes(("Ωραία μέρα. " * 50).encode() + b"\xff" + "Καλημέρα. ".encode() * 50)
    first = collection.load([tmp_path], exclude=["*.pmbf"])
    again = collection.load([tmp_path], exclude=["*.pmbf"])
    assert again.n_unchanged == 2
    assert first.problems == again.problems
    assert len(first.problems) == 1


def test_a_text_is_not_the_file_with_the_same_bytes(collection, tmp_path):
    markup = f"<html><body><p>{words(1)}</p></body></html>"
    (tmp_path / "page.html").write_text(markup, encoding="utf-8")
    collection.load([tmp_path / "page.html"])
    assert collection.text(collection.add(markup, name="raw")) == markup


def test_ctrl_c_waits_for_the_files_at_hand(collection, folder, monkeypatch):
    told = []

    def begin_plain(content, starts, stops):
        told.extend(starts)
        os.kill(os.getpid(), signal.SIGINT)
        return extract.begin_plain(content, starts, stops)

    with monkeypatch.context() as patched:
        patched.setattr(batches, "begin_plain", begin_plain)
        patched.setattr(batches, "BATCH_FILES", 3)
        with pytest.raises(KeyboardInterrupt):
            collection.load([folder])
    assert len(paths(collection)) == len(told) == 3


def test_hidden_files_links_and_collections_are_not_entered(collection, folder, tmp_path):
    (folder / ".hidden.txt").write_text(words(80), encoding="utf-8")
    (folder / "link.txt").symlink_to(folder / "text-1.txt")
    (folder / "loop").symlink_to(folder)
    Collection(folder / "inner.pmbf", create=True).close()
    assert counts(collection.load([folder])) == {"n_added": 10}


def test_a_file_named_by_the_user_is_taken_even_if_hidden(collection, folder):
    hidden = folder / ".hidden.txt"
    hidden.write_text(words(80), encoding="utf-8")
    assert counts(collection.load([hidden])) == {"n_added": 1}


def test_one_bad_file_does_not_stop_a_load(collection, folder):
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 and nothing more")
    (folder / "tiny.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(40))
    os.mkfifo(folder / "pipe.txt")
    report = collection.load([folder, folder / "missing.txt", folder / "tiny.png"])
    assert report.n_added == 10
    reasons = {os.path.basename(problem.path): problem.reason for problem in report.problems}
    assert reasons.keys() == {"broken.pdf", "missing.txt", "tiny.png"}
    assert "No such file" in reasons["missing.txt"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_file_is_a_problem(collection, folder):
    (folder / "text-1.txt").chmod(0)
    report = collection.load([folder])
    assert [problem.reason for problem in report.problems] == ["Permission denied"]


def test_an_interrupted_load_keeps_what_it_did_and_goes_on(collection, folder, monkeypatch):
    monkeypatch.setattr(batches, "BATCH_FILES", 2)

    def interrupt(progress):
        if progress.n_files == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        collection.load([folder], on_progress=interrupt)
    assert len(paths(collection)) == 4
    assert counts(collection.load([folder])) == {"n_added": 6, "n_unchanged": 4}


def test_an_interruption_in_the_middle_of_a_batch_leaves_no_half_document(collection, folder, monkeypatch):
    relist, calls = Writer.relist, []

    def interrupted(self, *arguments, **more):
        calls.append(arguments)
        if len(calls) == 3:
            raise KeyboardInterrupt
        relist(self, *arguments, **more)

    with monkeypatch.context() as patched:
        patched.setattr(Writer, "relist", interrupted)
        patched.setattr(batches, "BATCH_FILES", 3)
        with pytest.raises(KeyboardInterrupt):
            collection.load([folder])
    assert len(paths(collection)) == 6
    assert counts(collection.load([folder])) == {"n_added": 4, "n_unchanged": 6}


@pytest.mark.parametrize("kernels_in_use", ["native", "reference"])
def test_several_threads_or_processes_load_what_one_does(tmp_path, folder, monkeypatch, kernels_in_use):
    """With the reference, files are read in processes; which kernels those have does not matter."""
    monkeypatch.setattr(batches.kernels, "NAME", kernels_in_use)
    monkeypatch.setattr(batches, "_BYTES_WORTH_PROCESSES", 0)
    monkeypatch.setattr(batches, "BATCH_FILES", 3)
    (folder / "legacy.txt").write_text("Широкая река медленно несёт свои воды. " * 20, encoding="cp1251")
    (folder / "copy.txt").write_text(words(3), encoding="utf-8")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 and nothing more")
    listed, reports = [], []
    for jobs in (1, 2):
        with Collection(tmp_path / f"{jobs}.pmbf", create=True) as made:
            reports.append(made.load([folder, tmp_path / "missing"], jobs=jobs).to_dict() | {"seconds": 0})
            listed.append(list(made.documents()))
            assert made.check().problems == []
    assert listed[0] == listed[1]
    assert reports[0] == reports[1]


def as_plain(documents):
    """Return the one of some documents as what can be compared."""
    sample = documents.samples
    numbers = [one.tolist() for one in (sample.bounds, sample.firsts, sample.n_chars, sample.n_tokens, sample.hashes)]
    text = documents.content[documents.starts[0] : documents.stops[0]]
    return documents.kinds, documents.sha256, text, numbers, dict(documents.problems)


CONTENTS = st.lists(
    st.sampled_from(
        [b"\0", b"\x1b$B", b"\xef\xbb\xbf", b"\xff\xfe", b"PK\5\6", b"<html>", b"From: a\n", b"%PDF-", "ж".encode()]
    )
    | st.binary(max_size=30)
    | st.text(max_size=60).map(str.encode),
    max_size=4,
).map(b"".join)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(CONTENTS, st.sampled_from(["a", "a.txt", "a.md", "a.rst", "a.unknown"]))
def test_plain_texts_are_read_as_each_document_is(tmp_path, content, name):
    (tmp_path / name).write_bytes(content)
    file = batches.FileToRead(str(tmp_path / name), len(content), extract.named_kind(name))
    plain, numbers = batches.read_plain([file], Params(), Limits())
    if numbers:
        read = NewDocuments.of([batches.read_document(file, Params(), Limits())])
        assert as_plain(plain) == as_plain(read)


def test_progress_ends_at_the_total(collection, folder):
    seen = []
    collection.load([folder], on_progress=seen.append)
    assert seen[-1].n_files == seen[-1].n_files_total == 10
    assert seen[-1].n_bytes == seen[-1].n_bytes_total


def test_file_names_that_are_no_unicode_are_loaded(collection, tmp_path):
    path = os.fsencode(tmp_path) + b"/caf\xe9.txt"
    with open(path, "w") as file:
        file.write(words(1))
    assert collection.load([tmp_path / os.fsdecode(b"caf\xe9.txt")]).n_added == 1
    assert collection.screen(words(1)).matches[0].document.path == os.fsdecode(path)


def test_a_text_in_any_encoding_is_the_same_text(collection, tmp_path):
    text = "Широкая река медленно несёт свои воды к холодному морю. " * 20
    for encoding in ("utf-8", "cp1251", "koi8-r", "utf-16"):
        (tmp_path / f"{encoding}.txt").write_text(text, encoding=encoding)
    collection.load([tmp_path], include=["*.txt"])
    assert len(collection.screen(text).matches) == 4


def test_discover_is_alphabetical_and_tells_what_it_cannot_look_at(folder):
    found = list(discover([folder, folder / "gone"]))
    assert [os.path.basename(item.path) for item in found] == [f"text-{number}.txt" for number in range(10)] + ["gone"]


def test_a_text_that_comes_back_under_another_path_keeps_its_document(collection, folder):
    one, other = folder / "text-0.txt", folder / "text-1.txt"
    collection.load([folder])
    before = {path: listed.id for listed in collection.documents() for path in listed.paths}
    first, second = one.read_text(encoding="utf-8"), other.read_text(encoding="utf-8")
    touch(one, second)
    touch(other, first)
    assert counts(collection.load([folder])) == {"n_replaced": 2, "n_same": 2, "n_unchanged": 8}
    after = {path: listed.id for listed in collection.documents() for path in listed.paths}
    assert after == before | {str(one): before[str(other)], str(other): before[str(one)]}


def test_a_text_that_two_files_of_a_batch_have_is_one_document(collection, folder):
    (folder / "copy-a.txt").write_text(words(77), encoding="utf-8")
    (folder / "copy-b.txt").write_text(words(77), encoding="utf-8")
    assert counts(collection.load([folder])) == {"n_added": 11, "n_same": 1}
    [listed] = [one for one in collection.documents() if len(one.paths) == 2]
    assert listed.paths == (str(folder / "copy-a.txt"), str(folder / "copy-b.txt"))
