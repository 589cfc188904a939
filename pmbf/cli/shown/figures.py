"""Numbers, shares, sizes, times and paths as people write them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from pmbf.base.labels import told
from pmbf.cli.shown.safe import harmless

SPACELESS_RATIO = 0.5
"""If a text has more tokens per character than this, then its tokens are no words. A written word and its space are
some six characters; in scripts written without spaces each letter is a token (measured: 0.14 to 0.20 against 0.85 to
0.95)."""


N_COPIES = 5
"""Other paths of a source that are named; `--json` names all."""


def counted(n: int, singular: str, plural: str = "") -> str:
    """Return a number with its noun, as in 1,204 documents."""
    return f"{n:,} {singular if n == 1 else plural or singular + 's'}"


def percent(share: float) -> str:
    """Return a share as a whole percentage that says neither 0 nor 100 unless it is exactly that.

    >>> [percent(share) for share in (0, 0.002, 0.274, 0.998, 1)]
    ['0 %', '<1 %', '27 %', '>99 %', '100 %']
    """
    if 0 < share < 0.01:
        return "<1 %"
    return ">99 %" if 0.99 < share < 1 else f"{round(100 * share)} %"


def size(n_bytes: int) -> str:
    """Return a number of bytes in the unit that suits it, 1 kB = 1000 bytes."""
    value, unit = float(n_bytes), "bytes"
    for larger in ("kB", "MB", "GB", "TB"):
        if value < 999.95:
            break
        value, unit = value / 1000, larger
    return f"{n_bytes} bytes" if unit == "bytes" else f"{value:.1f} {unit}"


def duration(seconds: float) -> str:
    """Return a duration in seconds, minutes or hours."""
    if seconds < 60:
        return f"{seconds:.2f} s" if seconds < 1 else f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def length(n_chars: int, n_tokens: int) -> str:
    """Return how long a text is, in characters, and in words where it is written with spaces between them.

    >>> length(3612, 640), length(202, 190)
    ('3,612 characters, 640 words', '202 characters')
    """
    characters = counted(n_chars, "character")
    return characters if n_tokens > SPACELESS_RATIO * n_chars else f"{characters}, {counted(n_tokens, 'word')}"


def shown_path(path: str) -> str:
    """Return a path as it is shown: harmless, line ends too, and from the working directory if it lies inside."""
    if os.path.isabs(path):
        try:
            inside = os.path.relpath(path)
        except (OSError, ValueError):  # the working directory is gone
            inside = os.pardir
        if inside.split(os.sep, 1)[0] != os.pardir:
            path = inside
    return harmless(path)


def shown_labels(labels: Mapping[str, str]) -> str:
    """Return what is shown of the labels of a path.

    >>> shown_labels({"author": "Anna Berg", "group": "a"}), shown_labels({})
    ('[author=Anna Berg, group=a]', '')
    """
    return f"[{harmless(told(labels))}]" if labels else ""


def shortened(name: str, columns: int) -> str:
    """Return a name with its middle left out, so that it fills no more columns; its end tells more than its beginning.

    >>> shortened("library/harbours/tides.txt", 16), shortened("tides.txt", 16)
    ('libra…/tides.txt', 'tides.txt')
    """
    from rich.cells import cell_len

    if cell_len(name) <= columns:
        return name
    n_head, n_tail = (columns - 1) // 3, columns - 1 - (columns - 1) // 3
    head, tail = name, name
    while cell_len(head) > n_head:
        head = head[:-1]
    while cell_len(tail) > n_tail:
        tail = tail[1:]
    return f"{head}…{tail}"


def padded(name: str, columns: int) -> str:
    """Return a name with blanks behind it up to a number of columns; letters of some scripts fill two."""
    from rich.cells import cell_len

    return name + " " * (columns - cell_len(name))


def aligned(rows: Sequence[Sequence[str]], sides: str) -> list[str]:
    """Return the first cells of each row as a line; of each column `sides` says on which side its cells stand.

    >>> aligned([("#", "text"), ("10", "a.txt")], "><")
    [' #  text ', '10  a.txt']
    """
    widths = [max(len(row[column]) for row in rows) for column in range(len(sides))]
    columns = list(enumerate(zip(sides, widths, strict=True)))
    return ["  ".join(f"{row[number]:{side}{width}}" for number, (side, width) in columns) for row in rows]


def shown_paths(paths: Sequence[str], labels: Sequence[Mapping[str, str]] = ()) -> list[str]:
    """Return lines with the path of a document, and each other path with the same contents, up to `N_COPIES`.

    The labels of each path, if there are some, get a line of their own.

    >>> shown_paths(["a.txt"]), shown_paths(["a.txt", "b.txt"])
    (['a.txt'], ['a.txt', 'identical: b.txt'])
    >>> shown_paths([f"{number}.txt" for number in range(9)])[-2:]
    ['identical: 5.txt', 'identical: 3 more']
    >>> shown_paths(["a.txt"], [{"author": "berg"}])
    ['a.txt', '[author=berg]']
    """
    lines = []
    for number, path in enumerate(paths[: 1 + N_COPIES]):
        lines.append(f"identical: {shown_path(path)}" if number else shown_path(path))
        lines += [shown_labels(labels[number])] if labels and labels[number] else []
    left = len(paths) - 1 - N_COPIES
    return lines + ([f"identical: {left:,} more"] if left > 0 else [])
