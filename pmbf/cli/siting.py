"""`pmbf site`: the sites that search each other, and the options of `pmbf screen` that ask them."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from pmbf.base.errors import DONE, ParameterError
from pmbf.cli import arguments as arg
from pmbf.cli.arguments import flag, names, option
from pmbf.cli.groups import PmbfCommand, PmbfGroup
from pmbf.cli.inputs import given, named_collection
from pmbf.cli.outcome import note, print_json, print_text

if TYPE_CHECKING:
    from pmbf.sites import Registry, Sites

SITES = "Sites: other collections, see pmbf site"

SITE_HELP = """Examples:
  pmbf site init north --address north.example:8443 --contact library@north.example
  pmbf site card > north.json           for the other sites
  pmbf site add south.json              a card that they gave
  pmbf site serve -c theses.pmbf
  pmbf screen draft.docx -c theses.pmbf --sentences --sites all

A registry is a folder with our certificate, the federation key, the sites that
we know, how much each of them is shown, and a log. docs/sites.md says more."""
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

app = typer.Typer(cls=PmbfGroup, no_args_is_help=True, rich_markup_mode="rich")

RegistryFolder = Annotated[
    str | None,
    option("--registry", "FOLDER", "The registry of sites (default: ~/.config/pmbf/sites).", SITES,
           envvar="PMBF_REGISTRY"),
]  # fmt: skip
Asked = Annotated[
    str | None, option("--sites", "all|NAME,…", "Ask sites for sentences that the collection does not have.", SITES)
]
ShareMatched = Annotated[
    bool,
    flag("--share-matched", "Send sites the words of units that they may have, so that they compare them.", SITES),
]
AskWhole = Annotated[bool, flag("--ask-whole", "Ask sites for all sentences, not only for those not found.", SITES)]
Private = Annotated[
    bool, flag("--private", "Ask so that sites learn only how many keys were asked (extra psi); they claim.", SITES)
]
Deadline = Annotated[float | None, option("--deadline", "SECONDS", "Wait no longer for sites (default: 30).", SITES)]
Site = Annotated[str, names("NAME", "Of a site: small letters, digits, dashes.")]
AnySite = Annotated[str | None, names("NAME", "A site; without one, all that have no level of their own.")]
LevelOption = Annotated[
    Literal["closed", "none", "private", "count", "title", "excerpt", "text"] | None,
    option("--level", "LEVEL", "How much of a found document is shown."),
]


@app.callback(epilog=SITE_HELP)
def _site() -> None:
    """Let collections of several houses search each other without showing their texts."""


@app.command(cls=PmbfCommand, epilog=INIT_HELP)
def init(
    name: Site,
    address: Annotated[str, option("--address", "HOST:PORT", "Where others ask us (default: nowhere).")] = "",
    contact: Annotated[str, option("--contact", "TEXT", "Whom others may ask about a withheld text.")] = "",
    key: Annotated[str | None, option("--key", "FILE", "The federation key of the sites that we join.")] = None,
    registry: RegistryFolder = None,
) -> None:
    """Make a registry with a new certificate."""
    from pmbf.sites import init as made_registry

    made = made_registry(_folder(registry), name, address=address, contact=contact, key=Path(key) if key else None)
    print_text(f"{made.own.name}: certificate {made.own.fingerprint.hex()}\n")


@app.command(cls=PmbfCommand, epilog=PLAIN_HELP)
def card(registry: RegistryFolder = None) -> None:
    """Print our card, for other sites to add."""
    print_text(json.dumps(asdict(_opened(registry).own), indent=1) + "\n")


@app.command(cls=PmbfCommand, epilog=ADD_HELP)
def add(
    card: Annotated[str, names("CARD", "What `pmbf site card` printed there.")],
    level: LevelOption = None,
    new: Annotated[bool, flag("--replace", "Put the card in the place of another one of the same name.")] = False,
    registry: RegistryFolder = None,
) -> None:
    """Add a site, or put a new card in the place of its old one with `--replace`."""
    from pmbf.sites import Partner, read_card
    from pmbf.sites.names import look

    known, found = _opened(registry), read_card(Path(card))
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


@app.command(cls=PmbfCommand, epilog=PLAIN_HELP)
def remove(name: Site, registry: RegistryFolder = None) -> None:
    """Take a site out: it is asked no more, and answered no more."""
    known = _opened(registry)
    known.partner(name)
    replace(known, partners={one: it for one, it in known.partners.items() if one != name}).stored()


@app.command("list", cls=PmbfCommand, epilog=PLAIN_HELP)
def list_(json: arg.Json = False, registry: RegistryFolder = None) -> None:
    """List the sites, their addresses, and how much each of them is shown."""
    from pmbf.cli.shown.sites import listed_text, listed_values

    known = _opened(registry)
    print_json(listed_values(known)) if json else print_text(listed_text(known))


@app.command(cls=PmbfCommand, epilog=POLICY_HELP)
def policy(
    name: AnySite = None,
    level: LevelOption = None,
    units_a_day: Annotated[
        int | None, option("--units-a-day", "N", "Units that the site may ask for in a day (at first 20,000).", min=0)
    ] = None,
    registry: RegistryFolder = None,
) -> None:
    """Show or set how much of a found document other sites are shown."""
    from pmbf.cli.shown.sites import listed_text

    known = _opened(registry)
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


@app.command(cls=PmbfCommand, epilog=LOG_HELP)
def log(json: arg.Json = False, registry: RegistryFolder = None) -> None:
    """Print what was asked, of us and by us, and compare each line with the one before."""
    from pmbf.cli.shown.sites import log_line
    from pmbf.sites import auditlog

    for line in auditlog.lines(_opened(registry).log_file):
        print_json(line) if json else print_text(log_line(line))


@app.command(cls=PmbfCommand, epilog=SERVE_HELP)
def serve(
    collection: arg.CollectionFolder = None,
    listen: Annotated[str | None, option("--listen", "HOST:PORT", "Listen here (default: at our address).")] = None,
    private: Annotated[
        bool, flag("--private", "Answer private questions, too: 0.2 ms for each key at first (extra psi).")
    ] = False,
    verbose: Annotated[bool, flag("--log", "A line on stderr for each answer: sizes, time.")] = False,
    registry: RegistryFolder = None,
) -> None:
    """Answer other sites from a collection that has sentences."""
    from pmbf.sites import server
    from pmbf.sites.names import parse_address
    from pmbf.sites.tagging import TagSet

    known = _opened(registry)
    address = listen or known.own.address
    if not address:
        raise ParameterError(f"{known.own.name} has no address; name one with --listen")
    folder = Path(named_collection(collection))
    tagging = partial(TagSet, known.folder, note) if private else None
    server.run(
        known, folder, parse_address(address), lambda what: note(f"serving {what}"), tagging=tagging, is_logged=verbose
    )
    raise typer.Exit(DONE)


def sites_of(names: str | None, registry: str | None, options: dict[str, Any]) -> Sites | None:
    """Return the sites that a screening asks; None if it asks none.

    Raises:
        ParameterError: An option of sites is given without `--sites`.
        NotFoundError: There is no registry, or no such site.
    """
    if names is None:
        if options:
            named = {"texts": "share-matched", "whole": "ask-whole", "seconds": "deadline", "private": "private"}[
                min(options)
            ]
            raise ParameterError(f"--{named} is given without --sites")
        return None
    from pmbf.sites import Sites

    known = _opened(registry)
    return Sites(known, known.named(names), **options)


def _opened(registry: str | None) -> Registry:
    from pmbf.sites import opened

    return opened(_folder(registry))


def _folder(registry: str | None) -> Path:
    from pmbf.sites import usual_folder

    return Path(registry) if registry else usual_folder()
