"""`POST /v1/duplicates`: articles once, then their ids alone."""

import base64
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pmbf import ResultSets
from tests.resultsets.test_sets import OTHER, STORY
from tests.service.conftest import encoded as request_of
from tests.service.conftest import limited, received, served, still_answers


def ask(service, articles, **fields):
    """Return the status and the answer."""
    return service.json("POST", "/v1/duplicates", json.dumps(fields | {"articles": articles}).encode())


def test_ids_alone_are_enough_on_later_calls(service):
    first = [{"id": "a", "text": OTHER}, {"id": "b", "version": 1, "text": STORY}, {"id": 3, "text": "Told: " + STORY}]
    status, told = ask(service, first)
    assert (status, told["keep"], told["unknown"]) == (200, ["a", "b"], [])
    [group] = told["groups"]
    [member] = group["members"]
    assert (group["representative"], member["id"], 0.8 < member["similarity"] < 1) == ("b", 3, True)
    assert told["prepared_ms"] > 0 and told["compare_ms"] > 0
    again = ask(service, [3, {"id": "b", "version": 1}, "a"])[1]
    assert (again["keep"], again["groups"][0]["members"][0]["id"], again["unknown"]) == ([3, "a"], "b", [])


def test_unknown_articles_are_told_and_shown(service):
    ask(service, [{"id": "known", "text": STORY}, {"id": "copy", "text": STORY}])
    articles = ["never", "known", {"id": "known", "version": 2}, "copy"]
    status, told = ask(service, articles)
    assert (status, told["unknown"], told["keep"]) == (200, ["never", "known"], ["never", "known", "known"])
    assert told["groups"][0]["members"][0]["id"] == "copy"


def test_a_text_that_comes_again_replaces_the_one_before(service):
    ask(service, [{"id": "changed", "text": STORY}])
    told = ask(service, [{"id": "changed", "text": OTHER}, {"id": "other", "text": OTHER}])[1]
    assert told["keep"] == ["changed"]


def test_what_is_prepared_comes_back_and_is_taken_again(service):
    told = ask(service, [{"id": "p", "text": STORY}], return_prepared=True, features="sentences")[1]
    [raw] = told["prepared"]
    assert base64.b64decode(raw) == bytes(ResultSets(features="sentences").prepare(STORY))
    status, told = ask(service, [{"id": "q", "prepared": raw}, "p"], features="sentences")
    assert (status, told["keep"]) == (200, ["q"])
    status, told = ask(service, [{"id": "q", "prepared": raw}])
    assert status == 400 and "prepared with other settings than features='words'" in told["error"]


def test_rules_share_the_articles(service):
    teaser = STORY[: STORY.index("Nobody")]
    assert ask(service, [{"id": "long", "text": STORY}, {"id": "short", "text": teaser}])[1]["keep"] == [
        "long",
        "short",
    ]
    assert ask(service, ["short", "long"], measure="containment", threshold=0.8)[1]["keep"] == ["short"]
    assert ask(service, ["short", "long"], measure="containment", prefer="longest")[1]["keep"] == ["long"]
    assert ask(service, ["short", "long"], features="sentences")[1]["unknown"] == ["short", "long"]


def test_an_empty_set_has_no_duplicates(service):
    assert ask(service, [])[1]["keep"] == []


