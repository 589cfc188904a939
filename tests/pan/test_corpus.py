"""Corpora in every layout are read alike; what is odd about one is told, and stops nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from pan_layouts import (
    COPIES,
    LAYOUTS,
    OF_PAIRS,
    SOURCES,
    SUSPICIOUS,
    WITHOUT,
    annotated,
    apart,
    cases,
    documents,
    external,
    listed,
    text_alignment,
    write,
)

from experiments.pan.annotations import cases_in, detections_in, file_name, write_detections
from experiments.pan.corpus import UNSORTED, Corpus, pairs_in
from experiments.pan.plagdet import Annotation
from measure.corpora import read
from pmbf.base.errors import NotFoundError

PAIR = COPIES[0]


@pytest.fixture(params=list(LAYOUTS))
def corpus(request: pytest.FixtureRequest, tmp_path: Path) -> Corpus:
    return Corpus.at(write(tmp_path, LAYOUTS[request.param]()))


def test_every_layout_has_the_same_documents_and_cases(corpus: Corpus) -> None:
    texts = documents()

    assert {name: texts[name] for name in SUSPICIOUS} == {name: read(path) for name, path in corpus.suspicious.items()}
    assert {name: texts[name] for name in SOURCES} == {name: read(path) for name, path in corpus.sources.items()}
    assert set(cases()) == corpus.cases
    assert corpus.problems == ()
    assert set(COPIES) <= set(corpus.aligned_pairs())


@pytest.mark.parametrize("layout", OF_PAIRS)
def test_pairs_without_a_case_are_known_even_where_no_file_lists_them(layout: str, tmp_path: Path) -> None:
    corpus = Corpus.at(write(tmp_path, LAYOUTS[layout]()))

    assert {WITHOUT, *COPIES} == corpus.pairs
    assert sorted([WITHOUT, *COPIES]) == corpus.aligned_pairs()
    assert [kind.name[:2] for kind in corpus.kinds] == ["01", "02"]


def test_a_corpus_that_lists_no_pairs_compares_those_with_a_case_or_all(tmp_path: Path) -> None:
    corpus = Corpus.at(write(tmp_path, apart()))

    assert corpus.pairs is None
    assert sorted(COPIES) == corpus.aligned_pairs()
    assert len(SUSPICIOUS) * len(SOURCES) == len(corpus.aligned_pairs(every=True))


@pytest.mark.parametrize(
    ("name", "more", "kind"),
    [
        ("plagiarism", 'type="artificial" obfuscation="low"', "artificial low"),
        ("plagiarism", 'type="simulated"', "simulated"),
        ("translated-plagiarism", "", "translated"),
        ("artificial-plagiarism", 'translation="true" obfuscation="none"', "translation none"),
        ("artificial-plagiarism", 'translation="false" obfuscation="high"', "artificial high"),
        ("plagiarism", "", "plagiarism"),
    ],
)
def test_cases_that_stand_beside_the_texts_say_their_kind_themselves(
    name: str, more: str, kind: str, tmp_path: Path
) -> None:
    corpus = Corpus.at(write(tmp_path, external("susp", "src", name=name, more=more)))

    assert [kind] == [one.name for one in corpus.kinds]


def test_a_case_without_a_source_is_intrinsic(tmp_path: Path) -> None:
    feature = '<feature name="plagiarism" this_offset="5" this_length="10" />'
    path = tmp_path / "suspicious-document00001.xml"
    path.write_text(f"<document>{feature}</document>")

    [found] = cases_in(path, [])

    assert (Annotation(SUSPICIOUS[0], 5, 10), "intrinsic") == found


def test_annotations_may_come_from_a_folder_of_their_own(tmp_path: Path) -> None:
    files = text_alignment()
    texts = {path: text for path, text in files.items() if path.endswith(".txt")}
    corpus = write(tmp_path / "corpus", texts | {"pairs": files["pairs"]})
    truth = write(tmp_path / "truth", {path: text for path, text in files.items() if path.endswith(".xml")})

    assert Corpus.at(corpus).cases == set()
    assert set(cases()) == Corpus.at(corpus, truth=truth).cases
    assert {WITHOUT, *COPIES} == Corpus.at(corpus).pairs
    with pytest.raises(NotFoundError, match="annotations"):
        Corpus.at(corpus, truth=tmp_path / "none")


def test_detections_inside_the_corpus_are_no_part_of_it(tmp_path: Path) -> None:
    write(tmp_path, text_alignment())
    found = tmp_path / "found"
    found.mkdir()
    foreign = SUSPICIOUS[0], SOURCES[1]
    write_detections(found / file_name(foreign), foreign[0], [Annotation(foreign[0], 0, 9, foreign[1], 0, 9)])

    assert {WITHOUT, *COPIES} == Corpus.at(tmp_path, besides=found).pairs
    assert set(cases()) == Corpus.at(tmp_path).cases


def test_listed_pairs_of_no_kind_are_compared(tmp_path: Path) -> None:
    more = SUSPICIOUS[1], SOURCES[0]
    corpus = Corpus.at(write(tmp_path, text_alignment() | {"pairs": listed(WITHOUT, *COPIES, more)}))

    assert more in corpus.aligned_pairs()
    assert corpus.kinds[-1].name == UNSORTED


def test_pairs_are_read_in_any_spelling(tmp_path: Path) -> None:
    path = tmp_path / "pairs"
    path.write_bytes(b"\xef\xbb\xbfsuspicious-document00001 src/source-document00001.txt\r\n\r\n")

    assert [(SUSPICIOUS[0], SOURCES[0])] == list(pairs_in(path))


def test_what_is_missing_or_broken_is_told_and_the_rest_is_read(tmp_path: Path) -> None:
    files = text_alignment()
    del files[f"src/{SOURCES[0]}"]
    broken = f"02-no-obfuscation/{file_name(COPIES[1])}"
    twice = f"src/part2/{SOURCES[2]}"

    corpus = Corpus.at(
        write(tmp_path, files | {broken: "<document", twice: "another", "01-no-plagiarism/pairs": "one"})
    )

    assert sorted([COPIES[1], COPIES[2], WITHOUT]) == corpus.aligned_pairs()
    told = "\n".join(corpus.problems)
    for words in (SOURCES[0], broken, twice, "expected two names"):
        assert words in told
    assert {cases()[0], cases()[2]} == corpus.cases


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"a/b.txt": "x"}, "is no corpus"),
        ({"susp/a.txt": "x"}, "is no corpus"),
        ({"susp/a.txt": "x", "src/readme.md": "x"}, "holds no .txt files"),
        ({"one/susp/a.txt": "x", "one/src/a.txt": "x", "two/susp/a.txt": "x", "two/src/a.txt": "x"}, "several corpora"),
    ],
)
def test_a_folder_that_is_no_corpus_is_refused(files: dict[str, str], words: str, tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match=words):
        Corpus.at(write(tmp_path, files))
    with pytest.raises(NotFoundError, match="no folder"):
        Corpus.at(tmp_path / "none")


def test_texts_that_are_not_utf8_have_a_code_point_a_byte(tmp_path: Path) -> None:
    (tmp_path / "windows").write_bytes(b"na\xefve \x93quoted\x94")
    (tmp_path / "undefined").write_bytes(b"na\xefve \x81")

    assert read(tmp_path / "windows") == "naïve “quoted”"
    assert read(tmp_path / "undefined") == "naïve \x81"


def test_a_name_with_marks_of_xml_comes_back(tmp_path: Path) -> None:
    found = [Annotation('<a> & "b".txt', 1, 2, "'c'.txt", 3, 4)]

    write_detections(tmp_path / "a.xml", found[0].suspicious, found)

    assert found == detections_in(tmp_path / "a.xml", [])
    assert cases_in(tmp_path / "a.xml", []) == []


@pytest.mark.parametrize("text", ["", "\r\n", "<document", "<html><feature name='plagiarism' /></html>"])
def test_a_file_that_is_no_annotation_file_is_told_and_says_nothing(text: str, tmp_path: Path) -> None:
    refused: list[str] = []
    (tmp_path / "bad.xml").write_text(text)

    assert cases_in(tmp_path / "bad.xml", refused) == cases_in(tmp_path / "none.xml", refused) == []
    paths = [told.partition(": is not an annotation file")[0] for told in refused]
    assert paths == [str(tmp_path / "bad.xml"), str(tmp_path / "none.xml")]


@pytest.mark.parametrize(
    ("what", "instead", "words"),
    [
        ('this_length="', 'this_length="-', "this_length is '-"),
        ('this_length="', 'this_length="0" was="', "this_length is '0', expected a number of characters, at least 1"),
        ('this_length="', 'length="', "has no this_length"),
        ('this_offset="', 'this_offset="-', "this_offset is '-"),
        ('this_offset="', 'this_offset="x', "this_offset is 'x"),
        ('source_offset="', 'offset="', "has no source_offset"),
        ('source_length="', 'source_length="0" was="', "source_length is '0'"),
        ('source_reference="', 'reference="', "no source_reference"),
        ('"plagiarism"', '"Plagiarism"', "is named 'Plagiarism', expected plagiarism or detected-plagiarism"),
    ],
)
def test_an_annotation_that_cannot_be_true_is_told_and_the_others_count(
    what: str, instead: str, words: str, tmp_path: Path
) -> None:
    refused: list[str] = []
    good, odd = cases()[0], cases()[0]._replace(start=7)
    others, _, last = annotated(PAIR[0], [good, odd]).rpartition("<feature")
    (tmp_path / "a.xml").write_text(f"{others}<feature{last.replace(what, instead)}")

    assert [good] == [feature.annotation for feature in cases_in(tmp_path / "a.xml", refused)]
    [told] = refused
    assert "a.xml, feature 4: " in told
    assert words in told
