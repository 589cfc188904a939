"""The commands of docs/web.md answer as it says."""

import json
import os
import re
import shutil
import subprocess

import pytest

from tests.conftest import ROOT
from tests.web.conftest import ESSAY

COMMANDS = re.findall(r"^curl .*$", (ROOT / "docs" / "web.md").read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.skipif(not shutil.which("curl"), reason="curl is not installed")
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_page_answers(command, clients, tmp_path):
    (tmp_path / "essay.txt").write_text(ESSAY, encoding="utf-8")
    client = clients["admin"]
    client.screened(ESSAY)
    named = {"TOKEN": client.token, "ADDRESS": f"http://127.0.0.1:{client.port}"}
    said = subprocess.check_output(["sh", "-c", command], cwd=tmp_path, env=os.environ | named, timeout=60)
    answer = json.loads(said)
    [listed] = [value for value in answer.values() if isinstance(value, list)]
    assert listed, answer
    for job in answer.get("jobs", ()):
        assert client.over(job["id"])["state"] == "done"
