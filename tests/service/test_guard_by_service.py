"""`pmbf guard` through the service and without it: the same verdict, the same words, the same exit code."""

import json
import os
import subprocess
import sys

import pytest

from pmbf import Collection
from pmbf.cli.guard.app import guard as group
from pmbf.cli.guard.options import COMMANDS, FLAGS, LISTS, WORDS, plain
from pmbf.cli.words import read, taken_by
from pmbf.guard.baseline import Baseline, write_baseline
from tests.commands.conftest import run
from tests.conftest import ROOT, words
from tests.guard.conftest import LEAK, SECRET, Git, guard
from tests.service.conftest import served

CLEAN = words(77)


@pytest.fixture
def desk(tmp_path):
    (tmp_path / "clean.txt").write_text(CLEAN)
    (tmp_path / "leak.txt").write_text(f"{CLEAN}\n\n{LEAK}\n")
    (tmp_path / "page.html").write_text(f"<html><body><p>{LEAK}</p></body></html>")
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 9)
    (tmp_path / "cut.docx").write_bytes(b"PK\x03\x04 and then nothing")
    (tmp_path / "empty.txt").write_text("")
    (tmp_path / os.fsdecode(b"n\xefme.txt")).write_text(LEAK)
    (tmp_path / "public.txt").write_text(LEAK[:400])
    (tmp_path / "policy.toml").write_text("[guard]\nblock_chars = 100\non_incomplete = 'warn'\non_not_text = 'warn'\n")
    for number in range(70):
        (tmp_path / "many").mkdir(exist_ok=True)
        (tmp_path / "many" / f"{number}.txt").write_text(words(1000 + number) + (LEAK if number % 30 == 7 else ""))
    return tmp_path


def both(service, protected, *arguments, cwd, given=None):
    """Return what a check says with the service and without it."""
    n_before = service.metric("pmbf_payloads_total")
    found = [
        guard(*arguments, "-c", protected, cwd=cwd, given=given, PMBF_SOCKET=path) for path in (str(service.path), "")
    ]
    assert service.metric("pmbf_payloads_total") > n_before
    return [(done.returncode, done.stdout, done.stderr) for done in found]


@pytest.mark.parametrize("words", [
    ["clean.txt"],
    ["leak.txt", "--json"],
    ["leak.txt"],
    [".", "--json"],
    [".", "--json", "--redact", "--config", "policy.toml"],
    ["clean.txt", "missing.txt", "cut.docx", "picture.png", "--json"],
    ["empty.txt", "--json"],
    ["leak.txt", "--json", "--ignore", "public.txt"],
    ["leak.txt", "--sarif", "-"],
    ["leak.txt", "--json", "--ignore", "cut.docx"],
    ["leak.txt", "--json", "--param", "block_chars=20", "--param", "max_bytes=500"],
    ["many", "--quiet"],
])  # fmt: skip
def test_the_verdict_is_the_same_with_and_without_the_service(service, protected, desk, words):
    if "cut.docx" in words and "--ignore" in words:  # refused by the service: this process says why
        by_service = guard(*words, "-c", protected, cwd=desk, PMBF_SOCKET=str(service.path))
        alone = guard(*words, "-c", protected, cwd=desk, PMBF_SOCKET="")
        assert (by_service.returncode, by_service.stdout) == (alone.returncode, alone.stdout) == (3, "")
        assert by_service.stderr.endswith(alone.stderr)
        return
    by_service, alone = both(service, protected, *words, cwd=desk)
    assert by_service == alone


def test_standard_input_and_what_is_staged_go_the_same_way(service, protected, tmp_path, desk):
    assert len(set(both(service, protected, "-", "--json", cwd=desk, given=LEAK))) == 1
    git = Git(tmp_path / "work")
    git.commit("a.txt", CLEAN)
    git.write("b.txt", LEAK)
    git("add", "b.txt")
    by_service, alone = both(service, protected, "--staged", "--json", cwd=git.folder)
    assert by_service == alone
    assert by_service[0] == 1


