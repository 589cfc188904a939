"""Where a policy comes from, what it takes, and that a locked one cannot be loosened."""

from pathlib import Path

import pytest

from pmbf.base.errors import NotFoundError, ParameterError
from pmbf.guard.config import Chosen, policy_for, project_folder
from pmbf.guard.policy import KEYS, Policy


def write(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_without_a_word_the_defaults_hold(tmp_path):
    assert policy_for(tmp_path, Chosen(), {}) == Policy()


def test_a_later_layer_overrules_an_earlier_one(tmp_path):
    central = write(tmp_path / "central.toml", "[guard]", "block_chars = 1", "warn_chars = 1", "min_chars = 1")
    write(tmp_path / "pyproject.toml", "[tool.pmbf.guard]", "block_chars = 2", "warn_chars = 2", "share_chars = 2")
    write(tmp_path / ".pmbf.toml", "[guard]", "block_chars = 3", "warn_chars = 3")
    variables = {"PMBF_GUARD_POLICY": str(central), "PMBF_GUARD_BLOCK_CHARS": "4"}
    made = policy_for(tmp_path, Chosen(), variables)
    assert (made.min_chars, made.share_chars, made.warn_chars, made.block_chars) == (1, 2, 3, 4)
    assert policy_for(tmp_path, Chosen(values={"block_chars": 5}), variables).block_chars == 5


def test_a_file_that_is_named_is_read_instead_of_the_projects_own(tmp_path):
    write(tmp_path / ".pmbf.toml", "[guard]", "block_chars = 3")
    other = write(tmp_path / "other.toml", "[guard]", "warn_chars = 9")
    for chosen, variables in (
        (Chosen(config_file=str(other)), {}),
        (Chosen(), {"PMBF_GUARD_CONFIG": str(other)}),
    ):
        made = policy_for(tmp_path, chosen, variables)
        assert (made.block_chars, made.warn_chars) == (300, 9)


def test_where_no_local_file_may_speak_none_is_read(tmp_path, monkeypatch):
    write(tmp_path / ".pmbf.toml", "[guard]", "block_chars = 3")
    monkeypatch.chdir(tmp_path)
    assert policy_for(None, Chosen(), {}) == Policy(allow_inline=False)


def test_a_locked_policy_that_is_silent_on_notes_keeps_them_off_where_no_local_file_may_speak(tmp_path):
    central = write(tmp_path / "central.toml", "[guard]", "locked = true")
    chosen, variables = Chosen(policy_file=str(central)), {"PMBF_GUARD_ALLOW_INLINE": "true"}
    assert policy_for(tmp_path, chosen, variables).allow_inline
    with pytest.raises(ParameterError, match="allow_inline is True"):
        policy_for(None, chosen, variables)


def test_paths_start_from_the_file_they_are_written_in(tmp_path):
    write(tmp_path / ".pmbf.toml", "[guard]", "collection = 'c.pmbf'", "ignore = ['a.txt', '/b.txt']")
    made = policy_for(tmp_path, Chosen(), {})
    assert (made.collection, made.ignore) == (str(tmp_path / "c.pmbf"), (str(tmp_path / "a.txt"), "/b.txt"))


def test_the_collection_of_all_commands_is_the_last_resort(tmp_path):
    assert policy_for(tmp_path, Chosen(), {"PMBF_COLLECTION": "c.pmbf"}).collection == "c.pmbf"
    given = {"collection": "/d.pmbf"}
    assert policy_for(tmp_path, Chosen(values=given), {"PMBF_COLLECTION": "c.pmbf"}).collection == "/d.pmbf"


def test_variables_are_read_as_what_they_stand_for(tmp_path):
    made = policy_for(
        tmp_path,
        Chosen(),
        {
            "PMBF_GUARD_BLOCK_CHARS": "off",
            "PMBF_GUARD_WARN_PAYLOAD_SHARE": "0.25",
            "PMBF_GUARD_EXCLUDE": "vendor, *.po",
            "PMBF_GUARD_ALLOW_INLINE": "false",
        },
    )
    assert (made.block_chars, made.warn_payload_share, made.exclude) == (None, 0.25, ("vendor", "*.po"))
    assert made.allow_inline is False


@pytest.mark.parametrize(
    ("name", "lines", "said"),
    [
        (".pmbf.toml", ["[guard]", "block_char = 1"], "did you mean 'block_chars'"),
        (".pmbf.toml", ["[gaurd]", "block_chars = 1"], "did you mean 'guard'"),
        (".pmbf.toml", ["[guard]", "zzz = 1"], "'zzz' is no key"),
        (".pmbf.toml", ["[guard]", "block_chars = '300'"], "expected a whole number from 1 or off"),
        (".pmbf.toml", ["[guard]", "block_chars = true"], "expected a whole number from 1 or off"),
        (".pmbf.toml", ["[guard]", "min_chars = 'off'"], "expected a whole number from 1"),
        (".pmbf.toml", ["[guard]", "warn_payload_share = 80"], "expected a number above 0 up to 1"),
        (".pmbf.toml", ["[guard]", "timeout_s = inf"], "expected a number of seconds above 0, a day at most"),
        (".pmbf.toml", ["[guard]", "timeout_s = 1e12"], "expected a number of seconds above 0, a day at most"),
        (".pmbf.toml", ["[guard]", "on_incomplete = 'ignore'"], "expected 'block' or 'warn'"),
        (".pmbf.toml", ["[guard]", "exclude = 'a'"], "expected a list of texts"),
        (".pmbf.toml", ["[guard]", "exclude = [1]"], "expected a list of texts"),
        (".pmbf.toml", ["[guard]", "locked = true"], "only a central policy can be locked"),
        (".pmbf.toml", ["guard = 1"], "expected a table"),
        (".pmbf.toml", ["[guard"], "is no TOML"),
        (".pmbf.toml", ["a = " + "[" * 100_000], "is no TOML"),
        ("pyproject.toml", ["[tool.pmbf.gard]"], "did you mean 'guard'"),
        ("pyproject.toml", ["[tool]", "pmbf = 3"], "expected a table"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_with_its_name(tmp_path, name, lines, said):
    path = write(tmp_path / name, *lines)
    with pytest.raises(ParameterError) as caught:
        policy_for(tmp_path, Chosen(), {})
    assert str(path) in str(caught.value)
    assert said in str(caught.value)


@pytest.mark.parametrize("name", ["PMBF_GUARD_BLOCKCHARS", "PMBF_GUARD_BLOCK_CHARS"])
def test_what_is_wrong_with_a_variable_is_said_with_its_name(tmp_path, name):
    with pytest.raises(ParameterError, match=name):
        policy_for(tmp_path, Chosen(), {name: "many"})


def test_a_policy_that_is_named_must_be_there(tmp_path):
    with pytest.raises(NotFoundError):
        policy_for(tmp_path, Chosen(policy_file=str(tmp_path / "none.toml")), {})
    with pytest.raises(ParameterError, match=r"has no table \[guard\]"):
        policy_for(tmp_path, Chosen(policy_file=str(write(tmp_path / "empty.toml"))), {})


def test_two_central_policies_are_one_too_many(tmp_path):
    one, two = (write(tmp_path / name, "[guard]") for name in ("one.toml", "two.toml"))
    with pytest.raises(ParameterError, match="give one of them"):
        policy_for(tmp_path, Chosen(policy_file=str(one)), {"PMBF_GUARD_POLICY": str(two)})
    assert policy_for(tmp_path, Chosen(policy_file=str(one)), {"PMBF_GUARD_POLICY": str(one)}) == Policy()


LOOSER = {
    "collection": "/other.pmbf",
    "endpoint": "/e.pmbx",
    "cluster": "/depot",
    "ray": "head:6379",
    "key_file": "/e.key",
    "block_chars": 301,
    "warn_chars": None,
    "block_document_share": 0.6,
    "warn_document_share": None,
    "block_payload_share": 0.9,
    "warn_payload_share": 0.6,
    "block_total_chars": 601,
    "warn_total_chars": None,
    "share_chars": 121,
    "min_chars": 66,
    "include": ["a"],
    "exclude": ["vendor", "b"],
    "max_bytes": 1,
    "timeout_s": 1,
    "on_incomplete": "warn",
    "on_not_text": "pass",
    "on_error": "warn",
    "allow_inline": True,
    "baseline": "/b.json",
    "ignore": ["/i.txt"],
    "allow_licences": True,
    "name": "mine",
    "message": "Ask nobody.",
    "show_source": "always",
}
STRICTER = {
    "collection": "/protected.pmbf",
    "endpoint": "",
    "cluster": "",
    "ray": "",
    "key_file": "",
    "block_chars": 299,
    "warn_chars": 1,
    "block_document_share": 0.4,
    "warn_document_share": 0.1,
    "block_payload_share": 0.1,
    "warn_payload_share": 0.1,
    "block_total_chars": 599,
    "warn_total_chars": 1,
    "share_chars": 1,
    "min_chars": 1,
    "include": [],
    "exclude": [],
    "max_bytes": 1 << 40,
    "timeout_s": 600,
    "on_incomplete": "block",
    "on_not_text": "block",
    "on_error": "block",
    "allow_inline": False,
    "baseline": "",
    "ignore": [],
    "allow_licences": False,
    "name": "default",
    "message": "Ask Ann.",
    "show_source": "never",
}


@pytest.fixture
def locked(tmp_path):
    lines = ["collection = '/protected.pmbf'", "exclude = ['vendor']", "allow_inline = false", "on_not_text = 'warn'"]
    lines += ["allow_licences = false", "message = 'Ask Ann.'"]
    return str(write(tmp_path / "central.toml", "[guard]", "locked = true", *lines))


def test_every_key_has_a_looser_and_a_stricter_side():
    assert LOOSER.keys() == STRICTER.keys() == KEYS.keys()


@pytest.mark.parametrize("name", KEYS)
def test_a_locked_policy_is_not_loosened(tmp_path, locked, name):
    chosen = Chosen(policy_file=locked, values={name: "off" if LOOSER[name] is None else LOOSER[name]})
    with pytest.raises(ParameterError, match=f"{name} is .*locked policy .*central.toml has .*may only be stricter"):
        policy_for(tmp_path, chosen, {})


@pytest.mark.parametrize("name", KEYS)
def test_a_locked_policy_may_be_made_stricter(tmp_path, locked, name):
    value = STRICTER[name]
    made = policy_for(tmp_path, Chosen(policy_file=locked, values={name: value}), {})
    assert getattr(made, name) == (tuple(value) if isinstance(value, list) else value)


def test_no_layer_loosens_a_locked_policy(tmp_path, locked):
    write(tmp_path / ".pmbf.toml", "[guard]", "block_chars = 'off'")
    with pytest.raises(ParameterError, match=r"\.pmbf\.toml: block_chars is off"):
        policy_for(tmp_path, Chosen(policy_file=locked), {})
    with pytest.raises(ParameterError, match="the environment: min_chars is 1000"):
        policy_for(None, Chosen(policy_file=locked), {"PMBF_GUARD_MIN_CHARS": "1000"})


def test_the_project_is_the_nearest_folder_above_that_is_configured_or_a_repository(tmp_path):
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / ".git").mkdir()
    assert project_folder(inner) == tmp_path
    write(tmp_path / "a" / "pyproject.toml", "[tool.other]")
    assert project_folder(inner) == tmp_path
    write(tmp_path / "a" / ".pmbf.toml", "[guard]")
    assert project_folder(inner) == tmp_path / "a"


def test_policies_that_differ_have_different_digests():
    assert Policy().digest() != Policy(block_chars=299).digest()
    assert Policy().digest() == Policy(block_chars=300).digest()


def test_another_spelling_of_a_locked_place_is_the_same_place(tmp_path, monkeypatch):
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    lines = ("[guard]", "locked = true", "collection = 'c.pmbf'", "baseline = 'b.json'", "ignore = ['i.txt']")
    central = write(tmp_path / "central.toml", *lines)
    given = {"collection": "../c.pmbf", "baseline": "../work/../b.json", "ignore": ["../i.txt"]}
    assert policy_for(tmp_path, Chosen(policy_file=str(central), values=given), {}).collection
    for name, value in (("collection", "c.pmbf"), ("baseline", ""), ("ignore", ["i.txt"])):
        with pytest.raises(ParameterError, match=f"{name} is"):
            policy_for(tmp_path, Chosen(policy_file=str(central), values={name: value}), {})


def test_the_environment_names_a_ray_cluster_unless_the_policy_is_locked(tmp_path):
    central = write(tmp_path / "central.toml", "[guard]", "cluster = 's3://house/depot'")
    for line, ray in (("", "head:6379"), ("locked = true", "")):
        write(tmp_path / "central.toml", "[guard]", line, "cluster = 's3://house/depot'")
        made = policy_for(None, Chosen(policy_file=str(central)), {"PMBF_RAY": "head:6379"})
        assert ("s3://house/depot", ray) == (made.protected, made.ray)
