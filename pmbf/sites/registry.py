"""The registry: a folder with who we are, the sites that we know, and how much of our collection each of them sees.

    registry/registry.json     our name, address, contact; the sites with their certificates and levels
    registry/certificate.pem   shows to others who we are
    registry/private.pem       proves it; only its owner may read it
    registry/federation.key    the secret that all sites share: keys of tasks are made of it
    registry/psi.key, psi.tags our own secret for private questions, and what it made of our keys
    registry/tags/NAME         what sites gave that answer private questions
    registry/questions/        about which units of ours each site has asked today
    registry/log.jsonl         what was asked, of us and by us

A *card* is a small JSON file with name, address, contact and certificate: what one site gives to another.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import shutil
import ssl
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, ClassVar, Literal, get_args

from pmbf.base.contents import read_bounded
from pmbf.base.errors import CorruptError, NotFoundError, ParameterError, UnsupportedError
from pmbf.report.as_json import made, plain
from pmbf.store import folders
from pmbf.store.ownership import is_open_to_others, mode_of
from pmbf.store.sitekey import SiteKey, read_key, read_or_make_key

FORMAT = 1
Level = Literal["closed", "none", "private", "count", "title", "excerpt", "text"]
LEVELS: tuple[Level, ...] = get_args(Level)
"""How much of a found document a site is shown, ascending. docs/sites.md says what each level means."""

USUAL_UNITS_A_DAY = 20_000
DAYS = 3650
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
_ADDRESS = re.compile(r"(\[[0-9a-fA-F:]+\]|[A-Za-z0-9.-]{1,253}):([0-9]{1,5})")
_LOOKS = str.maketrans({"0": "o", "1": "l", "i": "l", "5": "s", "-": ""})
_CARD_BYTES, _CONTACT_CHARS = 20_000, 200


@dataclass(frozen=True, slots=True)
class Card:
    """What a site tells others of itself; `ParameterError` for a value that is malformed.

    Args:
        name: Small letters, digits and dashes.
        address: `HOST:PORT`; empty if the site only asks.
        contact: Whom to ask about a withheld text.
        certificate: PEM.
    """

    name: str
    address: str
    contact: str
    certificate: str

    def __post_init__(self) -> None:
        require_name(self.name)
        if not all(isinstance(value, str) for value in (self.address, self.contact, self.certificate)):
            raise ParameterError(f"the card of {self.name} has something that is no text")
        if self.address:
            parse_address(self.address)
        if len(self.contact) > _CONTACT_CHARS or not self.contact.isprintable():
            raise ParameterError(f"the contact of {self.name} is no line of up to {_CONTACT_CHARS} characters")
        _ = self.fingerprint

    @property
    def fingerprint(self) -> bytes:
        """SHA-256 of the certificate: people compare it, programs know a site by it."""
        try:
            return hashlib.sha256(ssl.PEM_cert_to_DER_cert(self.certificate)).digest()
        except ValueError:
            raise ParameterError(f"the certificate of {self.name} is no PEM") from None


@dataclass(frozen=True, slots=True)
class Partner:
    """A site that the registry knows, and what it may ask.

    Args:
        card: What it told of itself.
        level: How much it is shown; None: the registry's own level.
        units_a_day: Units that it may ask for in a day.
    """

    WHOLE: ClassVar[bool] = True

    card: Card
    level: Level | None = None
    units_a_day: Annotated[int, 2**63] = USUAL_UNITS_A_DAY

    @property
    def name(self) -> str:
        return self.card.name


@dataclass(frozen=True, slots=True)
class Registry:
    """A registry, as it was read; a partner without a level of its own is shown `level`."""

    folder: Path
    own: Card
    level: Level = "count"
    partners: Mapping[str, Partner] = field(default_factory=dict)

    def level_of(self, partner: Partner) -> Level:
        return partner.level or self.level

    def known_by(self, fingerprint: bytes) -> Partner | None:
        return next((one for one in self.partners.values() if one.card.fingerprint == fingerprint), None)

    def named(self, names: str) -> list[Partner]:
        """Return the partners that `all` or a list of names with commas names; of `all` those with an address.

        `NotFoundError`: there is no such partner, or none at all. `ParameterError`: a named partner has no address.
        """
        if names == "all":
            found = [one for one in self.partners.values() if one.card.address]
            if not found:
                raise NotFoundError(f"{self.folder}: knows no site with an address; add one with `pmbf site add CARD`")
            return found
        found = [self.partner(name.strip()) for name in names.split(",")]
        for one in found:
            if not one.card.address:
                raise ParameterError(f"the site {one.name} has no address: it asks others, and cannot be asked")
        return list({one.name: one for one in found}.values())

    def partner(self, name: str) -> Partner:
        """Return a partner by name; raise `NotFoundError` if there is none."""
        if name not in self.partners:
            raise NotFoundError(f"{self.folder}: knows no site {name!r}; `pmbf site list` shows those it knows")
        return self.partners[name]

    def federation_key(self) -> SiteKey:
        """Return the federation key; raise what `read_key` raises."""
        return read_key(self.folder / "federation.key")

    def own_secret(self) -> bytes:
        """Return 32 bytes that nobody can know who has not our private key."""
        return hashlib.blake2b(self.private_file.read_bytes(), person=b"pmbf-own", digest_size=32).digest()

    @property
    def certificate_file(self) -> Path:
        return self.folder / "certificate.pem"

    @property
    def private_file(self) -> Path:
        return self.folder / "private.pem"

    @property
    def log_file(self) -> Path:
        return self.folder / "log.jsonl"

    def stored(self) -> Registry:
        """Write the registry, in place of what was there, and return it."""
        values = plain(_RegistryFile(FORMAT, self.own, self.level, tuple(self.partners.values())))
        with folders.replacing(_file(self.folder)) as file:
            file.write(json.dumps(values, indent=1, ensure_ascii=False).encode() + b"\n")
        return self

    def with_partner(self, partner: Partner) -> Registry:
        """Return the registry with a partner more, or with a partner changed."""
        return replace(self, partners={**self.partners, partner.name: partner})


@dataclass(frozen=True, slots=True)
class _RegistryFile:
    """What `registry.json` holds."""

    format: Annotated[int, FORMAT]
    own: Card
    level: Level
    partners: tuple[Partner, ...]


def init(folder: Path, name: str, *, address: str = "", contact: str = "", key: Path | None = None) -> Registry:
    """Make a registry with a new certificate, in a folder that holds none.

    Args:
        name: Of our site.
        address: Where we can be asked, `HOST:PORT`; empty if we only ask.
        contact: Whom others may ask about a withheld text.
        key: A federation key to join with; None makes a new one.

    `ParameterError`: there is a registry, or a value is malformed. `UnsupportedError`: the program `openssl` is not
    installed. `NotFoundError`, `CorruptError`: there is no such key, or the file is none.
    """
    if _file(folder).exists():
        raise ParameterError(f"{folder}: holds a registry already")
    joined = read_key(key) if key else None
    require_name(name)
    if address:
        parse_address(address)  # before anything is written
    folders.make_folder(folder, mode=0o700)
    own = Card(name, address, contact, _new_certificate(folder, name))
    made = Registry(folder, own)
    if joined and key:
        with folders.replacing(folder / "federation.key") as file:
            file.write(key.read_bytes())
    else:
        read_or_make_key(folder / "federation.key")
    return made.stored()


def opened(folder: Path) -> Registry:
    """Return the registry in a folder.

    `NotFoundError`: there is none. `ParameterError`: others may write to it, or read the private key. `CorruptError`,
    `UnsupportedError`: it is damaged, or of a newer pmbf.
    """
    path = _file(folder)
    try:
        status, content = path.stat(), path.read_bytes()
        secret = (folder / "private.pem").stat()
    except FileNotFoundError:
        making = f"pmbf site --registry {shlex.quote(str(folder))} init NAME"
        raise NotFoundError(f"{folder}: holds no registry of sites; make one with `{making}`") from None
    for what, found, is_secret in (("registry.json", status, False), ("private.pem", secret, True)):
        if is_open_to_others(found, secret=is_secret):
            raise ParameterError(f"{folder}/{what}: mode {mode_of(found):04o} is open to others; expected 0600")
    try:
        values = json.loads(content)
        if values["format"] > FORMAT:
            raise UnsupportedError(f"{path}: was written by a newer pmbf; upgrade pmbf")
        found = made(_RegistryFile, values)
        return Registry(folder, found.own, found.level, {one.name: one for one in found.partners})
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise CorruptError(f"{path}: is damaged ({error}); take it from a backup") from None


def read_card(path: Path) -> Card:
    """Return the card in a file.

    Raise `ParameterError` if it is none, and what `pmbf.base.contents.read_bounded` raises.
    """
    raw = read_bounded(path, _CARD_BYTES, hint="a card of a site is smaller")
    try:
        card: Card = made(Card, json.loads(raw))
        _require_one_certificate(card)
        return card
    except (ValueError, TypeError, RecursionError) as error:
        raise ParameterError(f"{path}: is no card of a site ({error}); expected what `pmbf site card` writes") from None


def _require_one_certificate(card: Card) -> None:
    """Refuse a card whose certificate TLS could not use: a server with it in the registry would not start."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        context.load_verify_locations(cadata=card.certificate)
    except ssl.SSLError:
        raise ParameterError(f"the certificate of {card.name} is none") from None
    if context.cert_store_stats()["x509"] != 1:
        raise ParameterError(f"the card of {card.name} has several certificates, expected one")


