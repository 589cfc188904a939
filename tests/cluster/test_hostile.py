"""A depot that another wrote, with right checksums: no file of its readers changes, and nothing is believed."""

import json
import math
import os
import shutil

import pytest

from pmbf.base.errors import CorruptError, ParameterError, PmbfError, UnsupportedError
from pmbf.cluster import manifest as manifests
from pmbf.cluster.depot import FolderDepot
from pmbf.cluster.volumes import Shelf, files_of
from tests.forked import pmbf

from .hostile import (
    CHANGING,
    MISSING,
    QUERY,
    VERBS,
    filled,
    last,
    listed,
    outcome,
    put,
    state_of,
    write_list,
    write_manifest,
)
from .test_upkeep import age

VALUES = [None, [], [1, 2], {}, {"a": 1}, -5, 2**70, math.nan, math.inf, True, False, "x", "", 0.5, MISSING]
"""What is written in the place of each field."""

KEYS = [
    "catalog.sqlite-shm",
    "catalog.sqlite-wal",
    "catalog.sqlite-journal",
    "readers.lock",
    "writer.lock",
    "tiles/../../x",
    "/etc/passwd",
    "",
    ".",
    "tiles",
    "tiles/000001.tile/x",
    "tiles/000001.tile\n",
    "sentences/000001.units",
    "TILES/000001.tile",
    "catalog.sqlite\x00",
]


@pytest.fixture(scope="module")
def pattern(tmp_path_factory):
    """A depot without copies on nodes."""
    place = filled(tmp_path_factory.mktemp("pattern") / "depot")
    shutil.rmtree(place / "shelf")
    return place


@pytest.fixture(scope="module")
def expected(pattern, tmp_path_factory):
    """The answers of the depot."""
    found = {}
    for verb in VERBS:
        place = shutil.copytree(pattern, tmp_path_factory.mktemp(verb) / "depot")
        found[verb] = outcome(place, verb)
        assert not isinstance(found[verb], Exception), found[verb]
    return found


@pytest.fixture
def place(pattern, tmp_path):
    return shutil.copytree(pattern, tmp_path / "depot")


@pytest.fixture
def precious(tmp_path):
    """A folder of the reader, on the file system of the depot."""
    folder = tmp_path / "precious"
    folder.mkdir()
    for number in range(3):
        (folder / f"thesis-{number}.txt").write_text("do not delete", encoding="utf-8")
    os.chmod(folder / "thesis-0.txt", 0o640)
    return folder


def use(place, verbs=VERBS):
    """Ask a depot for everything twice, with cold copies and warm ones."""
    return [outcome(place, verb) for _ in range(2) for verb in verbs]


# ---------------------------------------------------------------------- files of others


@pytest.mark.parametrize("value", ["absolute", "../../../precious/thesis-0.txt", "link"])
def test_a_list_that_names_a_file_of_the_reader_is_refused(place, precious, value):
    before = state_of(precious)
    victim = str(precious / "thesis-0.txt") if value == "absolute" else value
    if value == "link":
        (place / "files" / "aa").mkdir(exist_ok=True)
        victim = "a" * 64
        (place / "files" / "aa" / victim).symlink_to(precious / "thesis-0.txt")
    for name in listed(place):
        write_list(place, listed(place) | {name: victim})
        found = use(place, ("screen", "check", "status"))
        assert all(isinstance(one, PmbfError) for one in found), found
        assert before == state_of(precious)


@pytest.mark.parametrize("key", KEYS)
def test_a_list_with_a_name_that_no_sealed_collection_has_is_refused(place, precious, key):
    before = state_of(precious)
    for value in (str(precious / "thesis-1.txt"), put(place, b"x")):
        write_list(place, listed(place) | {key: value})
        found = use(place, ("screen", "check", "status", "compact"))
        assert all(isinstance(one, PmbfError) for one in found), found
    assert before == state_of(precious)


@pytest.mark.parametrize("file", ["files", "volumes", "work"])
def test_a_folder_for_copies_that_is_a_link_is_refused_and_nothing_is_deleted_behind_it(place, precious, file):
    (precious / "0123456789abcdef").mkdir()
    (precious / "0123456789abcdef" / "x").touch()
    (precious / ("a" * 64)).touch()
    before = state_of(precious)
    for node in ("local-0", "local-1"):
        (place / "shelf" / node).mkdir(parents=True)
        (place / "shelf" / node / file).symlink_to(precious)
    for verb in VERBS:
        found = outcome(place, verb)
        assert isinstance(found, UnsupportedError), (verb, found)
        assert "is a link to" in str(found)
    assert before == state_of(precious)


