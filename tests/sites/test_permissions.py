"""What a house keeps for its site is its owner's alone: also at a usual umask, also in folders made on the way."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from pmbf import Collection
from pmbf.intake.texts import Text
from pmbf.sites import Partner, Registry, Sites, init
from tests.sentences.texts import text
from tests.sites.houses import House, built, free_port


@pytest.fixture(params=[0o022, 0o000])
def umask(request: pytest.FixtureRequest) -> Iterator[None]:
    before = os.umask(request.param)
    yield
    os.umask(before)


def _asks(registry: Registry, collection: Path, *, private: bool) -> None:
    sites = Sites(registry, registry.named("all"), texts=not private, private=private)
    with Collection(collection) as opened:
        query = text(10, 11)
        assert sites.ask(opened.screen_sentences(query), Text("", query)).sites[0].problem is None


@pytest.mark.usefixtures("umask")
def test_all_that_a_site_keeps_is_its_owners(tmp_path: Path) -> None:
    pytest.importorskip("nacl", reason="needs the extra 'psi'")
    north = House(tmp_path / "far" / "north", "north")
    made = init(north.folder / "registry", "north", address=f"127.0.0.1:{free_port()}")
    home = init(tmp_path / "deep" / "home" / "registry", "home", key=made.folder / "federation.key")
    made.with_partner(Partner(home.own)).stored()
    home = home.with_partner(Partner(made.own)).stored()
    built(north.collection, {"tides.txt": text(10, 11, 12)})
    built(tmp_path / "deep" / "home" / "c.pmbf", {"own": text(0, 1)})
    north.start("", "--private")
    try:
        for private in (False, True):
            _asks(home, tmp_path / "deep" / "home" / "c.pmbf", private=private)
    finally:
        north.stop()
    kept = [tmp_path / "far", tmp_path / "deep", *tmp_path.glob("*/*"), *tmp_path.glob("*/*/registry")]
    own = [path for registry in tmp_path.glob("*/*/registry") for path in registry.rglob("*")]
    assert {path.name for path in own} >= {
        *("registry.json", "certificate.pem", "private.pem", "federation.key", "log.jsonl"),
        *("psi.key", "psi.tags", "questions", "tags"),
    }
    assert len(kept) == 6 and {oct(path.stat().st_mode & 0o777) for path in kept} == {"0o700"}
    assert {path.name: oct(path.stat().st_mode & 0o777) for path in own if path.stat().st_mode & 0o077} == {}
