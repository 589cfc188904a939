"""What a screening looks for."""

from __future__ import annotations

from dataclasses import dataclass

from pmbf import verify
from pmbf.errors import ParameterError


@dataclass(frozen=True, slots=True)
class Options:
    """What a screening looks for. The defaults suit a document of any length.

    Args:
        min_chars: Characters of the shortest passage, in the query, at least 1. A shorter text must be found whole.
        min_similarity: Least similarity of a passage, 0 to 1.
        threshold: Least share of the query a source must cover, 0 to 1.
        false_rows: Only with the method `popcount`: expected rows per query that pass by chance, above 0.
        min_evidence: Least evidence of a candidate (nats, summed over some 50 words), above 0. None: chosen by
            collection size (`screen.rarity.needed`), and missed hashes count against.
        max_candidates: Most documents compared in detail, best first, at least 1.
        method: Which rows are looked into. `hashes`: those where the query's hashes weigh as much as one document
            needs. `popcount`: those with more bits in common than chance explains, as in Tskhay, Butakov & Kim 2014.
        exclude_quotations: Whether quotations and block quotes do not count.
        exclude_bibliography: Whether the bibliography does not count.
        apparatus: Whether a report says which passages stand in quotations and the bibliography. That takes half the
            time of a text that shares nothing. Excluded spans are found in any case.
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
