"""The page of many screened texts: ranked by share, each with a link to its own page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import quote

from pmbf.pages.markup import common_folder, counted, escaped, percent, shares_histogram
from pmbf.pages.shell import page, theme_button


class OverviewRow(NamedTuple):
    """One text of many, as the overview lists it.

    Args:
        name: What the text is called.
        share: Its share of characters that stand in sources, 0 to 1.
        n_sources: Its sources of which text counts.
        certainty: That of its surest passage, or empty.
        page: The file name of its page, beside the overview; empty for a text that could not be read.
        problem: Why the answer is incomplete, or empty.
        more: How much was found that is not in `share`, in words, or empty.
    """

    name: str
    share: float
    n_sources: int
    certainty: str
    page: str
    problem: str = ""
    more: str = ""


def overview_page(screened: Sequence[OverviewRow]) -> str:
    """Return the overview of many texts, the greatest share first."""
    ranked = sorted(screened, key=lambda one: (-one.share, -one.n_sources, one.name))
    read = [one for one in ranked if one.page]
    found = [one for one in read if one.n_sources]
    figures = [
        (f"{len(read):,}", "texts screened"),
        (f"{len(found):,}", "share text with sources"),
        (percent(found[0].share) if found else "–", "highest share"),
    ]
    if len(read) < len(ranked):
        figures.append((f"{len(ranked) - len(read):,}", "could not be read"))
    folder = common_folder([one.name for one in ranked])
    rows = "".join(_row(rank, one, one.name[len(folder) :]) for rank, one in enumerate(ranked, 1))
    where = f" of {escaped(folder)}" if folder else ""
    body = (
        f'<header class="head"><h1>Screened texts</h1>'
        f"<p>{counted(len(read), 'text')}{where}, the greatest share first</p>"
        f'<div class="tools screen">{theme_button()}</div></header>\n<main class="board">\n'
        '<div class="beside"><section class="card-panel"><p class="figures">'
        f"{''.join(f'<span><b>{number}</b>{told}</span>' for number, told in figures)}</p></section>\n"
        '<section class="card-panel"><h2 class="label">Shares, in percent</h2>'
        f"{shares_histogram([one.share for one in read], 'Texts by share in percent')}</section></div>\n"
        '<section class="card-panel"><table><thead><tr><th class="n" scope="col">#</th>'
        '<th class="n" scope="col">share</th><th scope="col">text</th><th class="n" scope="col">sources</th>'
        '<th scope="col">certainty</th></tr></thead>'
        f"<tbody>{rows}</tbody></table></section>\n</main>\n"
    )
    return page("Screened texts", body)


def _row(rank: int, one: OverviewRow, name: str) -> str:
    name = f'<bdi dir="ltr">{escaped(name)}</bdi>'
    linked = f'<a href="{quote(one.page)}">{name}</a>' if one.page else name
    notes = "".join(f'<br><span class="faint">{escaped(told)}</span>' for told in (one.more, one.problem) if told)
    share = percent(one.share) if one.page else "?"
    return (
        f'<tr><td class="n">{rank}</td><td class="n"><b>{share}</b></td><td>{linked}{notes}</td>'
        f'<td class="n">{one.n_sources:,}</td><td>{one.certainty}</td></tr>\n'
    )
