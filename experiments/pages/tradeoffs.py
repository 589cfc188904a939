"""docs/tradeoffs.md: each parameter, what it buys and what it costs, with the measurement."""

from __future__ import annotations

from experiments import classes, leaks, short
from experiments.edited import SHARES, WORDS
from experiments.pages import growth
from experiments.pages.page import Figures, Page, commits, source, stored_table
from measure import report

SETTINGS = {
    "retrieval-first": "**defaults**",
    "retrieval-long_letters=0": "`long_letters=0`",
    "retrieval-long_letters=4": "`long_letters=4`",
    "retrieval-long_letters=7": "`long_letters=7`",
    "retrieval-shingle_tokens=2": "`shingle_tokens=2`",
    "retrieval-shingle_tokens=4": "`shingle_tokens=4`",
    "retrieval-density=0.025": "`density=0.025`",
    "retrieval-density=0.1": "`density=0.1`",
    "retrieval-ordered=false": "`ordered=false`",
    "retrieval-obfuscation-first": "`--profile obfuscation`",
}
OTHER_HALF = {"retrieval-second": "**defaults**", "retrieval-obfuscation-second": "`--profile obfuscation`"}
LEAKS = "leaks-manuals"
EDITED = {
    "edited-manpages-zh": ("Chinese manual pages", "default"),
    "edited-python3.11-doc": ("English, Python's handbooks", "default"),
    "edited-libreoffice-help-de": ("German, LibreOffice's help", "default"),
    "edited-obfuscation-manpages-zh": ("Chinese", "obfuscation"),
    "edited-obfuscation-python3.11-doc": ("English", "obfuscation"),
    "edited-obfuscation-libreoffice-help-de": ("German", "obfuscation"),
}
PROFILES = {"short": "default", "short-sentences": "sentences", "short-obfuscation": "obfuscation"}
STORED = "tradeoffs-stored"
CLASSES = "classes-pan13-sources"


def parts(figures: dict[str, Figures]) -> dict[str, str]:
    """Return the text for each name in the template."""
    planted = figures["planted"]
    stored = {name: stored_table(one) for name, one in figures[STORED].items()}
    return stored | {
        "retrieval": _retrieval(figures),
        "growth_source": commits(growth.NAMES, figures),
        "planted": f"{source('planted', figures)}\n\n{_planted(planted)}",
        "planted_documents": f"{planted['loaded']:,}",
        "short": f"{source('short', figures)}\n\n{short.shares(figures['short'])}",
        "profiles": f"{commits(PROFILES, figures)}\n\n{_profiles(figures)}",
        "short_passages": f"{sum(sum(some.values()) for some in figures['short']['tried'].values())}",
        "short_seed": f"{figures['short']['seed']}",
        "short_documents": f"{figures['short']['documents']:,}",
        "classes": f"{source(CLASSES, figures)}\n\n{classes.table(figures[CLASSES])}",
        "edited": f"{commits(EDITED, figures)}\n\n{_edited(figures)}",
        "leaks": f"{source(LEAKS, figures)}\n\n{leaks.shares(figures[LEAKS])}",
        "leaks_told": leaks.told(figures[LEAKS]),
        "edited_documents": f"{figures['edited-manpages-zh']['corpus']['documents']:,}",
    }


PAGE = Page(
    "tradeoffs",
    (
        *(*SETTINGS, *OTHER_HALF, *growth.NAMES, "planted", *PROFILES, *EDITED, CLASSES, STORED),
        LEAKS,
    ),
    parts,
    growth.PLOTS,
)


def _retrieval(figures: dict[str, Figures]) -> str:
    lines = report.head(
        "| parameter | half | documents | verbatim | random | translated | summarised | index | candidates a query |"
    )
    for half, names in (("first", SETTINGS), ("second", OTHER_HALF)):
        lines += [_setting(shown, half, figures[name]) for name, shown in names.items()]
    return f"{commits([*SETTINGS, *OTHER_HALF], figures)}\n\n" + "\n".join(lines)


def _setting(shown: str, half: str, one: Figures) -> str:
    assert one["half"] == half, f"{shown} was measured on {one['half']}"
    size, (_, *found) = one["size"], one["found"]
    index = f"{(size['tile_bytes'] + size['fingerprint_bytes']) / size['n_chars']:.1%}"
    candidates = [some["candidates"] for some in one["found"]]
    recalls = [f"{some['recall']:.3f}" for some in found]
    cells = [f"{size['n_documents']:,}", *recalls, index, f"{min(candidates):.0f} to {max(candidates):.0f}"]
    return f"| {shown} | {half} | {' | '.join(cells)} |"


def _planted(figures: Figures) -> str:
    lines = report.head(
        "| passage | | texts | candidates: recall | precision | whole screen: recall | precision, sources "
        "| precision, with shared stretches |"
    )
    ways = {one["method"]: one["cells"] for one in figures["results"]}
    for candidates, screen in zip(ways["candidates"], ways["screen"], strict=True):
        cells = [
            candidates["recall"],
            candidates["precision"],
            screen["recall"],
            screen["precision"],
            screen["stretch"],
        ]
        shown = " | ".join(f"{cell:.3f}" for cell in cells)
        edited = "edited" if screen["edited"] else "verbatim"
        lines.append(f"| {screen['level']} | {edited} | {screen['n_texts']} | {shown} |")
    return "\n".join(lines)


def _profiles(figures: dict[str, Figures]) -> str:
    shown = " | ".join(f"{length} characters" for length in short.LENGTHS[:4])
    lines = report.head(f"| profile | parameters that differ | index | a text, ms | {shown} |")
    usual = figures["short"]["params"]
    for name, profile in PROFILES.items():
        one = figures[name]
        differ = ", ".join(f"`{key}={value}`" for key, value in one["params"].items() if value != usual[key])
        counts = ([sum(one[what][str(n)].values()) for what in ("found", "tried")] for n in short.LENGTHS[:4])
        found = " | ".join(f"{n_found / n_tried:.3f}" for n_found, n_tried in counts)
        lines.append(f"| {profile} | {differ} | {one['index_share']:.0%} | {one['ms']:.0f} | {found} |")
    return "\n".join(lines)


def _edited(figures: dict[str, Figures]) -> str:
    shares = " | ".join(f"{share:.0%} replaced" for share in SHARES)
    lines = report.head(f"| texts | profile | words | passages | {shares} |")
    for n_words in WORDS:
        for name, (texts, profile) in EDITED.items():
            counts = figures[name]["counts"]
            found = " | ".join(str(counts.get(f"{n_words} {share} found", 0)) for share in SHARES)
            lines.append(f"| {texts} | {profile} | {n_words} | {counts[f'{n_words} {SHARES[0]} asked']} | {found} |")
    return "\n".join(lines)
