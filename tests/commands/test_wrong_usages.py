"""Wrong usages: each ends at once, with exit code 2 or 3, a line or a few, no traceback, and nothing written."""

import os
import shutil
import signal
import socket
from pathlib import Path

import pytest

from tests.commands.conftest import run
from tests.conftest import words

LONG = "x" * 5000
ODD_FILES = ["pipe", "socket", "/dev/zero", "/dev/tty", "texts", "none.txt", "", LONG, "a.txt/b", "binary.bin"]
"""What is no file: a pipe that nobody writes, a socket, devices, a folder, nothing, and names that no file has."""
READING = {
    "screen": ["screen", "{}", "-c", "c.pmbf", "--param", "timeout_s=1"],
    "screen --ignore": ["screen", "a.txt", "-c", "c.pmbf", "--param", "timeout_s=1", "--ignore", "{}"],
    "screen --template": ["screen", "a.txt", "-c", "c.pmbf", "--template", "{}"],
    "screen --labels": ["screen", "a.txt", "-c", "c.pmbf", "--labels", "{}"],
    "screen -c": ["screen", "a.txt", "-c", "{}"],
    "load --files-from": ["load", "--files-from", "{}", "-c", "new.pmbf", "--param", "timeout_s=1"],
    "load --labels": ["load", "a.txt", "-c", "new.pmbf", "--labels", "{}"],
    "compare --group-by": ["compare", "texts", "--group-by", "{}.csv"],
    "compare --ignore": ["compare", "texts", "--param", "timeout_s=1", "--ignore", "{}"],
    "compare -c": ["compare", "texts", "-c", "{}"],
    "pairs --background": ["pairs", "texts", "--param", "background={}"],
    "guard --policy": ["guard", "a.txt", "-c", "c.pmbf", "--policy", "{}"],
    "guard --config": ["guard", "a.txt", "-c", "c.pmbf", "--config", "{}"],
    "guard --baseline": ["guard", "a.txt", "-c", "c.pmbf", "--baseline", "{}"],
    "guard --endpoint": ["guard", "a.txt", "-c", "{}", "--param", "key_file=key"],
    "guard baseline audit": ["guard", "baseline", "audit", "a.txt", "-c", "c.pmbf", "--file", "{}"],
    "export --ignore": ["export", "new.pmbx", "-c", "c.pmbf", "--ignore", "{}"],
    "label --labels": ["label", "--labels", "{}", "-c", "c.pmbf"],
    "site add": ["site", "--registry", "sites", "add", "{}"],
    "site init --key": ["site", "--registry", "new-sites", "init", "me", "--key", "{}"],
    "web --template": ["web", "-c", "c.pmbf", "--template", "{}"],
    "serve --template": ["serve", "-c", "c.pmbf", "--template", "{}"],
}
"""Options that name what is read, by what they are called."""
USAGES = [
    *(["web", "-c", "c.pmbf", "--port", port] for port in ("99999", "70000", "-1", "x", "", "1.5", "65536")),
    *(
        ["serve", "-c", "c.pmbf", "--tcp", tcp]
        for tcp in (
            "127.0.0.1:99999",
            "127.0.0.1:-1",
            "127.0.0.1",
            ":80",
            "example.org:80",
            "[::1]:70000",
            "",
            "::1:5:x",
        )
    ),
    *(
        ["site", "--registry", "sites", "serve", "-c", "c.pmbf", "--listen", at]
        for at in (
            "127.0.0.1:99999",
            "127.0.0.1:-1",
            "127.0.0.1",
            "nowhere.invalid:80",
            "[::1]:70000",
            "x:y",
            "",
            ":80",
        )
    ),
    *(
        ["site", "--registry", "new-sites", "init", "me", "--address", at]
        for at in ("a:99999", "a", ":1", "a:b", "a b:1")
    ),
    *(["cluster", "start", "--port", port] for port in ("99999", "0", "-1", "x")),
    *(["cluster", "join", head] for head in ("x", "10.0.0.1:99999", "10.0.0.1:x", "")),
    *(["screen", "a.txt", "-c", "c.pmbf", "--threshold", share] for share in ("20", "-1", "nan", "", "1e99", "inf")),
    *(["screen", "a.txt", "-c", "c.pmbf", "--min-chars", number] for number in ("0", "-5", "1e3", "", "9" * 30)),
    *(["screen", "a.txt", "-c", "c.pmbf", "--param", f"max_bytes={size}"] for size in ("1X", "-1", "", "0")),
    *(
        ["screen", "a.txt", "-c", "c.pmbf", "--param", f"timeout_s={seconds}"]
        for seconds in ("0", "-1", "nan", "x", "inf")
    ),
    *(["screen", "a.txt", "-c", "c.pmbf", "--passages", n] for n in ("-1", "many", "", "1.5")),
    *(["screen", "a.txt", "-c", "c.pmbf", "--where", where] for where in ("", "x", "=1", "year=")),
    *(["screen", "a.txt", "-c", "c.pmbf", "--jobs", jobs] for jobs in ("0", "-1", "x")),
    ["screen", "a.txt", "-c", "ray://head:6379"],
    ["load", "a.txt", "-c", "ray://head:6379/depot"],
    ["stats", "-c", "s3://bucket/depot"],
    ["screen", "a.txt", "b.txt", "-c", "c.pmbf", "--name", "x"],
    ["screen", "-", "-", "-c", "c.pmbf"],
    ["screen", "a.txt", "-c", "c.pmbf", "--json", "--table", "csv:-"],
    ["screen", "a.txt", "-c", "c.pmbf", "--rows", "texts"],
    ["screen", "a.txt", "-c", "c.pmbf", "--quiet", "--table", "csv:-"],
    ["screen", "a.txt", "-c", "c.pmbf", "--html", ""],
    ["screen", "a.txt", "-c", "c.pmbf", "--html", "none/x.html"],
    ["screen", "a.txt", "-c", "c.pmbf", "--param", "hide_names=yes"],
    ["sentences", "screen", "a.txt", "-c", "c.pmbf", "--min-chars", "3"],
    ["site", "--registry", "sites", "ask", "a.txt", "-c", "c.pmbf", "--sites", "none"],
    ["screen", "a.txt", "-c", "c.pmbf", "--labels", "(?P<year>["],
    ["screen", "a.txt", "-c", "c.pmbf", "--table", "-"],
    ["screen", "a.txt", "-c", "c.pmbf", "--table", "none/t.csv"],
    ["screen", "a.txt", "-c", "c.pmbf", "--table", LONG],
    ["screen", "a.txt", "-c", "c.pmbf", "--html", LONG],
    ["screen", "a.txt", "-c", "c.pmbf", "--table", "texts"],
    ["screen", "a.txt", "-c", "c.pmbf", "--table", ""],
    ["load", "a.txt", "-c", ""],
    ["load", "a.txt", "-c", LONG],
    ["load", "a.txt", "-c", "a.txt"],
    ["load", "a.txt", "-c", "texts"],
    ["load", "a.txt", "-c", "/dev/null"],
    ["load", "a.txt", "-c", "pipe"],
    ["load", "", "-c", "new.pmbf"],
    ["load", "c.pmbf", "-c", "new.pmbf"],
    ["load", "none", "-c", "new.pmbf", "--prune"],
    ["load", "a.txt", "-c", "new.pmbf", "--labels", "[0-9]"],
    ["load", "a.txt", "-c", "new.pmbf", "--param", "shingle_tokens=99"],
    ["load", "a.txt", "-c", "new.pmbf", "--index", "rows", "--param", "fpr=2"],
    ["load", "a.txt", "-c", "new.pmbf", "--param", "hash_bits=33"],
    ["load", "a.txt", "-c", "new.pmbf", "--param", "density=nan"],
    ["load", "a.txt", "-c", "new.pmbf", "--index", "rows", "--param", "row_capacity=-1"],
    ["load", "a.txt", "-c", "new.pmbf", "--ocr", "eng", "--no-text"],
    ["load", "a.txt", "-c", "c.pmbf", "--param", "density=0.9"],
    ["compare", "none"],
    ["compare", "texts", "--common", "0"],
    ["compare", "texts", "--common", "x%"],
    ["compare", "texts", "--group-by", "("],
    ["compare", "texts", "--json", "--table"],
    ["compare", "texts", "--html", "texts/pages"],
    ["compare", "texts", "--sensitivity", "x"],
    ["compare", ""],
    ["duplicates", "none"],
    ["duplicates", ""],
    ["pairs"],
    ["pairs", "texts", "--tau", "0"],
    ["pairs", "texts", "--param", "idf=1"],
    ["pairs", "texts", "--param", "idf=0.9,0.1"],
    ["pairs", "texts", "--work", "texts"],
    ["pairs", "texts", "--work", "other"],
    ["pairs", "texts", "--param", "max_volume=-1"],
    ["pairs", "c.pmbf", "texts"],
    ["pairs", "none"],
    ["list", "--where", "x", "-c", "c.pmbf"],
    ["label", "a.txt", "-c", "c.pmbf"],
    ["label", "none.txt", "x=1", "-c", "c.pmbf"],
    ["remove", "-c", "c.pmbf"],
    ["remove", "99", "-c", "c.pmbf"],
    ["remove", "", "-c", "c.pmbf"],
    ["remove", "9" * 40, "-c", "c.pmbf"],
    ["similar", "show", "-c", "c.pmbf"],
    ["similar", "update", "-c", "c.pmbf", "--param", "bits=31"],
    ["similar", "update", "-c", "c.pmbf", "--param", "n_words=0"],
    ["similar", "export", "-", "-c", "c.pmbf"],
    ["similar", "export", "out.txt", "-c", "c.pmbf"],
    ["sentences", "build", "-c", "c.pmbf", "--param", "key_bits=7"],
    ["export", "c.pmbf", "-c", "c.pmbf"],
    ["export", "a.txt", "-c", "c.pmbf"],
    ["export", "none/x.pmbx", "-c", "c.pmbf"],
    ["export", "x.pmbx", "-c", "c.pmbf", "--key-file", "texts"],
    ["export", "x.pmbx", "-c", "c.pmbf", "--key-file", "pipe"],
    ["guard", "a.txt"],
    ["guard", "a.txt", "-c", "c.pmbf", "--json", "--sarif", "-"],
    ["guard", "a.txt", "-c", "c.pmbf", "--param", "block_chars=0"],
    ["guard", "resolve", "x", "-c", "c.pmbf"],
    ["guard", "install", "-c", "c.pmbf"],
    ["guard", "baseline", "update", "-c", "c.pmbf"],
    ["serve", "-c", "c.pmbf", "--param", "token_file=t"],
    ["serve", "-c", "c.pmbf", "--socket", LONG],
    ["serve", "-c", "c.pmbf", "--workers", "0"],
    ["serve", "-c", "c.pmbf", "--param", "request_bytes=x"],
    ["web", "-c", "c.pmbf", "--behind-proxy", "a/b"],
    ["web", "-c", "c.pmbf", "--keep", "-1"],
    ["web", "-c", "c.pmbf", "--state", "a.txt"],
    ["site", "--registry", "new-sites", "init", "Not A Name"],
    ["site", "--registry", "none", "card"],
    ["site", "--registry", "sites", "policy", "nobody", "--level", "count"],
    ["site", "--registry", "sites", "remove", "nobody"],
    ["cluster", "init", ""],
    ["cluster", "init", "a.txt"],
    ["remove", "-c", "depot", "99"],
    ["cluster", "status", "none"],
    ["cluster", "init", "ftp://x/y"],
    ["compact", "-c", "depot", "--param", "grace_h=0"],
    ["help", "nothing"],
    ["nothing"],
    ["--nothing"],
    ["screen"],
    ["", "a.txt"],
]
"""Wrong usages of each command: values, names, pairs of options, missing arguments."""


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    """A folder with texts, a collection, a depot, a registry of sites, and files that are none."""
    place, before = tmp_path_factory.mktemp("desk"), os.getcwd()
    os.chdir(place)
    os.mkdir("texts")
    for number in range(3):
        Path("texts", f"{number}.txt").write_text(words(number))
    for name in ("a.txt", "b.txt"):
        shutil.copy("texts/0.txt", name)
    os.mkdir("other")
    Path("other/mine").write_text("mine")
    Path("binary.bin").write_bytes(bytes(range(256)) * 9)
    Path("key").write_text("pmbf-site-key 1 " + "0" * 32 + "\n")
    os.chmod("key", 0o600)
    os.mkfifo("pipe")
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind("socket")
    assert run("load", "texts", "-c", "c.pmbf").exit_code == 0
    assert run("cluster", "init", "depot").exit_code == 0
    assert run("site", "--registry", "sites", "init", "house", "--address", "127.0.0.1:9").exit_code == 0
    yield place
    os.chdir(before)


