"""Regular expressions of users, compiled by RE2: names and texts come from others, and `re` needs years for some."""

from __future__ import annotations

from typing import Any

from pmbf.base.errors import ParameterError, UnsupportedError


def compiled(expression: str, flags: str = "", *, instead: str = "") -> Any:
    """Return a regular expression as RE2 has compiled it; a search takes a time that grows with the text, not faster.

    Flags are such as `im`: without case, `^` and `$` at the ends of lines. `instead` is what a user can do who has no
    RE2.

    Raises:
        UnsupportedError: RE2 is not installed.
        ParameterError: RE2 does not take the expression.
    """
    try:
        import re2
    except ImportError:
        re2 = None
    if not hasattr(re2, "Options"):
        told = "a regular expression needs the extra 'templates'; run: pip install 'pmbf[templates]'"
        raise UnsupportedError(told + (f", or {instead}" if instead else ""), missing_extra="templates")
    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(f"(?{flags}){expression}" if flags else expression, options)
    except re2.error as error:
        [said] = error.args
        why = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
        raise ParameterError(f"RE2 does not take the pattern {expression!r:.200}: {why:.200}") from None
    except UnicodeEncodeError:
        raise ParameterError(f"{expression!r:.200} is no regular expression: it has half a character") from None


def searchable(name: str) -> str:
    """Return a name that RE2 takes, of the same length: bytes that are no UTF-8 are `?`."""
    return name if name.isascii() else name.encode("utf-8", "replace").decode()
