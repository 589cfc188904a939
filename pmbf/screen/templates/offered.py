"""The templates that a service offers by name: those of pmbf, and the files that its operator names."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from pmbf.base.errors import ParameterError
from pmbf.screen.templates.parsing import SHIPPED, load_template

Offered = Mapping[str, str]
"""By the name that clients send: what `template_of` takes, a name of pmbf or an absolute path."""


def offered(files: Iterable[str] = ()) -> Offered:
    """Return the templates that clients may choose. They choose by name; a path that a client sends is no name.

    Args:
        files: Files in TOML; each is read once here, so that a wrong one is told before a client asks.

    Raises:
        ParameterError: A file is wrong, or two templates have one name.
        UnsupportedError, NotFoundError, IncompleteError, OSError: As for `load_template`.

    >>> list(offered())
    ['contract', 'proposal', 'thesis']
    """
    found = {name: name for name in SHIPPED}
    for file in files:
        name = load_template(file).name
        if name in found:
            raise ParameterError(f"{file}: a template is named {name!r} already; give this one another name")
        found[name] = os.path.abspath(file)
    return found


def chosen(name: str, templates: Offered) -> str:
    """Return the template of a name, as `template_of` takes it.

    Raises:
        ParameterError: There is no template of that name.

    >>> chosen("/etc/passwd", offered())
    Traceback (most recent call last):
    pmbf.base.errors.ParameterError: there is no template '/etc/passwd'; there are contract, proposal, thesis
    """
    if name not in templates:
        raise ParameterError(f"there is no template {name!r:.200}; there are {', '.join(templates)}")
    return templates[name]
