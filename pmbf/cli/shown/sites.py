"""What `pmbf site` prints."""

from __future__ import annotations

from typing import Any

from pmbf.cli.shown.figures import aligned
from pmbf.cli.shown.safe import one_line
from pmbf.sites import Registry


def listed_values(registry: Registry) -> dict[str, Any]:
    """Return the sites of a registry, for JSON."""
    own = registry.own
    sites = [
        {
            "name": one.name,
            "address": one.card.address,
            "contact": one.card.contact,
            "level": registry.level_of(one),
            "units_a_day": one.units_a_day,
            "certificate": one.card.fingerprint.hex(),
        }
        for one in registry.partners.values()
    ]
    return {"name": own.name, "address": own.address, "level": registry.level, "sites": sites}


def listed_text(registry: Registry) -> str:
    """Return the sites of a registry as a table."""
    rows = [("site", "address", "sees", "units a day", "contact")]
    for one in registry.partners.values():
        level = registry.level_of(one) if one.level else f"{registry.level} (as all)"
        units = f"{one.units_a_day:,}"
        rows.append((one.name, one.card.address or "only asks", level, units, one_line(one.card.contact)))
    own = registry.own
    told = f"{own.name}, {own.address or 'which only asks'}; others see: {registry.level}"
    return "\n".join([told, *(line.rstrip() for line in aligned(rows, "<<<<<")), ""])


def log_line(line: dict[str, Any]) -> str:
    """Return a line of the log as a person reads it."""
    way = "asked us" if line["side"] == "site" else "was asked"
    hidden = ("time", "side", "partner", "event", "before", "epoch")
    told = ", ".join(f"{name} {value}" for name, value in line.items() if name not in hidden)
    return f"{line['time']}  {one_line(line['partner'])} {way}: {line['event']}  {one_line(told)}\n"
