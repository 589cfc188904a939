"""What a search costs at most: where a pattern begins with a run of any length, each place of the run begins a try."""

import ast
import importlib
import pkgutil
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pmbf
from pmbf.extract.encoding import _HEBREW
from pmbf.extract.git import _names
from pmbf.extract.pdf import _xmp
from pmbf.extract.pdf_streams import _lines
from pmbf.guard.reading import _BLOCK, _JOINS

parser = pytest.importorskip("re._parser")
REPEATS = {"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"}
AT_ONE_PLACE = {"match", "fullmatch", "pattern", "flags"}
BOUNDED = {
    "pmbf.guard.reading._JOINS": "is searched for in blocks, where no run goes on behind a join: see the test below",
    "pmbf.screen.exempt._ENTRY": "begins at the text's beginning where it has a run",
}


def must_follow(items):
    """Return whether some of a pattern must match, so that what stands before it is tried in vain."""
    is_told = any(str(kind) in ("ASSERT", "ASSERT_NOT", "AT") for kind, _ in items)
    return is_told or parser.SubPattern(parser.State(), items).getwidth()[0] > 0


def begins_with_a_run(items):
    """Return whether a pattern begins with a run of any length behind which something must follow.

    Behind `(?<!…)` it does not: that says where the run begins.
    """
    items = list(items)
    if not items:
        return False
    (kind, value), rest = items[0], items[1:]
    if str(kind) == "AT":
        return begins_with_a_run(rest)
    if str(kind) == "ASSERT":
        return begins_with_a_run([*value[1]]) or begins_with_a_run(rest)
    if str(kind) in ("SUBPATTERN", "ATOMIC_GROUP"):
        return begins_with_a_run([*(value[-1] if str(kind) == "SUBPATTERN" else value), *rest])
    if str(kind) == "BRANCH":
        return any(begins_with_a_run([*one, *rest]) for one in value[1])
    if str(kind) not in REPEATS:
        return False
    least, most, inner = value
    if most is parser.MAXREPEAT:
        return must_follow(rest) or begins_with_a_run(inner)
    return begins_with_a_run([*inner, *rest]) or (least == 0 and begins_with_a_run(rest))


def patterns():
    """Yield the patterns of all modules by name, those in tuples and dicts, too."""
    for module in pkgutil.walk_packages(pmbf.__path__, "pmbf."):
        if module.name.endswith("__main__"):
            continue
        try:
            names = vars(importlib.import_module(module.name))
        except ImportError:  # of an extra that is not installed
            continue
        for name, value in names.items():
            some = value.values() if isinstance(value, dict) else value if isinstance(value, (tuple, list)) else [value]
            yield from ((module.name, name, one) for one in some if isinstance(one, re.Pattern))


def uses():
    """Return by module and name what is called of a thing in its module; `""` if it is handed on."""
    found = {}
    for path in Path(pmbf.__path__[0]).rglob("*.py"):
        module = ".".join(path.relative_to(Path(pmbf.__path__[0]).parent).with_suffix("").parts).removesuffix(
            ".__init__"
        )
        tree = ast.parse(path.read_text(encoding="utf-8"))
        called = {id(one.value): one.attr for one in ast.walk(tree) if isinstance(one, ast.Attribute)}
        for one in ast.walk(tree):
            if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load):
                found.setdefault((module, one.id), set()).add(called.get(id(one), ""))
    return found


def ends_in_a_possessive_group(items):
    """Return whether the last thing of a pattern is `(?:…)*+` or `(?:…)++` of several things."""
    *_, (kind, value) = [*items] or [("", None)]
    if str(kind) == "POSSESSIVE_REPEAT":
        return len(value[2]) > 1 or ends_in_a_possessive_group(value[2])
    if str(kind) in ("SUBPATTERN", "ATOMIC_GROUP"):
        return ends_in_a_possessive_group(value[-1] if str(kind) == "SUBPATTERN" else value)
    return str(kind) == "BRANCH" and any(map(ends_in_a_possessive_group, value[1]))


def test_no_match_ends_with_a_possessive_group():
    """Python 3.11.0 to 3.11.4 takes one character too many there, as Debian 12 has it."""
    for pattern in patterns():
        assert not ends_in_a_possessive_group(parser.parse(pattern[2].pattern, pattern[2].flags)), pattern


