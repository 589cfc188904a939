"""The history: what was screened, and what was decided.

screenings ─1:1─ reports     the report as JSON, compressed
           ─0:1─ sentences   the report of its sentences as JSON, compressed, if it was screened by sentences
           ─0:1─ texts       the screened text, only if its sender asked to keep it
           ─1:n─ decisions   what a reviewer decided about a source
"""

from __future__ import annotations

import secrets
import time
import zlib
from dataclasses import asdict, dataclass, fields
from typing import Any, TypeVar

from sqlite_utils import Database

from pmbf.base.errors import NotFoundError, ParameterError
from pmbf.report import Report
from pmbf.sentences import SentenceReport
from pmbf.serving.web.sums import Sums
from pmbf.serving.web.tokens import Token

_Reported = TypeVar("_Reported", Report, SentenceReport)

VERDICTS = ("open", "confirmed", "dismissed")
MAX_NOTE = 2000
MOST_BODY_BYTES = 1 << 30
"""Bytes of a report or a text once unpacked: a few kilobytes can hold more than the memory."""


@dataclass(frozen=True, slots=True)
class Screening:
    """One screening of the history.

    Args:
        id: 16 hexadecimal digits, drawn by chance.
        user: Name of the token that asked.
        user_id: Id of that token; empty if it was removed before ids were kept.
        name: Name of the screened text.
        sha256: Of the bytes that came.
        time: Seconds since 1970.
        generation: State of the collection that answered.
        share: Share of the text's characters that stand in sources, 0 to 1.
        n_sources: Sources of which text counts.
        n_chars: Code points of the text.
        is_complete: Whether all of the text was read and compared.
        options: What the screening was asked with, as a query of REST: `min_chars=100&template=thesis`; empty if
            nothing was chosen, or the screening was kept before options were.
        n_not_counted: Characters of the text that sources share but that do not count.
        n_below: Sources left out because they cover less of the text than a threshold that was asked for.
    """

    id: str
    user: str
    user_id: str
    name: str
    sha256: str
    time: float
    generation: int
    share: float
    n_sources: int
    n_chars: int
    is_complete: bool
    has_text: bool = False
    options: str = ""
    n_not_counted: int = 0
    n_below: int = 0


@dataclass(frozen=True, slots=True)
class Decision:
    """What a reviewer decided about one source: `confirmed`, `dismissed` or `open`, who, when, and why."""

    source: str
    verdict: str
    who: str
    who_id: str
    time: float
    note: str = ""


