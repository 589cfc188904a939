"""Everyone with everyone: which pairs are found, what does not count, and what a pair says."""

from __future__ import annotations

import os
import stat
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies

import pmbf
from pmbf import Collection, Comparison, NotFoundError, ParameterError, UnsupportedError, compare
from pmbf.base.span import Span
from pmbf.cli.shown.canvas import View
from pmbf.cli.shown.compared import comparison_text
from pmbf.comparison.compared import How, compared
from pmbf.screen.templates import Pattern, Template
from pmbf.screen.templates.cutting import SectionPatterns
from tests.conftest import words

PASSAGE = words(900, 60)
TEMPLATE = words(901, 110)


def essay(seed, *parts):
    """Return 400 words of its own with some parts in between, each in a paragraph."""
    return "\n\n".join([words(seed, 200), *parts, words(seed + 5000, 200)])


def pairs_of(comparison):
    return [(pair.a, pair.b) for pair in comparison.pairs]


@pytest.fixture(scope="module")
def class_of_twenty():
    """Twenty essays that share nothing."""
    return {f"s{number:02}": essay(number) for number in range(20)}


def test_two_texts_that_share_a_passage_are_a_pair_with_the_spans_of_both(class_of_twenty):
    texts = class_of_twenty | {"s03": essay(3, PASSAGE), "s11": essay(11, PASSAGE)}
    [pair] = compare(texts).pairs
    assert ("s03", "s11") == (pair.a, pair.b)
    [shared] = pair.passages
    assert texts["s03"][shared.a.start : shared.a.stop].strip(" \n") == PASSAGE
    assert texts["s11"][shared.b.start : shared.b.stop].strip(" \n") == PASSAGE
    assert round(len(shared.a) / len(texts["s03"]), 4) == pair.share_a == pair.whole_a
    assert "sure" == pair.certainty and not pair.identical


def test_texts_that_share_nothing_make_no_pair_and_no_cluster(class_of_twenty):
    found = compare(class_of_twenty)
    assert ((), (), ()) == (found.pairs, found.clusters, found.problems)
    assert 20 == len(found.members) and not found.found


def test_the_order_of_the_texts_changes_nothing(class_of_twenty):
    texts = class_of_twenty | {"s03": essay(3, PASSAGE), "s11": essay(11, PASSAGE)}
    assert compare(texts) == compare(reversed(list(texts.items())))


