"""The program as a process: its streams, signals, names that are no text, and what it starts without."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands.conftest import SUSPICIOUS, start
from tests.conftest import ROOT, words


def test_what_does_not_fit_on_a_full_disk_is_an_error_in_one_line(library):
    for arguments in (["--help"], ["screen", "--help"], ["list", "-c", library]):
        with open("/dev/full", "wb") as full:
            command = [sys.executable, "-m", "pmbf", *map(str, arguments)]
            done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
        assert (done.returncode, done.stderr) == (3, "pmbf: No space left on device; make room, then try again\n")


def test_python_m_pmbf_and_the_launcher_run_the_same_program(library):
    launcher = ROOT / "cli.py"
    done = subprocess.run([sys.executable, launcher, "list", "-c", library], capture_output=True, check=False)
    assert done.stdout == start("list", "-c", library).stdout
    assert done.returncode == 0


def test_a_closed_pipe_ends_the_program_quietly(library):
    command = [sys.executable, "-m", "pmbf", "list", "-c", str(library)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141


def test_ctrl_c_ends_the_program_with_130(library):
    command = [sys.executable, "-m", "pmbf", "screen", "-", "-c", str(library)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        # More than a pipe holds: once it is written, the program is reading.
        process.stdin.write(b"word " * 100_000)
        process.stdin.flush()
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 130
        assert process.stderr.read() == b"pmbf: stopped\n"


def test_texts_are_shown_on_a_terminal_that_lacks_their_letters(library):
    done = start("screen", SUSPICIOUS / "chinese.txt", "-c", library, env=os.environ | {"PYTHONIOENCODING": "ascii"})
    assert (done.returncode, done.stderr) == (1, b"")
    assert done.stdout.isascii()


def test_json_is_utf_8_whatever_the_terminal(library):
    environment = os.environ | {"PYTHONIOENCODING": "latin-1"}
    done = start("list", "-c", library, "--json", env=environment)
    assert all(json.loads(line.decode("utf-8")) for line in done.stdout.splitlines())


def test_a_file_name_that_is_no_text_is_loaded_found_and_shown(tmp_path):
    path = os.fsencode(tmp_path) + b"/caf\xe9.txt"
    try:
        Path(os.fsdecode(path)).write_text(words(5))
    except OSError:
        pytest.skip("the file system takes only UTF-8 names")
    command = [sys.executable, "-m", "pmbf"]
    collection = ["-c", str(tmp_path / "c.pmbf")]
    assert subprocess.run([*command, "load", path, *collection], check=False).returncode == 0
    done = subprocess.run([*command, "screen", path, *collection], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (1, b"")
    assert rb"caf\xe9.txt" in done.stdout
    listed = start("list", "--json", *collection)
    assert json.loads(listed.stdout)["paths"] == [os.fsdecode(path)]


def test_closed_output_streams_are_no_error(library):
    command = f"{sys.executable} -m pmbf list -c '{library}' >&- 2>&-"
    assert subprocess.run(command, shell=True, check=False).returncode == 0


@pytest.mark.parametrize("how", [["--quiet"], ["--json"], []])
def test_a_screening_starts_without_what_it_does_not_need(library, how):
    """Each of these takes a tenth of a second's share that a cold start has: see `pmbf.cli.words`."""
    spared = [
        "typer",
        "concurrent.futures",
        "shutil",
        "difflib",
        "pydantic",
        "numpy.ma",
        "multiprocessing",
        "sqlite_utils",
        "pmbf.store.writer",
        "pmbf.guard.policy",
        *(["rich"] if how else []),
    ]
    typed = ["screen", str(SUSPICIOUS / "none.txt"), "-c", str(library), "--min-chars", "65", "--threshold", "1%", *how]
    script = (
        "import sys\nfrom pmbf.cli.app import main\n"
        f"try: main({typed!r})\n"
        f"except SystemExit: print([name for name in {spared!r} if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    assert done.stderr == b"[]\n"