@pytest.mark.parametrize(
    ("pattern", "expected"), [("(?:a[^b]*+)*+", True), ("a|(?:ab)++", True), ("(?:ab)*", False), ("(?:ab)*+c", False)]
)
def test_a_possessive_group_is_seen_at_the_end_alone(pattern, expected):
    assert ends_in_a_possessive_group(parser.parse(pattern)) is expected


@pytest.mark.slow
def test_what_begins_with_a_run_is_tried_at_one_place_or_its_runs_are_bounded():
    called, told = uses(), set()
    for module, name, pattern in patterns():
        is_searched = not called.get((module, name), set()) <= AT_ONE_PLACE
        if is_searched and begins_with_a_run(parser.parse(pattern.pattern, pattern.flags)):
            told.add(f"{module}.{name}")
    assert told == set(BOUNDED)


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        *((r"\s+x", True), (r"a?\s*x", True), (r"(?:\d+|b)x", True), (r"(?:\d+\.)+", True), (r"\s+\Z", True)),
        *((r"\s+", False), (r"x\s+y", False), (r"\s{1,9}x", False), (r"(?<!\s)\s+x", False), (r"\s+x?", False)),
    ],
)
def test_a_pattern_that_begins_with_a_run_is_known(pattern, expected):
    assert begins_with_a_run(parser.parse(pattern)) == expected


LINE = st.sampled_from(["A" * 76, "b" * 76, "c" * 60])
JOIN = st.text("\n\r\t \\n\"'+,>#*/-.&(=", max_size=12)


@given(st.lists(st.tuples(LINE, JOIN), max_size=6))
def test_a_block_of_base64_is_lines_and_joins_and_nothing_else(parts):
    for block in _BLOCK.finditer("".join(map("".join, parts))):
        assert re.fullmatch("[A-Za-z0-9+/_-]*", _JOINS.sub("", block[0]))


@given(st.lists(st.sampled_from([b"\xe5", b"\xe5\xe6", b"\xfa\xe0\xf1", b" ", b"a", b"\xdf"]), max_size=40))
def test_words_of_hebrew_are_found_wherever_a_search_begins(parts):
    raw = b"".join(parts)
    assert bool(_HEBREW.search(raw)) == bool(re.search(rb"(?:[\xe0-\xfa]{2,}[^\xe0-\xfa]+){4}", raw))


# ---------------------------------------------------------------------- an end that never comes is looked for once


@given(st.lists(st.sampled_from([b"<x:xmpmeta ", b"<x:xmpmeta>", b"<x:xmpmeta", b"</x:xmpmeta>", b"sea"]), max_size=20))
def test_packets_of_xmp_are_those_between_a_beginning_and_the_next_end(parts):
    raw = b"".join(parts)
    assert [*_xmp(raw)] == re.findall(rb"<x:xmpmeta[ >].*?</x:xmpmeta>", raw, re.S)


@given(st.lists(st.sampled_from([b"100644 ", b"40000 ", b"7", b"sea", b"\0", b"\0" * 20, b"n" * 20]), max_size=20))
def test_names_of_a_tree_are_those_of_its_entries(parts):
    tree = b"".join(parts)
    assert [*_names(tree)] == re.findall(rb"\d{5,6} ([^\0]+)\0.{20}", tree, re.S)


@given(st.lists(st.sampled_from([b"(", b"(", b")", b"\\", b"sea", b" "]), max_size=20))
def test_strings_of_a_stream_are_those_with_an_end(parts):
    stream = b"".join(parts)
    found = re.findall(rb"\(((?:[^()\\]|\\.)*+)\)", stream, re.S)
    assert "".join(_lines(stream)) == re.sub(rb"\\(.)", rb"\1", b"".join(found), flags=re.S).decode()


def test_beginnings_without_an_end_are_passed_over_once():
    """Looked for from each beginning, an end in these 3 MB would take hours."""
    assert [*_xmp(b"<x:xmpmeta " * 300_000)] == []
    assert [*_names(b"100644 " * 500_000)] == []
    assert [*_lines(rb"\(" * 1_500_000)] == [""]
    assert _HEBREW.search(b"\xe5" * 3_000_000) is None
