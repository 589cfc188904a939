"""Disguises that are seen through by leaving something out, each tried with passages of several texts."""

import json
import random
import re

import pytest

from tests.conftest import words
from tests.guard.conftest import LIBRARY

COVER = "The committee met on the second day of the month and talked about chairs and tables. "
TEXTS = ("lighthouse-optics.txt", "soil-microbes.txt", "strassenbahn.md", "papier.txt", "chasy.txt")


def passage(name, seed):
    """Return 90 words of a text, from a place on that the seed draws: some 420 letters."""
    found = (LIBRARY / name).read_text(encoding="utf-8").split()
    first = random.Random(seed).randrange(50, len(found) - 140)
    return found[first : first + 90]


def each(put):
    """Return a disguise of each word by itself."""
    return lambda found, chance: " ".join(put(word, number, chance) for number, word in enumerate(found))


def inside(sign):
    return each(
        lambda word, _, __: f"{word[:2]}{sign}{word[2:]}" if word[1:2].isalpha() and word[2:3].isalpha() else word
    )


def after(filler):
    return each(lambda word, number, chance: f"{word} {filler(number, chance)}")


FILLERS = {
    "one word": after(lambda number, chance: "um"),
    "one long word": after(lambda number, chance: "filler"),
    "numbers": after(lambda number, chance: number),
    "one of seven words": after(lambda number, chance: chance.choice(["xx", "yy", "zz", "qq", "ww", "vv", "kk"])),
    "three letters at random": after(lambda number, chance: "".join(chance.choices("abcdefghijklmnop", k=3))),
    "a filler before each word": each(lambda word, _, __: f"sup {word}"),
    "a role of reStructuredText": each(lambda word, _, __: f":sup:`{word}`"),
    "links of Markdown": each(lambda word, _, __: f"[{word}](u)"),
    "a request of troff a word": lambda found, _: "\n".join(f".B {word}" for word in found),
    "after every second word": each(lambda word, number, _: f"{word} um" if number % 2 else word),
}
SIGNS = {
    "braces of LaTeX": inside("{}"),
    "hyphens of LaTeX": inside("\\-"),
    "stars of Markdown": each(lambda word, _, __: f"**{word[:2]}**{word[2:]}"),
    "underscores of Markdown": inside("\\_"),
    **{f"the sign {sign}": inside(sign) for sign in "-'’·/|~"},
}


def whole(put):
    """Return a disguise of a passage as one string."""
    return lambda found, chance: put(" ".join(found))


def pieces(text, n_chars):
    return [text[at : at + n_chars] for at in range(0, len(text), n_chars)]


def selectors(text):
    return "".join(chr(0xFE00 + byte if byte < 16 else 0xE00F0 + byte) for byte in text.encode())


DRAWN = {
    "bold of a manual page": whole(lambda text: re.sub(r"(\w)", "\\1\b\\1", text)),
    "underlined in a manual page": whole(lambda text: re.sub(r"(\w)", "_\b\\1", text)),
    "colours of words": each(lambda word, _, __: f"\x1b[1;31m{word}\x1b[0m"),
    "colours inside words": each(lambda word, _, __: f"\x1b[31m{word[:2]}\x1b[0m{word[2:]}"),
    "links of a terminal": each(lambda word, _, __: f"\x1b]8;;x\x07{word[:2]}\x1b]8;;\x07{word[2:]}"),
    "bytes as variation selectors": whole(selectors),
    "pieces joined by plus": whole(lambda text: " + ".join(f"'{one}'" for one in pieces(text, 3))),
    "pieces joined by dots": whole(lambda text: ".".join(f'"{one}"' for one in pieces(text, 5))),
    "JSON in JSON": whole(lambda text: json.dumps(json.dumps({"a": text}))),
    "JSON in JSON in JSON": whole(lambda text: json.dumps(json.dumps(json.dumps({"a": text})))),
}


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("how", DRAWN)
def test_what_a_program_draws_or_joins_is_read(judge, how, name, seed):
    hidden = DRAWN[how](passage(name, seed), random.Random(seed))
    found = judge(f"{COVER * 3}\n\n{hidden}\n\n{COVER * 3}".encode())
    assert (found.action, found.exit_code) == ("block", 1)


@pytest.mark.parametrize("name", ["lighthouse-optics.txt", "soil-microbes.txt", "bridge-bearings.md"])
def test_tag_letters_are_letters(judge, name):
    hidden = "".join(chr(0xE0000 + ord(char)) for char in " ".join(passage(name, 1)) if char.isascii())
    assert judge(f"{COVER}{hidden}".encode()).action == "block"


def test_codes_that_never_end_and_lone_backspaces_are_no_problem(judge):
    found = judge(f"{COVER}\x1b[\x1b]8;;{COVER * 20}\b\b\n\b{COVER}".encode())
    assert (found.action, found.incomplete) == ("clean", ())


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("how", FILLERS)
def test_a_filler_after_each_word_hides_nothing(judge, how, name, seed):
    hidden = FILLERS[how](passage(name, seed), random.Random(seed))
    found = judge(f"{COVER * 3}\n\n{hidden}\n\n{COVER * 3}".encode())
    assert (found.action, found.exit_code) == ("block", 1)


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("how", SIGNS)
def test_a_sign_inside_each_word_hides_nothing(judge, how, name, seed):
    hidden = SIGNS[how](passage(name, seed), random.Random(seed))
    found = judge(f"{COVER * 3}\n\n{hidden}\n\n{COVER * 3}".encode())
    assert (found.action, found.exit_code) == ("block", 1)


@pytest.mark.parametrize("seed", range(5))
def test_text_that_is_shared_with_nobody_stays_so(judge, seed):
    other = re.sub(r" ", " um ", words(seed, 400))
    assert judge(other.encode()).action == "clean"


def test_what_is_found_as_it_stands_and_without_fillers_counts_once(judge):
    found = passage("lighthouse-optics.txt", 1)
    both = f"{' '.join(found)}\n\n{COVER * 3}\n\n{' um '.join(found)}"
    n_letters = sum(map(str.isalnum, " ".join(found)))
    assert judge(both.encode()).findings[0].n_chars == pytest.approx(n_letters, abs=30)
