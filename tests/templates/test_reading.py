"""A template is read from TOML; each mistake is told with its line."""

from __future__ import annotations

import pickle
import sys
from pathlib import Path

import pytest

from pmbf.base.errors import IncompleteError, NotFoundError, ParameterError, UnsupportedError
from pmbf.screen import Options
from pmbf.screen.templates import SHIPPED, Template, load_template, template_of
from pmbf.screen.templates.patterns import compiled

GOOD = """rest = "skip"

[[section]]
name = "aim"
rule = "same"
start = [
    "Aim",
    "Goal*",
]

[[section]]
name = "legal"
rule = "skip"
start = ["Legal"]
end = ["Signature"]
"""


def written(tmp_path: Path, text: str | bytes) -> Path:
    path = tmp_path / "form.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_a_template_is_read(tmp_path: Path) -> None:
    template = load_template(written(tmp_path, b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode()))
    assert (template.name, template.rest, [one.name for one in template.sections]) == ("form", "skip", ["aim", "legal"])
    assert [one.text for one in template.sections[0].start] == ["Aim", "Goal*"]
    assert [one.text for one in template.sections[1].end] == ["Signature"]


@pytest.mark.parametrize(
    ("before", "after", "line", "told"),
    [
        ('rest = "skip"', 'rest = "none"', 1, "rest is 'none', expected 'compare' or 'skip'"),
        ('rest = "skip"', 'rests = "skip"', 1, "there is no key 'rests'; did you mean rest?"),
        ('rule = "same"', 'rules = "same"', 5, "there is no key 'rules'; did you mean rule?"),
        ('rule = "same"', "rule = 3", 5, "rule is 3, expected 'compare' or 'skip' or 'same'"),
        ('name = "aim"', "", 3, "the section has no name"),
        ('name = "aim"', 'name = ""', 4, "name is '', expected a text of one line"),
        ('"Goal*"', '"*"', 8, "start has '*', expected one line with a letter"),
        ('start = ["Legal"]', "", 12, "the section 'legal' has neither start nor start_re"),
        ('start = ["Legal"]', 'start = "Legal"', 14, "start is 'Legal', expected a list of texts"),
        ('name = "legal"', 'name = "aim"', 12, "two sections are named 'aim'"),
    ],
)
def test_a_mistake_is_told_with_its_line(tmp_path: Path, before: str, after: str, line: int, told: str) -> None:
    path = written(tmp_path, GOOD.replace(before, after, 1))
    with pytest.raises(ParameterError) as error:
        load_template(path)
    assert str(error.value).startswith(f"{path}, line {line}: ")
    assert told in str(error.value)


@pytest.mark.parametrize("text", ["", "section = []", "section = 3", "[section]\nname = 'a'"])
def test_a_template_without_sections_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(ParameterError, match=r"expected at least one"):
        load_template(written(tmp_path, text))


@pytest.mark.parametrize("text", [b"name = ", b"name = '\xff'", b"[" * 100_000])
def test_what_is_no_toml_is_refused(tmp_path: Path, text: bytes) -> None:
    with pytest.raises(ParameterError, match="no TOML"):
        load_template(written(tmp_path, text))


def test_a_template_has_at_most_a_megabyte(tmp_path: Path) -> None:
    with pytest.raises(IncompleteError):
        load_template(written(tmp_path, b"#" * (2 << 20)))


@pytest.mark.parametrize(
    ("expression", "told"),
    [("(a", "missing )"), ("(?=a)", "invalid perl operator"), (r"(a)\\1", "invalid escape"), ("a*", "an empty text")],
)
def test_an_expression_that_re2_does_not_take_is_told_with_its_line(tmp_path: Path, expression: str, told: str) -> None:
    pytest.importorskip("re2")
    path = written(tmp_path, GOOD.replace('start = ["Legal"]', f'start_re = [\n  "^ok$",\n  "{expression}",\n]'))
    with pytest.raises(ParameterError) as error:
        load_template(path)
    assert str(error.value).startswith(f"{path}, line 16: ")
    assert told in str(error.value)


def test_without_re2_expressions_are_refused_and_lines_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "re2", None)
    compiled.cache_clear()
    path = written(tmp_path, GOOD.replace('start = ["Legal"]', "start_re = ['^Legal$']"))
    with pytest.raises(UnsupportedError, match=r"line 14: .*pip install 'pmbf\[templates\]'") as error:
        load_template(path)
    assert error.value.missing_extra == "templates"
    assert load_template(written(tmp_path, GOOD)).cut("Aim\nTo see.")


@pytest.mark.parametrize("name", SHIPPED)
def test_the_templates_of_pmbf_need_no_extra_and_reach_other_processes(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "re2", None)
    template = template_of(name)
    assert template.about
    assert pickle.loads(pickle.dumps(template)) == template


def test_a_name_that_is_neither_a_file_nor_a_template(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="contract, proposal, thesis"):
        template_of("letter")
    with pytest.raises(ParameterError, match="did you mean thesis"):
        template_of("thesys")
    with pytest.raises(NotFoundError):
        Options(template=str(tmp_path / "none.toml"))


@pytest.mark.parametrize(
    "content",
    ["a = " + "1" * 5000, "a = " + "[" * 20_000, ".".join("a" * 100_000) + " = 1", "[" + "a." * 50_000 + "a]"],
)
def test_a_file_that_would_take_all_memory_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "form.toml").write_text(content)
    with pytest.raises(ParameterError, match=r"form\.toml"):
        load_template(tmp_path / "form.toml")


def test_a_template_searches_for_200_patterns_at_most(tmp_path: Path) -> None:
    def template(n: int) -> Template:
        starts = ", ".join(f'"Part {i} *"' for i in range(n))
        (tmp_path / "form.toml").write_text(f'[[section]]\nname = "a"\nstart = [{starts}, "Aim"]\n')
        return load_template(tmp_path / "form.toml")

    assert len(template(200).sections[0].start) == 201
    with pytest.raises(ParameterError, match="has 201 expressions and lines with \\*, expected at most 200"):
        template(201)
