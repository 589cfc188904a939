"""No option, and no pair of options, answers *nothing* for copied text, or tells less of it, without a word."""

from __future__ import annotations

import itertools
import json
import shutil
from pathlib import Path

import pytest
from conftest import ROOT

from pmbf.base.errors import FOUND
from pmbf.cli.app import whole as command_line
from pmbf.cli.screening import exit_code
from pmbf.cli.words import table_of
from pmbf.comparison.results import Comparison, Pair
from pmbf.report import Report
from tests.commands.conftest import run
from tests.copied import COPIED

pytestmark = pytest.mark.slow

LIBRARY = ROOT / "examples" / "library"

TAKES_OUT = (
    ("--exclude", "quotations"),
    ("--exclude", "bibliography"),
    ("--template", "thesis"),
    ("--template", "proposal"),
    ("--template", "contract"),
    ("--template", "all.toml"),
    ("--sensitivity", "fast"),
    ("--threshold", "0.3"),
    ("--exclude", "self"),
)
"""Options that must hide nothing, also two of them together."""

OWN_QUESTION = {
    "ignore": "the user named the text; the amount is told",
    "where": "which documents are asked; how many are left out is told",
    "where_not": "the same",
    "exclude same=NAME": "the same",
    "min_chars": "how long a passage is",
    "min_similarity": "how alike a passage is",
    "max_candidates": "how many documents are compared; if there are more, then the answer is incomplete",
    "max_bytes": "a larger file is a problem, exit code 3",
    "timeout_s": "a file that takes longer is a problem, exit code 3",
    "ocr": "more text, never less",
    "method": "a collection of rows alone has another one; there the filter's own losses are told (docs/tradeoffs.md)",
    "false_rows": "the paper's own measure, with the method popcount",
    "threshold": "how large a share is; how many sources are below is told, and text that is taken out puts none below",
}
"""Options that restrict on purpose, and why the answer is the user's own."""

NO_MATTER = {
    *("files", "collection", "name", "jobs", "help", "labels", "force", "param"),
    *("json", "table", "rows", "with_text", "html", "html_sources", "hide_names", "quiet"),
    *("sources", "passages", "pairs", "group_by", "texts", "common"),
}
"""What is asked, and how the answer is shown. What --common takes out is exit code 1: tests/comparison."""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hides")
    (folder / "texts").mkdir()
    for name, text in COPIED.items():
        (folder / "texts" / f"{name}.txt").write_text(text, encoding="utf-8")
    skips = '[[section]]\nname = "none"\nrule = "{}"\nstart = ["Methods", "Declaration"]\n'
    (folder / "all.toml").write_text('rest = "skip"\n' + skips.format("same"))
    assert run("load", ROOT / "examples" / "library", "-c", folder / "c.pmbf", "--quiet").exit_code == 0
    return folder


def screened(place: Path, *options: str) -> dict[str, Report]:
    """Return the report of each copied text."""
    named = [str(place / one) if one.endswith(".toml") else one for one in options]
    ended = run("screen", place / "texts", "-c", place / "c.pmbf", "--json", "--jobs", "1", *named)
    reports = map(Report.from_json, ended.stdout.splitlines())
    return {Path(report.query.name).stem: report for report in reports}


@pytest.fixture(scope="module")
def plain(place: Path) -> dict[str, Report]:
    """The reports without options: all texts are found."""
    found = screened(place)
    assert {name for name, one in found.items() if one.n_covered} == set(COPIED)
    return found


def apart(one, other) -> bool:
    """Return whether two options may be given together."""
    return one[0] == "--exclude" or one[0] != other[0]


SINGLE = [(one,) for one in TAKES_OUT]
PAIRS = [(one, other) for one, other in itertools.combinations(TAKES_OUT, 2) if apart(one, other)]


