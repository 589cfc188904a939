"""A report as text: one line on the query, the verdict, the sources ranked, their passages, signs of manipulation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from rich.console import RenderableType
from rich.text import Text

from pmbf.base.places import Places
from pmbf.base.span import overlap
from pmbf.cli.shown.canvas import View, laid_out, unwrapped
from pmbf.cli.shown.figures import aligned, counted, length, percent, shortened, shown_path, shown_paths
from pmbf.cli.shown.passages import drawn, likeness
from pmbf.cli.shown.safe import one_message, unneeded
from pmbf.cli.shown.screened import none_found, sections_table
from pmbf.report import Match, Passage, Report, Span
from pmbf.report.values import WHERE, told_amounts
from pmbf.text import tokenise

N_ALSO = 3
"""Other sources of a passage that are named."""

SAME = 0.9
"""If a passage of a better source has this share of another one's characters, then the other one is not drawn again."""

LEAST_NAME = 24
"""If a name has fewer columns than this beside its figures, then it has a line of its own."""

CERTAINTY_STYLES = {"sure": "bold red", "likely": "yellow", "worth a look": "cyan"}

WITHIN = {"quotation": ", in a quotation", "bibliography": ", in the bibliography"}
"""The note on a passage that the author marks as not his own."""

SourceText = Callable[[int], str]
"""Returns the text of a document by id; called only for the documents whose passages are shown."""


def report_text(report: Report, query: str, source_text: SourceText, view: View) -> str:
    """Return a report as a person reads it; `query` is the text as it was screened."""
    return laid_out(view, *_parts(report, query, source_text, view))


def _parts(report: Report, query: str, source_text: SourceText, view: View) -> Iterator[RenderableType]:
    if same := next((match for match in report.matches if match.same_file), None):
        yield from _same_file(same, report)
        return
    shown = report.matches[: view.n_sources]
    yield _head(report)
    yield _verdict(report)
    yield from (Text(f"Incomplete: {one_message(problem)}", "yellow") for problem in report.problems)
    yield from (Text(f"Note: {note}", "yellow") for note in _notes(report))
    if report.sections:
        yield ""
        yield from sections_table(report.sections)
    if shown:
        yield ""
        yield from _sources(shown, query, view.name_columns)
        if left := len(report.matches) - len(shown):
            yield Text(f"… and {counted(left, 'more source')}: --sources all shows them", "dim")
        if report.n_below:
            yield Text(f"… and {counted(report.n_below, 'more source')} below the threshold", "dim")
    if shown and view.n_passages:
        texts = _Texts(query, Places(query, report.query.kind), source_text)
        for rank, match in enumerate(shown, 1):
            yield from _passages(rank, match, report, texts, view)


def _same_file(match: Match, report: Report) -> Iterator[Text]:
    first, *others = shown_paths(match.document.paths, match.document.labels)
    yield Text.assemble((shown_path(report.query.name), "bold"), ": no text, compared by its checksum")
    yield Text(f"The same file as {first}, by checksum.", "bold red")
    yield from (unwrapped(line) for line in others)


def _head(report: Report) -> Text:
    asked = report.query
    size = length(asked.n_chars, asked.n_tokens)
    compared = f"compared with {counted(report.n_documents, 'document')}"
    left_out = f", {report.n_left_out:,} left out" if report.n_left_out else ""
    return Text.assemble((shown_path(asked.name), "bold"), f": {size}, {compared}{left_out}")


def _verdict(report: Report) -> Text:
    n_found = sum(bool(match.passages) for match in report.matches)
    documents = counted(report.n_documents, "document")
    if report.n_sources:
        shared = (
            f"{percent(report.coverage)} of this text is found in {report.n_sources:,} of {documents}{_ordered(report)}"
        )
        return Text(f"{shared}{_more_found(report)}.", "bold red")
    if n_found:
        amounts = told_amounts(report.not_counted, report.query.n_chars, percent)
        return Text(f"Found in {n_found:,} of {documents}, but not counted: {amounts}.", "bold yellow")
    if report.problems:
        return Text("Nothing found in what was compared, but the answer is incomplete.", "bold yellow")
    if report.n_below:
        below = f"{report.n_below:,} of {documents} {'covers' if report.n_below == 1 else 'cover'} less"
        return Text(f"Nothing above the threshold: {below} of this text{_more_found(report)}.", "bold green")
    nothing = "No other shared passage" if report.query.n_excluded else "No shared passage"
    with_any = f"{'any of ' if report.n_documents > 1 else ''}{documents}"
    return Text(f"{nothing} with {with_any}{_more_found(report)}.", "bold green")


