"""An error of pmbf at one payload is that payload's *incomplete*; all others are judged, shown and answered."""

import json

import pytest

from pmbf import Collection
from pmbf.cli.outcome import ending
from pmbf.guard import checking, reading
from pmbf.guard.allowing import Allowances
from pmbf.guard.checker import CollectionChecker
from pmbf.guard.escaped import Cover
from pmbf.guard.policy import Policy
from pmbf.guard.sources import Plan
from pmbf.guard.types import Payload
from pmbf.screen import answering
from pmbf.serving.service.worker import answer
from tests.conftest import words
from tests.guard.conftest import CLEAN, LEAK, check, guard

UMLAUTS = "a &ouml; b &ouml; c &ouml; d &ouml; e &ouml; f &ouml; g &ouml; &uuml; &Uuml; &uarr; &upsilon;\n"


class Broken(Exception):
    """An error that nobody foresaw."""


def broken(*_):
    raise Broken("words of a text")


def plan(*texts):
    payloads = [Payload(f"{n}.txt", (f"{n}.txt",), one.encode(), "path") for n, one in enumerate(texts)]
    return Plan("path", iter(payloads), len(payloads), is_named=True)


def reasons(verdict):
    return [(one.name, one.reason) for one in verdict.incomplete]


@pytest.mark.parametrize("letter", ["uuml", "Uuml", "uml", "uacute", "uarr", "upsilon"])
def test_references_that_begin_with_u_are_read(letter):
    [(_, found)] = reading.read_anew(Cover.of(f"&{letter};" * 8))
    assert "&" not in found


def test_a_file_of_umlauts_does_not_end_the_check(tmp_path, protected):
    (tmp_path / "umlauts.md").write_text(UMLAUTS)
    (tmp_path / "leak.txt").write_text(LEAK)
    done = guard("umlauts.md", "leak.txt", "--json", "-c", protected, cwd=tmp_path)
    told = json.loads(done.stdout)
    assert (done.returncode, [one["name"] for one in told["findings"]]) == (1, ["leak.txt"])
    assert (told["n_files"], told["incomplete"]) == (2, [])


def test_an_error_of_one_look_is_told_and_the_other_looks_go_on(monkeypatch, verdict_on):
    real = reading.read_anew
    monkeypatch.setattr(reading, "read_anew", lambda cover: broken() if b"&uuml;" in cover.encoded else real(cover))
    found = verdict_on(plan(LEAK + UMLAUTS, LEAK))
    assert [one.payload.name for one in found.findings] == ["0.txt", "1.txt"]
    [(name, reason)] = reasons(found)
    assert (name, reason.partition(", line")[0]) == (
        "0.txt",
        "hidden text: could not be examined: Broken in pmbf.guard.reading",
    )


@pytest.mark.parametrize("step", ["read", "findings"])
def test_an_error_at_one_payload_is_its_problem_alone(monkeypatch, verdict_on, step):
    real = getattr(checking, step)

    def breaks(payload, *more):
        name = payload.name if step == "read" else payload.payload.name
        return broken() if name == "1.txt" else real(payload, *more)

    monkeypatch.setattr(checking, step, breaks)
    found = verdict_on(plan(LEAK, LEAK, LEAK))
    assert [one.payload.name for one in found.findings] == ["0.txt", "2.txt"]
    assert (found.counts.n_files, found.exit_code) == (3, 1)
    assert [name for name, reason in reasons(found) if "could not be examined: Broken" in reason] == ["1.txt"]
    assert "words of a text" not in str(reasons(found))


def test_an_error_of_a_comparison_is_told_of_the_text_that_caused_it(protected):
    class Checker(CollectionChecker):
        def check(self, texts):
            some = list(texts)
            return iter([broken() if "poison" in one.text else next(super(Checker, self).check([one])) for one in some])

    texts = [CLEAN, LEAK, f"{CLEAN} poison", LEAK, CLEAN]
    with Collection(protected) as collection:
        found = check(plan(*texts), Policy(), Checker(collection), Allowances(b"key"))
    assert [one.payload.name for one in found.findings] == ["1.txt", "3.txt"]
    assert [name for name, _ in reasons(found)] == ["2.txt"]
    assert found.counts.n_files == 5


def test_payloads_that_cannot_be_had_end_the_check(verdict_on):
    def payloads():
        yield Payload("a.txt", ("a.txt",), LEAK.encode(), "path")
        broken()

    with pytest.raises(Broken):
        verdict_on(Plan("path", payloads(), 2, is_named=True))


def test_a_stop_is_not_taken_for_an_error_of_a_look(monkeypatch, verdict_on):
    def stopped(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(checking, "read", stopped)
    with pytest.raises(KeyboardInterrupt):
        verdict_on(plan(LEAK))


@pytest.mark.parametrize("step", ["look_up", "_report"])
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_screening_of_many_texts_tells_the_one_that_could_not_be_examined(monkeypatch, protected, step, jobs):
    real = getattr(answering, step)

    def breaks(*arguments, **named):
        batch = arguments[1] if step == "look_up" else [arguments[1]]
        return broken() if any("poison" in one.read.text for one in batch) else real(*arguments, **named)

    monkeypatch.setattr(answering, step, breaks)
    texts = [LEAK, CLEAN, f"{LEAK} poison", CLEAN, LEAK]
    with Collection(protected) as collection:
        found = list(collection.screen_many(texts, jobs=jobs))
    assert [len(one.matches) for one in found] == [1, 0, 0, 0, 1]
    assert ["could not be examined: Broken" in str(one.problems) for one in found] == [False, False, True, False, False]


def test_a_load_names_the_file_that_could_not_be_examined(monkeypatch, tmp_path):
    from pmbf.intake import batches

    real = batches.read_document

    def breaks(file, *more, **named):
        return broken() if file.path.endswith("bad.rtf") else real(file, *more, **named)

    monkeypatch.setattr(batches, "read_document", breaks)
    for name in ("good.rtf", "bad.rtf"):
        (tmp_path / name).write_text(r"{\rtf1 " + words(len(name), 99) + "}")
    with Collection(tmp_path / "c", create=True) as collection:
        told = collection.load([tmp_path / "good.rtf", tmp_path / "bad.rtf"], jobs=1)
        assert (told.n_added, [one.path.rpartition("/")[2] for one in told.problems]) == (1, ["bad.rtf"])
        assert "could not be examined: Broken" in told.problems[0].reason


def test_a_working_process_answers_after_an_error_of_an_ask():
    class Held:
        generation, n_documents, n_without_text = 1, 2, 0

        def collection(self):
            return self

        def health(self):
            return {}

    told = answer(Held(), {"screen": broken}, {"ask": "screen"}, b"")
    assert (told["error"], told["reason"].partition(" in ")[0]) == ("unread", "could not be examined: Broken")


def test_an_error_of_pmbf_is_no_finding(capsys):
    with pytest.raises(SystemExit) as left, ending(SystemExit):
        broken()
    assert (left.value.code, "Broken" in capsys.readouterr().err) == (3, True)