def test_what_a_shelf_has_not_named_stays(place, tmp_path):
    shelf = Shelf(tmp_path / "shelf", FolderDepot(place))
    for name in ("files/notes.txt", "volumes/notes/x.txt", "work/notes/x.txt"):
        (shelf.folder / name).parent.mkdir(exist_ok=True)
        (shelf.folder / name).write_text("mine", encoding="utf-8")
    shelf.drop_all_but(set())
    Shelf(tmp_path / "shelf", FolderDepot(place))
    assert 3 == sum(one.read_text(encoding="utf-8") == "mine" for one in shelf.folder.rglob("*.txt"))


def test_a_link_among_the_copies_is_not_followed(place, precious, expected):
    """Links in `files/` are replaced by the depot's content; a volume with a link is not read."""
    before = state_of(precious)
    for node in ("local-0", "local-1"):
        (place / "shelf" / node / "files").mkdir(parents=True)
        for name in set(listed(place).values()):
            (place / "shelf" / node / "files" / name).symlink_to(precious / "thesis-0.txt")
    assert outcome(place, "status") is None
    assert expected["screen"] == outcome(place, "screen")
    assert before == state_of(precious)
    for copy in (place / "shelf").glob("*/volumes/*"):
        (copy / "catalog.sqlite-shm").unlink(missing_ok=True)
        (copy / "catalog.sqlite-shm").symlink_to(precious / "thesis-1.txt")
    found = outcome(place, "screen")
    assert "is no file of its own but a link" in str(found)
    use(place)
    assert before == state_of(precious)


def test_links_in_a_depot_are_neither_read_nor_written_nor_emptied(place, precious):
    os.link(precious / "thesis-0.txt", place / "manifests" / "000000000000")
    first = place / "manifests" / "000000000001"
    first.unlink()
    first.symlink_to(precious / "thesis-1.txt")
    second = place / "manifests" / "000000000002"
    second.unlink()
    os.link(precious / "thesis-2.txt", second)
    (place / "manifests" / ".thesis.tmp").symlink_to(precious / "thesis-0.txt")
    (place / "thesis.tmp").write_text("mine", encoding="utf-8")
    (place / ".thesis.tmp").write_text("mine", encoding="utf-8")
    age(place, 2)
    before = state_of(precious)
    use(place)
    assert {name: content[2] for name, content in before.items()} == {
        name: content[2] for name, content in state_of(precious).items()
    }
    assert "mine" == (place / ".thesis.tmp").read_text(encoding="utf-8")


@pytest.mark.parametrize("folder", ["manifests", "files"])
def test_nothing_is_deleted_where_a_folder_of_the_depot_is_a_link(place, tmp_path, folder):
    shutil.move(place / folder, tmp_path / folder)
    (place / folder).symlink_to(tmp_path / folder)
    age(place, 2)
    before = state_of(tmp_path / folder)
    for verb in ("add", "remove", "compact"):
        assert isinstance(outcome(place, verb), UnsupportedError), verb
    assert before == state_of(tmp_path / folder)


def test_a_depot_whose_path_is_a_link_is_that_depot(place, tmp_path, expected):
    (tmp_path / "by").symlink_to(place)
    for verb in VERBS:
        copy = shutil.copytree(place, tmp_path / f"copy-{verb}")
        (tmp_path / "by").unlink()
        (tmp_path / "by").symlink_to(copy)
        assert expected[verb] == outcome(tmp_path / "by", verb), verb


@pytest.mark.parametrize("file", ["manifest", "list", "text"])
def test_a_pipe_in_the_place_of_a_file_is_an_error_and_never_waits(place, file):
    path, manifest = last(place)
    name = {"list": manifest["volumes"][0]["name"], "text": listed(place)["generation"], "manifest": ""}[file]
    target = place / "files" / name[:2] / name if name else path
    target.unlink()
    os.mkfifo(target)
    for verb in ("screen", "check", "status"):
        assert isinstance(outcome(place, verb), PmbfError)


# ---------------------------------------------------------------------- types and ranges


def replaced(said, keys, value):
    """Return what is said with another value under a field of a field."""
    copy = json.loads(json.dumps(said))
    inner = copy
    for key in keys[:-1]:
        inner = inner[key]
    if value is MISSING:
        del inner[keys[-1]]
    else:
        inner[keys[-1]] = value
    return copy


def require_told_or_right(place, expected):
    for verb in VERBS:
        if verb in CHANGING or verb == "screen":  # those that change nothing share their copies
            copy = shutil.copytree(place, place.with_name(f"copy-{verb}"))
        found = outcome(copy, verb)
        assert not isinstance(found, ParameterError), (verb, found)
        assert isinstance(found, (PmbfError, OSError)) or expected[verb] == found, (verb, found)
    for copy in place.parent.glob("copy-*"):
        shutil.rmtree(copy)


def fields_of(said):
    top = [(key,) for key in said]
    params = [("params", key) for key in said["params"]]
    return top + params + [("volumes", 0, key) for key in said["volumes"][0]] + [("volumes", 1)]


