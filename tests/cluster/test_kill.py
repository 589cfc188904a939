"""A load that is killed at a random moment: the generation before or the whole new one, and the next load is whole.

PMBF_KILLS says how many moments.
"""

import json
import os
import random
import subprocess
import time
from contextlib import suppress

from pmbf.cluster.depot import FolderDepot
from pmbf.cluster.manifest import last
from tests.conftest import touch, words
from tests.forked import pmbf, started

KILLS = int(os.environ.get("PMBF_KILLS", "2"))


QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


def test_a_load_that_is_killed_is_there_whole_or_not_at_all(tmp_path, folder):
    depot = tmp_path / "depot"
    assert 0 == pmbf("cluster", "init", depot).returncode
    before = time.monotonic()
    assert 0 == started("load", "-c", depot, folder, **QUIET).wait()
    whole_s, draw = time.monotonic() - before, random.Random(3)
    for number in range(KILLS):
        was = last(FolderDepot(depot))
        touch(folder / f"text-{number % 10}.txt", words(1000 + number))
        (folder / f"new-{number}.txt").write_text(words(2000 + number), encoding="utf-8")
        process = started("load", "-c", depot, folder, **QUIET)
        with suppress(subprocess.TimeoutExpired):
            process.wait(draw.random() * whole_s)
        process.kill()
        process.wait()
        now = last(FolderDepot(depot))
        assert (now.number, now.n_documents) in ((was.number, was.n_documents), (was.number + 1, was.n_documents + 1))
        status = pmbf("cluster", "status", depot, "--json")
        assert (0, {}) == (status.returncode, json.loads(status.stdout)["unread"])
        done = pmbf("load", "-c", depot, folder, "--json")
        assert (0, []) == (done.returncode, json.loads(done.stdout)["problems"])
        assert was.n_documents + 1 == last(FolderDepot(depot)).n_documents
        (tmp_path / "query.txt").write_text(words(1000 + number), encoding="utf-8")
        found = json.loads(pmbf("screen", tmp_path / "query.txt", "-c", depot, "--json").stdout)
        assert [str(folder / f"text-{number % 10}.txt")] == [one["document"]["path"] for one in found["matches"]]
