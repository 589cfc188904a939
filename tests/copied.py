"""Texts that are copied from the examples' library, by what might hide it."""

from __future__ import annotations

from tests.conftest import ROOT

PROSE = (ROOT / "examples" / "library" / "aflaj.txt").read_text(encoding="utf-8").strip()
CHINESE = (ROOT / "examples" / "library" / "huimo.txt").read_text(encoding="utf-8").strip()[:400]
PARTS = [" ".join(PROSE.split()[first : first + 60]) for first in range(0, 180, 60)]

COPIED = {
    "methods": f"Methods\n\n{PROSE}\n",
    "declaration": f"Declaration\n\n{PROSE}\n\nResults\n\nMuch sand was found there.\n",
    "references": f"Sand.\n\nReferences\n\n[1] {PARTS[0]} (1997).\n[2] {PARTS[1]} (1998).\n[3] {PARTS[2]} (1999).\n",
    "curly": f"He said: “{PARTS[0]}” and left.\n",
    "german": f"Er sagte »nein« und {PARTS[0]} und »ja«.\n",
    "straight": f'A 12" pipe. {PARTS[0]} A 14" pipe.\n',
    "apostrophes": f"In the '90s, {PARTS[0]} this was the owners' hope.\n",
    "block": "".join(f"> {part}\n" for part in PARTS),
    "lookalikes": PROSE.replace("a", "а", 40),
    "chinese": CHINESE,
    "short": f"{' '.join(PROSE.split()[20:40])}\n",
    "edited": " ".join(word for at, word in enumerate(PROSE.split()) if at % 11),
}
"""Copied texts, by what might hide them."""
