"""What a server receives: a pack is checked in quarantine, and what is pushed cannot say how."""

import json

from tests.guard.conftest import CLEAN, LEAK, Git, guard

ZERO = "0" * 40


def test_a_received_pack_is_checked_in_quarantine(git, tmp_path, protected):
    """A real push to a bare repository whose hook is the real program."""
    server = Git(tmp_path / "server.git", "--bare")
    install_hook(server, protected)
    git.commit("a.txt", CLEAN)
    git("remote", "add", "origin", server.folder)
    git("push", "-q", "origin", "main")
    git.commit("leak.txt", LEAK)
    git("rm", "-q", "leak.txt")
    git.commit()
    refused = git("push", "-q", "origin", "main", ok=False)
    assert refused.returncode != 0
    assert "BLOCKED: leak.txt in commit" in refused.stderr
    git("reset", "-q", "--hard", "HEAD~2")
    git.commit("b.txt", CLEAN + "b")
    git("push", "-q", "origin", "main", "main:side")
    git("push", "-q", "origin", ":side")


def install_hook(server, protected):
    import sys

    from tests.conftest import ROOT

    hook = server.folder / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    program = f"PYTHONPATH='{ROOT}' '{sys.executable}' -m pmbf guard"
    hook.write_text(f"#!/bin/sh\n{program} --pre-receive -c '{protected}'\n")
    hook.chmod(0o755)


def test_what_is_received_cannot_say_how_it_is_checked(git, tmp_path, protected):
    server = Git(tmp_path / "server.git", "--bare")
    (server.folder / ".pmbf.toml").write_text("[guard]\nblock_chars = 'off'\n")
    git.commit("leak.txt", LEAK)
    git("push", "-q", server.folder, "main:side")
    tip = git("rev-parse", "HEAD")
    git("push", "-q", server.folder, ":side")
    given = f"{ZERO} {tip} refs/heads/main\n"
    done = guard("--pre-receive", "-c", protected, "--json", cwd=server.folder, given=given)
    assert done.returncode == 1
    [finding] = json.loads(done.stdout)["findings"]
    assert (finding["document_path"], finding["document_id"]) == ("", 1)
