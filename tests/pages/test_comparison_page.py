"""The page of a comparison: what it holds without script, and in a browser what its slider moves."""

from __future__ import annotations

import re

import pytest
from conftest import words

import pmbf
from pmbf import Comparison, ParameterError, compare
from pmbf.comparison.pages.charts import laid_out
from pmbf.comparison.pages.names import ShownNames

from .conftest import HOSTILE
from .test_browser import axe

DATES = "file,group,date\nann/1.txt,ann,2026-03-01\nbob/1.txt,bob,2026-03-02 14:05\n"


def essay(seed, *parts):
    return "\n\n".join([words(seed, 150), *parts, words(seed + 500, 150)])


@pytest.fixture(scope="module")
def texts():
    """Ann and Bob share a long passage, Bob and Cleo a short one, Dan and Eve are identical, Fay shares nothing."""
    long, short = words(900, 150), words(901, 40)
    made = {
        "ann/1.txt": essay(1, long),
        "bob/1.txt": essay(2, long, short),
        "cleo/1.txt": essay(3, short),
        "dan/1.txt": essay(4),
        "eve/1.txt": essay(4),
        "fay/1.txt": essay(5),
    }
    return {name: f"{words(950, 60)}\n\n{text}" for name, text in made.items()}


@pytest.fixture(scope="module")
def found(texts, tmp_path_factory):
    table = tmp_path_factory.mktemp("class") / "class.csv"
    table.write_text(DATES, encoding="utf-8")
    return compare(texts, group_by=str(table), common=5)


def without_script(page):
    return re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)


def test_without_script_the_page_holds_pairs_clusters_texts_settings_and_passages(found, texts):
    page = without_script(pmbf.page(found))
    for name in texts:
        assert f">{name}</bdi>" in page
    assert 3 == len(re.findall(r"<tr data-pair=", page)) == len(found.pairs)
    assert "identical" in page and words(900, 150)[:50] in page
    assert "the table class.csv" in page and "what more than 5 groups have does not count" in page
    assert page.count("<svg") == 4


def test_each_row_of_the_matrix_has_a_name_of_its_own(tmp_path):
    """Of two texts of a group, of two files of one name, and of two names that differ in their middle alone."""
    long = words(900, 150)
    middle = [f"a-very-long-name-of-a-text-{number}-that-is-cut-in-its-middle.txt" for number in (1, 2)]
    given = ["adams/draft.txt", "adams/essay.txt", "baker/essay.txt", "carol/x/essay.txt", *middle]
    (tmp_path / "t.csv").write_text(
        "file,group\nadams/draft.txt,adams\nadams/essay.txt,adams\nbaker/essay.txt,baker\n", encoding="utf-8"
    )
    found = compare({name: essay(i, long) for i, name in enumerate(given)}, group_by=str(tmp_path / "t.csv"), common=9)
    names = ShownNames(found)
    assert [names.short_plain[name] for name in given[:4]] == ["adams draft", "adams essay", "baker", "essay"]
    assert len({names.short_plain[name] for name in given}) == len(given)
    matrix = re.search(r'<svg class="chart matrix".*?</svg>', pmbf.page(found), re.S)[0]
    assert matrix.count("<text ") == len(given) and ">adams draft<" in matrix and ">adams<" not in matrix


def test_equal_comparisons_have_equal_pages(found, texts):
    assert pmbf.page(found) == pmbf.page(found)


def test_a_page_without_a_pair_says_so():
    page = without_script(pmbf.page(compare({"a": essay(1), "b": essay(2)})))
    assert "No two texts share a passage." in page
    assert "No two texts" in without_script(pmbf.page(compare({})))


def test_what_a_table_tells_of_a_text_is_shown_and_hidden_with_its_name(texts, tmp_path):
    table = tmp_path / "labels.csv"
    rows = [f"{name},Ann & Co,{number}" for number, name in enumerate(texts)]
    table.write_text("\n".join(["name,author,group", *rows]), encoding="utf-8")
    page = pmbf.page(compare(texts, group_by=str(table)))
    assert len(texts) == page.count('<bdi class="faint" data-as="">author=Ann &amp; Co</bdi>')


def test_a_comparison_from_json_has_no_texts_and_no_page(found):
    with pytest.raises(ParameterError, match="holds no texts"):
        pmbf.page(Comparison.from_json(found.to_json()))


