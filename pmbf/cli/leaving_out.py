"""The options of `pmbf screen` that leave documents out."""

from __future__ import annotations

from typing import Annotated

from pmbf.cli.arguments import flag

LOOKED_AT = "Which documents are looked at"

ExcludeSelf = Annotated[
    bool,
    flag(
        "--exclude-self",
        "Leave out what is listed under the text's own path; identical copies under other paths stay.",
        LOOKED_AT,
    ),
]
