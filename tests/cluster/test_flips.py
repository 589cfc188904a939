"""A depot and the copies on its nodes are damaged, byte by byte: answers stay right, or an error says what is damaged.

Everyday a sample is damaged; `PMBF_FLIPS=all` zeroes every 512 bytes of every file and flips every bit of the first
page of each; a number is a sample of so many. `PMBF_FLIPS_OF=cold` (or `warm`, `both`) takes one way only.
"""

import os
import random
import shutil

import pytest

from pmbf.base.errors import IncompleteError, PmbfError
from pmbf.base.params import Params
from pmbf.extract import Limits
from pmbf.guard.checker import CollectionChecker
from pmbf.intake.texts import Origin, read_text
from tests.conftest import words
from tests.faults.test_flips import used_bytes

from .hostile import QUERY, VERBS, opened

FLIPS = os.environ.get("PMBF_FLIPS", "25")
WAYS = os.environ.get("PMBF_FLIPS_OF", "cold warm both").split()
BLOCK, PAGE = 512, 4096
SIMILAR_EACH = 16
"""A flipped bit in 16 is asked for similarities, too: that takes as long as all else. Each zeroed block is."""


def guarded(one):
    """Return what a leak check finds."""
    [report] = CollectionChecker(one, min_chars=80, apparatus=False).check([read_text(Origin.of(QUERY, "q"), Limits())])
    for problem in report.problems:
        raise IncompleteError(str(problem))
    return [(match.document.paths, match.passages) for match in report.matches]


ASKED = {name: VERBS[name] for name in ("screen", "list", "pairs")} | {"guard": guarded, "similar": VERBS["similar"]}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A small depot, whose nodes have all copies."""
    made = tmp_path_factory.mktemp("flips") / "depot"
    params = Params(row_capacity=64, segment_chars=1024)
    with opened(made, create=True, params=params) as one:
        one.add_many([(str(number), words(number, 60)) for number in range(3)])
        one.add_many([("copy", words(3, 60) + " " + words(2, 60)), ("gone", words(9))])
        one.remove("gone")
        one.compact(0)  # one volume, and nothing of the generations before
        one.refresh()
        one.open()
    return made


def answers(place, verbs):
    """Return what each verb answers or the error that tells why not; other errors leave."""
    found = {}
    try:
        with opened(place) as one:
            for verb in verbs:
                try:
                    found[verb] = ASKED[verb](one)
                except (PmbfError, OSError) as error:
                    found[verb] = error
    except (PmbfError, OSError) as error:
        return dict.fromkeys(verbs, error)
    finally:
        shutil.rmtree(place / "similar", ignore_errors=True)
    return found


def targets(place, way):
    """Return the files to damage: of the depot, of one node's copies, or the same of all nodes' copies."""
    if way == "cold":
        return [[one] for one in sorted(place.rglob("*")) if one.is_file() and "shelf" not in one.parts]
    shelves = sorted((place / "shelf").glob("local-*"))
    files = [one for one in sorted(shelves[0].glob("volumes/*/**/*")) if one.is_file() and _is_sealed(one)]
    copies = [[shelf / one.relative_to(shelves[0]) for shelf in shelves] for one in files]
    return copies if way == "both" else [some[:1] for some in copies]


def _is_sealed(file):
    return not file.name.endswith((".lock", "-shm", "-wal"))


def damages(content, name):
    """Yield what is done to a file: a name, and the damaged content."""
    for start in range(0, len(content), BLOCK):
        zeroed = content[:start] + bytes(len(content[start : start + BLOCK])) + content[start + BLOCK :]
        if zeroed != content:
            yield f"zero {start}", zeroed
    for place in used_bytes(content[: PAGE if len(content) >= PAGE else None], name):
        for bit in range(8):
            flipped = bytes([content[place] ^ 1 << bit])
            yield f"flip {place}.{bit}", content[:place] + flipped + content[place + 1 :]


def cases(place, way):
    """Return the damages of all files, a sample of them, or all."""
    every = []
    for files in targets(place, way):
        content = files[0].read_bytes()
        every += [(files, content, *one) for one in damages(content, files[0].name)]
    if FLIPS == "all":
        return every
    return random.Random(way).sample(every, min(int(FLIPS), len(every)))


def replace_with(files, content):
    """Write files anew: copies are links to what other copies have, too."""
    for file in files:
        for log in file.parent.glob(f"{file.name}-*"):
            log.unlink()
        file.unlink()
        file.write_bytes(content)


@pytest.mark.parametrize("way", WAYS)
def test_damage_of_a_depot_or_its_copies_changes_no_answer_in_silence(place, tmp_path, way):
    """`cold`: nodes without copies. `warm`: one node's copies are damaged. `both`: those of all nodes."""
    expected = answers(place, ASKED)
    assert not [one for one in expected.values() if isinstance(one, Exception)]
    copy = shutil.copytree(place, tmp_path / "depot")
    counts, bad = {"right": 0, "told": 0}, []
    for number, (files, content, what, damaged) in enumerate(cases(copy, way)):
        verbs = [verb for verb in ASKED if verb != "similar" or what[0] == "z" or number % SIMILAR_EACH == 0]
        if way == "cold":
            shutil.rmtree(copy / "shelf", ignore_errors=True)
        replace_with(files, damaged)
        for verb, answer in answers(copy, verbs).items():
            is_told = isinstance(answer, Exception)
            counts["told" if is_told else "right"] += 1
            if not is_told and answer != expected[verb]:
                bad.append((files[0].relative_to(copy), what, verb, answer))
        replace_with(files, content)
    print(f"{way}: {counts} of {number + 1} damages, {len(bad)} silent")
    assert [] == bad
    assert expected == answers(copy, ASKED)
