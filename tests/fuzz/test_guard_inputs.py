"""What a leak check reads beside payloads: policies, baselines, pointers, and what git says."""

import json
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmbf.base.errors import IncompleteError, PmbfError
from pmbf.guard import git
from pmbf.guard.allowing import Allowances, passage_fingerprint
from pmbf.guard.baseline import Baseline, read_baseline, write_baseline
from pmbf.guard.config import Chosen, from_text, policy_for
from pmbf.guard.policy import KEYS, Policy
from pmbf.guard.sources import pointed_to
from tests.fuzz.damage import damaged, fuzzing

POLICY = b"""[guard]
collection = "secret.pmbf"
block_chars = 300
warn_document_share = 0.5
exclude = ["vendor", "*.po"]
on_incomplete = "warn"
allow_inline = false
"""
TOML_WORDS = (
    b"[",
    b"]",
    b"=",
    b'"',
    b"'''",
    b"off",
    b"true",
    b"-1",
    b"nan",
    b"inf",
    b"1e999",
    b"[[guard]]",
    b"locked = true\n",
    b"guard.x",
    b"\xff",
)
OBJECT = b"0123456789abcdef0123456789abcdef01234567"
RAW = (
    OBJECT + b"\0:000000 100644 " + b"0" * 40 + b" " + OBJECT + b" A\0a.txt\0"
    b"::100644 100644 100644 " + OBJECT + b" " + OBJECT + b" " + OBJECT + b" MM\0b\nc\xff\0"
)
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"a1" * 32 + b"\nsize 12345\n"
HEX = "0a6f8c08724bcee7a2cc"
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=9), inner),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("policies")


def refused_in_words(error, *words):
    return str(error) and any(word in str(error) for word in words)


@given(content=damaged([POLICY, b"locked = true\n" + POLICY], TOML_WORDS))
@fuzzing
def test_a_policy_file_is_a_policy_or_an_error_that_names_it(folder, content):
    path = folder / ".pmbf.toml"
    path.write_bytes(content)
    for chosen in (Chosen(config_file=str(path)), Chosen(policy_file=str(path))):
        try:
            assert isinstance(policy_for(folder, chosen, {}), Policy)
        except PmbfError as error:
            assert refused_in_words(error, str(path), "the command line")


@given(
    st.sampled_from(sorted(KEYS)),
    st.text(max_size=12) | st.sampled_from(["off", "nan", "inf", "-1", "1_0", "٣", "1e400"]),
)
@fuzzing
def test_a_value_of_the_environment_is_taken_or_refused_by_name(name, text):
    try:
        from_text(name, text, "here")
        policy_for(None, Chosen(), {f"PMBF_GUARD_{name.upper()}": text})
    except PmbfError as error:
        assert refused_in_words(error, name)


@given(name=st.sampled_from(sorted(KEYS)), value=JSON_VALUES)
@fuzzing
def test_a_policy_of_wrong_types_is_refused_by_name(name, value):
    try:
        Policy(**{name: value})
    except PmbfError as error:
        assert refused_in_words(error, name)


@given(
    content=damaged(
        [json.dumps({"pmbf_baseline": 1, "key": "00ff", "allowed": {HEX: "why"}}).encode()],
        (b"{", b"[]", b"null", b"2", b"NaN"),
    )
)
@fuzzing
def test_a_baseline_is_read_whole_or_refused_by_name(folder, content):
    path = folder / "baseline.json"
    path.write_bytes(content)
    try:
        found = read_baseline(path)
    except PmbfError as error:
        assert refused_in_words(error, str(path))
        return
    write_baseline(path, found)
    assert read_baseline(path) == found


@given(
    values=JSON_VALUES
    | st.fixed_dictionaries({"pmbf_baseline": st.just(1), "key": JSON_VALUES, "allowed": JSON_VALUES})
)
@fuzzing
def test_any_json_is_a_baseline_or_is_refused_by_name(folder, values):
    path = folder / "baseline.json"
    path.write_text(json.dumps(values))
    try:
        assert isinstance(read_baseline(path), Baseline)
    except PmbfError as error:
        assert refused_in_words(error, str(path))


@given(
    damaged(
        [f"pmbf:allow {HEX}".encode(), f"# pmbf:allow\t{HEX} pmbf:allow {HEX[::-1]}".encode()],
        (b"pmbf:allow ", HEX.encode()),
    )
)
@fuzzing
def test_inline_fingerprints_are_twenty_hexadecimal_digits_or_none(raw):
    for found in Allowances(b"key").inline_in(raw.decode("utf-8", "replace")):
        assert len(bytes.fromhex(found)) == 10


@given(st.text(), st.binary(max_size=200))
@fuzzing
def test_every_passage_has_a_fingerprint(text, key):
    assert len(bytes.fromhex(passage_fingerprint(text.encode("utf-8", "replace").decode(), key))) == 10


@given(damaged([POINTER], (b"\n", b"size ", b"oid sha256:")))
@fuzzing
def test_a_pointer_names_an_object_of_its_store_and_nothing_else(raw):
    found = pointed_to(raw)
    assert found is None or (len(found) == 64 and set(found) <= set("0123456789abcdef"))


@given(damaged([RAW], (b"\0", b":", b" ", b"\n", OBJECT)))
@fuzzing
def test_what_git_lists_is_understood_or_refused(raw):
    try:
        entries = git._entries(raw)
    except IncompleteError:
        return
    for entry in entries:
        assert os.fsencode(entry.path) in raw


@given(damaged([OBJECT + b" blob 12\n", OBJECT + b" missing\n", b"main ambiguous\n"], (b" ", b"\n", b"-1")))
@fuzzing
def test_what_git_says_of_an_object_is_understood_or_refused(line):
    try:
        found = git._answer(line, OBJECT.decode())
    except IncompleteError:
        return
    assert (found.name, found.size >= 0) == (OBJECT.decode(), True)
