"""`pmbf load`."""

import contextlib
import json
import os
import threading

import pytest

import pmbf
from tests.commands.conftest import run
from tests.conftest import words


def test_load_says_what_it_did_and_a_second_load_finds_nothing_to_do(folder, tmp_path):
    made = tmp_path / "c.pmbf"
    assert "10 added" in run("load", folder, "-c", made).stdout
    (folder / "text-0.txt").unlink()
    again = run("load", folder, "-c", made, "--prune")
    assert "9 unchanged" in again.stdout
    assert "1 taken out: the file is gone" in again.stdout
    assert "has 9 documents" in run("load", folder, "-c", made).stdout


def test_a_file_with_a_problem_is_told_and_does_not_stop_the_others(folder, tmp_path):
    result = run("load", folder, tmp_path / "gone.txt", "-c", tmp_path / "c.pmbf")
    assert result.exit_code == 3
    assert "10 added" in result.stdout
    assert "gone.txt: No such file" in result.stderr


def test_load_as_json_has_every_figure(folder, tmp_path):
    result = run("load", folder, tmp_path / "gone.txt", "-c", tmp_path / "c.pmbf", "--json")
    told = json.loads(result.stdout)
    assert (told["n_added"], len(told["problems"]), result.stderr) == (10, 1, "")


def test_a_quiet_load_prints_only_problems(folder, tmp_path):
    result = run("load", folder, tmp_path / "gone.txt", "-c", tmp_path / "c.pmbf", "--quiet")
    assert result.stdout == ""
    assert "gone.txt" in result.stderr


def test_a_collection_is_not_made_for_a_path_that_does_not_exist(tmp_path):
    result = run("load", tmp_path / "typo", "-c", tmp_path / "c.pmbf")
    assert result.exit_code == 3
    assert not (tmp_path / "c.pmbf").exists()


def test_parameters_are_taken_when_a_collection_is_made(folder, tmp_path):
    made = tmp_path / "c.pmbf"
    named = (
        "shingle_tokens=7",
        "long_letters=6",
        "ordered=no",
        "density=0.1",
        "hash_bits=48",
        "n_hashes=2",
        "fpr=0.02",
    )
    named += ("placement=single-row", "docs_per_row=5", "row_capacity=999")
    options = [word for one in named for word in ("--param", one)] + ["--no-text", "--index", "rows"]
    assert run("load", folder, "-c", made, *options).exit_code == 0
    with pmbf.Collection(made) as collection:
        assert collection.params == pmbf.Params(
            shingle_tokens=7,
            long_letters=6,
            ordered=False,
            density=0.1,
            n_hashes=2,
            fpr=0.02,
            placement="single-row",
            docs_per_row=5,
            row_capacity=999,
            store_text=False,
            hash_bits=48,
            index="rows",
        )


@pytest.mark.parametrize(
    "param", ["n_hashes=2", "fpr=0.02", "placement=single-row", "docs_per_row=5", "row_capacity=999"]
)
def test_what_only_rows_have_is_refused_for_a_collection_with_postings(folder, tmp_path, param):
    for index in ([], ["--index", "postings"]):
        result = run("load", folder, "-c", tmp_path / "c.pmbf", "--param", param, *index)
        assert result.exit_code == 2
        assert f"--param {param.partition('=')[0]} is for a collection of rows; give --index rows, too" in " ".join(
            result.stderr.split()
        )
    assert not (tmp_path / "c.pmbf").exists()


def test_a_profile_is_a_set_of_parameters_that_others_change(folder, tmp_path):
    for name, options, expected in (
        ("a", ["--profile", "obfuscation"], pmbf.Params.obfuscation()),
        ("b", ["--profile", "obfuscation", "--param", "density=0.2"], pmbf.Params.obfuscation(density=0.2)),
        ("c", ["--profile", "default"], pmbf.Params()),
        ("d", ["--profile", "sentences"], pmbf.Params.sentences()),
    ):
        assert run("load", folder, "-c", tmp_path / name, *options).exit_code == 0
        with pmbf.Collection(tmp_path / name) as collection:
            assert collection.params == expected
    assert run("load", folder, "-c", tmp_path / "a", "--profile", "obfuscation").exit_code == 0
    assert run("load", folder, "-c", tmp_path / "b", "--profile", "obfuscation").exit_code == 2


def test_other_parameters_for_an_existing_collection_are_wrong_usage(mine, folder):
    result = run("load", folder, "-c", mine, "--param", "density=0.5")
    assert result.exit_code == 2
    assert "density 0.05" in result.stderr
    assert run("load", folder, "-c", mine, "--param", "density=0.05").exit_code == 0


def test_patterns_the_shell_left_alone_are_filled_in(folder, tmp_path):
    assert "3 added" in run("load", f"{folder}/text-[123].*", "-c", tmp_path / "c.pmbf").stdout


def test_a_file_whose_name_looks_like_a_pattern_is_loaded(folder, tmp_path):
    (folder / "a[1].txt").write_text(words(77))
    assert "1 added" in run("load", folder / "a[1].txt", "-c", tmp_path / "c.pmbf").stdout


@pytest.mark.parametrize("separator", [b"\n", b"\r\n", b"\0"])
def test_paths_are_read_from_stdin(folder, tmp_path, separator):
    paths = [os.fsencode(path) for path in folder.iterdir()]
    result = run("load", "--files-from", "-", "-c", tmp_path / "c.pmbf", input=separator.join(paths) + separator)
    assert "10 added" in result.stdout


@pytest.mark.parametrize("kind", ["file", "stdin", "pipe"])
def test_a_list_of_paths_is_read_within_the_limit_of_all_inputs(folder, tmp_path, kind):
    paths = b"\n".join(os.fsencode(path) for path in folder.iterdir()) * 200
    listed = tmp_path / "list"
    if kind == "pipe":
        os.mkfifo(listed)
        threading.Thread(target=lambda: written_to(listed, paths), daemon=True).start()
    else:
        listed.write_bytes(paths)
    name = "-" if kind == "stdin" else listed
    result = run("load", "--files-from", name, "--param", "max_bytes=1K", "-c", tmp_path / "c.pmbf", input=paths)
    assert result.exit_code == 3
    assert f"{'stdin' if kind == 'stdin' else listed}: larger than 1024 bytes; split it, or raise" in result.stderr


def written_to(pipe, content):
    with contextlib.suppress(BrokenPipeError):
        pipe.write_bytes(content)


def test_a_list_of_paths_that_is_a_folder_is_told(folder, tmp_path):
    result = run("load", "--files-from", folder, "-c", tmp_path / "c.pmbf")
    assert result.exit_code == 3
    assert "is a folder, expected a file" in result.stderr


def test_a_stopped_load_says_what_is_kept_and_how_to_go_on(mine, folder, monkeypatch):
    def stop(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("pmbf.collection.Collection.load", stop)
    result = run("load", folder, "-c", mine)
    assert result.exit_code == 130
    assert "10 documents" in result.stderr
    assert "the same command goes on" in result.stderr


@pytest.mark.parametrize("made", [["cluster", "init"], ["load", "texts", "-c"]], ids=["depot", "collection"])
def test_a_load_of_what_pmbf_keeps_makes_no_collection(made, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts/one.txt").write_text(words(1))
    assert run(*made, "kept").exit_code == 0
    refused = run("load", "kept", "-c", "new")
    assert refused.exit_code == 3 and "so no collection was made at new" in refused.stderr
    assert not (tmp_path / "new").exists()