def test_pieces_of_a_document_are_counted_together_by_the_asker(service, protected, tmp_path):
    for number in range(40):
        piece = SECRET[330 * (number % 5) :][:330] if number % 8 == 0 else ""
        (tmp_path / f"{number}.txt").write_text(f"{words(500 + number, 200)}\n\n{piece}")
    by_service, alone = both(service, protected, ".", "--json", cwd=tmp_path)
    assert by_service == alone
    assert (by_service[0], by_service[1].count('"action":"block"') + by_service[1].count('"action": "block"')) == (1, 6)


def test_a_baseline_holds_in_the_service(service, protected, desk):
    done = guard("baseline", "update", "leak.txt", "-c", protected, cwd=desk)
    assert done.returncode == 0, done.stderr
    [file] = desk.glob(".pmbf-baseline*")
    by_service, alone = both(service, protected, "leak.txt", "--json", "--baseline", file.name, cwd=desk)
    assert by_service == alone
    assert json.loads(by_service[1])["findings"][0]["action"] == "allowed"


def test_a_service_that_does_not_answer_is_done_without(protected, desk, place):
    path = place / "gone.sock"
    with served(protected, path) as running:
        os.kill(running.process.pid, 9)
        running.process.communicate()
    assert path.is_socket()
    done = guard("leak.txt", "-c", protected, cwd=desk, PMBF_SOCKET=str(path))
    assert done.returncode == 1
    assert "the service does not answer" in done.stderr
    with served(protected, path):  # what a killed service left is in nobody's way
        done = guard("leak.txt", "-c", protected, cwd=desk, PMBF_SOCKET=str(path))
        assert (done.returncode, "does not answer" in done.stderr) == (1, False)
    assert not path.exists()


def test_the_service_of_another_collection_is_not_believed(service, desk, tmp_path):
    with Collection(tmp_path / "other.pmbf", create=True) as made:
        made.add(words(3, 400), name="other")
    done = guard("leak.txt", "-c", tmp_path / "other.pmbf", cwd=desk, PMBF_SOCKET=str(service.path))
    assert done.returncode == 0
    assert "another collection" in done.stderr


def test_the_usual_socket_is_found_and_not_where_others_could_have_put_it(protected, desk, place):
    usual = {"XDG_RUNTIME_DIR": str(place), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "pmbf", "serve", "-c", str(protected)]
    with subprocess.Popen(command, env=os.environ | usual, stderr=subprocess.PIPE, text=True) as process:
        assert "serving" in process.stderr.readline()
        [path] = (place / "pmbf").glob("*.sock")
        assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)
        again = subprocess.run(command, env=os.environ | usual, capture_output=True, text=True, timeout=60, check=False)
        assert (again.returncode, "another pmbf serve" in again.stderr) == (3, True)
        assert "does not answer" not in guard("leak.txt", "-c", protected, cwd=desk, **usual).stderr
        path.parent.chmod(0o777)
        done = guard("leak.txt", "-c", protected, cwd=desk, **usual)
        assert (done.returncode, "others could answer" in done.stderr) == (1, True)
        named = guard("leak.txt", "-c", protected, cwd=desk, PMBF_SOCKET=str(path))
        assert (named.returncode, "others could answer" in named.stderr) == (1, True)
        path.parent.chmod(0o700)
        process.terminate()
        assert process.wait(60) == 0


# ---------------------------------------------------------------------- the same verdict at every door


NOTED = f"{LEAK}\n\npmbf:allow {{}}\n"
PAYLOADS = {
    "clean.txt": CLEAN.encode(),
    "leak.txt": f"{CLEAN}\n\n{LEAK}\n".encode(),
    "page.html": f"<html><body><p>{LEAK}</p></body></html>".encode(),
    "picture.png": b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 9,
    "cut.docx": b"PK\x03\x04 and then nothing",
}


