"""What a screening looks for."""

from __future__ import annotations

from dataclasses import dataclass

from pmbf import verify
from pmbf.errors import ParameterError


@dataclass(frozen=True, slots=True)
class Options:
    """What a screening looks for; the defaults suit a document of any length.

    Args:
        min_chars: Shortest passage, in characters of the query, at least 1; a shorter text must be found whole.
        min_similarity: Least similarity of a passage, 0 to 1.
        threshold: Least share of the query a source must cover, 0 to 1.
        false_rows: With the method `popcount`, rows that may pass by chance, per query, above 0.
        min_evidence: What the shared hashes within some 50 words must weigh to make a document a candidate, in nats,
            above 0; None asks for what so many documents need (`screen.rarity.needed`), and takes off what is missed.
        max_candidates: Documents compared in detail at most, best first, at least 1.
        method: What makes rows worth looking into. `hashes`: the query's hashes found there, weighed as those of a
            document; `popcount`: more bits in common than chance explains, as in Tskhay, Butakov & Kim 2014.
        exclude_quotations: Whether what stands in quotation marks and block quotes does not count.
        exclude_bibliography: Whether the list of what is cited does not count.
        apparatus: Whether a report says what stands in quotations and in the bibliography; half the time of a text that
            shares nothing goes into that. What is excluded is looked for in any case.
        ignore: Texts whose passages do not count: templates, forms, task descriptions.

    Raises:
        ParameterError: A value is outside its range.
    """

    min_chars: int = verify.Settings().min_chars
    min_similarity: float = verify.Settings().threshold
    threshold: float = 0.0
    false_rows: float = 300.0
    min_evidence: float | None = None
    max_candidates: int = 500
    method: str = "hashes"
    exclude_quotations: bool = False
    exclude_bibliography: bool = False
    apparatus: bool = True
    ignore: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name, low in (("min_chars", 1), ("max_candidates", 1)):
            if getattr(self, name) < low:
                raise ParameterError(f"{name} is {getattr(self, name)}, expected at least {low}")
        for name in ("min_similarity", "threshold"):
            if not 0 <= getattr(self, name) <= 1:
                raise ParameterError(f"{name} is {getattr(self, name)}, expected a number from 0 to 1")
        if not self.false_rows > 0:
            raise ParameterError(f"false_rows is {self.false_rows}, expected a number above 0")
        if self.min_evidence is not None and not self.min_evidence > 0:
            raise ParameterError(f"min_evidence is {self.min_evidence}, expected a number above 0, or None")
        if self.method not in ("hashes", "popcount"):
            raise ParameterError(f"method is {self.method!r}, expected 'hashes' or 'popcount'")
