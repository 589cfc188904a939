"""`./run`, what a newcomer types first: it says what it can do, how far it is, and what failed."""

import os
import subprocess
import sys
import urllib.request

import pytest
from conftest import ROOT

pytestmark = pytest.mark.slow

RUN = (ROOT / "run").read_text(encoding="utf-8")
THREE = """
import pytest

def test_true():
    pass

def test_false():
    assert 1 == 2

@pytest.mark.skip(reason="no reason")
def test_neither():
    raise AssertionError
"""
ONE = "def test_one(): pass\n"
SLOW = "import pytest\npytestmark = pytest.mark.slow\n"
PIP = """Looking in links: /wheels
Collecting numpy>=2.0 (from pmbf==0.1.0)
  Processing /wheels/mmh3-5.0-cp311-linux.whl (from pmbf==0.1.0)
  Building editable for pmbf (pyproject.toml): started
ERROR: no room left
"""


def sh(script, *words, **environment):
    done = subprocess.run(
        ["sh", "-c", script, "sh", *words], cwd=ROOT, env=os.environ | environment, capture_output=True, text=True
    )
    return done.returncode, done.stdout, done.stderr


def function(name):
    """Return a function of `run`, as shell."""
    _, _, rest = RUN.partition(f"\n{name}() {{")
    assert rest
    return f"{name}() {{{rest.partition(chr(10) + '}')[0]}\n}}\n"


def test_without_a_command_it_names_all_of_them():
    code, out, err = sh("./run")
    assert (0, "") == (code, err)
    named = [line.partition("   ")[0] for line in out.splitlines()]
    assert ["./run demo", "./run web", "./run check", "./run tests"] == named


def test_check_runs_what_is_not_slow_and_gives_more_words_to_pytest():
    others = "prepare() { :; }\nstep() { :; }\npytests() { shift; printf '%s\\n' \"$@\"; }\n"
    code, out, _ = sh(f"{others}{function('check')}check -k screen")
    assert (0, ["-m", "not slow", "-k", "screen"]) == (code, out.splitlines()[-4:])


def test_a_new_folder_of_tests_is_slow_and_the_mark_nearest_to_a_test_holds(tmp_path):
    tests = tmp_path / "tests"
    files = {
        "conftest.py": "from tests.speeds import is_left_out as pytest_ignore_collect\n"
        "from tests.speeds import mark_and_order as pytest_collection_modifyitems",
        "pytest.ini": "[pytest]\nmarkers =\n  quick\n  slow",
        "speeds.py": (ROOT / "tests" / "speeds.py").read_text(),
        "test_top.py": ONE,
        "test_slow_file.py": SLOW + ONE,
        "new/test_a.py": ONE,
        "new/deeper/test_b.py": "raise ImportError",
        "slow/conftest.py": SLOW,
        "slow/test_c.py": "import pytest\n@pytest.mark.quick\n" + ONE + "def test_two(): pass",
        "quick/conftest.py": SLOW.replace("slow", "quick"),
        "quick/test_d.py": ONE,
        "quick/deeper/test_e.py": ONE,
        "quick/test_f.py": SLOW + "raise ImportError",
    }
    for name, text in files.items():
        (tests / name).parent.mkdir(parents=True, exist_ok=True)
        (tests / name).write_text(text)
    words = ["-m", "not slow", "--collect-only", "-q", "-p", "no:cacheprovider", "-c", tests / "pytest.ini", tests]
    done = subprocess.run([sys.executable, "-m", "pytest", *words], cwd=tmp_path, capture_output=True, text=True)
    found = {line for line in done.stdout.splitlines() if "::" in line}
    expected = ["quick/deeper/test_e.py", "quick/test_d.py", "slow/test_c.py", "test_top.py"]
    assert {f"{name}::test_one" for name in expected} == found


def test_an_old_python_is_refused_with_what_to_do(tmp_path):
    old = tmp_path / "python3"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)
    code, out, err = sh("./run demo", PYTHON=str(old))
    assert (2, "") == (code, out)
    assert err == f"run: {old} is older than 3.11; name a newer one: PYTHON=python3.12 ./run demo\n"