def _more_found(report: Report) -> str:
    """Return how much more was found that does not count, as the end of a sentence; nothing if there is none."""
    if not report.not_counted:
        return ""
    return f"; more was found, but does not count: {told_amounts(report.not_counted, report.query.n_chars, percent)}"


def _ordered(report: Report) -> str:
    """Return how much is there word for word, if that is less."""
    in_order = percent(report.coverage if report.in_order is None else report.in_order)
    return "" if in_order == percent(report.coverage) else f", {in_order} word for word"


def _notes(report: Report) -> Iterator[str]:
    asked = report.query
    yield from map(unneeded, report.warnings)
    if report.template and not report.sections:
        yield none_found(report.template)
    if not report.n_documents:
        yield "every document is left out." if report.n_left_out else "the collection has no text."
    if not asked.n_tokens:
        yield "there is not one word in this text; nothing was compared."
    elif not asked.n_hashes:
        yield f"{counted(asked.n_tokens, 'word')} are too few to compare."
    if asked.n_common_hashes * 10 >= max(1, asked.n_hashes):
        share = f"{asked.n_common_hashes / asked.n_hashes:.0%}".replace("%", " %")
        yield f"{share} of this text is found in very many documents, as licences and templates do; it was left out."
    if asked.n_excluded:
        yield f"{percent(asked.n_excluded / asked.n_chars)} of this text does not count, as asked."
    odd = []
    if asked.n_mixed_tokens:
        odd.append(f"{counted(asked.n_mixed_tokens, 'word')} with letters of two alphabets that look alike")
    if asked.n_invisible:
        odd.append(counted(asked.n_invisible, "invisible character"))
    if odd:
        yield f"{' and '.join(odd)} in this text: it may have been altered to hide where it comes from."


# ---------------------------------------------------------------------- sources


def _sources(matches: Sequence[Match], query: str, columns: int) -> Iterator[Text]:
    """Yield the table of sources; paths stand last. If there is little room for them, then each has its own line."""
    rows: list[tuple[str, ...]] = [_HEADS, *((str(i), *_figures(one, query)) for i, one in enumerate(matches, 1))]
    names = [["source"], *(shown_paths(match.document.paths, match.document.labels) for match in matches)]
    shown = [one for one in range(len(_HEADS)) if one != _OUT or any(match.n_not_counted for match in matches)]
    lines, between = _table(rows, shown), "  "
    room = columns - len(lines[0]) - len(between)
    if room < min(LEAST_NAME, max(len(name) for some in names for name in some)):
        between = "\n" + " " * (len(str(len(matches))) + 2)
        narrower = ([one for one in shown if one in kept] for kept in _NARROWER)
        lines = next((table for kept in narrower if len((table := _table(rows, kept))[0]) <= columns), lines)
        room = columns - len(between) + 1
    for number, (line, (name, *others)) in enumerate(zip(lines, names, strict=True)):
        yield unwrapped((line + between + shortened(name, room), "" if number else "dim"))
        indent = len((line + between).rpartition("\n")[2])
        yield from (unwrapped(" " * indent + shortened(other, room)) for other in others)


_HEADS = ("#", "share", "not counted", "in order", "passages", "longest passage", "likeness", "certainty")
_SIDES = ">>>>><<<"
_OUT = 2
"""The column of text that does not count: shown if a source has some."""
_NARROWER = (range(8), (0, 1, 2, 6, 7), (0, 1, 2, 7))
"""Columns of the table of sources that are kept on narrower and narrower terminals."""


def _table(rows: Sequence[tuple[str, ...]], kept: Sequence[int]) -> list[str]:
    """Return the lines of a table of some columns, by their numbers."""
    return aligned([[row[column] for column in kept] for row in rows], "".join(_SIDES[column] for column in kept))


def _figures(match: Match, query: str) -> tuple[str, ...]:
    if not match.passages:
        return "?", "–", *("?",) * 5
    longest = max(match.passages, key=lambda passage: (passage.n_counted, len(passage.query)))
    out = percent(match.n_not_counted / max(1, len(query)))
    in_order = "?" if match.in_order is None else percent(match.in_order)
    shares = percent(match.coverage), out, in_order, f"{len(match.passages):,}"
    return *shares, _size(longest, query), _likeness(match.passages), match.certainty or "?"


def _size(passage: Passage, query: str) -> str:
    if passage.n_excluded:
        return f"{passage.n_counted:,} of its {counted(len(passage.query), 'character')}"
    return length(len(passage.query), len(tokenise(query[passage.query.start : passage.query.stop])))


