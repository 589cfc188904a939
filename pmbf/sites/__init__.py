"""Sites: collections of other houses are asked for the sentences that one's own does not have, without their texts.

    screening at home ─► units without a source ─keyed fingerprints─► each site ─► sources, as far as each site shows

registry    who we are, which sites we know, how much each of them is shown
tls         both sides show a certificate, and trust those of the registry
keying      fingerprints under a key of one task
protocol, texts   what asker and site say to each other, every field checked
held, answering, server   the side that is asked
client, asking, merging   the side that asks
auditlog    what was asked, of us and by us
"""

from pmbf.sites.asking import Sites
from pmbf.sites.registry import LEVELS, Card, Level, Partner, Registry, init, opened, read_card, usual_folder

__all__ = [
    "LEVELS",
    "Card",
    "Level",
    "Partner",
    "Registry",
    "Sites",
    "init",
    "opened",
    "read_card",
    "usual_folder",
]
