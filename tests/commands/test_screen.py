"""`pmbf screen`."""

import zipfile

import pytest

import pmbf
from pmbf.report import Report
from tests.commands.conftest import LIBRARY, SUSPICIOUS, run
from tests.conftest import words


def test_screen_finds_the_source_and_says_so_with_exit_code_1(library):
    result = run("screen", SUSPICIOUS / "verbatim.txt", "-c", library)
    assert result.exit_code == 1
    assert "32 % of this text is found in 1 of 14 documents." in result.stdout
    assert "tides.txt" in result.stdout
    assert "verbatim" in result.stdout


def test_screen_finds_nothing_with_exit_code_0(library):
    result = run("screen", SUSPICIOUS / "none.txt", "-c", library)
    assert result.exit_code == 0
    assert "No shared passage with any of 14 documents." in result.stdout


def test_a_file_that_cannot_be_read_is_an_error_and_the_next_is_screened(library):
    result = run("screen", "missing.txt", SUSPICIOUS / "verbatim.txt", "-c", library)
    assert result.exit_code == 3
    assert "pmbf: missing.txt: no such file\n" in result.stderr
    assert "tides.txt" in result.stdout


def test_nothing_found_in_part_of_a_text_is_exit_code_3(library, tmp_path):
    with zipfile.ZipFile(tmp_path / "two.zip", "w") as archive:
        archive.writestr("a.txt", "some words that stand nowhere else in the collection")
        archive.writestr("b.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600))
    result = run("screen", tmp_path / "two.zip", "-c", library)
    assert result.exit_code == 3
    assert "Incomplete: b.doc: skipped: an old binary Office file" in result.stdout


def test_a_file_that_cannot_be_read_has_its_line_of_json(library, tmp_path):
    (tmp_path / "noise.bin").write_bytes(bytes(range(256)) * 9)
    (tmp_path / "words.txt").write_text("a few words")
    result = run("screen", tmp_path / "noise.bin", tmp_path / "words.txt", "-c", library, "--json")
    unread, read = map(Report.from_json, result.stdout.splitlines())
    assert result.exit_code == 3
    assert (unread.query.name, unread.matches, read.problems) == (str(tmp_path / "noise.bin"), (), ())
    assert "not a text document" in unread.problems[0]
    assert len(run("screen", tmp_path, "-c", library, "--json").stdout.splitlines()) == 1


def test_the_json_of_a_report_is_the_report(library):
    result = run("screen", SUSPICIOUS / "two-sources.md", "-c", library, "--json")
    with pmbf.Collection(library) as collection:
        assert Report.from_json(result.stdout) == collection.screen(SUSPICIOUS / "two-sources.md")


def test_several_files_give_one_line_of_json_each(library):
    files = sorted(SUSPICIOUS.iterdir())
    lines = run("screen", *files, "-c", library, "--json").stdout.splitlines()
    assert [Report.from_json(line).query.name for line in lines] == [str(file) for file in files]


def test_of_many_texts_each_has_a_line_those_with_matches_a_report_and_all_a_total(library):
    files = [SUSPICIOUS / "none.txt", SUSPICIOUS / "verbatim.txt", "missing.txt", SUSPICIOUS / "none.txt"]
    result = run("screen", *files, "-c", library)
    lines = result.stdout.splitlines()
    assert result.exit_code == 3
    assert lines[0].endswith(", nothing in 14 documents")
    assert any("tides.txt" in line for line in lines)
    assert lines[-5].endswith(", nothing in 14 documents")
    assert lines[-4:] == [
        "3 texts screened",
        "        1 share text with the collection",
        "        2 share none",
        "        1 could not be read",
    ]


def test_a_folder_is_screened_file_by_file_under_the_name_it_was_given(library, tmp_path, monkeypatch):
    (tmp_path / "in" / "deep").mkdir(parents=True)
    (tmp_path / "in" / "deep" / "b.txt").write_bytes((SUSPICIOUS / "verbatim.txt").read_bytes())
    (tmp_path / "in" / "a.txt").write_bytes((SUSPICIOUS / "none.txt").read_bytes())
    (tmp_path / "in" / ".hidden.txt").write_text("not screened")
    (tmp_path / "in" / "c.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)))
    monkeypatch.chdir(tmp_path)
    result = run("screen", "in", "-c", library, "--json")
    assert (result.exit_code, result.stderr) == (1, "")
    assert [Report.from_json(line).query.name for line in result.stdout.splitlines()] == ["in/a.txt", "in/deep/b.txt"]
    assert run("screen", "in", "-c", library).stdout.endswith("        1 skipped: no text documents\n")
    assert run("screen", "in/c.png", "-c", library).exit_code == 3
    assert run("screen", "in", "-c", library, "--name", "x").exit_code == 2


def test_a_folder_without_texts_is_not_called_clean(library, tmp_path):
    for n_pictures in range(2):
        for how in ((), ("--json",), ("--quiet",)):
            result = run("screen", tmp_path, "-c", library, *how)
            assert (result.exit_code, result.stderr) == (
                3,
                "pmbf: nothing was compared: there is no text document\n",
            )
        (tmp_path / f"{n_pictures}.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)))


def test_several_processes_print_what_one_prints(library):
    files = [*sorted(SUSPICIOUS.iterdir()), "-", "missing.txt", *sorted(LIBRARY.iterdir())]
    given = (SUSPICIOUS / "verbatim.txt").read_bytes()
    for more in ((), ("--json",)):
        one = run("screen", *files, "-c", library, "--jobs", 1, *more, input=given)
        two = run("screen", *files, "-c", library, "--jobs", 2, *more, input=given)
        assert (one.exit_code, one.stdout, one.stderr) == (two.exit_code, two.stdout, two.stderr)
        assert (one.exit_code, "stdin" in one.stdout) == (3, True)


def test_quiet_prints_nothing_and_keeps_the_exit_code(library):
    result = run("screen", SUSPICIOUS / "verbatim.txt", "-c", library, "--quiet")
    assert (result.exit_code, result.output) == (1, "")


@pytest.mark.parametrize("encoding", ["utf-8", "cp1251", "utf-16"])
def test_stdin_is_read_as_bytes_in_any_encoding(library, encoding):
    text = (LIBRARY / "chasy.txt").read_text(encoding="utf-8")
    result = run("screen", "-", "-c", library, "--json", input=text.encode(encoding, "replace"))
    report = Report.from_json(result.stdout)
    assert report.query.name == "stdin"
    assert report.matches[0].document.path.endswith("chasy.txt")
    assert report.coverage > 0.95


def test_the_name_of_stdin_is_what_it_is_called_in_the_report(library):
    assert run("screen", "-", "--name", "draft.txt", "-c", library, input=b"a b c").stdout.startswith("draft.txt: ")


def test_a_text_without_a_word_is_not_taken_for_a_clean_one(library, tmp_path):
    result = run("screen", "-", "-c", library, input=b"")
    assert result.exit_code == 3
    assert "not one word" in result.stdout
    (tmp_path / "scanned.txt").write_text(" \n", encoding="utf-8")
    assert run("screen", tmp_path / "scanned.txt", SUSPICIOUS / "none.txt", "-c", library, "--quiet").exit_code == 3


def test_nothing_is_clean_while_the_first_load_has_not_committed(tmp_path):
    pmbf.Collection(tmp_path / "new.pmbf", create=True).close()
    result = run("screen", SUSPICIOUS / "none.txt", "-c", tmp_path / "new.pmbf")
    assert result.exit_code == 3
    assert "the collection has no text" in result.stdout


def test_a_pattern_that_no_document_fits_says_so(library):
    result = run("list", "zzz", "*.yyy", "-c", library)
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "pmbf: no document fits zzz or *.yyy\n"


def test_a_text_shorter_than_any_passage_is_noted(library):
    assert "see --min-chars" in run("screen", "-", "-c", library, input=b"only five words are here").stdout


def test_a_limit_that_is_passed_is_an_error_that_names_the_option(library):
    for file, given in ((SUSPICIOUS / "none.txt", None), ("-", b"x" * 2000)):
        result = run("screen", file, "-c", library, "--param", "max_bytes=1K", input=given)
        assert result.exit_code == 3
        assert "--param max_bytes" in result.stderr


def test_fewer_sources_and_passages_are_shown_on_demand(library):
    file = SUSPICIOUS / "two-sources.md"
    assert "1 more source" in run("screen", file, "-c", library, "--sources", 1).stdout
    assert "query" not in run("screen", file, "-c", library, "--passages", 0).stdout
    assert "2.1  query" in run("screen", file, "-c", library, "--passages", "all").stdout


def test_sources_below_the_threshold_are_left_out(library):
    one = run("screen", SUSPICIOUS / "verbatim.txt", "-c", library, "--threshold", 0.9)
    assert (one.exit_code, "Nothing above the threshold: 1 of 14 documents covers less" in one.stdout) == (0, True)
    several = run("screen", SUSPICIOUS, "-c", library, "--threshold", 0.9).stdout
    assert "619 words, nothing above the threshold, 1 below, in 14 documents\n" in several
    assert "        5 share less than the threshold\n        1 share none\n" in several


def test_colours_are_used_only_when_asked_for(library):
    file = SUSPICIOUS / "edited.txt"
    assert "\x1b" not in run("screen", file, "-c", library).stdout
    assert "\x1b[1;32m" in run("screen", file, "-c", library, env={"FORCE_COLOR": "1"}).stdout


def test_no_escape_sequence_of_a_document_reaches_the_terminal(tmp_path):
    text = words(1, 30) + " \x1b[2Jfree\x1b]0;owned\x07 \u202etxt.exe\u2066 " + words(2, 30)
    for name in ("a\x1b[31m.txt", "b.txt"):
        (tmp_path / name).write_text(text, encoding="utf-8")
    loaded = run("load", tmp_path / "a\x1b[31m.txt", tmp_path / "nope\x1b", "-c", tmp_path / "c.pmbf")
    screened = run("screen", tmp_path / "a\x1b[31m.txt", "-c", tmp_path / "c.pmbf")
    listed = run("list", "-c", tmp_path / "c.pmbf")
    as_json = run("list", "-c", tmp_path / "c.pmbf", "--json")
    assert screened.exit_code == 1
    assert "\\x1b[2Jfree" in screened.stdout
    for output in (loaded.output, screened.output, listed.output, as_json.output):
        assert all(char.isprintable() or char == "\n" for char in output), ascii(output)