def written(place):
    """Return all files but locks, and copies of volumes on nodes: a refused command may make them."""
    found = (path for path in place.rglob("*") if not path.name.endswith((".lock", "-shm", "-wal")))
    found = (path for path in found if "shelf" not in path.parts)
    return {path: path.lstat().st_mtime_ns for path in found if not path.is_dir()}


def refused(arguments, place, monkeypatch, codes=(2, 3)):
    """Run a command that is refused, within 10 s, and return what it said."""
    for name in ("HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(place / "home"))
    monkeypatch.setenv("RAY_AUTH_TOKEN_PATH", str(place / "home" / "token"))
    before = written(place)
    signal.signal(signal.SIGALRM, lambda *_: pytest.fail(f"{arguments} does not end"))
    signal.alarm(10)
    try:
        result = run(*arguments, input="")
    finally:
        signal.alarm(0)
    assert result.exit_code in codes, (arguments, result.output)
    assert "Traceback" not in result.output
    assert 1 <= result.stderr.count("\n") <= 4, result.output
    assert result.stderr.startswith("pmbf: ")
    assert written(place) == before
    return result.stderr


@pytest.mark.parametrize("usage", USAGES, ids=lambda usage: " ".join(usage)[:60] or "empty")
def test_a_wrong_usage_ends_at_once_in_a_line_and_writes_nothing(usage, desk, monkeypatch):
    refused(usage, desk, monkeypatch)


@pytest.mark.parametrize("name", READING)
def test_what_is_no_file_is_refused_wherever_a_file_is_read(name, desk, monkeypatch):
    for odd in ODD_FILES:
        if (name, odd) in FINE:
            continue
        refused([word.replace("{}", odd) for word in READING[name]], desk, monkeypatch)


FINE = {("screen", "texts"), ("screen", "binary.bin")}
"""What may be named all the same."""