@pytest.mark.parametrize("options", [*SINGLE, *PAIRS], ids=lambda some: " ".join(word for one in some for word in one))
def test_no_pair_of_options_hides_copied_text(place: Path, plain: dict[str, Report], options) -> None:
    found = screened(place, *(word for one in options for word in one))
    assert found.keys() == plain.keys()
    for name, report in found.items():
        assert exit_code(report) == FOUND or report.n_below or report.problems, name
        told = report.n_covered + report.n_not_counted
        assert told >= 0.9 * plain[name].n_covered or report.n_below or report.problems, name
        if report.coverage < 0.9 * plain[name].coverage:
            assert report.not_counted or report.n_below or report.problems, name


@pytest.mark.parametrize("options", SINGLE, ids=lambda some: " ".join(some[0]))
def test_no_headline_says_nothing_without_a_word(place: Path, options) -> None:
    named = [str(place / word) if word.endswith(".toml") else word for word in options[0]]
    ended = run("screen", place / "texts", "-c", place / "c.pmbf", "--jobs", "1", *named)
    assert ended.exit_code in (1, 3)
    assert "Nothing of this text" not in ended.stdout and "Nothing else of this text" not in ended.stdout
    assert "share none" not in ended.stdout.replace("share none as far as", "")


def test_the_overview_of_many_pages_tells_what_the_share_leaves_out(place: Path) -> None:
    for folder, options in (("skipped", ("--template", "thesis")), ("below", ("--threshold", "0.99"))):
        pages = place / folder
        run("screen", place / "texts", "-c", place / "c.pmbf", "--html", f"{pages}/", "--jobs", "1", *options)
        rows = {name: row for row in (pages / "index.html").read_text().split("<tr>") for name in COPIED if name in row}
        for name, report in screened(place, *options).items():
            assert bool(report.not_counted) == ("found, but not counted: " in rows[name]), name
            assert bool(report.n_below) == ("below the threshold" in rows[name]), name


def test_a_report_in_python_and_in_a_notebook_tells_what_its_share_leaves_out(place: Path) -> None:
    for options, words in (
        (("--template", "thesis"), "not counted"),
        (("--threshold", "0.999"), "below the threshold"),
    ):
        reports = [one for one in screened(place, *options).values() if not one.n_sources]
        assert reports
        for report in reports:
            assert words in repr(report) and words in report._repr_html_()


def test_the_amount_of_an_ignored_text_is_told(place: Path) -> None:
    handout = place / "texts" / "methods.txt"
    ended = run("screen", place / "texts" / "edited.txt", "-c", place / "c.pmbf", "--ignore", handout)
    said = " ".join(ended.stdout.split())
    assert ended.exit_code == 0
    assert "more was found, but does not count: 100 % of the whole text in ignored texts." in said


@pytest.mark.parametrize("command", ["screen", "compare"])
def test_every_option_is_known_to_hide_nothing_or_has_a_reason(command: str) -> None:
    offered = names(command_line().commands[command])
    taken = {one[0].removeprefix("--").replace("-", "_") for one in TAKES_OUT}
    assert offered - taken - OWN_QUESTION.keys() - NO_MATTER == set()


COMPARE_TAKES = tuple(
    one
    for one in (*TAKES_OUT, ("--sensitivity", "thorough"), ("--common", "1"))
    if one != ("--exclude", "self")
    and f"{one[0][2:].replace('-', '_')}" in {parameter.name for parameter in command_line().commands["compare"].params}
)
"""Options of `compare` that must hide nothing, also two of them together."""


def compared(place: Path, *options: tuple[str, ...]) -> Comparison:
    """Compare the copied texts, one group, with their sources, another one."""
    for group, sources in (("copies", (place / "texts").iterdir()), ("sources", LIBRARY.glob("[ah][fu]*.txt"))):
        (place / "class" / group).mkdir(parents=True, exist_ok=True)
        for one in sources:
            shutil.copy(one, place / "class" / group)
    words = [str(place / word) if word.endswith(".toml") else word for one in options for word in one]
    ended = run("compare", place / "class", "--group-by", "folder", "--json", "--jobs", "1", *words)
    found = Comparison.from_json(ended.stdout)
    assert ended.exit_code == 1, "an answer of nothing"
    return found


