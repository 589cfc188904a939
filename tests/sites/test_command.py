"""`pmbf site`: cards are added, and one is replaced only on demand."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from pmbf.sites import Card, Registry, init, opened
from tests.commands.conftest import run


@pytest.fixture
def home(tmp_path: Path) -> Registry:
    return init(tmp_path / "home", "home")


def written(folder: Path, card: Card) -> Path:
    path = folder / "card.json"
    path.write_text(json.dumps(asdict(card)))
    return path


def test_another_card_of_a_known_name_is_added_with_replace_alone(home: Registry, tmp_path: Path) -> None:
    first, second = (init(tmp_path / name, "north").own for name in ("first", "second"))
    site = "site", "--registry", home.folder
    assert run(*site, "add", written(tmp_path, first), "--level", "title").exit_code == 0
    refused = run(*site, "add", written(tmp_path, second))
    assert refused.exit_code == 2
    told = " ".join(refused.stderr.split())
    assert first.fingerprint.hex() in told and second.fingerprint.hex() in told and "--replace" in told
    assert opened(home.folder).partner("north").card == first
    assert run(*site, "add", written(tmp_path, second), "--replace").exit_code == 0
    partner = opened(home.folder).partner("north")
    assert (partner.card, partner.level) == (second, "title"), "what it is shown stays"


def test_a_new_address_is_a_new_card(home: Registry, tmp_path: Path) -> None:
    first = init(tmp_path / "first", "north").own
    moved = replace(first, address="elsewhere.example:8443")
    site = "site", "--registry", home.folder
    assert run(*site, "add", written(tmp_path, first)).exit_code == 0
    assert run(*site, "add", written(tmp_path, moved)).exit_code == 2
    assert run(*site, "add", written(tmp_path, first), "--level", "text").exit_code == 0
    assert opened(home.folder).partner("north").level == "text", "the same card may come again"
