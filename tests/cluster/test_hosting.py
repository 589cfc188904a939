"""What a host asks for before anything listens, and the files from which a cluster is made in containers."""

import os
import stat

import pytest
import yaml

from pmbf import NotFoundError, ParameterError
from pmbf.cluster import hosts
from tests.conftest import ROOT
from tests.forked import pmbf


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("RAY_AUTH_MODE", "RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def test_the_first_host_makes_a_token_that_its_user_alone_reads(home):
    hosts.require_token(make=True)
    token = home / ".ray" / "auth_token"
    assert 0o600 == stat.S_IMODE(token.stat().st_mode)
    content = token.read_text(encoding="ascii")
    assert 64 == len(content)
    hosts.require_token(make=True)
    hosts.require_token(make=False)
    assert content == token.read_text(encoding="ascii")


def test_nobody_joins_without_a_token(home):
    with pytest.raises(NotFoundError, match="copy the file from the first host"):
        hosts.require_token(make=False)


@pytest.mark.parametrize(("mode", "content", "reason"), [
    (0o644, "a" * 64, "others can read the token"),
    (0o600, "", "has 0 characters"),
    (0o600, "secret\n", "has 6 characters"),
])  # fmt: skip
def test_a_token_that_is_none_is_refused(home, monkeypatch, mode, content, reason):
    token = home / "token"
    token.write_text(content, encoding="ascii")
    token.chmod(mode)
    monkeypatch.setenv("RAY_AUTH_TOKEN_PATH", str(token))
    with pytest.raises(ParameterError, match=reason):
        hosts.require_token(make=True)


def test_no_host_starts_where_no_token_is_asked_for(home):
    """Ray listens on all addresses of a host: `start` refuses before it is called."""
    for command in ("start", "join"):
        words = ["10.0.0.1:6379"] if command == "join" else []
        environment = os.environ | {"XDG_CACHE_HOME": str(home), "RAY_AUTH_MODE": "disabled"}
        done = pmbf("cluster", command, *words, environment=environment)
        assert (2, True) == (done.returncode, "whoever reaches the port could run code here" in done.stderr)
        assert not (home / "pmbf").exists()
    environment = os.environ | {"XDG_CACHE_HOME": str(home), "RAY_AUTH_TOKEN": "short"}
    done = pmbf("cluster", "start", environment=environment)
    assert (2, True) == (done.returncode, "RAY_AUTH_TOKEN: the token has 5 characters" in done.stderr)


def test_a_host_that_was_never_started_cannot_be_stopped(home):
    done = pmbf("cluster", "stop", environment=os.environ | {"XDG_CACHE_HOME": str(home)})
    assert (3, True) == (done.returncode, "no host was started there" in done.stderr)


COMMANDS = {"start", "join"}


def test_the_compose_file_starts_hosts_with_a_token():
    read = yaml.safe_load((ROOT / "docs" / "cluster" / "compose.yaml").read_text(encoding="utf-8"))
    assert COMMANDS == {one["command"][2] for one in read["services"].values()}
    for one in read["services"].values():
        assert ["pmbf", "cluster"] == one["command"][:2]
        assert ["token"] == one["secrets"]
        assert "/run/secrets/token" == one["environment"]["RAY_AUTH_TOKEN_PATH"]
        assert "ports" not in one
    assert {"token"} == set(read["secrets"])


def test_the_image_is_built_from_the_clone():
    place = ROOT / "docs" / "cluster"
    read = yaml.safe_load((place / "compose.yaml").read_text(encoding="utf-8"))
    builds = [one["build"] for one in read["services"].values()]
    assert builds[0] == builds[-1]
    clone = (place / builds[0]["context"]).resolve()
    assert ROOT == clone
    steps = builds[0]["dockerfile_inline"].splitlines()
    copied = [name for step in steps if step.startswith("COPY ") for name in step.split()[1:-1]]
    assert {"pyproject.toml", "setup.py", "README.md", "pmbf"} <= set(copied)
    assert [] == [name for name in copied if not (clone / name).exists()]
    assert any("pip install" in step and "'/clone[ray]'" in step for step in steps)


def test_the_manifest_for_kubernetes_starts_hosts_with_a_token():
    text = (ROOT / "docs" / "cluster" / "kubernetes.yaml").read_text(encoding="utf-8")
    read = list(yaml.safe_load_all(text))
    assert all({"apiVersion", "kind", "metadata", "spec"} == set(one) for one in read)
    kinds = [one["kind"] for one in read]
    assert ["PersistentVolumeClaim", "Service", "NetworkPolicy", "Deployment", "StatefulSet"] == kinds
    commands = set()
    for one in read[3:]:
        template = one["spec"]["template"]
        assert one["spec"]["selector"]["matchLabels"] == template["metadata"]["labels"]
        [container] = template["spec"]["containers"]
        commands.add(container["command"][2])
        assert "RAY_AUTH_TOKEN" in [one["name"] for one in container["env"]]
        volumes = {one["name"] for one in template["spec"]["volumes"]}
        volumes |= {one["metadata"]["name"] for one in one["spec"].get("volumeClaimTemplates", ())}
        assert {one["name"] for one in container["volumeMounts"]} <= volumes
    assert COMMANDS == commands
