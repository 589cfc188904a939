"""Collections cut into volumes, and nodes that hold them."""

import random
import shutil
from contextlib import contextmanager
from pathlib import Path

import pytest

from pmbf import Collection
from pmbf.base.params import Params
from pmbf.cluster.calls import Nodes
from pmbf.cluster.depot import FolderDepot
from pmbf.cluster.filter_rows import RowsHere
from pmbf.cluster.holder import Holder
from pmbf.cluster.manifest import commit, created, last
from pmbf.cluster.placement import Node
from pmbf.cluster.spread import SpreadBackend
from pmbf.cluster.volumes import seal
from pmbf.extract import Limits
from pmbf.intake.texts import Origin
from pmbf.jobs.executor import Inline
from pmbf.screen import LeavingOut, Options, answers, screened
from tests.conftest import words

needs_openssl = pytest.mark.skipif(not shutil.which("openssl"), reason="the program openssl makes the certificates")


def texts(seed, n, n_common=0):
    """Return named texts: some copy from each other, and `n_common` of them end with the same clause."""
    draw = random.Random(seed)
    made = [words(seed * 10_000 + number, draw.choice((30, 120, 400))).split() for number in range(n)]
    for one in made[n // 2 :]:
        other = draw.choice(made[: n // 2])
        one += other[: draw.randrange(10, 60)]
    clause = words(-seed - 1, 60).split()
    for one in made[:n_common]:
        one += clause
    return [(f"text-{number:04}", " ".join(one)) for number, one in enumerate(made)]


def cut(documents, n_parts, seed):
    """Return the documents in at most `n_parts` parts, in order."""
    borders = sorted(random.Random(seed).sample(range(1, len(documents)), n_parts - 1))
    return [documents[a:b] for a, b in zip([0, *borders], [*borders, len(documents)], strict=True)]


def sealed(folder: Path, documents, depot, params=None):
    """Return a new volume with these documents."""
    with Collection(folder, create=True, params=params or Params()) as collection:
        collection.add_many(documents)
    return seal(folder, depot)


def stored(tmp_path, parts, params=None):
    """Return a depot with a collection whose volumes are these parts, and its manifest."""
    depot = FolderDepot(tmp_path / "depot")
    volumes = [sealed(tmp_path / f"part-{number}", part, depot, params) for number, part in enumerate(parts)]
    manifest = created(depot, params or Params()).following(added=volumes)
    commit(depot, manifest)
    return depot, manifest


@contextmanager
def nodes_of(depot, tmp_path, names, *, executor=None, hosts=None, filtered=True, holder=Holder, **more):
    """Yield nodes with these names, each on a host of its own unless `hosts` says otherwise.

    If not `filtered`, then who asks has no rows of the filter.
    """
    executor = executor or Inline()
    executor.start(holder, [(depot.address, str(tmp_path / "shelves" / name)) for name in names])
    try:
        rows = RowsHere(tmp_path / "shelves" / ".rows", depot, last(depot).params) if filtered else None
        yield Nodes(executor, [Node(*one) for one in zip(names, hosts or names, strict=True)], rows=rows, **more)
    finally:
        executor.close()


def told(nodes, manifest, queries, jobs=1, **options):
    """Return the reports of some texts as JSON."""
    wanted, backend = Options(**options), SpreadBackend(nodes, manifest, Path("somewhere"))
    origins = [Origin.of(text, name) for name, text in queries]
    left_out = LeavingOut(backend, wanted)
    found = answers(backend, origins, left_out, limits=Limits(), options=wanted, stages=screened, jobs=jobs)
    return [one.report.to_json() for one in found]


def told_here(collection, queries, manifest, **options):
    """Return the reports of a collection in one folder as JSON, as if it had the manifest's number and place."""
    from dataclasses import replace

    origins = [Origin.of(text, name) for name, text in queries]
    return [
        replace(one.report, collection="somewhere", generation=manifest.number).to_json()
        for one in collection.answers(origins, **options)
    ]


@pytest.fixture
def whole(tmp_path):
    """Return a function that makes the same collection in one folder."""

    def make(documents, params=None):
        made = Collection(tmp_path / "whole.pmbf", create=True, params=params or Params())
        made.add_many(documents)
        return made

    return make