def test_the_pages_of_a_folder_are_linked_and_none_is_missing(found, tmp_path):
    index = pmbf.write_pages(found, tmp_path / "pages")
    linked = re.findall(r'href="(pairs/\d+\.html)#view=pair&amp;p=1"', index.read_text(encoding="utf-8"))
    assert sorted(linked) == sorted(str(path.relative_to(tmp_path / "pages")) for path in index.parent.rglob("0*.html"))
    assert 3 == len(linked)
    pmbf.write_pages(compare({"a": essay(1), "b": essay(1)}), tmp_path / "pages")
    assert ["0001.html"] == [path.name for path in (tmp_path / "pages" / "pairs").iterdir()]


def test_the_layout_keeps_nodes_apart_and_inside():
    edges = [(i, j, 0.5) for i in range(12) for j in range(i)] + [(20, 21, 0.9), (30, 31, 0.1), (31, 32, 1.0)]
    drawing = laid_out(edges, 600)
    assert {node for edge in edges for node in edge[:2]} == drawing.places.keys()
    places = list(drawing.places.values())
    assert all(0 <= x <= drawing.width and 0 <= y <= drawing.height for x, y in places)
    assert all(abs(x - u) + abs(y - v) > 14 for i, (x, y) in enumerate(places) for u, v in places[:i])
    assert drawing == laid_out(edges, 600)


# ---------------------------------------------------------------------- in a browser


@pytest.mark.browser
def test_one_slider_moves_pairs_clusters_charts_and_table(shown, found):
    page = shown(pmbf.page(found))
    assert ["6", "3", "2"] == [page.inner_text(f"#{name}") for name in ("n-texts", "n-pairs", "n-clusters")]
    page.fill("#cut", "20")
    page.dispatch_event("#cut", "input")
    assert ["2", "2"] == [page.inner_text(f"#{name}") for name in ("n-pairs", "n-clusters")]
    assert 2 == page.locator(".pairs tbody tr:visible").count()
    assert 2 == page.locator(".graph .edges line:not(.off)").count()
    assert "20 %" == page.inner_text("#cut-shown")
    page.fill("#cut", "90")
    page.dispatch_event("#cut", "input")
    assert ["1", "1"] == [page.inner_text(f"#{name}") for name in ("n-pairs", "n-clusters")]
    assert "100 %" == page.inner_text("#highest")


@pytest.mark.browser
def test_names_are_hidden_everywhere_and_shown_again(shown, found):
    page = shown(pmbf.page(found))
    page.click("#hide")
    assert not re.search(r"\b(ann|bob|cleo|dan|eve|fay)\b", page.inner_text("main"))
    titles = page.evaluate(
        "[...document.querySelectorAll('title, text')].slice(1).map((one) => one.textContent).join()"
    )
    assert not re.search(r"\b(ann|bob|cleo|dan|eve|fay)\b", titles)
    page.click("#hide")
    assert "ann/1.txt" in page.inner_text("main")


@pytest.mark.browser
def test_a_pair_opens_its_passages(shown, found):
    page = shown(pmbf.page(found))
    page.click("#row-2 a.open")
    page.locator("#pair-2 .two").first.wait_for()  # the browser tells of a new address later


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 320])
def test_the_page_is_accessible_and_no_wider_than_the_window(shown, found, scheme, width):
    page = shown(pmbf.page(found), width=width, color_scheme=scheme, bypass_csp=True)
    assert [] == axe(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.browser
def test_hostile_names_and_texts_are_shown_and_run_nothing(shown):
    texts = {f"{HOSTILE}/{name}": f"{HOSTILE} {essay(seed, words(900, 60))}" for seed, name in ((1, "x"), (2, "y"))}
    found = compare(texts)
    page = shown(pmbf.page(found))
    assert "broken" != page.title()
    assert 0 == page.locator("main img").count()
    assert "<img src=http://pages.invalid/x" in page.inner_text(".pairs")


@pytest.mark.browser
def test_a_large_class_is_drawn_as_clusters_and_on_a_canvas(shown):
    shared = [words(1000 + i, 60) for i in range(160)]
    found = compare({f"{i:03}": f"{words(3000 + i, 100)} {shared[i // 2]}" for i in range(320)})
    assert 160 == len(found.pairs)
    page = shown(pmbf.page(found))
    assert 160 == page.locator(".graph .node").count()
    painted = """() => {
        const canvas = document.querySelector("canvas.matrix");
        const colours = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
        return [canvas.width, colours.filter((value, i) => i % 4 === 3 && value > 0).length];
    }"""
    assert [320, 320 + 320] == page.evaluate(painted)
