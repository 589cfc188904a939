"""README and docs are run: `console` sessions with their output, `>>>` lines, links, and every command is mentioned.

PMBF_UPDATE_DOCS=1 writes the sessions' present output into the documents.
"""

import doctest
import os
import re
import shlex
import shutil
import subprocess
import sys
import warnings
from functools import cache
from types import SimpleNamespace

import pytest
from conftest import ROOT

from tests.forked import pmbf

DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
SESSION = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MEASURED = re.compile(r"\d+(\.\d+)? (s|ms|MB/s|kB/s|kB)\b|\b[0-9a-f]{20}\b")
"""Differs from run to run, or from one zlib to another, or from one collection's key to another."""
NEEDED = {"recipes.md": ("pandas", "xlsxwriter")}
"""Libraries that the examples of a page use, and that not every user installs."""
PLAIN = re.compile(r"pmbf [^|<>&;$`*?~\\]*")
"""A command that no shell has to read: it runs in a forked process."""
UPDATE = os.environ.get("PMBF_UPDATE_DOCS") == "1"


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    """A folder with the examples, where a user would sit, and `pmbf` on its path."""
    desk = tmp_path_factory.mktemp("desk")
    (desk / "examples").symlink_to(ROOT / "examples")
    (desk / "bin").mkdir()
    launcher = desk / "bin" / "pmbf"
    launcher.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m pmbf "$@"\n')
    launcher.chmod(0o755)
    return desk


def shell(desk, command):
    environment = {name: value for name, value in os.environ.items() if name != "CI"}  # CI hides paths
    environment |= {"PATH": f"{desk}/bin:{os.environ['PATH']}", "COLUMNS": "100", "PYTHONPATH": str(ROOT)}
    if PLAIN.fullmatch(command):
        done = pmbf(*shlex.split(command)[1:], cwd=desk, environment=environment)
    else:
        done = subprocess.run(
            command, shell=True, cwd=desk, env=environment, capture_output=True, text=True, timeout=120
        )
    return "\n".join(line.rstrip() for line in (done.stderr + done.stdout).splitlines())


def replayed(desk, session):
    """Return a session with the output its commands have now."""
    if "$ jq " in session.group(1) and not shutil.which("jq"):
        warnings.warn("jq is not installed: its recipes were not run", stacklevel=1)
        return session.group(0)
    lines = []
    for command in re.findall(r"^\$ (.*)$", session.group(1), re.MULTILINE):
        lines += [f"$ {command}", shell(desk, command)]
    return "```console\n" + "".join(line + "\n" for line in lines if line) + "```"


@pytest.mark.slow
@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_document_shows_what_happens(desk, document, monkeypatch):
    for library in NEEDED.get(document.name, ()):
        pytest.importorskip(library, reason=f"{document.name} shows its use")
    text = document.read_text(encoding="utf-8")
    shown = SESSION.sub(lambda session: replayed(desk, session), text)
    if UPDATE:
        document.write_text(shown, encoding="utf-8")
    else:
        assert MEASURED.sub("N", text) == MEASURED.sub("N", shown)
    monkeypatch.chdir(desk)
    assert doctest.testfile(str(document), module_relative=False).failed == 0


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(document):
    for target in re.findall(r"\]\(([^)#]+)", document.read_text(encoding="utf-8")):
        if not target.startswith("http"):
            assert (document.parent / target).exists(), f"{document.name} links to {target}"


def test_decisions_are_numbered_without_gaps_or_twins():
    numbers = [int(path.name.partition("-")[0]) for path in sorted((ROOT / "docs" / "decisions").glob("*.md"))]
    assert numbers == list(range(1, len(numbers) + 1))


def option_table(command):
    """Return a command's arguments and options as a Markdown table."""
    lines = ["| | |", "|---|---|"]
    for option in command.params:
        names = [*option.opts, *option.secondary_opts]
        if not getattr(option, "is_flag", True) and option.metavar:
            names[0] += f" {option.metavar}"
        spelled = " ".join(f"`{name}`" for name in names).replace("|", chr(92) + "|")
        if option.param_type_name == "argument":
            spelled = f"`{option.metavar or option.name}`"
        lines.append(f"| {spelled} | {(option.help or '').replace('|', chr(92) + '|')} |")
    return "\n".join(lines)


