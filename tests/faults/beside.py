"""What the tests of damaged tables beside a collection share: a collection that has them, and every way to ask it."""

import random
import struct

from conftest import words

from pmbf import Collection, PmbfError
from pmbf.alike.similar import Similarities, update
from pmbf.report import Report
from tests.sentences.texts import text

PAGE = 4096
BLOCK = 512
TEXTS = {f"text-{number:02}": text(*range(4 * number, 4 * number + 6)) for number in range(24)}
QUERY = "\n\n".join([TEXTS["text-03"], text(900, 901), TEXTS["text-11"], words(77, 40), TEXTS["text-20"]])
PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(range(256))
RULES = {"keep": 1, "min_shared": 1, "n_words": 3}


def made(path):
    """Return a collection with labels, sentences and similarities, where documents have left."""
    with Collection(path, create=True) as collection:
        collection.add_many(TEXTS.items())
        collection.label([*TEXTS][::2], {"author": "berg"})
        collection.add_many([("gone", words(50)), ("left", TEXTS["text-05"] + " " + text(800))])
        collection.build_sentences()
        update(path, **RULES)
        (path.parent / "picture.png").write_bytes(PICTURE)
        collection.load([path.parent / "picture.png"])
        collection.remove("gone")
        update(path)
        collection.remove("left")
    return path


def screened(path):
    with Collection(path) as collection:
        report = collection.screen(QUERY)
        return told(report), [(one.document, one.passages) for one in report.matches]


def screened_by_labels(path):
    with Collection(path) as collection:
        report = collection.screen(QUERY, where_not={"author": ["berg"]})
        return told(report), [(one.document, one.passages) for one in report.matches]


def same_file(path):
    with Collection(path) as collection:
        report = collection.screen(PICTURE, name="picture.png")
        return told(report), [one.document for one in report.matches]


def found_by_name(path):
    with Collection(path) as collection:
        return [], [name in collection for name in (*TEXTS, *range(1, 30))]


def told(report):
    """Return what a report says is missing from it."""
    sources = report.matches if isinstance(report, Report) else report.sources
    problems = [one.problem for one in sources]
    return [*report.problems, *filter(None, problems)]


def screened_by_sentences(path):
    with Collection(path) as collection:
        report = collection.screen_sentences(QUERY)
        return told(report), (report.sentences, report.sources)


def sentences_status(path):
    with Collection(path) as collection:
        return [], collection.sentences_status()


def listed(path):
    with Collection(path) as collection:
        return [], [*collection.documents()]


def listed_by_labels(path):
    with Collection(path) as collection:
        return [], [one.fitting({"author": ["berg"]}, {}) for one in collection.documents()]


def texts(path):
    with Collection(path) as collection:
        return [], [collection.text(number) for number in range(1, len(TEXTS) + 1)]


def shown(path):
    with Similarities(path) as similarities:
        return [], [similarities.of(name) for name in TEXTS]


def similar_pairs(path):
    with Similarities(path) as similarities:
        return [], similarities.pairs(1000)


def clusters(path):
    with Similarities(path) as similarities:
        return [], similarities.clusters(0.2)


def exported(path):
    with Similarities(path) as similarities:
        return [], [*similarities.rows()]


def similar_status(path):
    with Similarities(path) as similarities:
        return [], similarities.status().to_dict()


def checked(path):
    with Collection(path) as collection:
        return collection.check().problems, None


WAYS = {
    "screen": screened,
    "screen --where !=": screened_by_labels,
    "screen PICTURE": same_file,
    "by name": found_by_name,
    "sentences screen": screened_by_sentences,
    "sentences status": sentences_status,
    "list": listed,
    "list --where": listed_by_labels,
    "text": texts,
    "similar show": shown,
    "similar pairs": similar_pairs,
    "similar clusters": clusters,
    "similar export": exported,
    "similar status": similar_status,
    "check": checked,
}


def answers(path):
    """Return the answer of each way."""
    return {name: ask(path) for name, ask in WAYS.items()}


def wrong(path, expected):
    """Return what is wrong by way; nothing of a way whose answer is right, or tells the damage."""
    found = {}
    for name, ask in WAYS.items():
        try:
            problems, answer = ask(path)
        except (PmbfError, OSError) as error:
            if str(path) not in str(error):
                found[name] = f"names no file: {error}"
        except Exception as error:
            found[name] = f"{type(error).__name__}: {error}"
        else:
            if not problems and answer != expected[name][1]:
                found[name] = f"silent: {answer}"
    return found


def blocks(content):
    """Return the first byte of each block that is not all zeros."""
    return [at for at in range(0, len(content), BLOCK) if any(content[at : at + BLOCK])]


def head_bits(content, name):
    """Return the bits of the heads: of SQLite's pages, those that say where the rows are; else of the first page."""
    if not name.endswith((".sqlite", ".db")):
        return range(8 * min(PAGE, len(content)))
    found = []
    for start in range(0, len(content), PAGE):
        head = start + (100 if start == 0 else 0)
        kind, _, n_cells, _ = struct.unpack_from(">BHHH", content, head)
        found += range(8 * start, 8 * (head + (12 if kind in (2, 5) else 8) + 2 * min(n_cells, 200)))
    return found


def sample(places, most, seed):
    """Return some of the places, the same ones each time; all if `most` is `all`."""
    places = list(places)
    return places if most == "all" else random.Random(seed).sample(places, min(int(most), len(places)))