@pytest.fixture(scope="module")
def fingerprint(protected, tmp_path_factory):
    """The fingerprint of the leak under the collection's own key."""
    folder = tmp_path_factory.mktemp("fingerprint")
    (folder / "leak.txt").write_text(LEAK)
    done = guard("leak.txt", "--json", "-c", protected, cwd=folder, PMBF_SOCKET="")
    [finding] = json.loads(done.stdout)["findings"]
    return finding["evidence"][0]["fingerprint"]


@pytest.mark.parametrize(("keys", "outcome"), [
    ("", "block"),
    ("ignore = ['public.txt']", "clean"),
    ("baseline = 'allowed.json'", "clean"),
    ("allow_inline = true", "block"),
    ("allow_licences = false\nmax_bytes = 100000", "block"),
    ("block_chars = 'off'\nblock_payload_share = 'off'\nblock_document_share = 'off'", "warn"),
], ids=["default", "ignore", "baseline", "allow_inline", "licences", "levels"])  # fmt: skip
def test_command_line_service_and_http_give_one_verdict(protected, place, tmp_path, fingerprint, keys, outcome):
    (tmp_path / "public.txt").write_text(LEAK)
    (tmp_path / "allowed.json").write_text(json.dumps(
        {"pmbf_baseline": 1, "key": Collection(protected).id.encode().hex(), "allowed": {fingerprint: "public"}}
    ))  # fmt: skip
    lines = ["[guard]", f"collection = '{protected}'", keys, "" if "allow_inline" in keys else "allow_inline = false"]
    (tmp_path / "policy.toml").write_text("\n".join(lines))
    payloads = {"leak.txt": PAYLOADS["leak.txt"], "noted.txt": NOTED.format(fingerprint).encode()}
    with served(protected, place / "doors.sock", "--config", tmp_path / "policy.toml") as running:
        for name, content in (payloads if keys else PAYLOADS | payloads).items():
            words = ("-", "--name", name, "--json", "--config", tmp_path / "policy.toml")
            alone = json.loads(run("guard", *words, input=content, env={"PMBF_SOCKET": ""}).stdout)
            by_service = json.loads(guard(*words, cwd=tmp_path, given=content, PMBF_SOCKET=str(running.path)).stdout)
            status, by_http = running.json("POST", f"/v1/check?name={name}", content)
            assert (status, by_http.pop("generation")) == (200, Collection(protected).generation)
            assert alone == by_service == by_http, name
            if name == "leak.txt":
                assert alone["action"] == outcome
            if name == "noted.txt":
                assert alone["action"] == ("clean" if "true" in keys or outcome == "clean" else outcome)


def test_a_baseline_that_is_renewed_counts_from_the_next_request_on(protected, place, tmp_path, fingerprint):
    file, key = tmp_path / "allowed.json", Collection(protected).id.encode().hex()
    (tmp_path / "policy.toml").write_text("[guard]\nbaseline = 'allowed.json'\n")
    with served(protected, place / "renewed.sock", "--config", tmp_path / "policy.toml") as running:
        for allowed, action in (({}, "block"), ({fingerprint: ""}, "clean")):
            file.write_text(json.dumps({"pmbf_baseline": 1, "key": key, "allowed": allowed}))
            assert running.json("POST", "/v1/check", LEAK.encode())[1]["action"] == action
        file.unlink()
        status, told = running.json("POST", "/v1/check", LEAK.encode())
        assert (status, "no such baseline" in told["error"]) == (500, True)


# ---------------------------------------------------------------------- plain words


def as_any_command(arguments):
    """Return what the words after `pmbf guard` are if they are read as those of other commands."""
    found = read(taken_by(group.commands["check"]), arguments[arguments[:1] == ["check"] :])
    return {key: value for key, value in found.items() if value is not False}