def test_processes_find_the_same_pairs():
    texts = {f"s{i:02}": essay(i, words(800 + i // 2, 60), words(850 + i % 9, 70)) for i in range(30)}
    assert compare(texts, jobs=2) == compare(texts)


def test_a_passage_reworded_in_the_longer_text_is_found(class_of_twenty):
    told = PASSAGE.split()
    told[5::9] = ["other"] * len(told[5::9])
    texts = class_of_twenty | {"s01": essay(1, PASSAGE), "s02": essay(2, " ".join(told), words(77, 900))}
    assert [("s01", "s02")] == pairs_of(compare(texts))


# ---------------------------------------------------------------------- groups


def test_texts_of_one_group_are_not_compared_and_both_are_with_others():
    draft = essay(1, PASSAGE)
    texts = {"ann/1": draft, "ann/2": draft + words(50), "bob/1": essay(2, PASSAGE)}
    found = compare(texts, group_by="folder")
    assert [("ann/1", "bob/1"), ("ann/2", "bob/1")] == sorted(pairs_of(found))
    [cluster] = found.clusters
    assert (("ann", "bob"), 2) == (cluster.groups, cluster.n_pairs)


def test_a_ring_is_one_cluster_also_if_its_ends_share_nothing():
    texts = {f"s{i}": essay(i, words(700 + i, 60), words(701 + i, 60)) for i in range(5)}
    found = compare(texts)
    assert 4 == len(found.pairs)
    assert [("s0", "s1", "s2", "s3", "s4")] == [cluster.groups for cluster in found.clusters]


# ---------------------------------------------------------------------- identical texts


def test_identical_files_are_both_named_and_share_everything(tmp_path):
    for name in ("ann", "bob", "cleo"):
        (tmp_path / f"{name}.txt").write_text(essay(1 if name < "c" else 2), encoding="utf-8")
    [pair] = compare(tmp_path).pairs
    assert ("ann.txt", "bob.txt", 1.0, 1.0, True) == (pair.a, pair.b, pair.share_a, pair.share_b, pair.identical)


def test_every_copy_of_an_identical_text_is_paired_with_a_third_text_that_shares_a_passage():
    texts = {"a": essay(1, PASSAGE), "b": essay(1, PASSAGE), "c": essay(2, PASSAGE)}
    assert [("a", "b"), ("a", "c"), ("b", "c")] == pairs_of(compare(texts))


def test_identical_drafts_of_one_author_are_no_pair():
    assert () == compare({"ann/1": essay(1), "ann/2": essay(1), "bob/1": essay(2)}, group_by="folder").pairs


# ---------------------------------------------------------------------- what does not count


def test_a_template_that_all_have_is_no_pair_and_does_not_count(class_of_twenty):
    texts = {name: f"{TEMPLATE}\n\n{text}" for name, text in class_of_twenty.items()}
    found = compare(texts)
    assert () == found.pairs
    assert 5 == found.settings.common
    for member in found.members:
        assert 0.95 * len(TEMPLATE) <= member.n_common <= len(TEMPLATE) + 100
    assert sum(member.n_common for member in found.members) <= 20 * (len(TEMPLATE) + 30)
    identical = compare(texts | {"z": texts["s04"]})
    [pair] = identical.pairs
    assert ("s04", "z", 1.0, True) == (pair.a, pair.b, pair.share, pair.identical)


def test_a_copy_beside_a_template_is_found_and_counted_without_the_template(class_of_twenty):
    plain = class_of_twenty | {"s03": essay(3, PASSAGE), "s11": essay(11, PASSAGE)}
    texts = {name: f"{TEMPLATE}\n\n{text}" for name, text in plain.items()}
    [pair] = compare(texts).pairs
    assert abs(pair.n_a - len(PASSAGE)) <= 4
    assert abs(pair.share_a - len(PASSAGE) / len(plain["s03"])) < 0.01


def test_common_says_how_many_groups_may_share_a_text(class_of_twenty):
    texts = class_of_twenty | {f"s{i:02}": essay(i, PASSAGE) for i in range(4)}
    assert 6 == len(compare(texts).pairs)
    assert 6 == len(compare(texts, common=4).pairs)
    assert () == compare(texts, common=3).pairs
    assert () == compare(texts, common=0.15).pairs


def test_an_ignored_text_does_not_count_in_either_text():
    task = words(950, 80)
    texts = {"a": essay(1, task), "b": essay(2, task)}
    assert [("a", "b")] == pairs_of(compare(texts))
    found = compare(texts, ignore={"task.txt": task})
    assert () == found.pairs
    assert ("task.txt",) == found.settings.ignored
    assert all(abs(member.n_ignored - len(task)) < 5 for member in found.members)


def test_a_quotation_does_not_count_if_quotations_are_excluded():
    texts = {"a": essay(1, f"“{PASSAGE}”"), "b": essay(2, f"“{PASSAGE}”")}
    assert 1 == len(compare(texts).pairs)
    assert () == compare(texts, exclude_quotations=True).pairs


# ---------------------------------------------------------------------- a library


@pytest.fixture
def library(tmp_path):
    with Collection(tmp_path / "library.pmbf", create=True) as made:
        made.add_many((f"source{i}", f"{words(600 + i, 80)} {words(650 + i, 80)}") for i in range(5))
        yield made
        assert made.check().problems == []


def test_what_both_have_from_the_library_alone_is_no_pair_but_is_counted(library):
    texts = {"a": essay(1, words(600, 80)), "b": essay(2, words(600, 80)), "c": essay(3)}
    found = compare(texts, collection=library)
    assert (0, 1, 0) == (len(found.pairs), found.n_only_library, len(found.clusters))
    assert found.by_name["a"].n_library > 400 > 0 == found.by_name["c"].n_library
    assert (str(library.path),) == found.settings.libraries


def test_a_classmates_passage_is_told_from_the_librarys(library):
    texts = {"a": essay(1, words(600, 80), PASSAGE), "b": essay(2, words(600, 80), words(44), PASSAGE)}
    [pair] = compare(texts, collection=library.path).pairs
    assert [True, False] == [one.from_library for one in pair.passages]
    assert abs(pair.n_a - len(PASSAGE)) <= 4
    assert pair.whole_a > 1.8 * pair.share_a


def test_a_text_from_the_library_in_one_of_both_texts_does_not_free_the_other(library):
    texts = {"a": essay(1, PASSAGE, words(600, 80)), "b": essay(2, PASSAGE)}
    [pair] = compare(texts, collection=[library]).pairs
    assert [False] == [one.from_library for one in pair.passages]
    assert pair.share_a == pair.whole_a


# ---------------------------------------------------------------------- thresholds, JSON, errors


def test_pairs_below_the_threshold_are_counted_and_make_no_cluster(class_of_twenty):
    texts = class_of_twenty | {"s03": essay(3, PASSAGE), "s11": essay(11, PASSAGE), "s12": essay(7)}
    found = compare(texts, threshold=0.5)
    assert ([("s07", "s12")], 1, 1) == (pairs_of(found), found.n_below, len(found.clusters))


def test_json_of_another_schema_is_refused_with_the_way_out():
    with pytest.raises(UnsupportedError, match=r"the comparison has schema 2, this pmbf reads 1; upgrade pmbf$"):
        Comparison.from_json('{"schema": 2}')


def test_json_holds_all_but_the_texts():
    found = compare({"a": essay(1, PASSAGE), "b": essay(2, PASSAGE), "c": ""})
    again = Comparison.from_json(found.to_json())
    assert found == again and {} == again.texts
    values = found.to_dict()
    [pair] = values["pairs"]
    assert {"a", "b", "share_a", "share_b", "certainty", "passages"} <= pair.keys()
    assert Span(*pair["passages"][0]["a"]) == found.pairs[0].passages[0].a


@pytest.mark.parametrize("texts", [[], {}, {"a": essay(1)}, {"a": "", "b": "", "c": "…"}])
def test_with_fewer_than_two_texts_with_words_there_is_no_pair(texts):
    found = compare(texts)
    assert ((), (), ()) == (found.pairs, found.clusters, found.problems)


def test_texts_without_a_word_are_members():
    found = compare({"a": essay(1), "b": "", "c": "—"})
    assert ["a", "b", "c"] == [member.name for member in found.members]
    assert {"a": 0.0, "b": 0.0, "c": 0.0} == found.highest()


def test_a_file_that_cannot_be_read_is_a_problem_and_stops_nothing(tmp_path):
    for i in range(3):
        (tmp_path / f"{i}.txt").write_text(essay(i, PASSAGE), encoding="utf-8")
    (tmp_path / "broken.docx").write_bytes(b"PK\x03\x04 this is no archive")
    found = compare(tmp_path)
    assert 3 == len(found.pairs)
    [problem] = found.problems
    assert problem.startswith("broken.docx: ")


def test_equal_pictures_of_a_class_are_no_members_and_a_problem_if_they_are_named(tmp_path):
    for name in ("ann", "bob"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "essay.txt").write_text(essay(len(name), words(5, 9), name), encoding="utf-8")
        (tmp_path / name / "logo.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)))
    found = compare(tmp_path)
    assert ["ann/essay.txt", "bob/essay.txt"] == [member.name for member in found.members]
    assert () == found.problems
    named = compare([tmp_path / "ann" / "essay.txt", tmp_path / "bob", tmp_path / "ann" / "logo.png"])
    assert ["ann/essay.txt", "bob/essay.txt"] == [member.name for member in named.members]
    assert ("ann/logo.png: holds no text that pmbf reads",) == named.problems


def test_names_are_relative_to_the_folder_that_holds_all_paths(tmp_path):
    for name in ("one/a.txt", "two/b/c.txt"):
        path = tmp_path / name
        path.parent.mkdir(parents=True)
        path.write_text(essay(len(name)), encoding="utf-8")
    assert ["one/a.txt", "two/b/c.txt"] == [one.name for one in compare(tmp_path).members]
    several = compare([tmp_path / "one", tmp_path / "two/b/c.txt"])
    assert ["one/a.txt", "two/b/c.txt"] == [one.name for one in several.members]
    assert ["a.txt"] == [one.name for one in compare([str(tmp_path / "one/a.txt")]).members]


@pytest.mark.parametrize(
    ("texts", "options", "told"),
    [
        ([("a", "x"), ("a", "y")], {}, "a text is called 'a' already"),
        ([("a", "x"), "b"], {}, r"texts\[1\] is 'b', expected a path, or a pair"),
        (["a.txt", ("b", "x")], {}, "among paths, expected a path"),
        ({"a": 3}, {}, "the text of 'a' is int"),
        ({}, {"threshold": 20}, "threshold is 20"),
        ({}, {"common": 0}, "common is 0, expected at least 1 group"),
        ({}, {"common": 1.5}, "common is 1.5, expected a share"),
        ({}, {"jobs": 0}, "jobs is 0"),
        ({}, {"ignore": "task"}, "ignore is the single 'task'"),
        ({}, {"min_chars": 0}, "min_chars is 0"),
    ],
)
def test_a_wrong_value_is_named(texts, options, told):
    with pytest.raises(ParameterError, match=told):
        compare(texts, **options)


def test_a_path_that_does_not_exist_is_named(tmp_path):
    with pytest.raises(NotFoundError, match="essays: no such file or folder"):
        compare(tmp_path / "essays")


def test_the_temporary_folder_is_the_users_alone_and_is_removed(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    seen = []

    def look(*_):
        seen.extend(stat.S_IMODE(os.stat(path).st_mode) for path in tmp_path.iterdir())

    folder = Path(tempfile.mkdtemp(dir=tmp_path.parent))
    for i in range(2):
        (folder / f"{i}.txt").write_text(essay(i, PASSAGE), encoding="utf-8")
    assert 1 == len(compared(folder, How(advance=look)).pairs)
    assert {0o700} == set(seen)
    assert [] == list(tmp_path.iterdir())


@settings(max_examples=25)
@given(strategies.dictionaries(strategies.sampled_from("abcdef"), strategies.sampled_from(range(8)), min_size=2))
def test_a_pair_is_found_if_and_only_if_two_texts_of_two_groups_have_a_passage_in_common(parts):
    texts = {name: essay(ord(name), words(400 + part, 60)) for name, part in parts.items()}
    group = {name: "early" if name < "c" else name for name in texts}
    names = sorted(texts)
    expected = {
        (a, b) for a in names for b in names if a < b and parts[a] == parts[b] and group[a] != group[b]
    }  # fmt: skip
    assert expected == set(pairs_of(compare(texts, group_by=group)))


FORM = Template(
    "form",
    (
        SectionPatterns("aim", "compare", (Pattern("Aim"),)),
        SectionPatterns("method", "same", (Pattern("Method"),)),
        SectionPatterns("legal", "skip", (Pattern("Legal"),)),
    ),
)
LEGAL = words(902, 60)


def form(seed, aim="", method="", legal=""):
    parts = [aim or words(seed, 120), method or words(seed + 100, 120), legal or words(seed + 200, 60)]
    return "Aim\n{}\n\nMethod\n{}\n\nLegal\n{}\n".format(*parts)


def test_a_section_that_a_template_skips_makes_no_pair():
    texts = {"a": form(1, legal=LEGAL), "b": form(2, legal=LEGAL), "c": form(3, aim=LEGAL), "d": form(4, aim=LEGAL)}
    assert len(compare(texts).pairs) == 6
    found = compare(texts, template=FORM)
    assert pairs_of(found) == [("c", "d")]
    assert found.settings.template == "form" and not found.problems
    skipped = {one.name: [its.name for its in one.sections if its.rule == "skip"] for one in found.members}
    assert skipped == {name: ["legal"] for name in "abcd"}
    assert Comparison.from_json(found.to_json()) == found


@pytest.mark.parametrize("longer", ["a", "b"])
def test_a_same_section_is_compared_with_the_same_section_of_either_text(longer):
    """The shorter text of a pair is the query, so both orders are tried."""
    more = {longer: words(77, 300)}
    elsewhere = {"a": form(1, method=PASSAGE) + more.get("a", ""), "b": form(2, aim=PASSAGE) + more.get("b", "")}
    assert len(compare(elsewhere).pairs) == 1
    found = compare(elsewhere, template=FORM)
    assert not found.pairs and pairs_of(replace(found, pairs=found.not_counted)) == [("a", "b")]
    both = {"a": form(1, method=PASSAGE) + more.get("a", ""), "b": form(2, method=PASSAGE) + more.get("b", "")}
    [pair] = compare(both, template=FORM).pairs
    [shared] = pair.passages
    assert PASSAGE in both["a"][shared.a.start : shared.a.stop] and PASSAGE in both["b"][shared.b.start : shared.b.stop]


def test_a_text_that_a_template_skips_as_a_whole_is_a_problem():
    found = compare({"a": f"Legal\n{LEGAL}", "b": f"\n\nLegal\n{LEGAL}", "c": words(3, 80)}, template=FORM)
    assert not found.pairs and len(found.not_counted) == 1
    assert [told.partition(": ")[0] for told in found.problems] == ["a", "b"]
    assert "the template form skips the whole text, so nothing in it counts" in found.problems[0]


def test_pages_say_which_sections_are_skipped():
    named = Template("<b>form</b>", FORM.sections)
    found = compare({"a": form(1, legal=LEGAL), "b": form(2, legal=LEGAL), "c": words(3, 80)}, template=named)
    page = pmbf.page(found)
    assert "skips, and in how many texts: legal (2)" in page and "found no section in 1 of 3 texts" in page
    assert "<b>form" not in page


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        ({"exclude_quotations": True}, "“{}”"),
        ({"exclude_bibliography": True}, "References\n[1] Broder, A. (1997). {}\n[2] Smith, B. (2001), pp. 3–5.\n"),
        ({"template": "thesis"}, "Declaration\n{}\n"),
        ({"template": "proposal"}, "Methods\n{}\n"),
    ],
    ids=lambda one: "-".join(one) if isinstance(one, dict) else None,
)
def test_pairs_of_text_that_a_rule_takes_out_are_listed(options, shown):
    said = words(77, 60)
    one = f"Introduction\n{words(1, 60)}\n\n{shown.format(said)}"
    texts = {"a": one, "b": f"Introduction\n{words(2, 60)} {said}", "c": words(3, 120)}
    assert [(pair.a, pair.b) for pair in compare(texts).pairs] == [("a", "b")]
    found = compare(texts, **options)
    assert found.pairs == () and found.found
    [pair] = found.not_counted
    assert (pair.a, pair.b) == ("a", "b") and pair.share > 0.4
    assert Comparison.from_json(found.to_json()) == found
    shown_text = comparison_text(found, View())
    assert "No two texts share text that counts; 1 pair shares up to" in shown_text
    assert "1 pair with only text that does not count: a and b" in pmbf.page(found)


def test_text_that_the_user_names_is_told_and_is_no_pair():
    said = words(77, 60)
    texts = {"a": f"{words(1, 60)} {said}", "b": f"{words(2, 60)} {said}"}
    found = compare(texts, ignore=[said])
    assert not found.found and found.not_counted == ()
    assert "of the texts is left out, as asked" in " ".join(comparison_text(found, View()).split())
