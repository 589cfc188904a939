"""Mutual TLS: both sides show a certificate, and each trusts exactly those of its registry. No authority is asked."""

from __future__ import annotations

import hashlib
import ssl
from collections.abc import Iterable

from pmbf.base.errors import CorruptError
from pmbf.sites.registry import Card, Registry


def server_context(registry: Registry) -> ssl.SSLContext:
    """Return the context of a site that is asked; raise what `_context` raises."""
    made = _context(registry, ssl.PROTOCOL_TLS_SERVER)
    made.num_tickets = 0  # a session is not taken up again: each connection shows its certificate
    trust(made, (one.card for one in registry.partners.values()))
    return made


def client_context(registry: Registry, card: Card) -> ssl.SSLContext:
    """Return the context of a connection to one site, which trusts that site's certificate alone."""
    made = _context(registry, ssl.PROTOCOL_TLS_CLIENT)
    trust(made, [card])
    return made


def trust(context: ssl.SSLContext, cards: Iterable[Card]) -> None:
    """Let a context accept the certificates of some sites, also while it is in use."""
    for card in cards:
        context.load_verify_locations(cadata=card.certificate)


def fingerprint_of(connection: ssl.SSLObject | ssl.SSLSocket) -> bytes:
    """Return the SHA-256 of the certificate that the other side has shown."""
    return hashlib.sha256(connection.getpeercert(binary_form=True) or b"").digest()


def _context(registry: Registry, protocol: int) -> ssl.SSLContext:
    """Return a context with our certificate; raise `CorruptError` if it and our private key do not fit."""
    made = ssl.SSLContext(protocol)
    made.minimum_version = ssl.TLSVersion.TLSv1_3
    made.check_hostname = False  # a site is known by its certificate, wherever it is
    made.verify_mode = ssl.CERT_REQUIRED
    try:
        made.load_cert_chain(registry.certificate_file, registry.private_file)
    except (ssl.SSLError, OSError) as error:
        raise CorruptError(f"{registry.folder}: certificate and private key cannot be used: {error}") from None
    return made
