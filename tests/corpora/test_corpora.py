"""Real texts: skipped, with the reason, where the corpora are not beside the checkout."""

import tarfile

import pytest
from conftest import CORPORA

from experiments import retrieval
from measure.corpora import pan13_pairs, read
from pmbf import Collection
from pmbf.base.errors import PmbfError
from pmbf.base.params import Params
from pmbf.extract import Limits
from pmbf.intake.texts import Origin, read_text
from pmbf.screen import Options, candidates
from pmbf.store.folder import Store

pytestmark = pytest.mark.skipif(not CORPORA.exists(), reason=f"the corpora are not there: {CORPORA}")
WANTED = ("pan13_train/src", "pan13_train/susp", "pan13_train/01", "pan13_train/02", "formats", "zh_subset")


@pytest.fixture(scope="module")
def corpora(tmp_path_factory):
    folder = tmp_path_factory.mktemp("corpora")
    with tarfile.open(CORPORA) as archive:
        wanted = [member for member in archive if any(name in member.name for name in WANTED)]
        archive.extraction_filter = getattr(tarfile, "data_filter", None)  # Python has it from 3.11.4 on
        archive.extractall(folder, wanted)
    return next(folder.rglob("pan13_train")).parent


@pytest.fixture(scope="module")
def pan(corpora, tmp_path_factory):
    path = tmp_path_factory.mktemp("pan") / "pan.pmbf"
    with Collection(path, create=True) as collection:
        report = collection.load([corpora / "pan13_train" / "src"])
        assert (report.n_added + report.n_same, report.problems) == (3230, [])
    with Store(path) as store:
        yield store


def test_verbatim_sources_are_among_the_candidates(corpora, pan):
    found = retrieval.measure(pan, corpora / "pan13_train", "02-no-obfuscation", Options())
    assert found.n_pairs == 1000
    assert found.recall >= 0.995


def test_unrelated_texts_reach_few_sources(corpora, pan):
    found = retrieval.measure(pan, corpora / "pan13_train", "01-no-plagiarism", Options())
    assert found.candidates <= 20


def test_annotated_passages_are_covered(corpora, pan):
    folder = corpora / "pan13_train"
    with Collection(pan.folder) as collection:
        for suspicious, source in pan13_pairs(folder / "02-no-obfuscation")[:25]:
            report = collection.screen(folder / "susp" / suspicious)
            match = next(m for m in report.matches if any(path.endswith(source) for path in m.document.paths))
            text, original = read(folder / "susp" / suspicious), read(folder / "src" / source)
            for passage in match.passages:
                if passage.kind == "verbatim":
                    copied = text[passage.query.start : passage.query.stop].split()
                    assert copied == original[passage.source.start : passage.source.stop].split()
            assert report.coverage <= 1


def test_chapters_quoted_by_other_histories_are_found(corpora, tmp_path):
    folder = corpora / "zh_subset"
    rows = [line.split("\t") for line in (folder / "pairs_silver.tsv").read_text(encoding="utf-8").splitlines()[1:]]
    pairs = [(row[4], row[5]) for row in rows if float(row[0]) > 0.1][:40]
    with Collection(tmp_path / "zh.pmbf", create=True, params=Params()) as collection:
        collection.load([folder / "corpus" / name for _, name in pairs])
    with Store(tmp_path / "zh.pmbf") as store:
        from pmbf.fingerprint import query_sample

        for one, other in pairs:
            found = candidates(store.generation, query_sample(read(folder / "corpus" / one), store.params))
            names = {path for paths in store.paths_of(c.document for c in found).values() for path in paths}
            assert str(folder / "corpus" / other) in names


def test_no_office_file_crashes_or_hangs_the_reader(corpora):
    files = [path for path in sorted((corpora / "formats" / "tika").rglob("*")) if path.is_file()]
    assert len(files) > 100
    n_read = 0
    for path in files:
        try:
            n_read += bool(read_text(Origin.of(path), Limits()).text)
        except PmbfError as error:
            assert path.name in str(error)
    assert n_read > 90
