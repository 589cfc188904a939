"""What sites are called and where they are: checked once, where a name or an address comes in."""

from __future__ import annotations

import re

from pmbf.base.errors import ParameterError

_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
_ADDRESS = re.compile(r"(\[[0-9a-fA-F:]+\]|[A-Za-z0-9.-]{1,253}):([0-9]{1,5})")
_LOOKS = str.maketrans({"0": "o", "1": "l", "i": "l", "5": "s", "-": ""})


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
