"""Sites are asked side by side for what a collection does not have, and their answers go into the report."""

from __future__ import annotations

import threading
import time
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pmbf.base.errors import ParameterError
from pmbf.base.span import Span, length_in, overlap
from pmbf.intake.texts import Text
from pmbf.sentences import SentenceReport
from pmbf.sentences.beside import QueryUnits
from pmbf.sites.client import Conversation, PartnerAnswer
from pmbf.sites.merging import merged_with
from pmbf.sites.protocol import CODE
from pmbf.sites.registry import Card, Partner, Registry
from pmbf.sites.tagging import library

USUAL_S = 30.0
_MARGIN_S = 1.0


@dataclass(frozen=True, slots=True)
class Sites:
    """The sites that a screening asks.

    Args:
        registry: Ours.
        partners: The sites.
        texts: Whether words of the query may be sent to sites that have units with equal keys.
        whole: Whether units are asked for whose sentences were all found at home, too.
        seconds: How long a task may take.
        private: Whether sites are asked so that not even they learn what is asked.

    Raises:
        ParameterError: The seconds are not above 0, or words are to be sent in private.
        UnsupportedError: Private questions need the extra `psi`.
    """

    registry: Registry
    partners: Sequence[Partner]
    texts: bool = False
    whole: bool = False
    seconds: float = USUAL_S
    private: bool = False

    def __post_init__(self) -> None:
        if not 0 < self.seconds < 86_400:
            raise ParameterError(f"deadline is {self.seconds:g}, expected seconds above 0, up to a day")
        if self.private:
            if self.texts:
                raise ParameterError("--private is given with --share-matched: words would tell what is asked")
            library()

    def ask(self, report: SentenceReport, read: Text) -> SentenceReport:
        """Return the report of a screening at home with what the sites know; each site that fails is a problem in it.

        Sites are not asked for a unit that reaches into what a template skips, and are sent none of these words.
        """
        asked = _blanked(QueryUnits.of(read.text, CODE), report.skipped)
        every = range(len(asked.spans)) if self.whole else _unmatched(report, asked)
        numbers = [one for one in every if not length_in(asked.spans[one], report.skipped)]
        how = self.texts, self.seconds, self.private
        asking = [Conversation(self.registry, one, asked, numbers, *how) for one in self.partners]
        threads = [threading.Thread(target=one.run, daemon=True) for one in asking]
        for thread in threads:
            thread.start()
        until = time.monotonic() + self.seconds + _MARGIN_S
        told = list[tuple[Card, PartnerAnswer]]()
        for thread, one in zip(threads, asking, strict=True):
            thread.join(max(0.0, until - time.monotonic()))
            if thread.is_alive():  # it is fed drop by drop
                one.hang_up()
                thread.join(_MARGIN_S)
            late = PartnerAnswer(problem=f"it did not answer within {self.seconds:g} s")
            told.append((one.partner.card, late if thread.is_alive() else one.answer))
        return merged_with(report, asked, numbers, told)


def _blanked(asked: QueryUnits, skipped: Sequence[Span]) -> QueryUnits:
    """Return a query with spaces in place of what is skipped: words between two units go to sites with them."""
    parts, end = list[str](), 0
    for span in skipped:
        parts += asked.text[end : span.start], " " * len(span)
        end = span.stop
    return QueryUnits("".join([*parts, asked.text[end:]]), asked.units)


def _unmatched(report: SentenceReport, asked: QueryUnits) -> Iterator[int]:
    """Yield the units that hold a part of a sentence that was not found."""
    new = [one.span for one in report.sentences if one.outcome == "new"]
    stops = [span.stop for span in new]
    for number, span in enumerate(asked.spans):
        at = bisect_right(stops, span.start)
        if at < len(new) and overlap(new[at], span):
            yield number
