import os

import pytest
from conftest import touch, words

from pmbf.collection import Collection
from pmbf.loading import discover
from pmbf.writer import Writer


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


def test_patterns_choose_files(collection, folder):
    (folder / "sub").mkdir()
    (folder / "sub" / "note.md").write_text(words(70), encoding="utf-8")
    collection.load([folder], include=["*.md", "text-1.txt"], exclude=["text-[2-9]*"])
    assert paths(collection) == ["note.md", "text-1.txt"]


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
    (folder / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    os.mkfifo(folder / "pipe.txt")
    report = collection.load([folder, folder / "missing.txt", folder / "picture.png"])
    assert report.n_added == 10
    reasons = {os.path.basename(problem.path): problem.reason for problem in report.problems}
    assert reasons.keys() == {"broken.pdf", "missing.txt", "picture.png"}
    assert "No such file" in reasons["missing.txt"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_file_is_a_problem(collection, folder):
    (folder / "text-1.txt").chmod(0)
    report = collection.load([folder])
    assert [problem.reason for problem in report.problems] == ["Permission denied"]


def test_an_interrupted_load_keeps_what_it_did_and_goes_on(collection, folder):
    def interrupt(progress):
        if progress.n_files == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        collection.load([folder], on_progress=interrupt)
    assert len(paths(collection)) == 4
    assert counts(collection.load([folder])) == {"n_added": 6, "n_unchanged": 4}


def test_an_interruption_in_the_middle_of_a_file_leaves_no_half_document(collection, folder, monkeypatch):
    attach, calls = Writer.attach, []

    def interrupted(self, *arguments, **more):
        calls.append(arguments)
        if len(calls) == 4:
            raise KeyboardInterrupt
        attach(self, *arguments, **more)

    with monkeypatch.context() as patched:
        patched.setattr(Writer, "attach", interrupted)
        with pytest.raises(KeyboardInterrupt):
            collection.load([folder])
    assert len(paths(collection)) == 3
    assert counts(collection.load([folder])) == {"n_added": 7, "n_unchanged": 3}


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
