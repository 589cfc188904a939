"""A collection is compared with itself, and rebuilt: its store, its sentences, its similarities."""

from __future__ import annotations

import os

from pmbf.alike.similar import checking as similar
from pmbf.sentences import building as sentences
from pmbf.store import check as checking
from pmbf.store import repair as repairing
from pmbf.store.check import CheckReport
from pmbf.store.folder import Store


def check(store: Store) -> CheckReport:
    """Return what is wrong with a collection; see `Collection.check`."""
    report = checking.check(store)
    report.problems += similar.problems(store) + sentences.problems(store)
    return report


def repair(path: str | os.PathLike[str]) -> CheckReport:
    """Rebuild the damaged parts of a collection from the whole ones. Damaged similarities are deleted; sentences that
    are damaged or do not fit any more are made anew.

    Raises:
        CorruptError: The catalog itself is damaged.
        UnsupportedError: Another pmbf wrote a file of the folder; nothing is rewritten.
        BusyError: Another process is writing.
    """
    with Store(path, writable=True, trusting=True) as store:
        report = repairing.repair(store)
        if damaged := similar.problems(store):
            report.problems += damaged
            similar.give_up(store)
            report.repaired.append(f"similarities deleted: compute them with `pmbf similar update -c {store.folder}`")
        if damaged := sentences.problems(store):
            report.problems += damaged
            report.repaired.append(sentences.made_anew(store))
        return report
