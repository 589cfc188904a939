"""Where the answers of a screening go, and how they look: what `pmbf screen` and `pmbf sentences screen` share."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pmbf.cli import pages as page
from pmbf.cli import params, tables
from pmbf.cli.inputs import given

if TYPE_CHECKING:
    from pmbf.cli.shown.canvas import View
    from pmbf.report.table import By


@dataclass(frozen=True, slots=True)
class Output:
    """Where the answers of a command go, and how they look."""

    view: View
    json: bool
    quiet: bool
    tables: tables.Tables
    pages: page.Pages | None


def output(
    table: Sequence[tables.TableFile] | None,
    rows: By | None = None,
    *,
    sources: int | None,
    passages: int | None,
    html: str | None,
    param: Sequence[tuple[str, Any]] | None,
    json: bool,
    quiet: bool,
    force: bool,
    of_sentences: bool = False,
) -> Output:
    """Return where the answers go.

    Raises:
        ParameterError: Options contradict each other.
        NotFoundError, UnsupportedError: As for `Tables.require_possible`.
    """
    from pmbf.cli.shown.canvas import View, wants_color

    with_text = params.of(param, params.WORDS).get("with_text", False)
    written = tables.Tables(table or (), rows, with_text, of_sentences, force)
    written.require_possible(json=json, quiet=quiet)
    shown = given(n_sources=sources, n_passages=passages)
    view = View(colored=wants_color(sys.stdout), on_terminal=sys.stdout.isatty(), **shown)
    pages = page.pages_of(html, params.of(param, params.PAGES), force=force)
    return Output(view, json, quiet, written, pages)
