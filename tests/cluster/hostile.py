"""Depots that another wrote: lists and manifests with right checksums that say anything at all."""

import hashlib
import json
import os

from pmbf.alike.similar import Similarities, update
from pmbf.base.errors import IncompleteError, PmbfError
from pmbf.cluster.collection import ClusterCollection
from pmbf.cluster.placement import local_nodes
from pmbf.cluster.similar import SpreadDocuments
from pmbf.jobs.executor import Inline
from tests.conftest import words

MISSING = object()
QUERY = words(2, 60) + " " + words(98, 40)


def filled(place):
    """Make a depot of two volumes."""
    with opened(place, create=True) as one:
        one.add_many([("a", words(1, 60)), ("b", words(2, 60)), ("c", words(3, 60) + " " + words(2, 60))])
        one.add_many([("d", words(4, 60)), ("e", words(5, 60) + " " + words(4, 60))])
    return place


def opened(place, **more):
    return ClusterCollection(place, nodes=local_nodes(2), executor=Inline(), **more)


def last(place):
    """Return the path of the last manifest, and what it says."""
    path = max((place / "manifests").iterdir())
    return path, json.loads(path.read_bytes().split(b"\n")[0])


def write_manifest(place, said, name=None):
    """Write something as the last manifest, with the right checksum."""
    path, _ = last(place)
    line = said if isinstance(said, bytes) else json.dumps(said).encode()
    target = path.with_name(name or path.name)
    target.unlink(missing_ok=True)
    target.write_bytes(line + b"\n" + hashlib.sha256(line).hexdigest().encode() + b"\n")


def put(place, content):
    """Store a file of the depot; return its name."""
    name = hashlib.sha256(content).hexdigest()
    path = place / "files" / name[:2] / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    return name


def listed(place):
    """Return the list of the first volume of the last manifest."""
    _, manifest = last(place)
    name = manifest["volumes"][0]["name"]
    return json.loads((place / "files" / name[:2] / name).read_bytes())


def write_list(place, said):
    """Let the last manifest name another list as its first volume."""
    _, manifest = last(place)
    name = put(place, said if isinstance(said, bytes) else json.dumps(said).encode())
    manifest["volumes"][0] |= {"name": name, "key": name}
    write_manifest(place, manifest)


def _screened(one):
    report = one.screen(QUERY)
    for problem in report.problems:
        raise IncompleteError(str(problem))
    return [(match.document.paths, match.passages) for match in report.matches]


def _checked(one):
    for problems in one.check().values():
        raise IncompleteError(problems[0])


def _added(one):
    one.add_many([("new", words(6, 60))])
    return [document.paths for document in one.documents()]


def _removed(one):
    one.remove("a")
    return [document.paths for document in one.documents()]


def _compacted(one):
    one.compact(0)
    return [document.paths for document in one.documents()]


def _status(one):
    for reason in one.status(fetch_all=True).unread.values():
        raise IncompleteError(reason)


def _similar(one):
    if n_unread := update(SpreadDocuments(one)).n_unread:
        raise IncompleteError(f"{n_unread} texts were not read")
    with Similarities(SpreadDocuments(one)) as table:
        return [(found.path, found.other_path, found.shared) for found in table.rows()]


VERBS = {
    "screen": _screened,
    "list": lambda one: [(document.paths, document.n_chars) for document in one.documents()],
    "check": _checked,
    "status": _status,
    "pairs": lambda one: [text for _, text in _texts(one)],
    "similar": _similar,
    "add": _added,
    "remove": _removed,
    "compact": _compacted,
}
"""What may be asked of a collection, those that change it last: an answer, or `PmbfError` where it is not whole."""

CHANGING = ("add", "remove", "compact")


def _texts(one):
    archive = one.archive()
    found = [(document.id, one.text(document.id)) for document in one.documents()]
    for problem in archive.problems:
        raise IncompleteError(problem)
    return found


def outcome(place, verb):
    """Return what a verb answers, or the error that tells why it does not; all other errors leave."""
    try:
        with opened(place) as one:
            return VERBS[verb](one)
    except (PmbfError, OSError) as error:
        return error


def state_of(folder):
    """Return all that is in a folder: names, bytes, links, permissions."""
    return {
        str(one.relative_to(folder)): (
            os.lstat(one).st_mode,
            os.lstat(one).st_nlink,
            one.is_file() and one.read_bytes(),
        )
        for one in sorted(folder.rglob("*"))
    }
