"""A protected collection and git repositories that are made for one test."""

import os
import shutil
import subprocess
from dataclasses import replace
from functools import cache

import pytest

from pmbf import Collection
from pmbf.guard.allowing import Allowances
from pmbf.guard.checker import CollectionChecker
from pmbf.guard.checking import judged
from pmbf.guard.policy import Policy
from pmbf.guard.session import verdict as verdict_of
from pmbf.guard.sources import Plan
from pmbf.guard.types import Extent, Finding, Payload, Snippet, Verdict
from pmbf.report import Span
from tests.conftest import ROOT, words
from tests.forked import pmbf

LIBRARY = ROOT / "examples" / "library"
SECRET = words(1, 400)
OTHER_SECRET = words(2, 400)
LEAK = SECRET[200:900]
"""Some 500 letters of the first secret."""
CLEAN = words(77)
"""A text that shares nothing with a secret."""


@pytest.fixture(autouse=True)
def _nothing_from_outside(monkeypatch):
    """No policy, CI or git configuration of whoever runs the tests."""
    for name in list(os.environ):
        if name == "CI" or name.startswith(("PMBF_GUARD_", "GIT_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "n")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "n@example.org")


@pytest.fixture(scope="session")
def protected(tmp_path_factory):
    """A collection with two secrets and some other texts."""
    path = tmp_path_factory.mktemp("protected") / "protected.pmbf"
    with Collection(path, create=True) as made:
        made.add_many([("plan.txt", SECRET), ("offer.txt", OTHER_SECRET)])
        made.add_many([(f"other-{n}.txt", words(n)) for n in range(100, 110)])
    yield path
    with Collection(path) as made:
        assert made.check().problems == []


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """A collection of the example texts."""
    with Collection(tmp_path_factory.mktemp("library") / "library.pmbf", create=True) as made:
        made.load([LIBRARY])
        yield made


@pytest.fixture(scope="module")
def judge(library):
    """Returns the verdict on bytes under the default policy, the example texts being protected."""
    policy = Policy(collection=str(library.path))
    checker = CollectionChecker(library, min_chars=policy.min_chars)

    def judged(raw, name="a.txt"):
        payload = Payload(name, (name,), raw, "path")
        return check(Plan("path", iter([payload]), 1), policy, checker, Allowances(checker.key))

    return judged


class Git:
    """A repository and its work tree, or a bare one."""

    def __init__(self, folder, *options):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self("init", "-q", "-b", "main", *options)
        with (folder / ("config" if "--bare" in options else ".git/config")).open("a") as file:
            file.write("[user]\n\tname = n\n\temail = n@example.org\n")

    def copied(self, folder):
        """Return a copy of the repository and its work tree."""
        copy = object.__new__(Git)
        copy.folder = shutil.copytree(self.folder, folder)
        return copy

    def __call__(self, *arguments, ok=True, **more):
        command = ["git", *map(str, arguments)]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False, **more)
        assert done.returncode == 0 or not ok, done.stderr
        return done.stdout.strip() if ok else done

    def write(self, path, text):
        """Write a file of the work tree."""
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text) if isinstance(text, bytes) else target.write_text(text, encoding="utf-8")

    def commit(self, path=None, text="", message="m"):
        """Commit everything, after writing a file; return the commit's name."""
        if path:
            self.write(path, text)
        self("add", "-A")
        self("commit", "-q", "--allow-empty", "-m", message)
        return self("rev-parse", "HEAD")


@pytest.fixture
def git(tmp_path):
    return Git(tmp_path / "work")


@cache
def _hooked_once(folder, collection):
    made = Git(folder / "work")
    made.commit()
    done = guard("install", "-c", collection, cwd=made.folder)
    assert done.returncode == 0 and "commit-msg: installed" in done.stderr
    return made


@pytest.fixture
def hooked(tmp_path_factory, tmp_path, protected):
    """A repository whose hooks `pmbf guard install` has made, in a copy for one test."""
    return _hooked_once(tmp_path_factory.getbasetemp() / "hooked", protected).copied(tmp_path / "work")


def guard(*arguments, cwd, given=None, **variables):
    """Run `pmbf guard` in a process of its own."""
    environment = os.environ | {"PYTHONPATH": str(ROOT)} | variables
    return pmbf("guard", *arguments, cwd=cwd, environment=environment, given=given)


SNIPPET = Snippet(Span(5, 400), (2, 9), 320, "a" * 20, "secret words")


def finding(paths=("d/a b.txt",), snippets=(SNIPPET,), **more):
    payload = Payload(
        paths[0] if paths else "the message of commit x", tuple(paths), None, "commit", "b" * 40, "c" * 40
    )
    made = Finding(
        document_id=7,
        document_path="plan.txt",
        action="block",
        n_chars=320,
        share_of_document=0.5,
        share_of_payload=0.25,
        is_plain=True,
        snippets=tuple(snippets),
        payload=payload,
    )
    return replace(made, **more)


def verdict(*findings, incomplete=()):
    return Verdict("block", findings, Extent(1, 2), (), incomplete, True, "default 0")


def check(plan, policy, checker, allowances):
    """Return the verdict on a plan by a checker."""
    return verdict_of(plan, policy, judged(plan.payloads, policy, checker, allowances))


@pytest.fixture
def verdict_on(protected):
    """Check a plan and return the verdict."""

    def checked(plan, policy=None):
        with Collection(protected) as collection:
            return check(plan, policy or Policy(), CollectionChecker(collection), Allowances(b"key"))

    return checked