def usual_folder() -> Path:
    """Return where the registry is if no other folder is named."""
    base = os.environ.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")
    return Path(base, "pmbf", "sites")


def _file(folder: Path) -> Path:
    return folder / "registry.json"


def _new_certificate(folder: Path, name: str) -> str:
    """Make a private key and a certificate that it signs itself; return the certificate.

    Partners trust this very certificate and no authority, so that it can sign no other.
    """
    program = shutil.which("openssl")
    if not program:
        raise UnsupportedError("certificates are made with the program openssl, which is not installed")
    private, certificate = folder / "private.pem", folder / "certificate.pem"
    command = [program, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-sha256"]
    command += ["-keyout", str(private), "-out", str(certificate), "-days", str(DAYS), "-subj", f"/CN={name}"]
    command += ["-addext", "basicConstraints=critical,CA:FALSE"]
    before = os.umask(0o077)
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    finally:
        os.umask(before)
    if done.returncode:
        raise UnsupportedError(f"openssl made no certificate: {done.stderr.strip()[-200:]}")
    return certificate.read_text(encoding="ascii")


# ---------------------------------------------------------------------- names and addresses


def require_name(name: object) -> None:
    """Refuse what is no name of a site: files are named after it.

    `ParameterError`: it is no text of up to 40 small letters, digits and dashes.
    """
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ParameterError(f"{name!r:.80} is no name of a site, expected up to 40 small letters, digits, dashes")


def look(name: str) -> str:
    """Return a name as a hurried reader sees it: two names of one look must not stand in a registry.

    >>> look("north-1ibrary") == look("n0rthlibrary"), look("north") == look("south")
    (True, False)
    """
    return name.translate(_LOOKS).replace("rn", "m").replace("vv", "w")


def parse_address(text: str) -> tuple[str, int]:
    """Return host and port; raise `ParameterError` if the text is none."""
    found = _ADDRESS.fullmatch(text)
    if not found or not 0 < int(found[2]) < 65536:
        raise ParameterError(f"{text!r:.80} is no address, expected HOST:PORT")
    return found[1].strip("[]"), int(found[2])
