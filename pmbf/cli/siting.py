"""`pmbf site`: the sites that search each other."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pmbf.base.errors import DONE, ParameterError
from pmbf.cli import arguments as arg
from pmbf.cli import params
from pmbf.cli.arguments import flag, names, option
from pmbf.cli.inputs import given, in_a_folder, named_collection
from pmbf.cli.outcome import note, print_json, print_text
from pmbf.cli.sentences import screen, screened
from pmbf.cli.words import CommandGroup, with_options_of

if TYPE_CHECKING:
    from pmbf.sites import Registry

SITES = "Which sites, and how they are asked"

SITE_HELP = """Examples:
  pmbf site init north --address north.example:8443 --contact library@north.example
  pmbf site card > north.json           for the other sites
  pmbf site add south.json              a card that they gave
  pmbf site serve -c theses.pmbf
  pmbf site ask draft.docx -c theses.pmbf

A registry is a folder with our certificate, the federation key, the sites that
we know, how much each of them is shown, and a log. docs/sites.md says more."""
ASK_HELP = """Examples:
  pmbf site ask draft.docx -c theses.pmbf
  pmbf site ask draft.docx -c theses.pmbf --sites north,south --share-matched

Exit codes: 0 nothing found; 1 something found, or claimed; 2 wrong usage; 3 an
error, or nothing found but not everything was read, or a site did not answer;
of several files the highest code"""
INIT_HELP = """Examples:
  pmbf site init north --address north.example:8443
  pmbf site init south --key federation.key

Without --key a new federation key is made. Give its file to the other sites by
a channel that you trust: who has it can read fingerprints.

Exit codes: 0 made; 2 wrong usage; 3 an error"""
SERVE_HELP = """Examples:
  pmbf sentences build -c theses.pmbf
  pmbf site serve -c theses.pmbf

SIGTERM finishes running answers, then ends. No text is ever logged.

Exit codes: 0 stopped by a signal; 2 wrong usage; 3 an error"""
ADD_HELP = """Compare the fingerprint of the certificate with the other site by another
channel, such as the telephone.

Exit codes: 0 added; 2 wrong usage; 3 an error"""
POLICY_HELP = """Levels: closed, none (whether there is anything), private (private questions
alone), count (which sentences, in how many documents), title, excerpt (5 times
300 characters), text.

Examples:
  pmbf site policy                       show all
  pmbf site policy --level title         of sites without a level of their own
  pmbf site policy south --level text --units-a-day 100000

