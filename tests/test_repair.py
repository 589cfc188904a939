"""Damage is named, and `repair` rescues what can be rescued."""

import shutil
import sqlite3

from conftest import names, words

from pmbf import Collection, Params, repair


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
        made.add_many([("only here", words(1))])
    for kind in ("postings/*.post", "texts/*"):
        next(path.glob(kind)).unlink()
    report = repair(path)
    assert report.lost == ["only here"]
    with Collection(path) as made:
        assert made.check().problems == []
        assert list(made.documents()) == []
