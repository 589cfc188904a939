"""`pmbf screen --html`: one file, or a folder of them; what is refused before anything is screened."""

from __future__ import annotations

import os
import re
import stat

import pytest
from conftest import ROOT

from pmbf import Collection
from tests.forked import pmbf

LIBRARY, SUSPICIOUS = ROOT / "examples" / "library", ROOT / "examples" / "suspicious"


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    folder = tmp_path_factory.mktemp("library") / "l.pmbf"
    with Collection(folder, create=True) as made:
        made.load([LIBRARY])
    return folder


def test_one_text_has_one_file_and_the_answer_stays_on_stdout(library, tmp_path):
    page = tmp_path / "essay.html"
    page.write_text('<meta name="generator" content="pmbf"> of before')
    done = pmbf("screen", SUSPICIOUS / "edited.txt", "-c", library, "--html", page, "--json", cwd=tmp_path)
    assert (1, f"pmbf: the page is {page}\n") == (done.returncode, done.stderr)
    assert done.stdout.startswith('{"query"')
    assert page.read_text(encoding="utf-8").endswith("</html>\n")
    assert stat.S_IMODE(page.stat().st_mode) == 0o666 & ~_umask()
    assert [page.name] == os.listdir(tmp_path)


def test_several_texts_have_a_folder_ranked_by_share(library, tmp_path):
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.4 no more")
    done = pmbf("screen", SUSPICIOUS, "broken.pdf", "-c", library, "--html", "out/", "--quiet", cwd=tmp_path)
    assert done.returncode == 3
    index = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    pages = re.findall(r'<a href="([^"]*)">', index)
    assert 6 == len(pages)
    assert {*pages, "index.html"} == set(os.listdir(tmp_path / "out"))
    shares = [float(share) for share in re.findall(r"<b>([\d.]+) %</b></td>", index)]
    assert shares == sorted(shares, reverse=True)
    assert "broken.pdf" in index


def test_hidden_names_are_in_no_file_of_the_folder(library, tmp_path):
    done = pmbf(
        "screen", SUSPICIOUS, "-c", library, "--html", "out/", "--param", "hide_names=yes", "--quiet", cwd=tmp_path
    )
    assert done.returncode == 1
    for name in os.listdir(tmp_path / "out"):
        page = (tmp_path / "out" / name).read_text(encoding="utf-8")
        known = [path.name for folder in (LIBRARY, SUSPICIOUS) for path in folder.iterdir()]
        assert not [one for one in [*known, str(ROOT), library.name] if one in page + name]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["edited.txt", "none.txt", "--html", "page.html"], "2 texts are screened, and a file holds the page of one"),
        (["edited.txt", "--param", "hide_names=yes"], "--param hide_names is for pages; add --html FILE"),
        (["edited.txt", "--param", "html_sources=whole"], "--param html_sources is for pages; add --html FILE"),
        (["edited.txt", "--html", "./edited.txt"], "this is the text that is screened; name another file"),
        (["edited.txt", "--html", ""], "'--html': is empty, expected a name"),
        (["edited.txt", "--html", "no/such/page.html"], "no/such/page.html: there is no folder"),
    ],
)
def test_what_cannot_be_meant_is_refused(library, tmp_path, words, told):
    for name in ("edited.txt", "none.txt"):
        (tmp_path / name).write_bytes((SUSPICIOUS / name).read_bytes())
    done = pmbf("screen", *words, "-c", library, cwd=tmp_path)
    assert (2, "") == (done.returncode, done.stdout)
    assert told in done.stderr
    assert {"edited.txt", "none.txt"} == set(os.listdir(tmp_path))
    assert (SUSPICIOUS / "edited.txt").read_bytes() == (tmp_path / "edited.txt").read_bytes()


def _umask():
    os.umask(mask := os.umask(0o077))
    return mask