Exit codes: 0 done; 2 wrong usage; 3 an error"""
PLAIN_HELP = "Exit codes: 0 done; 2 wrong usage; 3 an error"
LOG_HELP = "Exit codes: 0 the log is whole; 2 wrong usage; 3 a line was changed or is missing, or an error"

RegistryFolder = Annotated[
    str | None,
    option("--registry", "FOLDER", "The registry of sites (default: ~/.config/pmbf/sites).", envvar="PMBF_REGISTRY"),
]
Asked = Annotated[str, option("--sites", "all|NAME,…", "Which sites are asked (default: all).", SITES)]
ShareMatched = Annotated[
    bool, flag("--share-matched", "Send sites the words of units that they may have, so that they compare them.", SITES)
]
AskWhole = Annotated[bool, flag("--ask-whole", "Ask sites for all sentences, not only for those not found.", SITES)]
Private = Annotated[
    bool, flag("--private", "Ask so that sites learn only how many keys were asked (extra psi); they claim.", SITES)
]
WAITING = (params.real("seconds", "SECONDS", "Wait no longer for sites (default: 30)."),)
OfAsking = Annotated[list[Any] | None, params.KnownParams(params.READING, params.PAGES, params.WORDS, WAITING).option]
Site = Annotated[str, names("NAME", "Of a site: small letters, digits, dashes.")]
AnySite = Annotated[str | None, names("NAME", "A site; without one, all that have no level of their own.")]
LevelOption = Annotated[
    Literal["closed", "none", "private", "count", "title", "excerpt", "text"] | None,
    option("--level", "LEVEL", "How much of a found document is shown."),
]


_registry: list[str | None] = [None]
"""The folder that `--registry` names, before a command of the group."""


def _in_registry(registry: RegistryFolder = None) -> None:
    _registry[:] = [registry]


site = CommandGroup(
    "Let collections of several houses search each other without showing their texts.", SITE_HELP, options=_in_registry
)


@site.command(ASK_HELP)
@with_options_of(screen, without=["param"])
def ask(
    sites: Asked = "all",
    share_matched: ShareMatched = False,
    ask_whole: AskWhole = False,
    private: Private = False,
    param: OfAsking = None,
    **given: Any,
) -> int:
    """Find the sentences of a file in a collection, and ask other sites for what it does not have."""
    from pmbf.sites import Sites

    known = _opened()
    asked = Sites(
        known, known.named(sites), texts=share_matched, whole=ask_whole, private=private, **params.of(param, WAITING)
    )
    return screened(**given, param=param, sites=asked)


@site.command(INIT_HELP)
def init(
    name: Site,
    address: Annotated[str, option("--address", "HOST:PORT", "Where others ask us (default: nowhere).")] = "",
    contact: Annotated[str, option("--contact", "TEXT", "Whom others may ask about a withheld text.")] = "",
    key: Annotated[str | None, option("--key", "FILE", "The federation key of the sites that we join.")] = None,
) -> None:
    """Make a registry with a new certificate."""
    from pmbf.sites import init as made_registry

    made = made_registry(_folder(), name, address=address, contact=contact, key=Path(key) if key else None)
    print_text(f"{made.own.name}: certificate {made.own.fingerprint.hex()}\n")


@site.command(PLAIN_HELP)
def card() -> None:
    """Print our card, for other sites to add."""
    print_text(json.dumps(asdict(_opened().own), indent=1) + "\n")


@site.command(ADD_HELP)
def add(
    card: Annotated[str, names("CARD", "What `pmbf site card` printed there.")],
    level: LevelOption = None,
    new: Annotated[bool, flag("--replace", "Put the card in the place of another one of the same name.")] = False,
) -> None:
    """Add a site, or put a new card in the place of its old one with `--replace`."""
    from pmbf.sites import Partner, read_card
    from pmbf.sites.registry import look

    known, found = _opened(), read_card(Path(card))
    if found.name == known.own.name:
        raise ParameterError(f"{card}: is a card of {found.name}, which is our own name")
    others = {known.own.name, *known.partners} - {found.name}
    if like := [one for one in sorted(others) if look(one) == look(found.name)]:
        raise ParameterError(f"{card}: the name {found.name} looks like {like[0]}, which the registry has")
    before = known.partners.get(found.name, Partner(found))
    if before.card != found and not new:
        raise ParameterError(
            f"{card}: is another card of {found.name} than that of the registry (certificate {found.fingerprint.hex()} "
            f"in place of {before.card.fingerprint.hex()}); ask the site by another channel, then add --replace"
        )
    known.with_partner(replace(before, card=found, level=level or before.level)).stored()
    print_text(f"{found.name}: certificate {found.fingerprint.hex()}\n")


@site.command(PLAIN_HELP)
def remove(name: Site) -> None:
    """Take a site out: it is asked no more, and answered no more."""
    known = _opened()
    known.partner(name)
    replace(known, partners={one: it for one, it in known.partners.items() if one != name}).stored()


@site.command(PLAIN_HELP, "list")
def list_(json: arg.Json = False) -> None:
    """List the sites, their addresses, and how much each of them is shown."""
    from pmbf.cli.shown.sites import listed_text, listed_values

    known = _opened()
    print_json(listed_values(known)) if json else print_text(listed_text(known))


@site.command(POLICY_HELP)
def policy(
    name: AnySite = None,
    level: LevelOption = None,
    units_a_day: Annotated[
        int | None, option("--units-a-day", "N", "Units that the site may ask for in a day (at first 20,000).", least=0)
    ] = None,
) -> None:
    """Show or set how much of a found document other sites are shown."""
    from pmbf.cli.shown.sites import listed_text

    known = _opened()
    if name is not None:
        partner = replace(known.partner(name), **given(level=level, units_a_day=units_a_day))
        known = known.with_partner(partner)
    elif units_a_day is not None:
        raise ParameterError("--units-a-day is given without the name of a site")
    else:
        known = replace(known, **given(level=level))
    if level or units_a_day is not None:
        known.stored()
    print_text(listed_text(known))


@site.command(LOG_HELP)
def log(json: arg.Json = False) -> None:
    """Print what was asked, of us and by us, and compare each line with the one before."""
    from pmbf.cli.shown.sites import log_line
    from pmbf.sites import auditlog

    for line in auditlog.lines(_opened().log_file):
        print_json(line) if json else print_text(log_line(line))


@site.command(SERVE_HELP)
def serve(
    collection: arg.CollectionFolder = None,
    listen: Annotated[str | None, option("--listen", "HOST:PORT", "Listen here (default: at our address).")] = None,
    private: Annotated[
        bool, flag("--private", "Answer private questions, too: 0.2 ms for each key at first (extra psi).")
    ] = False,
    verbose: Annotated[bool, flag("--log", "A line on stderr for each answer: sizes, time.")] = False,
) -> int:
    """Answer other sites from a collection that has sentences."""
    from pmbf.sites import server
    from pmbf.sites.registry import parse_address
    from pmbf.sites.tagging import TagSet

    known = _opened()
    address = listen or known.own.address
    if not address:
        raise ParameterError(f"{known.own.name} has no address; name one with --listen")
    folder = Path(in_a_folder(named_collection(collection)))
    tagging = partial(TagSet, known.folder, note) if private else None
    server.run(
        known, folder, parse_address(address), lambda what: note(f"serving {what}"), tagging=tagging, is_logged=verbose
    )
    return DONE


def _opened() -> Registry:
    from pmbf.sites import opened

    return opened(_folder())


def _folder() -> Path:
    from pmbf.sites import usual_folder

    return Path(_registry[0]) if _registry[0] else usual_folder()