@pytest.mark.parametrize("words", [
    ["a.txt"],
    ["check", "a.txt", "b", "-"],
    ["--staged", "--json", "--quiet"],
    ["-c", "x.pmbf", "a", "--collection", "y.pmbf", "--redact"],
    ["--show", "a", "--name", "n.txt", "--policy", "p", "--config", "q", "--baseline", "b"],
    ["--ignore", "a", "--ignore", "b", "--include", "*.md", "--exclude", "v", "z"],
    ["--pre-push", "origin", "url", "--sarif", "-x", "--incidents", "i"],
    ["--range", "a..b", "--incidents", "i"],
    ["a", "--param", "block_chars=9", "--param", "min_chars=9"],
    ["--pre-receive"],
])  # fmt: skip
def test_plain_words_are_read_as_those_of_any_command(words):
    read = plain(words)
    if read is not None:
        shown = {key: value for key, value in read.items() if value not in ([], False)}
        assert as_any_command(words) == shown
        assert ("redact" in read, read.get("redact")) == ("--redact" in words or "--show" in words, read.get("redact"))


@pytest.mark.parametrize("words", [
    [], ["--help"], ["-h"], ["install"], ["baseline", "audit"], ["a", "--unknown"], ["a", "--name"], ["a", "--name="],
    ["a", "--name", "--json"], ["a", "-cx"], ["--", "a"], ["a", "--no-such=1"],
])  # fmt: skip
def test_all_other_words_are_left_to_typer(words):
    assert plain(words) is None


def test_the_plain_words_are_those_of_the_command():
    takes = taken_by(group.commands["check"])
    parameters = {name: one for one in takes for names in one.argument.names for name in names.split("/")}
    for name, (field, value) in FLAGS.items():
        assert (parameters[name].field, parameters[name].kind) == (field, bool)
        assert value == parameters[name].argument.names[0].startswith(name)
    for many, names in ((False, WORDS), (True, LISTS)):
        for name, field in names.items():
            assert (parameters[name].field, parameters[name].kind) == (field, list[str] if many else str)
    assert set(COMMANDS) == set(group.commands) - {"check"}


def test_a_check_imports_neither_typer_nor_numpy_where_the_service_answers(service, protected, desk):
    code = (
        "import sys; sys.argv = ['pmbf', 'guard', 'leak.txt', '-c', sys.argv[1]]\n"
        "from pmbf.__main__ import main\n"
        "try: main()\n"
        "except SystemExit as end: assert end.code == 1\n"
        "print('heavy:', *sorted({'typer', 'numpy', 'rich', 'asyncio'} & set(sys.modules)), file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(protected)],
        cwd=desk,
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT), "PMBF_SOCKET": str(service.path)},
        timeout=60,
        check=False,
    )
    assert done.stderr.splitlines()[-1].rstrip() == "heavy:"


def test_a_text_of_references_costs_no_working_process(service):
    text = ("&ouml; " * 8 + "&uuml; ").encode()
    status, answer = service.json("POST", "/v1/check?name=umlauts.md", text)
    assert (status, answer["action"], answer["incomplete"]) == (200, "clean", [])
    assert service.metric("pmbf_workers_replaced") == 0


@pytest.mark.parametrize(
    ("rules", "hint"),
    [
        ("allow_inline = false", "remove the passage. If it may be published: ask who keeps the policy"),
        ("allow_inline = false\nmessage = 'ask Ann'", "remove the passage."),
        (
            "allow_inline = true\nbaseline = 'b.json'",
            "remove the passage. If it may be published: write `pmbf:allow FINGERPRINT` into the same text, or ask for "
            "its fingerprint in the baseline that the policy names",
        ),
    ],
)
def test_the_service_and_the_guard_say_what_to_do_in_the_same_words(protected, desk, tmp_path, rules, hint):
    policy = desk / "rules.toml"
    policy.write_text(f"[guard]\n{rules}\n")
    write_baseline(desk / "b.json", Baseline(bytes(32), {}))
    with served(protected, tmp_path / "s.sock", "--config", policy) as service:
        verdict = service.json("POST", "/v1/check?name=mail.txt", LEAK.encode())[1]
    alone = guard("-", "--name", "mail.txt", "-c", protected, "--config", policy, "--json", cwd=desk, given=LEAK)
    told = json.loads(alone.stdout)
    assert verdict["hint"] == told["hint"] == hint and f"guard: {hint}" in alone.stderr
    assert verdict.keys() - told.keys() == {"generation"} and told.keys() <= verdict.keys()