@pytest.mark.parametrize(("body", "status", "reason"), [
    (b"", 400, "the body is no JSON"),
    (b"\xff", 400, "the body is no JSON"),
    (b"[" * 100_000, 400, "the body is no JSON"),
    (b"[]", 400, "no object with a list of articles"),
    (b'{"articles": {}}', 400, "no object with a list of articles"),
    (b'{"articles": [], "treshold": 0.4}', 400, "'treshold' is no field of the body"),
    (b'{"articles": [], "threshold": "0.4"}', 400, "threshold is '0.4'"),
    (b'{"articles": [], "threshold": true}', 400, "threshold is True"),
    (b'{"articles": [], "threshold": NaN}', 400, "threshold is nan"),
    (b'{"articles": [], "threshold": [1]}', 400, "a field is a list or an object"),
    (b'{"articles": [], "features": "letters"}', 400, "features is 'letters'"),
    (b'{"articles": [], "keep": 1000000}', 400, "keep is 1000000"),
    (b'{"articles": [], "features": "sentences", "stem": "klingon"}', 400, "klingon"),
    (b'{"articles": [], "prefer": "last"}', 400, "prefer is 'last'"),
    (b'{"articles": [], "prefer": 3}', 400, "prefer is int"),
    (b'{"articles": [null]}', 400, "the id or version of an article is none"),
    (b'{"articles": [true]}', 400, "the id or version of an article is none"),
    (b'{"articles": [1.5]}', 400, "the id or version of an article is none"),
    (b'{"articles": [""]}', 400, "the id or version of an article is none"),
    (b'{"articles": [{"text": "a"}]}', 400, "the id or version of an article is none"),
    (b'{"articles": [{"id": "a", "version": []}]}', 400, "the id or version of an article is none"),
    (b'{"articles": [{"id": "a", "txt": "a"}]}', 400, "an article has other fields than id, prepared, text, version"),
    (b'{"articles": [{"id": "a", "text": 3}]}', 400, "the text of an article is int"),
    (b'{"articles": [{"id": "a", "prepared": 3}]}', 400, "no base64"),
    (b'{"articles": [{"id": "a", "prepared": "%%"}]}', 400, "no base64"),
    (b'{"articles": [{"id": "a", "prepared": "AAAA"}]}', 400, "a prepared article has 3 bytes"),
    (b'{"articles": [{"id": "a", "text": "a", "prepared": "AAAA"}]}', 400, "both text and prepared"),
    (json.dumps({"articles": ["a" * 257]}).encode(), 400, "up to 256 characters"),
    (json.dumps({"articles": list(range(501))}).encode(), 413, "there are 501 articles, expected at most 500"),
])  # fmt: skip
def test_what_is_no_request_is_refused_with_a_reason(service, body, status, reason):
    if b"klingon" in body:
        pytest.importorskip("Stemmer")
    found, told = service.json("POST", "/v1/duplicates", body)
    assert (found, reason in told["error"]) == (status, True), told


def test_a_field_of_the_query_is_refused(service):
    status, told = service.json("POST", "/v1/duplicates?threshold=0.4", b"{}")
    assert (status, "the body has all fields" in told["error"]) == (400, True)


def test_a_large_request_is_refused_before_its_body(service):
    with service.connect() as connection:
        connection.sendall(request_of("POST", "/v1/duplicates", **{"Content-Length": str((32 << 20) + 1)}))
        assert received(connection)[0] == 413


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
                    lambda inner: st.lists(inner, max_size=4)
                    | st.dictionaries(st.sampled_from(["id", "version", "text", "prepared"]), inner)))  # fmt: skip
def test_hostile_articles_are_answered_or_refused(service, articles):
    status, told = ask(service, articles)
    assert status in (200, 400) and ("error" in told) == (status == 400)


def test_many_ways_of_preparing_do_not_fill_the_memory(service):
    for keep in range(8, 30):
        assert ask(service, [{"id": "a", "text": STORY}], keep=keep)[0] == 200
    assert ask(service, ["a"], keep=8)[1]["unknown"] == ["a"]
    assert ask(service, ["a"], keep=29)[1]["unknown"] == []
    assert still_answers(service)


def test_texts_over_64_kb_are_prepared_beside_other_requests(service):
    articles = [{"id": n, "text": f"{n} " + STORY * 300} for n in range(100)]
    status, told = ask(service, articles, threshold=0.5)
    assert (status, told["keep"]) == (200, [0])


def test_the_token_is_asked_for_over_tcp(protected, place):
    with served(
        protected, place / "d.sock", "--tcp", "127.0.0.1:0", "--param", f"token_file={place / 'd.token'}"
    ) as running:
        import http.client

        body = json.dumps({"articles": [{"id": 1, "text": STORY}]})
        for headers, expected in (
            ({}, 401),
            ({"Authorization": f"Bearer {(place / 'd.token').read_text().strip()}"}, 200),
        ):
            connection = http.client.HTTPConnection("127.0.0.1", running.port, timeout=60)
            connection.request("POST", "/v1/duplicates", body, headers)
            assert connection.getresponse().status == expected
            connection.close()


def test_a_set_with_unknown_articles_is_logged_as_incomplete_and_no_id_is_logged(protected, place):
    with limited(protected, place / "u.sock") as running:
        ask(running, ["never", {"id": "secret-id", "text": STORY}])
        ask(running, ["secret-id"])
        running.stop()
        outcomes = [
            line.rpartition("outcome=")[2] for line in running.said.splitlines() if "/v1/duplicates 200" in line
        ]
        assert outcomes == ["incomplete", "clean"] and "secret-id" not in running.said


def test_many_rules_do_not_fill_the_memory(service):
    ask(service, [{"id": "r", "text": STORY}])
    for hundredth in range(1, 100):
        assert ask(service, ["r"], threshold=hundredth / 100)[1]["unknown"] == []
