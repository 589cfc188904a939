"""A table of similarities that another wrote, with every checksum right: an error in words, never a traceback."""

import sqlite3

import pytest

from pmbf import Collection, PmbfError, UnsupportedError
from pmbf.alike.similar import Similarities, schema, update
from pmbf.alike.similar.known import COLUMNS
from pmbf.alike.similar.schema import as_known, checksums, tally
from pmbf.store.catalog_tables import meta_checksum
from tests.similar.tables import RULES, made, text_of

import numpy as np  # isort: skip


@pytest.fixture
def folder(tmp_path):
    made(tmp_path / "c.pmbf", {f"t{number}": text_of(number) for number in range(20)})
    update(tmp_path / "c.pmbf", **RULES)
    return tmp_path / "c.pmbf"


def sealed(connection):
    """Make all checksums right."""
    names = ", ".join(COLUMNS)
    rows = connection.execute(f"SELECT {names} FROM document ORDER BY id").fetchall()
    known = as_known(np.array(rows, np.int64))
    crcs = zip(checksums(known).tolist(), known["id"].tolist(), strict=True)
    connection.executemany("UPDATE document SET crc = ? WHERE id = ?", crcs)
    values = dict(connection.execute("SELECT key, value FROM meta")) | {"documents": tally(known)}
    values[schema.SMALL] = (
        schema.small_checksum(connection, int(values["runs"])) if values["runs"].isdecimal() else "0 0"
    )
    values["crc"] = str(meta_checksum(values))
    connection.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", values.items())
    connection.commit()


@pytest.mark.parametrize(
    ("version", "way_out"),
    [(schema.FORMAT - 1, "compute them anew: `pmbf similar update --renew`"), (schema.FORMAT + 1, "upgrade pmbf")],
)
def test_a_table_of_another_version_is_refused_until_it_is_made_anew(folder, version, way_out):
    connection = sqlite3.connect(schema.location(folder))
    connection.execute("UPDATE meta SET value = ? WHERE key = 'format'", [str(version)])
    sealed(connection)
    connection.close()
    for use in (lambda: Similarities(folder), lambda: update(folder)):
        with pytest.raises(UnsupportedError, match=f"format is {version}, this pmbf reads {schema.FORMAT}; {way_out}"):
            use()
    update(folder, renew=True)
    with Similarities(folder) as similarities:
        assert similarities.status().n_rows


CHANGES = [
    *(f"UPDATE document SET {column} = {value}" for column in COLUMNS[1:] for value in (-1, 0, 2**62)),
    "UPDATE meta SET value = 'none' WHERE key = 'rules'",
    "UPDATE meta SET value = '{\"keep\": \"x\"}' WHERE key = 'rules'",
    "UPDATE meta SET value = 'many' WHERE key = 'runs'",
    "UPDATE meta SET value = '' WHERE key = 'next_serial'",
    "DELETE FROM meta WHERE key = 'small'",
    "UPDATE run SET steps = '[' ",
    "UPDATE run SET steps = 7",
    "DELETE FROM segment",
    "UPDATE segment SET payload_bytes = -5",
    "UPDATE segment SET payload_crc = 'x'",
    "UPDATE incomplete SET document = 'x'",
    "INSERT INTO incomplete VALUES (4000000000, 'gone')",
    "UPDATE common SET chunks = 7",
    "DELETE FROM common",
]


@pytest.mark.parametrize("change", CHANGES)
def test_values_that_no_run_puts_there_are_told_in_words(folder, change):
    connection = sqlite3.connect(schema.location(folder))
    connection.execute(change)
    sealed(connection)
    connection.close()

    def each(ask):
        with Similarities(folder) as similarities:
            return ask(similarities)

    uses = (
        lambda: each(lambda one: one.of("t3")),
        lambda: each(lambda one: one.pairs()),
        lambda: each(lambda one: one.clusters()),
        lambda: each(lambda one: [*one.rows()]),
        lambda: each(lambda one: one.status()),
        lambda: Collection(folder).check(),
        lambda: update(folder),
        lambda: update(folder, full=True),
    )
    for use in uses:
        try:
            use()
        except (PmbfError, OSError) as error:
            assert str(folder) in str(error)
    update(folder, renew=True)
    with Collection(folder) as collection:
        assert collection.check().problems == []