@cache
def command_line():
    """Return the whole command line; to build it takes 30 ms."""
    from pmbf.cli.app import whole

    return whole()


def parameter_table(commands):
    """Return what `--param` sets, by name and meaning, with the commands that take it, as a Markdown table."""
    from pmbf.cli.words import table_of

    takes = {}
    for name, command in commands:
        for one in (table_of(command.callback.takes) or SimpleNamespace(by_name={})).by_name.values():
            takes.setdefault((f"{one.name}={one.metavar}", one.text), []).append(f"`{name}`")
    rows = [f"| `{spelled}` | {', '.join(names)} | {text} |" for (spelled, text), names in takes.items()]
    escaped = [re.sub(r"(?<=\w)[|](?=[\w])", r"\\|", row) for row in rows]
    return "\n".join(["| parameter | commands | |", "|---|---|---|", *escaped])


def documented(group, prefix=""):
    """Yield every command with its whole name, those of groups inside included; groups have no options of their own."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from documented(command, f"{prefix}{name} ")
        else:
            yield prefix + name, command


def test_every_command_and_option_is_documented():
    path = ROOT / "docs" / "commands.md"
    text = shown = path.read_text(encoding="utf-8")
    for name, command in documented(command_line()):
        marked = re.compile(f"(<!-- options: {name} -->\n).*?(<!-- end -->)", re.DOTALL)
        assert marked.search(text), f"docs/commands.md has no section on pmbf {name}"
        shown = marked.sub(lambda found, command=command: found[1] + option_table(command) + "\n" + found[2], shown)
    table = parameter_table(documented(command_line()))
    shown = re.sub(
        "(<!-- parameters -->\n).*?(<!-- end -->)",
        lambda found: f"{found[1]}{table}\n{found[2]}",
        shown,
        flags=re.DOTALL,
    )
    if UPDATE:
        path.write_text(shown, encoding="utf-8")
    else:
        assert text == shown


NAMED = re.compile(r"`pmbf\s([^`]+)`|^(?:    |\$ )(?:[^|#\n]*[|&] *)?pmbf ([^|#&\n]+)", re.MULTILINE)
"""A command in a sentence, in an indented line, or in a session."""
PLACEHOLDERS = ("COMMAND", "help COMMAND", "serve --in-memory")
"""What no command is: a stand-in for any, and what a decision rejected."""


def named(root, words):
    """Return the command that some words begin with, and the words behind it."""
    while hasattr(root, "commands"):
        words = words[2:] if words[:1] == ["--registry"] else words  # an option of a group
        name = words[0] if words and words[0] in root.commands else "check" if root.name == "guard" else ""
        if not name:
            return root, words
        root, words = root.commands[name], words[name == (words or [""])[0] :]
    return root, words


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_command_in_prose_is_there_and_takes_the_options_beside_it(document):
    for found in NAMED.finditer(document.read_text(encoding="utf-8")):
        said = " ".join((found[1] or found[2]).split())
        if said.startswith(PLACEHOLDERS):
            continue
        command, rest = named(command_line(), said.partition(" -- ")[0].split())
        assert not hasattr(command, "commands") or not rest or rest[0].startswith("-"), said
        options = {name for one in command.params for name in (*one.opts, *one.secondary_opts)} | {"--help", "-h"}
        used = {word.partition("=")[0].rstrip(".,;:)]'\"") for word in rest if re.match(r"--?[a-z]", word)}
        assert used <= options, said


def test_the_house_keeps_its_sizes():
    for path in [
        file for folder in ("pmbf", "measure", "experiments", "benchmarks") for file in (ROOT / folder).rglob("*.py")
    ]:
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 350, path


PROSE = [ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("document", PROSE, ids=lambda path: str(path.relative_to(ROOT)))
def test_lines_of_prose_have_at_most_120_columns(document):
    text = re.sub(r"^```.*?^```$", "", document.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    too_long = [line for line in text.splitlines() if len(line) > 120 and not line.startswith(("|", "    "))]
    assert too_long == []
