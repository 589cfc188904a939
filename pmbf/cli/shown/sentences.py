"""A report of sentences as text: how many stand where, the sources, the sentences one by one; the size of a store."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.text import Text

from pmbf.cli.shown.canvas import View, laid_out, unwrapped
from pmbf.cli.shown.figures import aligned, counted, length, percent, shortened, shown_path
from pmbf.cli.shown.safe import one_line, one_message
from pmbf.cli.shown.screened import none_found, sections_table

if TYPE_CHECKING:
    from pmbf.sentences import Sentence, SentenceReport, SentenceSource, Status

N_ORIGINS = 3
"""Documents that are named for a sentence."""
SHOWN_CHARS = 60
"""Characters of a sentence that are shown; `--passages all` shows all sentences, whole."""


def sentences_text(report: SentenceReport, query: str, view: View) -> str:
    """Return a report as a person reads it; `query` is the text as it was screened."""
    return laid_out(view, *_parts(report, query, view))


def _parts(report: SentenceReport, query: str, view: View) -> Iterator[RenderableType]:
    documents = counted(report.n_documents, "document")
    left_out = f", {report.n_left_out:,} left out" if report.n_left_out else ""
    size = length(report.n_chars, report.n_tokens)
    yield Text.assemble((shown_path(report.name), "bold"), f": {size}, compared with {documents}{left_out}")
    yield _verdict(report)
    yield from (Text(f"Incomplete: {one_message(problem)}", "yellow") for problem in report.problems)
    yield from (Text(f"Note: {note}", "yellow") for note in _notes(report))
    if report.sections:
        yield ""
        yield from sections_table(report.sections)
    shown = report.sources[: view.n_sources]
    if shown:
        yield ""
        yield from _sources(shown, report.n_compared, view.name_columns)
        if left := len(report.sources) - len(shown):
            yield Text(f"… and {counted(left, 'more source')}: --sources all shows them", "dim")
    if report.found and view.n_passages:
        yield ""
        yield from _sentences(report, query, view)
    if report.sites:
        yield ""
        yield from (Text(one_message(f"Site {one.told}")) for one in report.sites)


def _verdict(report: SentenceReport) -> Text:
    if report.found and not report.n_found + report.n_claimed:
        return Text("A site has sentences of this text, and does not say which.", "bold red")
    if report.found:
        n_sources = counted(sum(bool(one.n_sentences) and not one.claimed for one in report.sources), "source")
        of_all = counted(report.n_compared, "sentence")
        are = "is" if report.n_found == 1 else "are"
        claimed = f" Sites claim {report.n_claimed:,} more." if report.n_claimed else ""
        more = f" {_not_counted(report)}." if report.n_not_counted else ""
        return Text(f"{report.n_found:,} of {of_all} {are} found in {n_sources}.{claimed}{more}", "bold red")
    if report.n_not_counted:
        return Text(f"None of {counted(report.n_compared, 'sentence')} counts. {_not_counted(report)}.", "bold yellow")
    if report.problems:
        return Text("Nothing found in what was compared, but the answer is incomplete.", "bold yellow")
    return Text(f"None of {counted(report.n_compared, 'sentence')} was found.", "bold green")


def _not_counted(report: SentenceReport) -> str:
    more = counted(report.n_not_counted, "sentence")
    are = "is" if report.n_not_counted == 1 else "are"
    return f"{more} of skipped sections, or elsewhere than in the same section, {are} found in sources"


def _notes(report: SentenceReport) -> Iterator[str]:
    if not report.n_documents:
        yield "every document is left out." if report.n_left_out else "the collection has no text."
    if report.template and not report.sections:
        yield none_found(report.template)
    if n_skipped := sum(one.outcome == "skipped" for one in report.sentences):
        yield f"{counted(n_skipped, 'sentence')} of skipped sections; not counted."
    if n_short := sum(one.outcome == "short" for one in report.sentences):
        where = "is in a paragraph" if n_short == 1 else "are in paragraphs"
        yield f"{counted(n_short, 'sentence')} {where} of fewer than 40 columns; not compared."


def _sources(sources: Sequence[SentenceSource], n_compared: int, columns: int) -> Iterator[Text]:
    """Yield the table of sources; paths stand last."""
    rows = [("#", "sentences", "share", "source")]
    for rank, one in enumerate(sources, 1):
        share = "claimed" if one.claimed else "?" if one.problem else percent(one.n_sentences / max(1, n_compared))
        figures = str(rank), "?" if one.problem else f"{one.n_sentences:,}", share
        rows.append((*figures, shown_path(one.document.path)))
    for number, (line, row) in enumerate(zip(aligned(rows, ">>>"), rows, strict=True)):
        yield unwrapped((f"{line}  {shortened(row[3], columns - len(line) - 2)}", "" if number else "dim"))


def _sentences(report: SentenceReport, query: str, view: View) -> Iterator[Text]:
    """Yield a line for each found sentence, as many as the view shows of all sources."""
    ranks = {one.document.id: rank for rank, one in enumerate(report.sources, 1)}
    found = [(number, one) for number, one in enumerate(report.sentences, 1) if one.origins]
    most = view.n_passages * max(1, len(report.sources))
    for number, one in found[:most]:
        words = one_line(" ".join(query[one.span.start : one.span.stop].split()))
        yield unwrapped((f"{number:>4}", "bold"), f"  {shortened(words, SHOWN_CHARS)}  {_origins(one, ranks)}")
    if len(found) > most:
        yield Text(f"   …  {counted(len(found) - most, 'more sentence')}: --passages all shows them", "dim")


def _origins(sentence: Sentence, ranks: dict[int, int]) -> str:
    """Return in which sources a sentence stands, the most similar first."""
    unscored = "claimed" if sentence.outcome == "claimed" else "alike"
    named = [
        f"{ranks[one.document]} ({unscored if one.similarity is None else percent(one.similarity)})"
        for one in sentence.origins[:N_ORIGINS]
    ]
    rest = len(sentence.origins) - len(named)
    more = f" and {rest} more" if rest else ""
    return f"source{'s' if len(sentence.origins) > 1 else ''} {', '.join(named)}{more}"


def status_text(status: Status) -> str:
    """Return how large the sentences of a collection are."""
    code = {"words": "10 keys of three words", "paper": "100 bits in five groups"}[status.code]
    per_unit = f"{status.n_bytes / status.n_units:.1f} a unit" if status.n_units else "no unit"
    current = "that of the collection" if status.is_current else f"the collection is at {status.collection_commit:,}"
    lines = [
        f"documents  {status.n_documents:>12,}  {len(status.unread):,} that could not be read; {status.n_gone:,} left",
        f"units      {status.n_units:>12,}  in {counted(status.n_segments, 'file')}",
        f"bytes      {status.n_bytes:>12,}  {per_unit}",
        f"code       {status.code:>12}  {code}, {status.key_bits} bits a key",
        f"commit     {status.commit:>12,}  {current}",
    ]
    return "\n".join([*lines, ""])
