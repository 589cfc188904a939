"""What a shell's completion offers for collections and their documents. If there is nothing, then it offers files."""

from __future__ import annotations

import glob
import os
from itertools import islice
from typing import Any

from pmbf.base.errors import PmbfError
from pmbf.store.telling import is_collection, is_depot

_MOST_OFFERED = 200


def collections(incomplete: str) -> list[str]:
    """Return the collections whose path begins with what was typed."""
    return sorted(one for one in glob.glob(glob.escape(incomplete) + "*") if is_collection(one) or is_depot(one))


def documents(ctx: Any, incomplete: str) -> list[str]:
    """Return the paths of documents that begin with what was typed, below the current folder as relative paths."""
    from pmbf.collection import Collection

    try:
        with Collection(ctx.params.get("collection") or "") as opened:
            shown = (_as_typed(path, incomplete) for one in opened for path in one.paths)
            return sorted(islice((path for path in shown if path.startswith(incomplete)), _MOST_OFFERED))
    except (PmbfError, OSError):
        return []


def _as_typed(path: str, incomplete: str) -> str:
    below = os.path.join(os.getcwd(), "")
    return path.removeprefix(below) if not os.path.isabs(incomplete) else path