class History:
    """The screenings and decisions of a state file. One thread uses it."""

    def __init__(self, state: Database) -> None:
        self._db, self._sums = state, Sums(state)

    def keep(
        self,
        report: Report,
        *,
        by: Token,
        sha256: str,
        options: str = "",
        text: str | None = None,
        sentences: str | None = None,
    ) -> Screening:
        """Keep a report, the text if it is given, and the report of its sentences as JSON if there is one.

        Return its entry.
        """
        one = Screening(
            id=secrets.token_hex(8),
            user=by.name,
            user_id=by.id,
            name=report.query.name,
            sha256=sha256,
            time=time.time(),
            generation=report.generation,
            share=report.coverage,
            n_sources=report.n_sources,
            n_chars=report.query.n_chars,
            is_complete=not report.problems,
            has_text=text is not None,
            options=options,
            n_not_counted=report.n_not_counted,
            n_below=report.n_below,
        )
        values = asdict(one)
        del values["has_text"]
        with self._db.conn:
            self._db.table("screenings").insert(values)
            for table, body in (("reports", report.to_json()), ("sentences", sentences), ("texts", text)):
                if body is not None:
                    self._db.table(table).insert({"id": one.id, "body": _packed(body)})
        return one

    def keep_text(self, number: str, text: str) -> None:
        """Keep the text of a screening that was kept without."""
        with self._db.conn:
            self._db.table("texts").insert({"id": number, "body": _packed(text)}, ignore=True)

    def screenings(
        self, *, user: str | None = None, search: str = "", first: int = 0, most: int = 50
    ) -> list[Screening]:
        """Return screenings, the latest first.

        Args:
            user: Those of the token of an id alone; None: all.
            search: Words that the name holds; a word may be the beginning of a longer one.
            first: Screenings to pass over.
            most: Screenings to return.
        """
        wheres, values = ["1"], list[Any]()
        if user is not None:
            wheres.append("user_id = ?")
            values.append(user)
        if words := search.translate(_NO_SYNTAX).split():
            self._require_search()
            wheres.append("screenings.rowid IN (SELECT rowid FROM screenings_fts WHERE screenings_fts MATCH ?)")
            values.append(" ".join(f'"{word}"*' for word in words))
        self._sums.require_all("screenings")
        latest = "ORDER BY +time DESC"  # +: without the index
        shown = f"SELECT rowid FROM screenings WHERE {' AND '.join(wheres)} {latest} LIMIT ? OFFSET ?"
        return self._screenings(f"WHERE rowid IN ({shown}) {latest}", [*values, most, first])

    def _require_search(self) -> None:
        """Refuse an index of names that is not that of the screenings. Raises `CorruptError`."""
        with self._sums.told(), self._db.conn:
            self._db.execute("INSERT INTO screenings_fts(screenings_fts, rank) VALUES ('integrity-check', 1)")

    def _screenings(self, rest: str, values: list[Any]) -> list[Screening]:
        return [self._sums.made(Screening, row) for row in self._sums.rows("screenings", _COLUMNS, rest, values)]

    def screening(self, number: str) -> Screening:
        """Return one screening.

        Raise `NotFoundError` if there is none, here and in all that follows `CorruptError` of the file.
        """
        found = self._screenings("WHERE id = ?", [number])
        if not found:
            self._sums.require_none("screenings", number)
            raise NotFoundError(f"there is no screening {number!r}")
        return found[0]

    def report(self, number: str) -> Report:
        """Return a screening's report. Raises `NotFoundError` as `screening` does."""
        return self._made(Report, self._body("reports", number))

    def sentences(self, number: str) -> SentenceReport | None:
        """Return the report of a screening's sentences; None if it was not screened by sentences."""
        try:
            content = self._body("sentences", number)
        except NotFoundError:
            return None
        return self._made(SentenceReport, content)

    def _made(self, kind: type[_Reported], content: bytes) -> _Reported:
        with self._sums.told():
            made = kind.from_json(content.decode())
            if b"\\u" in content:
                made.to_json().encode()  # half a character is no text, and no page can show it
            return made

    def text(self, number: str) -> str:
        """Return a screening's text. Raises `NotFoundError` if it was not kept."""
        return self._body("texts", number).decode("utf-8", "surrogatepass")

    def _body(self, table: str, number: str) -> bytes:
        found = self._sums.rows(table, "body", "WHERE id = ?", [number])
        if not found:
            self._sums.require_none(table, number)
            raise NotFoundError(f"there is no {table.removesuffix('s')} of a screening {number!r}")
        unpacker = zlib.decompressobj()
        try:
            body = unpacker.decompress(found[0][0], MOST_BODY_BYTES)
            if not unpacker.eof:
                raise zlib.error(f"it ends early, or has more than {MOST_BODY_BYTES} bytes")
            return body
        except (zlib.error, TypeError) as error:
            raise self._sums.damage(f"the {table.removesuffix('s')} of screening {number} is none: {error}") from None

    def delete(self, number: str) -> None:
        """Delete a screening with its report, text and decisions: its bytes are overwritten in the file."""
        self.screening(number)
        self._delete(number)

    def _delete(self, number: str) -> None:
        with self._db.conn:
            for table, column in _OF_A_SCREENING.items():
                self._db.table(table).delete_where(f"{column} = ?", [number])
            # The index of names only marks a name as deleted; merging its parts drops the name.
            self._db.execute("INSERT INTO screenings_fts(screenings_fts) VALUES ('optimize')")
        self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def expire(self, seconds: float) -> int:
        """Delete the screenings that are older than a number of seconds; return how many."""
        found = self._db.execute("SELECT id FROM screenings WHERE +time < ?", [time.time() - seconds]).fetchall()
        for (number,) in found:  # damaged ones, too
            self._delete(number)
        return len(found)

    # ------------------------------------------------------------------ decisions

    def decide(self, number: str, *, source: str, verdict: str, by: Token, note: str = "") -> Decision:
        """Keep a decision about a source, in place of the one before.

        `NotFoundError`: there is no such screening, or its report has no such source. `ParameterError`: the verdict is
        unknown, or the note is too long.
        """
        if verdict not in VERDICTS:
            raise ParameterError(f"verdict is {verdict!r}, expected one of {', '.join(VERDICTS)}")
        if len(note) > MAX_NOTE:
            raise ParameterError(f"the note has {len(note)} characters, expected at most {MAX_NOTE}")
        if source not in {match.document.path for match in self.report(number).matches}:
            raise NotFoundError(f"{source}: is no source of this screening")
        made = Decision(source, verdict, by.name, by.id, time.time(), note)
        with self._db.conn:
            self._db.table("decisions").upsert({"screening": number} | asdict(made), pk=("screening", "source"))
        return made

    def decisions(self, number: str) -> dict[str, Decision]:
        """Return the decisions about a screening's sources, by source."""
        names = ", ".join(one.name for one in fields(Decision))
        found = self._sums.rows("decisions", names, "WHERE screening = ?", [number])
        if len(found) != self._sums.count("name = 'decisions' AND key > ? AND key < ?", [f"{number}\n", f"{number}\v"]):
            raise self._sums.damage(f"a decision about screening {number} is lost")
        return {row[0]: self._sums.made(Decision, row) for row in found}


_NO_SYNTAX = str.maketrans('"\0', "  ")
"""A search holds no quotation mark, and no NUL, at which a query of SQLite ends."""
_OF_A_SCREENING = {"screenings": "id", "reports": "id", "sentences": "id", "texts": "id", "decisions": "screening"}
_HAS_TEXT = "EXISTS (SELECT 1 FROM texts WHERE id = screenings.id)"
_NOTES_TEXT = "EXISTS (SELECT 1 FROM row_sums WHERE name = 'texts' AND key = screenings.id)"
_KNOWS_TEXT = f"CASE WHEN {_HAS_TEXT} = {_NOTES_TEXT} THEN {_HAS_TEXT} ELSE 'unknown' END"
_COLUMNS = ", ".join(_KNOWS_TEXT if one.name == "has_text" else f"screenings.{one.name}" for one in fields(Screening))


def _packed(body: str) -> bytes:
    return zlib.compress(body.encode("utf-8", "surrogatepass"))
