"""Text in reading order: lines, each followed by the text that hangs on it (a note, a text box, deleted words)."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class _Strand:
    parts: list[str] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)


class Flow:
    """Collects text in reading order.

    Text set aside while a line is being written follows that line, so that a footnote does not tear a sentence apart.

    >>> flow = Flow()
    >>> flow.write("one")
    >>> flow.open_aside(); flow.write("note"); flow.close_aside()
    >>> flow.write(" two"); flow.end_line()
    >>> flow.text()
    'one two\\nnote\\n'
    """

    def __init__(self) -> None:
        self.n_chars = 0
        self._strands = [_Strand()]

    def write(self, text: str) -> None:
        """Append characters to the line."""
        self.n_chars += len(text)
        self._strands[-1].parts.append(text)

    def end_line(self) -> None:
        """End the line; the text set aside meanwhile follows it."""
        strand = self._strands[-1]
        strand.parts.append("\n")
        strand.parts += strand.waiting
        strand.waiting.clear()

    def open_aside(self) -> None:
        """Set aside the text that is written from here to `close_aside`."""
        self._strands.append(_Strand())

    def close_aside(self) -> None:
        """Return to the line that was left by the last `open_aside`."""
        if len(self._strands) == 1:
            return
        strand = self._strands.pop()
        text = "".join(strand.parts + strand.waiting)
        if text.strip():
            self._strands[-1].waiting.append(text if text.endswith("\n") else text + "\n")

    def text(self) -> str:
        """Return all text so far, the text set aside included."""
        while len(self._strands) > 1:
            self.close_aside()
        strand = self._strands[0]
        if strand.waiting:
            self.end_line()
        return "".join(strand.parts)
