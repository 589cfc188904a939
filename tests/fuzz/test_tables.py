"""Tables of labels: read, or refused with a reason."""

import pytest
from hypothesis import given

from pmbf.base.errors import PmbfError
from pmbf.base.labels import decoded, encoded, merged
from pmbf.intake.labelling import LabelTable
from tests.fuzz.damage import damaged, fuzzing

TABLES = (
    b"path,author,group\nessays/a.txt,Anna Berg,a\nessays/b.txt,,\n",
    'name;author\r\na.txt;"Müller; ""M"""\r\n'.encode("utf-8-sig"),
    "path\tdate\na.txt\t2024\n".encode("utf-16"),
    "path,title\na.txt,café\n".encode("cp1252"),
)
WORDS = (b",", b";", b"\t", b'"', b'""', b"\r", b"\n", b"path", b"name", b"=", b"\xef\xbb\xbf", b"\xff\xfe", b"a.txt")


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return tmp_path_factory.mktemp("tables") / "labels.csv"


@fuzzing
@given(raw=damaged(TABLES, WORDS))
def test_a_table_is_read_or_refused_with_its_name(file, raw):
    file.write_bytes(raw)
    try:
        table = LabelTable.read(file)
    except PmbfError as error:
        assert str(file) in str(error)
        assert len(str(error)) < 1000
        return
    for _, path, labels in table.rows:
        assert table(path) == labels
        assert decoded(encoded(merged({}, labels))) == merged({}, labels)
    assert list(table.unused()) == []
