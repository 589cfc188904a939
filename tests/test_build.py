"""Which twin of the kernels runs, what is built where no compiler is, and what a source distribution holds."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from conftest import ROOT

pytestmark = pytest.mark.slow

NAME = "from pmbf import kernels; print(kernels.NAME)"
NATIVE = sorted(ROOT.glob("pmbf/kernels/_native*.so"))
needs_native = pytest.mark.skipif(not NATIVE, reason="the native kernels are not built")


def run(*arguments: str | Path, cwd: Path = ROOT, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run Python with an environment that chooses no kernels but those given."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("PMBF_")}
    return subprocess.run(
        [sys.executable, *arguments], cwd=cwd, env=inherited | environment, capture_output=True, text=True
    )


@needs_native
def test_the_native_kernels_answer_where_they_are_built() -> None:
    assert "native\n" == run("-c", NAME).stdout


@pytest.mark.parametrize("name", ["reference", pytest.param("native", marks=needs_native)])
def test_the_environment_chooses_a_twin(name: str) -> None:
    assert f"{name}\n" == run("-c", NAME, PMBF_KERNELS=name).stdout


def test_another_choice_is_refused() -> None:
    failed = run("-m", "pmbf", "stats", "-c", "anything", PMBF_KERNELS="cuda")
    assert (2, "pmbf: PMBF_KERNELS is 'cuda', expected 'native' or 'reference'\n") == (failed.returncode, failed.stderr)


def test_missing_native_kernels_are_refused_only_when_asked_for(tmp_path: Path) -> None:
    missing = str(tmp_path / "_native.so")
    failed = run("-c", NAME, PMBF_KERNELS="native", PMBF_NATIVE_LIBRARY=missing)
    assert "UnsupportedError: the native kernels cannot be loaded" in failed.stderr
    assert "build it with `pip install .`" in failed.stderr
    assert "reference\n" == run("-c", NAME, PMBF_NATIVE_LIBRARY=missing).stdout


@pytest.mark.parametrize(("chosen", "n_notes"), [("", 1), ("reference", 0)])
def test_a_load_says_once_that_the_native_kernels_are_missing(tmp_path: Path, chosen: str, n_notes: int) -> None:
    (tmp_path / "a.txt").write_text("The sea comes in twice a day.", encoding="utf-8")
    environment = {"PMBF_NATIVE_LIBRARY": str(tmp_path / "_native.so"), "PMBF_KERNELS": chosen}
    arguments = ("-m", "pmbf", "load", tmp_path / "a.txt", "-c", tmp_path / "c.pmbf")
    assert n_notes == run(*arguments, **environment).stderr.count("pmbf: running on NumPy")
    assert "" == run(*arguments, "--quiet", **environment).stderr


@pytest.fixture
def stale(tmp_path: Path) -> Path:
    """A library that was built from sources of another interface."""
    source, library = tmp_path / "stale.c", tmp_path / "_native.so"
    source.write_text("int pmbf_interface(void) { return 0; }\n")
    compiler = shutil.which("cc") or pytest.skip("no C compiler")
    subprocess.run([compiler, "-shared", "-fPIC", source, "-o", library], check=True)
    return library


@needs_native
def test_a_library_of_another_version_is_refused(stale: Path) -> None:
    failed = run("-c", NAME, PMBF_KERNELS="native", PMBF_NATIVE_LIBRARY=str(stale))
    assert f"UnsupportedError: {stale}: is of interface 0, expected" in failed.stderr


def test_commands_say_once_that_a_library_of_another_version_is_not_used(tmp_path: Path, stale: Path) -> None:
    text, collection = tmp_path / "a.txt", tmp_path / "c.pmbf"
    text.write_text("The sea comes in twice a day.", encoding="utf-8")
    told = f"pmbf: running on NumPy, some 3 times slower: {stale}: is of interface 0, expected "
    commands = [["load", text], ["screen", text], ["stats"], ["check"]]
    for words in ([*command, "-c", collection] for command in commands):
        done = run("-m", "pmbf", *words, PMBF_NATIVE_LIBRARY=str(stale))
        assert done.returncode == (1 if "screen" in words else 0)
        assert (done.stderr.count(told), done.stderr.count("\n")) == (1, 1), (words, done.stderr)


def checkout(folder: Path) -> Path:
    """Return a copy of what the build reads."""
    for name in ("setup.py", "pyproject.toml", "MANIFEST.in", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    shutil.copytree(ROOT / "pmbf", folder / "pmbf", ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    return folder


def test_where_no_compiler_is_the_build_goes_on_without_native_kernels(tmp_path: Path) -> None:
    pytest.importorskip("setuptools")
    folder = checkout(tmp_path)
    built = run("setup.py", "-q", "build_ext", "--inplace", cwd=folder, CC="/bin/false")
    assert 0 == built.returncode, built.stderr
    assert [] == list(folder.rglob("*.so"))
    assert "reference\n" == run("-c", NAME, cwd=folder).stdout


def test_what_is_installed_has_the_number_of_the_interface_no_sources_and_all_files_of_pages(tmp_path: Path) -> None:
    pytest.importorskip("setuptools")
    folder, installed = checkout(tmp_path), tmp_path / "installed"
    built = run("setup.py", "-q", "build", "--build-lib", installed, cwd=folder, CC="/bin/false")
    assert 0 == built.returncode, built.stderr
    sources = {path.relative_to(installed).as_posix() for path in installed.rglob("*.[ch]")}
    assert {"pmbf/kernels/interface.h"} == sources
    folders = ("pages/assets", "serving/web/languages", "serving/web/static", "serving/web/templates")
    shown = {path.relative_to(ROOT) for name in folders for path in (ROOT / "pmbf" / name).iterdir()}
    assert len(shown) > 20 and [path for path in shown if not (installed / path).is_file()] == []
    read = "from pmbf.kernels import native_library; print(native_library.INTERFACE > 0)"
    assert "True\n" == run("-c", read, cwd=installed).stdout


@pytest.mark.parametrize(("is_free", "told"), [(0, "True 1 {'bdist_wheel'}"), (1, "False 0 set()")])
def test_a_free_threaded_python_gets_kernels_of_its_own_interface(is_free: int, told: str) -> None:
    pytest.importorskip("setuptools")
    lines = [
        "import runpy, setuptools, sysconfig",
        f"sysconfig.get_config_vars()['Py_GIL_DISABLED'] = {is_free}",
        "given = {}",
        "setuptools.setup = given.update",
        "runpy.run_path('setup.py')",
        "[one] = given['ext_modules']",
        "print(one.py_limited_api, len(one.define_macros), set(given['options']))",
    ]
    done = run("-c", "\n".join(lines))
    assert f"{told}\n" == done.stdout, done.stderr


def test_a_source_distribution_holds_all_sources(tmp_path: Path) -> None:
    pytest.importorskip("setuptools")
    folder = checkout(tmp_path)
    built = run("setup.py", "-q", "sdist", cwd=folder)
    assert 0 == built.returncode, built.stderr
    [archive] = (folder / "dist").glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        names = {name.partition("/")[2] for name in opened.getnames()}
    sources = {str(path.relative_to(ROOT)) for path in ROOT.glob("pmbf/kernels/**/*.[ch]")}
    assert {"pmbf/kernels/interface.h", "pmbf/kernels/native/text/fold.c"} < sources <= names
    assert {"setup.py", "pyproject.toml", "pmbf/kernels/fold_table.bin", "pmbf/py.typed"} <= names