def highest(*pairs: Pair) -> dict[str, float]:
    """Return the highest share of each copied text in some pairs."""
    found: dict[str, float] = {}
    for one in pairs:
        assert one.a.startswith("copies/") and one.b.startswith("sources/")
        found[Path(one.a).stem] = max(found.get(Path(one.a).stem, 0.0), one.share)
    return found


@pytest.fixture(scope="module")
def whole_shares(place: Path) -> dict[str, float]:
    """The share of each copied text beside its source, without options."""
    found = highest(*compared(place).pairs)
    assert found.keys() == COPIED.keys()
    return found


COMPARE_PAIRS = [(one, other) for one, other in itertools.combinations(COMPARE_TAKES, 2) if apart(one, other)]


@pytest.mark.parametrize(
    "options", [*((one,) for one in COMPARE_TAKES), *COMPARE_PAIRS], ids=lambda some: " ".join(map(" ".join, some))
)
def test_no_pair_of_options_of_compare_hides_copied_text(place: Path, whole_shares, options) -> None:
    found = compared(place, *options)
    told = highest(*found.pairs, *found.not_counted)
    for name, whole in whole_shares.items():
        if found.not_counted:
            assert "more pairs not counted" in repr(found)
        if told.get(name, 0.0) < 0.9 * whole:
            member = found.by_name[f"copies/{name}.txt"]
            assert member.n_ignored or member.n_common or found.n_below or found.problems, name


@pytest.mark.parametrize("options", COMPARE_TAKES, ids=" ".join)
def test_no_headline_of_compare_says_nothing_without_a_word(place: Path, options) -> None:
    words = [str(place / word) if word.endswith(".toml") else word for word in options]
    for name in ("methods", "references", "curly", "short"):
        ended = run("compare", place / "texts" / f"{name}.txt", LIBRARY / "aflaj.txt", "--jobs", "1", *words)
        assert "share a passage." not in ended.stdout, name
        assert ended.exit_code == 1 or "below" in ended.stdout, name


def names(command) -> set[str]:
    """Return the names of a command's options, and of what its `--param` sets."""
    table = table_of(command.callback.takes)
    return {one.name for one in command.params} | (set(table.by_name) if table else set())


GUARD_TAKES = (
    ("--param", "on_incomplete=warn"),
    ("--param", "warn_chars=off"),
    ("--param", "warn_chars=10"),
    ("--redact",),
    ("--param", "max_bytes=1G"),
)
"""Options of the leak check that must let no passage leave, also two of them together."""

GUARD_OWN = {
    "include": "which files are looked at; how many are left out is told",
    "exclude": "the same",
    "baseline": "passages that the user has named",
    "ignore": "public text that the user has named",
    "policy_file": "the operator's own rules",
    "config_file": "the repository's own rules",
}
GUARD_NO_MATTER = {
    *("words", "staged", "revisions", "pre_push", "pre_receive", "commit_msg", "name", "collection"),
    *("json", "sarif", "incidents", "quiet"),
}


def guarded(place: Path, *options: str) -> set[str]:
    """Return the copied texts that are blocked; any of them makes the exit code 1."""
    texts = sorted((place / "texts").iterdir())
    ended = run("guard", "check", *texts, "-c", place / "c.pmbf", "--json", *options)
    assert ended.exit_code == 1
    findings = json.loads(ended.stdout)["findings"]
    return {Path(one["name"]).stem for one in findings if one["action"] == "block"}


@pytest.mark.parametrize("others", [(), *itertools.combinations(GUARD_TAKES, 2)], ids=str)
def test_no_pair_of_options_lets_a_copied_text_leave(place: Path, others) -> None:
    blocked = guarded(place, *(word for one in others for word in one))
    assert blocked >= COPIED.keys() - {"short"}, "a text of 20 words has too few letters to block"


def test_every_option_of_the_leak_check_is_known_to_hide_nothing_or_has_a_reason() -> None:
    offered = {one.name for one in command_line().commands["guard"].commands["check"].params}
    taken = {one[0].removeprefix("--").replace("-", "_") for one in GUARD_TAKES}
    assert offered - taken - GUARD_OWN.keys() - GUARD_NO_MATTER == set()
