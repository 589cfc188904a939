"""Passages that may leave: known by a keyed fingerprint of their content, not by their place.

A fingerprint is a keyed BLAKE2b of a passage's folded words. Moving, wrapping, indenting, capitals, accents and
invisible letters do not change it. Without the key a list of fingerprints tells nothing. If a passage grows, or has
letters of another script, then its fingerprint is another.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field

from pmbf.guard.public import PublicText
from pmbf.text import fold

FINGERPRINT_BYTES = 10
INLINE = re.compile(r"pmbf:allow\s+([0-9a-f]{20})\b")


def passage_fingerprint(text: str, key: bytes) -> str:
    """Return the fingerprint of a passage, 20 hexadecimal digits.

    Args:
        text: The passage.
        key: Any bytes.

    >>> passage_fingerprint("No\\n  one SHALL\\u200b pass", b"key") == passage_fingerprint("no one shall pass.", b"key")
    True
    """
    words = " ".join(fold(text).text.split())
    hashed = hashlib.blake2b(key, digest_size=32, person=b"pmbf-allow-key").digest()
    return hashlib.blake2b(words.encode(), key=hashed, digest_size=FINGERPRINT_BYTES).hexdigest()


@dataclass(frozen=True, slots=True)
class Allowances:
    """The passages that a check allows.

    Args:
        key: The key of the fingerprints.
        listed: Fingerprints of the baseline.
        inline: Whether a note in a payload may allow passages of this payload.
        public: Texts that do not count at all.
    """

    key: bytes
    listed: frozenset[str] = field(default=frozenset())
    inline: bool = True
    public: PublicText = field(default=PublicText())

    def allowed_by(self, fingerprint: str, inline: frozenset[str]) -> str:
        """Return what allows a passage, `baseline` or `inline`, or an empty text.

        Args:
            fingerprint: Of the passage.
            inline: The fingerprints that its payload allows.
        """
        if fingerprint in self.listed:
            return "baseline"
        return "inline" if fingerprint in inline else ""

    def inline_in(self, text: str) -> frozenset[str]:
        """Return the fingerprints that a payload's text allows."""
        return frozenset(INLINE.findall(text)) if self.inline and "pmbf:allow" in text else frozenset()
