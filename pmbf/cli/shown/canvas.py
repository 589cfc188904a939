"""The canvas that text is laid out on: its width, and whether it takes colours.

rich is imported only when something is laid out; `--json` and `--quiet` do not wait for it.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Sequence
from typing import IO, TYPE_CHECKING, NamedTuple

from pmbf.cli.shown.figures import counted
from pmbf.cli.shown.safe import one_line

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.text import Text

USUAL_COLUMNS = 80
"""Of a terminal, and of what is no terminal."""

N_PROBLEMS = 20
"""Problems of a comparison that are listed; `--json` has them all."""

WHOLE_COLUMNS = 100_000
"""More than any name has."""


class View(NamedTuple):
    """How to show something.

    Args:
        width: Columns of the terminal; None asks the terminal, and takes 80 where there is none.
        colored: Whether escape sequences for colours may be used; marks made of characters stand in for them.
        n_sources, n_passages: Sources of a report that are shown, best first, and passages of each, longest first.
        on_terminal: Whether a terminal shows it, so that names are shortened to its width.
    """

    width: int | None = None
    colored: bool = False
    n_sources: int = 10
    n_passages: int = 3
    on_terminal: bool = False

    @property
    def columns(self) -> int:
        """The width in columns."""
        return _console(self, io.StringIO()).width

    @property
    def name_columns(self) -> int:
        """The columns that a table with names may fill. Away from a terminal, names stay whole in a wide table."""
        columns = self.columns
        return columns if self.on_terminal or columns < USUAL_COLUMNS else WHOLE_COLUMNS


def wants_color(stream: IO[str]) -> bool:
    """Return whether output to a stream is coloured: on a terminal, unless the terminal is dumb.

    With NO_COLOR it never is; with FORCE_COLOR it always is.

    Source:
        https://no-color.org, https://force-color.org
    """
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (os.environ.get("TERM") != "dumb" and stream.isatty())


def laid_out(view: View, *parts: RenderableType) -> str:
    """Return renderables as text, not on the stream: rich ends the process by itself when a pipe breaks."""
    from rich.text import Text

    page = io.StringIO()
    console = _console(view, page)
    for part in parts:
        console.print(part, soft_wrap=isinstance(part, Text) and bool(part.no_wrap))
    return "".join(line.rstrip() + "\n" for line in page.getvalue().removesuffix("\n").split("\n"))


def unwrapped(*pieces: str | tuple[str, str]) -> Text:
    """Return text, or styled text, that stays on one line: the terminal may wrap it, and copying it gives one line."""
    from rich.text import Text

    return Text.assemble(*pieces, no_wrap=True)


def incomplete(problems: Sequence[str]) -> Iterator[Text]:
    """Yield a line for each of the first problems of a comparison, and one for the rest."""
    from rich.text import Text

    yield from (Text(f"Incomplete: {one_line(problem)}", "yellow") for problem in problems[:N_PROBLEMS])
    if (left := len(problems) - N_PROBLEMS) > 0:
        yield Text(f"… and {counted(left, 'more problem')}; --json lists them all", "yellow")


def _console(view: View, page: io.StringIO) -> Console:
    from rich.console import Console

    return Console(
        file=page,
        width=view.width,
        color_system="standard" if view.colored else None,
        force_terminal=view.colored,
        no_color=not view.colored,
        legacy_windows=False,
        highlight=False,
        markup=False,
        emoji=False,
    )
