"""Passages that may leave: known by their content under a key, not by their place.

A fingerprint is a keyed BLAKE2b of a passage's folded words: moving, wrapping, indenting, capitals, accents and letters
that are not seen change nothing, and without the key a list of fingerprints tells nothing. A passage that grows, or has
letters of another script, has another fingerprint.
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
    """What is allowed in a check.

    Args:
        key: Under which passages are fingerprinted.
        listed: Fingerprints of the baseline.
        inline: Whether a payload may allow passages of its own.
        public: What does not count at all.
    """

    key: bytes
    listed: frozenset[str] = field(default=frozenset())
    inline: bool = True
    public: PublicText = field(default=PublicText())

    def allowed_by(self, fingerprint: str, inline: frozenset[str]) -> str:
        """Return who allows a passage, or an empty text.

        Args:
            fingerprint: Of the passage.
            inline: What its payload allows.
        """
        if fingerprint in self.listed:
            return "baseline"
        return "inline" if fingerprint in inline else ""

    def inline_in(self, text: str) -> frozenset[str]:
        """Return the fingerprints that a payload's text allows."""
        return frozenset(INLINE.findall(text)) if self.inline and "pmbf:allow" in text else frozenset()
