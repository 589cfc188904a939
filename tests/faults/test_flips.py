"""Each bit of a small collection flipped in turn: the answers stay right, or an error says what is damaged.

Everyday a sample is flipped; `PMBF_FLIPS=all` flips every bit of every used byte. `PMBF_FLIPS_OF=catalog` (or `tiles`,
`texts`, `generation`) takes the files of that name only.
"""

import contextlib
import os
import random
import shutil
import struct

import pytest
from conftest import words

from pmbf import Collection, CorruptError, Params, PmbfError, repair

FLIPS = os.environ.get("PMBF_FLIPS", "150")
MOST_LOADS = "10" if FLIPS == "150" else FLIPS
KINDS = os.environ.get("PMBF_FLIPS_OF", "catalog texts tiles postings generation").split()
TEXTS = {f"text-{number}": words(number, 60) for number in range(4)}
SMALL = Params(row_capacity=64, segment_chars=1024)
QUERY = TEXTS["text-1"] + " " + words(99, 40)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    made = tmp_path_factory.mktemp("flips") / "c.pmbf"
    with Collection(made, create=True, params=SMALL) as collection:
        collection.add_many([*TEXTS.items(), ("again-1", TEXTS["text-1"]), ("gone", words(50))])
        collection.remove("gone")
        collection.compact()
        collection.add_many([("removed", words(51))])
        collection.remove("removed")
        collection.add(words(99, 60), name="entered")  # into the journal
        collection.add("Another text", name="again-1")
    return made


def used_bytes(content, name):
    """Return the places of the bytes that mean something: of a page of SQLite, those that a cell or its head takes."""
    if name != "catalog.sqlite":
        return list(range(len(content)))
    found = []
    for start in range(0, len(content), 4096):
        head = 100 if start == 0 else 0
        kind, _, n_cells, first = struct.unpack_from(">BHHH", content, start + head)
        size = 12 if kind in (2, 5) else 8
        found += range(start, start + head + size + 2 * n_cells)
        found += range(start + (first or 65536), start + 4096)
    return found


def answers(path):
    with Collection(path) as collection:
        listed = [(one.id, one.paths, one.sha256, one.n_chars, one.n_hashes) for one in collection.documents()]
        report = collection.screen(QUERY)
        matches = [(match.document, match.passages, match.problem) for match in report.matches]
        return listed, matches, [collection.text(one[0]) for one in listed]


def wrong(path, expected):
    """Return what is wrong with the answers, None where they are right, or an error or a problem tells the damage."""
    try:
        listed, matches, texts = answers(path)
    except PmbfError as error:
        return None if str(path) in str(error) else f"no path in: {error}"
    except OSError as error:
        return None if str(path) in str(error) else f"no path in: {error}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    if any(problem for _, _, problem in matches) or (listed, matches, texts) == expected:
        return None
    return f"{listed} {matches}"


def flipped_bits(path, kind, most):
    """Yield each file of a kind by name, with its content and the bits to flip; `most` is `all`, or a number."""
    for file in sorted(path.rglob("*")):
        name = str(file.relative_to(path))
        if file.suffix == ".lock" or not file.is_file() or not name.startswith(kind):
            continue
        content = file.read_bytes()
        bits = [8 * place + bit for place in used_bytes(content, file.name) for bit in range(8)]
        yield name, content, bits if most == "all" else random.Random(file.name).sample(bits, min(int(most), len(bits)))


@pytest.mark.parametrize("kind", KINDS)
def test_a_flipped_bit_changes_no_answer_in_silence(path, kind):
    expected = answers(path)
    n_flipped, bad = 0, []
    for name, content, bits in flipped_bits(path, kind, FLIPS):
        file = path / name
        for bit in bits:
            with open(file, "r+b") as opened:
                os.pwrite(opened.fileno(), bytes([content[bit // 8] ^ 1 << bit % 8]), bit // 8)
            if what := wrong(path, expected):
                bad.append(f"{file.name} byte {bit // 8} bit {bit % 8}: {what[:300]}")
            if file.stat().st_size != len(content) or kind == "catalog":
                for log in path.glob("catalog.sqlite-*"):
                    log.unlink()
            with open(file, "r+b") as opened:
                os.pwrite(opened.fileno(), content[bit // 8 : bit // 8 + 1], bit // 8)
        assert file.read_bytes() == content
        n_flipped += len(bits)
    print(f"{kind}: {n_flipped} bits flipped, {len(bad)} silent or unclear")
    assert bad == []
    assert answers(path) == expected


@pytest.mark.parametrize("kind", KINDS)
def test_a_load_into_a_collection_with_a_flipped_bit_loses_no_document(path, tmp_path, kind):
    """The load is refused, or every text that was stored is found afterwards."""
    copy, outcomes = tmp_path / "copy.pmbf", []
    for name, content, bits in flipped_bits(path, kind, MOST_LOADS):
        for bit in bits:
            shutil.copytree(path, copy)
            with open(copy / name, "r+b") as opened:
                os.pwrite(opened.fileno(), bytes([content[bit // 8] ^ 1 << bit % 8]), bit // 8)
            try:
                with Collection(copy) as collection:
                    collection.add_many([(f"new-{number}", words(70 + number, 60)) for number in range(2)])
                    for text_name, text in TEXTS.items():
                        found = {one for match in collection.screen(text).matches for one in match.document.paths}
                        assert found & {text_name, f"again-{text_name[-1]}"}, (name, bit, text_name)
                outcomes.append("loaded")
            except (PmbfError, OSError) as error:
                assert str(copy) in str(error)
                outcomes.append("refused")
            shutil.rmtree(copy)
    print(f"{kind}: {len(outcomes)} loads, {outcomes.count('refused')} refused, the others lost nothing")


def test_a_path_that_a_damaged_index_let_in_twice_is_repaired(path, tmp_path):
    """The row that was written last stays."""
    content = (path / "catalog.sqlite").read_bytes()
    twice = []
    for place in [place for place in range(len(content)) if content.startswith(b"text-3", place)]:
        copy = tmp_path / f"{place}.pmbf"
        shutil.copytree(path, copy)
        with open(copy / "catalog.sqlite", "r+b") as opened:
            os.pwrite(opened.fileno(), b"text-9", place)
        with contextlib.suppress(CorruptError), Collection(copy) as collection:
            collection.add(words(70), name="text-3")
            twice += [copy] if sum("text-3" in listed.paths for listed in collection.documents()) == 2 else []
    assert twice
    for copy in twice:
        repair(copy)
        with Collection(copy) as collection:
            assert collection.check().problems == []
            assert [match.document.path for match in collection.screen(words(70)).matches] == ["text-3"]