def test_what_ci_runs_is_what_the_readme_says():
    command = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()[-1].removeprefix("exec ")
    assert f"\n    {command}\n" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_what_pip_does_is_told_while_it_does_it(tmp_path):
    script = f'set -eu\nlog=$1\n{function("retold")}printf %s "$2" | retold'
    code, out, err = sh(script, str(tmp_path / "log"), PIP)
    assert (0, "") == (code, err)
    assert " numpy mmh3\nrun: compiling the kernels\nERROR: no room left\n" == out
    assert (tmp_path / "log").read_text() == PIP


def test_a_step_that_fails_is_named_and_ends_the_run():
    script = f"set -eu\nnumber=0 n_steps=3\n{function('step')}step lint true; step types false; step tests true"
    code, out, err = sh(script)
    assert (1, "run: types failed\n") == (code, err)
    shown = [line.partition(",")[0] for line in out.splitlines()]
    assert ["== 1 of 3: lint", "   lint: done", "== 2 of 3: types"] == shown


def test_a_step_beside_others_says_what_it_said_when_its_turn_comes_and_ends_the_run_if_it_failed(tmp_path):
    functions = "".join(map(function, ("step", "beside", "ended")))
    script = f"set -eu\nlogs=$1 number=0 n_steps=3 processes=\n{functions}beside types sh -c 'echo wrong; exit 3'\n"
    script += (
        "beside hosts echo found; step lint echo clean; step hosts ended hosts; step types ended types; echo never"
    )
    code, out, err = sh(script, str(tmp_path))
    assert (1, "run: types failed\n") == (code, err)
    said = [line for line in out.splitlines() if not line.startswith("   ")]
    assert ["== 1 of 3: lint", "clean", "== 2 of 3: hosts", "found", "== 3 of 3: types", "wrong"] == said


@pytest.mark.parametrize("last", ["true", "sleep 60"])
def test_a_run_whose_steps_are_good_ends_with_0_and_leaves_nothing_behind(tmp_path, last):
    functions = "".join(map(function, ("step", "beside", "ended", "tidy")))
    script = f"set -eu\nlogs=$1 number=0 n_steps=1 processes=\n{functions}trap tidy EXIT\n"
    logs = tmp_path / "logs"
    logs.mkdir()
    code, _, err = sh(f"{script}beside hosts true; beside last {last}; step hosts ended hosts", str(logs))
    assert (0, "") == (code, err)
    assert not logs.exists()


def test_the_application_starts_on_the_examples_with_one_command(tmp_path):
    pytest.importorskip("starlette", reason="the application needs pmbf[web]")
    (tmp_path / "bin").mkdir()
    launcher = tmp_path / "bin" / "pmbf"
    launcher.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m pmbf "$@"\n')
    launcher.chmod(0o755)
    script = f"set -eu\nvenv=$1\ninstall() {{ :; }}\n{function('web')}web --port 0 --workers 1"
    application = subprocess.Popen(["sh", "-c", script, "sh", tmp_path], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        said = iter(application.stdout.readline, "")
        link = next(line.strip() for line in said if line.startswith("http://127.0.0.1:"))
        assert b"<form" in urllib.request.urlopen(link, timeout=30).read()
    finally:
        application.terminate()
        code = application.wait(timeout=60)
        application.stdout.close()
    assert 0 == code
    assert {"bin", "examples.pmbf", "examples-web"} == {path.name for path in tmp_path.iterdir()}


def progress(tmp_path, *options):
    (tmp_path / "test_three.py").write_text(THREE)
    words = [
        "-p",
        "tests.progress",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:hypothesispytest",
        "-c",
        "/dev/null",
        "--rootdir",
        tmp_path,
    ]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *words, *options, tmp_path], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 1
    return [line.strip() for line in done.stdout.splitlines()]


def test_a_run_of_the_tests_says_how_far_it_is_and_what_failed(tmp_path):
    for options in (["-n0"], ["-n1"]):
        lines = progress(tmp_path, *options)
        assert "FAILED test_three.py::test_false (call)" in lines
        assert [line for line in lines if line.startswith("100%  3 of 3 tests, ")]
        assert [line for line in lines if "1 failed, 1 passed, 1 skipped" in line]
