"""Every look of the leak check at texts of escapes, references and marks that are nearly right."""

import base64

from hypothesis import given
from hypothesis import strategies as st

from pmbf import kernels
from pmbf.extract import Limits
from pmbf.guard.reading import read
from pmbf.guard.types import Payload
from tests.fuzz.damage import damaged, fuzzing

ESCAPES = (
    *(
        "\\u0041",
        "\\u{1F600}",
        "\\u{}",
        "\\U0001F600",
        "\\UFFFFFFFF",
        "\\ud83d",
        "\\x4",
        "\\x41",
        "\\101",
        "\\377",
        "\\n",
    ),
    *("&uuml;", "&Uuml;", "&#65;", "&#x41;", "&#xFFFFFFFF;", "&#0;", "&;", "&nosuch;", "&amp;lt;", "&#1114112;"),
    *(
        "%41",
        "%C3%BC",
        "%FF",
        "%",
        "%%",
        "=C3=BC",
        "<b>",
        "</",
        "<i a='",
        "-->",
        "\u3164",
        "\u2800",
        "\u200b",
        "\x1b[31m",
    ),
    *(
        "a",
        "word ",
        "7,word\n",
        'msgid "word"\n',
        "x ",
        "\n",
        '\\"',
        '"',
        "begin 644 a\n",
        "#86%T\n`\nend\n",
        "{",
        "}",
        "\U000e0041",
    ),
    *("-----BEGIN PGP MESSAGE-----\n", "data:text/html;base64,", base64.b64encode(b"&uuml; word " * 30).decode()),
)


@given(st.lists(st.sampled_from(ESCAPES).flatmap(lambda one: st.integers(1, 60).map(lambda n: one * n)), max_size=8))
@fuzzing
def test_a_text_of_escapes_is_read_or_its_problem_is_foreseen(pieces):
    raw = "".join(pieces).encode()
    found = read(Payload("a.md", ("a.md",), raw, "path"), Limits())
    assert not any("could not be examined" in one for one in found.problems)
    assert kernels.looks(found.text.text.encode())


@given(damaged(["".join(one * 9 for one in ESCAPES).encode()], tuple(one.encode() for one in ESCAPES)))
@fuzzing
def test_bytes_of_escapes_are_read_or_their_problem_is_foreseen(raw):
    found = read(Payload("a.json", ("a.json",), raw, "path"), Limits())
    assert not any("could not be examined" in one for one in found.problems)
