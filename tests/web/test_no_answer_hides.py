"""No option of a form or of REST, and no pair of them, answers *nothing* for copied text, or tells less without a word.

The options are read from the first page's form and from the description of REST: a new one fails until it is tried here
or has a reason.
"""

import itertools
from html.parser import HTMLParser
from urllib.parse import parse_qsl, urlencode

import pytest

from pmbf import Collection
from pmbf.serving.web.openapi import OPERATIONS
from tests.conftest import ROOT
from tests.copied import COPIED
from tests.web.conftest import Running

OWN_QUESTION = {"min_chars": "500", "min_similarity": "0.95", "threshold": "0.99"}
"""Options that restrict on purpose, each with a value that leaves copies out: each answer names them."""

NO_MATTER = {"file", "text", "name", "keep_text"}
"""What is asked, what it is called, what is kept."""

LESS = 0.9
"""A share below that part of the share without options is a smaller one."""


class FormFields(HTMLParser):
    """The fields of the form that is sent to `/`, each with the values that a user can choose."""

    def __init__(self, page):
        super().__init__()
        self.values, self._inside, self._select = {}, False, ""
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        told = dict(attributes)
        if tag == "form":
            self._inside = told.get("action") == "/"
        elif self._inside and tag == "option":
            self.values[self._select].append(told["value"])
        elif self._inside and "name" in told:
            self._select = told["name"]
            self.values[told["name"]] = [told["value"]] if told.get("type") == "checkbox" else []

    def handle_endtag(self, tag):
        self._inside &= tag != "form"


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hides")
    with Collection(folder / "c.pmbf", create=True) as collection:
        collection.add_many((one.name, one.read_text()) for one in sorted((ROOT / "examples/library").iterdir()))
        collection.build_sentences()
    skips = (
        'name = "all"\nrest = "skip"\n[[section]]\nname = "none"\nrule = "same"\nstart = ["Methods", "Declaration"]\n'
    )
    (folder / "all.toml").write_text(skips)
    made = Running(folder / "c.pmbf", folder / "state", "--template", str(folder / "all.toml"))
    yield made.entered()
    code, said = made.stop()
    assert code == 0 and "Traceback" not in said, said


@pytest.fixture(scope="module")
def form(client):
    return FormFields(client.ask("GET", "/").text).values


def choices(form):
    """Return each option that a user of the form can choose, with each of its values."""
    return [(name, value) for name, values in form.items() if name not in NO_MATTER for value in values if value]


def screened(client, *chosen, names=tuple(COPIED)):
    """Screen copied texts with some options; return what REST says of each."""
    query = f"&{urlencode(chosen)}" if chosen else ""
    return {name: client.screened(COPIED[name], query) for name in names}


@pytest.fixture(scope="module")
def plain(client):
    """What is found without options, by passages and by sentences."""
    found = {"0": screened(client), "1": screened(client, ("sentences", "1"))}
    assert all(one["report"]["coverage"] for one in found["0"].values())
    return found


def test_each_field_of_the_form_and_of_rest_is_tried_or_has_a_reason(form):
    [operation] = [one for one in OPERATIONS if (one.method, one.path) == ("POST", "/v1/screenings")]
    tried = {name for name, _ in choices(form)}
    assert form.keys() | operation.query.keys() == tried | OWN_QUESTION.keys() | NO_MATTER
    assert not tried & OWN_QUESTION.keys()


def amount_told(found):
    """Return the characters that a report says are found, whether they count or not."""
    return found["report"]["n_covered"] + sum(found["report"]["not_counted"].values())


def require_words(client, found, least):
    """Check all answers about a screening: if it finds less than `least`, then each says that there is more."""
    report, entry = found["report"], found["screening"]
    assert (entry["share"], entry["n_below"]) == (report["coverage"], report["n_below"])
    assert entry["n_not_counted"] == sum(report["not_counted"].values())
    if report["coverage"] >= least:
        return
    assert report["not_counted"] or report["n_below"] or report["problems"]
    number = entry["id"]
    page = client.ask("GET", f"/screenings/{number}").text
    evidence = client.ask("GET", f"/screenings/{number}/evidence").text
    [row] = [one for one in client.ask("GET", "/screenings").text.split("<tr>") if number in one]
    if report["not_counted"]:
        assert "Found, but not counted" in page and "Found, but not counted" in evidence and "not counted" in row
    if report["n_below"]:
        assert "below the smallest share" in page and "below the smallest share" in row
        assert "below the threshold" in evidence
    for problem in report["problems"]:
        assert problem.split(";")[0] in page
    assert not report["problems"] or "incomplete" in row


def test_no_option_and_no_pair_of_them_hides_copied_text(client, form, plain):
    singles = [(one,) for one in choices(form)]
    pairs = [pair for pair in itertools.combinations(choices(form), 2) if pair[0][0] != pair[1][0]]
    n_tried, turn = 0, itertools.cycle(COPIED)
    for chosen in [*singles, *pairs]:
        query = dict(chosen)
        if "sentences" in query and query.keys() - {"sentences", "template"}:
            answer = client.ask("POST", f"/v1/screenings?{urlencode(chosen)}", b"text")
            assert answer.status == 400 and "is given with sentences" in answer.json["error"]
            continue
        n_tried += 1
        # A pair has three texts in turn: `tests/test_no_answer_hides.py` tries each pair on each of them.
        names = itertools.islice(turn, 3) if len(chosen) > 1 else COPIED
        for name, found in screened(client, *chosen, names=names).items():
            before = plain[query.get("sentences", "0")][name]
            enough = LESS * amount_told(before)
            assert amount_told(found) >= enough or found["report"]["problems"], (chosen, name)
            require_words(client, found, LESS * before["report"]["coverage"])
            assert parse_qsl(found["screening"]["options"]) == list(chosen)
    assert n_tried >= 20


@pytest.mark.parametrize("name", OWN_QUESTION)
def test_an_option_that_restricts_is_named_wherever_its_answer_is_shown(client, plain, name):
    found = screened(client, (name, OWN_QUESTION[name]))
    assert any(found[one]["report"]["coverage"] < LESS * plain["0"][one]["report"]["coverage"] for one in COPIED)
    for one in found.values():
        number = one["screening"]["id"]
        assert one["screening"]["options"] == f"{name}={OWN_QUESTION[name]}"
        [row] = [part for part in client.ask("GET", "/screenings").text.split("<tr>") if number in part]
        assert f": {OWN_QUESTION[name]}" in row
        assert f": {OWN_QUESTION[name]}" in client.ask("GET", f"/screenings/{number}").text