OTHER = [
    (("params", "ordered"), False),
    (("params", "store_text"), False),
    (("params", "density"), 0.5),
    (("params", "fpr"), 0.5),
    (("params", "shingle_tokens"), 4),
    (("params", "row_capacity"), 4096),
    (("params",), {}),
    (("volumes", 0, "n_live"), 2),
    (("volumes", 0, "n_ids"), 2),
    (("volumes", 1, "n_hashes"), 0),
    (("volumes", 1, "n_hashes"), 2**62),
    (("volumes", 1, "n_without_text"), 1),
    (("volumes", 1, "offset"), 2),
    (("number",), 7),
]
"""What a field may say that fits its type and its range."""


def test_each_field_of_a_manifest_may_be_anything(place):
    _, said = last(place)
    depot = FolderDepot(place)
    n_cases, right = 0, manifests.last(depot)
    for keys in fields_of(said):
        for value in VALUES:
            if (keys[-1] == "volumes" and value == []) or (keys[-1] == 1 and value is MISSING):
                continue  # a collection without documents, or without those: who writes the depot says so
            write_manifest(place, replaced(said, keys, value))
            try:
                read = manifests.last(depot)
            except PmbfError as error:
                assert not isinstance(error, ParameterError), (keys, value)
            else:
                assert read == right or (keys, value) in OTHER
            n_cases += 1
    assert 400 < n_cases


@pytest.mark.parametrize(("keys", "value"), OTHER)
def test_a_manifest_that_says_another_thing_than_its_volumes_is_told(place, expected, keys, value):
    _, said = last(place)
    write_manifest(place, replaced(said, keys, value))
    if value != {}:  # otherwise they are the usual ones, which the depot was made with
        assert isinstance(outcome(place, "check"), PmbfError)
    require_told_or_right(place, expected)


def test_a_volume_that_a_manifest_has_twice_is_told(place):
    _, said = last(place)
    for offset in (said["volumes"][0]["offset"], 100):
        write_manifest(place, said | {"volumes": [*said["volumes"], said["volumes"][0] | {"offset": offset}]})
        for verb in VERBS:
            assert isinstance(outcome(place, verb), CorruptError), verb


@pytest.mark.parametrize("line", [b"[1]", b"null", b"7", b"\xff\xfe{", b"{", b"[" * 100_000, b"1" * 5000, b""])
def test_a_manifest_or_a_list_that_is_no_object_is_told(place, line):
    write_list(place, line)
    for verb in VERBS:
        assert isinstance(outcome(place, verb), PmbfError), verb
    write_manifest(place, line)
    for verb in VERBS:
        assert isinstance(outcome(place, verb), PmbfError), verb


def test_each_entry_of_a_list_may_be_anything(place, expected):
    said, depot = listed(place), FolderDepot(place)
    for key in said:
        for value in VALUES:
            write_list(place, replaced(said, (key,), value))
            try:
                files_of(depot, last(place)[1]["volumes"][0]["name"])
            except PmbfError as error:
                assert "lists" in str(error) or "is called" in str(error), (key, value)
                if key != "catalog.sqlite":
                    continue
            else:
                assert value is MISSING, (key, value)
            assert isinstance(outcome(place, "check"), PmbfError), (key, value)
    for key in ("catalog.sqlite", next(name for name in said if name.startswith("texts/"))):
        for other in (MISSING, said["generation"]):
            write_list(place, replaced(said, (key,), other))
            require_told_or_right(place, expected)


def test_a_hostile_depot_ends_a_command_with_3_and_a_line(place, tmp_path):
    query = tmp_path / "query.txt"
    query.write_text(QUERY, encoding="utf-8")
    _, said = last(place)
    commands = [(what, query, "-c") for what in ("screen", "guard")]
    commands += [("list", "-c"), ("check", "-c")]
    for keys, value in ((("volumes",), [None]), (("volumes", 0, "name"), 7), (("params", "density"), "x")):
        write_manifest(place, replaced(said, keys, value))
        for command in commands if value == 7 else commands[1:2]:
            done = pmbf(*command, place)
            assert 3 == done.returncode, (command, done.stdout, done.stderr)
            assert "Traceback" not in done.stderr
            assert "manifest 3" in done.stderr + done.stdout, (command, done.stdout, done.stderr)


def test_a_table_of_similarities_is_not_written_through_a_link(place, precious, expected):
    (precious / "similarities.sqlite-wal").write_text("mine", encoding="utf-8")
    (precious / "000007.chunks").write_text("mine", encoding="utf-8")
    before = state_of(precious)
    (place / "similar").symlink_to(precious)
    assert isinstance(outcome(place, "similar"), UnsupportedError)
    assert before == state_of(precious)
    (place / "similar").unlink()
    (place / "similar").mkdir()
    for number in range(1, 9):
        (place / "similar" / f"{number:06}.chunks.tmp").symlink_to(precious / "thesis-0.txt")
    assert expected["similar"] == outcome(place, "similar")
    assert before == state_of(precious)
