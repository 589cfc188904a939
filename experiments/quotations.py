"""How much prose is taken for a quotation, and how many quotations are found?

The prose is real: paragraphs of manuals in English, German, French and Swedish. The quotations are planted into it,
sentences of other paragraphs between the marks that the language uses. So it is known which characters are quoted.
Beside them stand traps: years ('90s), owners' apostrophes, words that begin with one, inches, and marks without a
partner. Each text is read twice: with blank lines between paragraphs, and as text of a PDF, whose lines are wrapped and
whose paragraphs have no blank line between them.

- prose taken: share of the characters outside quotations that `pmbf.screen.apparatus.quotations` says are quoted
- found: share of the quotations of which nine in ten characters are found

The rules were chosen on the paragraphs of the half `first`; the figures are those of the half `second`. Single marks
have quotations of four words and more, because shorter ones are not looked for.
"""

from __future__ import annotations

import random
import re
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from experiments.arguments import write_figures
from measure import report
from pmbf.screen.apparatus import quotations
from pmbf.span import Span, length_inside, union_length

N_PARAGRAPHS, LINE, PAGE_LINES = 400, 88, 44
MARKS = {
    "manpages": ("“”", '""', "‘’", "''"),
    "manpages-de": ("„“", "»«", "›‹", '""'),
    "manpages-fr": ("«\u00a0|\u00a0»", "«»", "“”"),
    "manpages-sv": ("””", "»»", "’’", '""'),
}
"""The marks of each language, by the package that its prose is from: what opens, and what closes."""

TRAPS = {
    "manpages": ("In the '90s this was new.", "It is the owners' own opinion.", "'Tis true.", 'A 12" pipe fits.'),
    "manpages-de": ("So 'ne Frage.", 'Ein 12" langes Rohr passt.', "Das war in den '90ern neu."),
    "manpages-fr": ("C'est l'avis d'aujourd'hui.", 'Un tube de 12" va bien.', "Dans les années '90, c'était neuf."),
    "manpages-sv": ("Det var nytt på '90-talet.", 'Ett 12" rör passar.'),
}
SAID = {"manpages": "he said", "manpages-de": "sagte er", "manpages-fr": "dit-il", "manpages-sv": "sade han"}
_ANY_MARK = re.compile(r"[\"“”„«»‹›‘`]|(?<!\w)['’]|['’](?!\w)")


class Made(NamedTuple):
    """A text, and where its quotations are."""

    text: str
    quoted: list[Span]


def run(folder: Path, *, out: Path | None = None) -> str:
    """Measure on the prose of a folder, as `corpus quotations` writes it; return a table.

    Args:
        folder: With a folder of .txt files for each package.
        out: Where the figures are written, as JSON.
    """
    rows = [row for half in ("first", "second") for row in _rows(folder, half)]
    write_figures({"about": report.about(), "paragraphs": N_PARAGRAPHS, "line": LINE, "rows": rows}, out)
    lines = report.head("| half | prose | marks | layout | characters | quotations | prose taken | found |")
    lines += [
        f"| {one['half']} | {one['prose']} | {one['marks']} | {one['layout']} | {one['n_chars']:,} | "
        f"{one['n_quoted']:,} | {one['taken']:.2%} | {one['found']:.1%} |"
        for one in rows
    ]
    return "\n".join(lines)


def _rows(folder: Path, half: str) -> Iterator[dict[str, Any]]:
    for prose, pairs in MARKS.items():
        paragraphs = list(_paragraphs(folder / prose))[half == "second" :: 2]
        for marks in pairs:
            for layout in ("blank lines", "pdf"):
                draw = random.Random(f"{half} {prose} {marks}")
                made = _joined([_planted(paragraphs, prose, marks, draw) for _ in range(N_PARAGRAPHS)], layout)
                yield {"half": half, "prose": prose, "marks": marks.replace("|", "…"), "layout": layout} | _figures(
                    made
                )


