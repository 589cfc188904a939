"""Collections at their limits; slow, so `PMBF_LARGE=1` asks for them."""

import hashlib
import os

import pytest
from conftest import words

from pmbf import Collection
from pmbf.fingerprint import fingerprint
from pmbf.store.catalog_tables import ListedPath
from pmbf.store.folder import Store
from pmbf.store.incoming import NewDocument, NewDocuments
from pmbf.store.writer import Writer

pytestmark = pytest.mark.skipif("PMBF_LARGE" not in os.environ, reason="slow; PMBF_LARGE=1 runs it")


def test_200_000_paths_lead_to_one_text(tmp_path):
    path, text = tmp_path / "c.pmbf", words(1)
    Collection(path, create=True).close()
    with Store(path, writable=True) as store:
        writer = Writer(store)
        sha256 = hashlib.sha256(text.encode()).hexdigest()
        new = NewDocument("txt", sha256, text.encode(), fingerprint(text, store.params))
        [document] = writer.add(NewDocuments.of([new]))
        names = [f"/texts/{number:06}.txt" for number in range(200_000)]
        writer.attach({name: ListedPath(name, document, len(text), at) for at, name in enumerate(names)})
        writer.commit()
    with Collection(path) as collection:
        [listed] = collection.documents()
        assert len(listed.paths) == 200_000
        [match] = collection.screen(text).matches
        assert len(match.document.paths) == 200_000
        collection.remove("/texts/000000.txt")
        assert collection.check().problems == []
        collection.remove(listed.id)
        collection.compact()
        assert (list(collection.documents()), collection.check().problems) == ([], [])


def test_a_file_of_300_mb_is_loaded_and_found(tmp_path):
    path, file = tmp_path / "c.pmbf", tmp_path / "large.txt"
    with open(file, "w", encoding="utf-8") as large:
        for seed in range(3000):
            large.write(words(seed, 17_000) + "\n")
    assert file.stat().st_size > 250 * 2**20
    from pmbf.extract import Limits

    with Collection(path, create=True) as collection:
        report = collection.load([file], limits=Limits(max_bytes=2**30, max_text_bytes=2**30))
        assert (report.n_added, report.problems) == (1, [])
        for seed in (0, 1500, 2999):
            [match] = collection.screen(words(seed, 17_000)[:3000]).matches
            assert (match.document.path, match.problem) == (str(file), None)
        assert collection.check().problems == []
