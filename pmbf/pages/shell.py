"""The shell of every page: one self-contained HTML file that sends no request, and how it is written.

    page(title, body, styles=("evidence.css",), scripts=("theme.js", …), values=…)

Styles and scripts are files of `assets/`, joined here; nothing is built when pmbf is installed. A strict
Content-Security-Policy names the one style and the one script by their SHA-256. So the browser refuses whatever else a
text or a name could smuggle in, and every request.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import os
import tempfile
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from pmbf.base.contents import require_replaceable
from pmbf.pages.markup import escaped

BASE_STYLE, THEME_SCRIPT = "base.css", "theme.js"
"""Every page has the style with the colours of both themes, and the button that changes the theme."""

_FIRST_SCRIPT = 'document.documentElement.classList.add("js")'
"""Runs before the body is laid out, so that a long text is laid out once."""


def page(
    title: str,
    body: str,
    *,
    styles: Sequence[str] = (),
    scripts: Sequence[str] = (),
    rules: str = "",
    embedded: Sequence[str] = (),
) -> str:
    """Return a whole HTML file.

    Args:
        title: The title, not escaped.
        body: HTML inside `<body>`; it holds no `style=` and no script.
        styles, scripts: Names in `assets/`, after `BASE_STYLE` and `THEME_SCRIPT`; scripts run in this order.
        rules: Further CSS, made for this page.
        embedded: What scripts read: `embedded_json` and `embedded_packed`.
    """
    style = "".join(asset(name) for name in (BASE_STYLE, *styles)) + rules
    joined = "".join(asset(name) for name in (THEME_SCRIPT, *scripts))
    script = f'(() => {{\n"use strict";\n{joined}}})();\n'
    allowed = f"style-src {_sha256(style)}; script-src {_sha256(_FIRST_SCRIPT)} {_sha256(script)}"
    policy = f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n<meta name="robots" content="noindex">\n'
        '<meta name="generator" content="pmbf">\n'
        f"<title>{escaped(title)}</title>\n<style>{style}</style>\n<script>{_FIRST_SCRIPT}</script>\n</head>\n<body>\n"
        f"{body}\n{''.join(embedded)}<script>{script}</script>\n</body>\n</html>\n"
    )


def theme_button() -> str:
    """Return the button that changes between the dark and the light theme; without script it is not shown."""
    return '<button type="button" class="scripted" id="theme">Dark</button>'


def embedded_json(name: str, values: Any) -> str:
    r"""Return values for a script to read. No text among them can end the element.

    >>> embedded_json("evidence", ["</script>"])
    '<script type="application/json" id="evidence">["\\u003c/script>"]</script>\n'
    """
    line = json.dumps(values, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    line = line.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    return f'<script type="application/json" id="{name}">{line}</script>\n'


def embedded_packed(name: str, values: Any) -> str:
    """Return values for a script to read, as gzip in base64: a third of the size for texts."""
    line = json.dumps(values, ensure_ascii=False, separators=(",", ":"))
    packed = base64.b64encode(gzip.compress(line.encode(), 9, mtime=0)).decode()
    return f'<script type="application/octet-stream" id="{name}">{packed}</script>\n'


@cache
def asset(name: str) -> str:
    """Return a style sheet or script of `assets/`."""
    return files("pmbf.pages").joinpath("assets", name).read_text(encoding="utf-8")


def _sha256(content: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"


def write_page(path: str | os.PathLike[str], page: str) -> None:
    """Write a file whole: a page that was there before stays until the new one is. A link is replaced, not followed.

    Raises:
        UnsupportedError: The path is a folder, a pipe or a device.
        OSError: The file cannot be written.
    """
    require_replaceable(path)
    folder = os.path.dirname(os.path.abspath(path))
    descriptor, written = tempfile.mkstemp(dir=folder, prefix=".page-", suffix=".tmp")
    try:
        with open(descriptor, "w", encoding="utf-8", errors="backslashreplace", newline="") as file:
            file.write(page)
        os.chmod(written, 0o666 & ~_umask())
        os.replace(written, path)
    except BaseException:
        os.unlink(written)
        raise


def _umask() -> int:
    os.umask(mask := os.umask(0o077))
    return mask