def table(some: dict[str, Any]) -> str:
    """Return the worst figures of the half that nothing was chosen on, of each language and layout."""
    lines = report.head("| prose of | layout | characters | quotations | prose taken, at most | found, at least |")
    rows = [row for row in some["rows"] if row["half"] == "second"]
    for prose, layout in dict.fromkeys((row["prose"], row["layout"]) for row in rows):
        of = [row for row in rows if (row["prose"], row["layout"]) == (prose, layout)]
        n_chars, n_quoted = (sum(row[key] for row in of) for key in ("n_chars", "n_quoted"))
        taken, found = max(row["taken"] for row in of), min(row["found"] for row in of)
        layout = {"pdf": "as a PDF"}.get(layout, layout)
        lines.append(f"| {prose} | {layout} | {n_chars:,} | {n_quoted:,} | {taken:.2%} | {found:.1%} |")
    return "\n".join(lines) + "\n"


def _figures(made: Made) -> dict[str, Any]:
    found = quotations(made.text)
    n_prose = len(made.text) - union_length(made.quoted)
    taken = union_length(found) - length_inside(found, made.quoted)
    n_found = sum(10 * length_inside([one], found) >= 9 * len(one) for one in made.quoted)
    return {
        "n_chars": len(made.text),
        "n_quoted": len(made.quoted),
        "taken": round(taken / n_prose, 5),
        "found": round(n_found / len(made.quoted), 4),
    }


def _paragraphs(folder: Path) -> Iterator[str]:
    """Yield paragraphs of prose without a quotation mark, each once."""
    seen = set()
    for file in sorted(folder.rglob("*.txt")):
        for part in re.split(r"\n\s*\n", file.read_text(encoding="utf-8")):
            text = " ".join(part.split())
            letters = sum(char.isalpha() or char == " " for char in text)
            is_prose = 120 <= len(text) <= 1500 and text[0].isupper() and text[-1] == "." and letters > 0.9 * len(text)
            if is_prose and text not in seen and not _ANY_MARK.search(text):
                seen.add(text)
                yield text


def _sentences(text: str) -> list[str]:
    return re.split(r"(?<=\.) (?=[^\W\d_])", text)


def _planted(paragraphs: Sequence[str], prose: str, marks: str, draw: random.Random) -> Made:
    """Return a paragraph; one in three has a quotation, one in five a trap, one in fifty a mark without a partner."""
    opening, closing = marks.split("|") if "|" in marks else (marks[0], marks[1])
    sentences = _sentences(draw.choice(paragraphs))
    at = draw.randrange(len(sentences) + 1)
    head, tail = " ".join(sentences[:at]), " ".join(sentences[at:])
    kind, quoted = draw.random(), ""
    if kind < 1 / 3:
        said = draw.choice(_sentences(draw.choice(paragraphs)))[:300].rstrip(". ")
        said = said if draw.random() < 0.8 else " ".join(said.split()[: draw.randrange(4, 7)])
        quoted = f"{opening}{said}{draw.choice(['.', '!', ''])}{closing}"
        middle = draw.choice([f"{quoted}, {SAID[prose]}.", f"{SAID[prose].capitalize()}: {quoted}"])
    elif kind < 1 / 3 + 1 / 5:
        middle = draw.choice(TRAPS[prose])
    elif kind < 1 / 3 + 1 / 5 + 1 / 50:
        first, _, rest = draw.choice(paragraphs).partition(" ")
        middle = f"{first} {opening}{rest}" if draw.random() < 0.5 else f"{first}{closing} {rest}"
    else:
        middle = ""
    text = " ".join(part for part in (head, middle, tail) if part)
    start = text.find(quoted) if quoted else -1
    return Made(text, [Span(start, start + len(quoted))] if start >= 0 else [])


def _joined(parts: Sequence[Made], layout: str) -> Made:
    """Return paragraphs as one text: with blank lines between them, or as text of a PDF."""
    pieces, quoted, at = [], list[Span](), 0
    n_lines = 0
    for part in parts:
        text = part.text
        if layout == "pdf":
            # A line end takes the place of a blank: offsets stay.
            spaces = text.replace("\u00a0", "~")
            lines = textwrap.wrap(spaces, LINE, break_on_hyphens=False, break_long_words=False)
            n_lines += len(lines)
            text = "\n".join(lines).replace("~", "\u00a0") + ("\f" if n_lines > PAGE_LINES else "\n")
            n_lines = 0 if n_lines > PAGE_LINES else n_lines
        else:
            text += "\n\n"
        pieces.append(text)
        quoted += [Span(at + one.start, at + one.stop) for one in part.quoted]
        at += len(text)
    return Made("".join(pieces), quoted)