def _likeness(passages: Sequence[Passage]) -> str:
    """Return how alike a source's passages are that count, or else all, together, each as much as it is long."""
    passages = [one for one in passages if not one.not_counted] or passages
    kinds = {passage.kind for passage in passages}
    n_chars = sum(len(passage.query) for passage in passages)
    mean = sum(passage.similarity * len(passage.query) for passage in passages) / max(1, n_chars)
    return likeness(kinds.pop() if len(kinds) == 1 else "edited", mean)


# ---------------------------------------------------------------------- passages


@dataclass(frozen=True, slots=True)
class _Texts:
    """The query, the places in it, a way to the sources, and the passages that were drawn, by their numbers."""

    query: str
    places: Places
    source: SourceText
    drawn: dict[str, Passage] = field(default_factory=dict)

    def same(self, passage: Passage) -> str:
        """Return the number of a drawn passage of the same words that is as much alike; empty if there is none."""
        least = SAME * len(passage.query)
        return next(
            (
                number
                for number, one in self.drawn.items()
                if one.similarity >= passage.similarity and overlap(one.query, passage.query) >= least
            ),
            "",
        )


def _passages(rank: int, match: Match, report: Report, texts: _Texts, view: View) -> Iterator[RenderableType]:
    in_turn = sorted(range(len(match.passages)), key=lambda i: _turn(match.passages[i]))
    longest = in_turn[: view.n_passages]
    source = texts.source(match.document.id) if longest else ""
    places = texts.places, Places(source, match.document.kind)
    ranks = {other.document.id: number for number, other in enumerate(report.matches, 1)}
    same = {i: texts.same(match.passages[i]) for i in longest}
    for place, i in enumerate(sorted(longest)):
        passage, number = match.passages[i], f"{rank}.{i + 1}"
        if not (place and same[i]):
            yield ""
        others = sorted(ranks[document] for document in passage.also_in if document in ranks)
        yield _heading(number, passage, places, f", the same words as {same[i]}" if same[i] else _also(others))
        if not same[i]:
            yield drawn(passage, texts.query, source, view)
            texts.drawn[number] = passage
    if longest and len(longest) < len(match.passages):
        yield ""
        left = counted(len(match.passages) - len(longest), "shorter passage")
        yield Text(f"{rank}.…  {left} of source {rank} not shown: --passages all shows them", "dim")


def _turn(passage: Passage) -> tuple[bool, int]:
    """Return what passages are shown by: those that count first, the longest first."""
    return passage.not_counted is not None, -len(passage.query)


def _heading(number: str, passage: Passage, places: tuple[Places, Places], others: str) -> Text:
    where = f"query {_where(passage.query, places[0])} | source {_where(passage.source, places[1])}"
    within = WITHIN.get(passage.within or "", "")
    told = f"  {where}{_excluded(passage)}, {_told(passage)}{within}{others}"
    return unwrapped((number, "bold"), told, *_certainty(passage))


def _excluded(passage: Passage) -> str:
    if passage.not_counted:
        return f", not counted ({WHERE[passage.not_counted]})"
    return f", {passage.n_excluded:,} characters of it do not count" if passage.n_excluded else ""


def _where(side: Span, places: Places) -> str:
    """Return the page, line or paragraph where a side begins; where the format has none, its characters."""
    return str(places.at(side.start)) or f"{side.start}-{side.stop}"


def _told(passage: Passage) -> str:
    """Return how alike the sides are, how many words are in order, and whether the source's side is all of it."""
    alike = likeness(passage.kind, passage.similarity)
    loose = passage.kind in ("reworded", "summary") and passage.in_order is not None
    in_order = f", {percent(passage.in_order or 0.0)} in order" if loose else ""
    if passage.kind == "summary" and passage.source_share is not None and not passage.of_whole_source:
        return f"{alike}{in_order}, of a part of the source"
    return f"{alike}{in_order}{', of the whole source' if passage.of_whole_source else ''}"


def _certainty(passage: Passage) -> Iterator[str | tuple[str, str]]:
    if passage.certainty:
        yield ": "
        yield passage.certainty, CERTAINTY_STYLES[passage.certainty]


def _also(ranks: Sequence[int]) -> str:
    """Return which other sources hold a passage: the best `N_ALSO`, and how many more.

    >>> _also([2]), _also([2, 3, 4, 5, 6, 7])
    (', also in source 2', ', also in sources 2, 3, 4 and 3 more')
    """
    if not ranks:
        return ""
    rest = f" and {len(ranks) - N_ALSO} more" if len(ranks) > N_ALSO else ""
    return f", also in source{'s' if len(ranks) > 1 else ''} {', '.join(map(str, ranks[:N_ALSO]))}{rest}"
