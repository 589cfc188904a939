"""What a leak check does not count: lists that many texts have, notices of licences, words of a summary."""

import random

import pytest

from pmbf import Collection
from pmbf.guard.allowing import Allowances, counted_up, licence_spans
from pmbf.guard.checker import CollectionChecker, without_doubtful
from pmbf.guard.policy import Policy
from pmbf.guard.sources import Plan
from pmbf.guard.types import Payload
from pmbf.report import DocumentRef, Match, Passage, Span
from tests.conftest import words
from tests.guard.conftest import LIBRARY, check

GPL_NOTICE = """\
// Copyright (C) 2011 Ada Example and others.
//
// This file is part of the Example Library.  This library is free
// software; you can redistribute it and/or modify it under the
// terms of the GNU General Public License as published by the
// Free Software Foundation; either version 3, or (at your option)
// any later version.
//
// This library is distributed in the hope that it will be useful,
// but WITHOUT ANY WARRANTY; without even the implied warranty of
// MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.  See the
// GNU General Public License for more details.
//
// Under Section 7 of GPL version 3, you are granted additional
// permissions described in the GCC Runtime Library Exception, version
// 3.1, as published by the Free Software Foundation.
//
// You should have received a copy of the GNU General Public License and
// a copy of the GCC Runtime Library Exception along with this program;
// see the files COPYING3 and COPYING.RUNTIME respectively.  If not, see
// <http://www.gnu.org/licenses/>.
"""
LESSER_NOTICE = """\
/* Copyright (C) 1991-2022 Ada Example.
   This file is part of the Example C Library.

   The Example C Library is free software; you can redistribute it and/or
   modify it under the terms of the GNU Lesser General Public
   License as published by the Free Software Foundation; either
   version 2.1 of the License, or (at your option) any later version.

   The Example C Library is distributed in the hope that it will be useful,
   but WITHOUT ANY WARRANTY; without even the implied warranty of
   MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.  See the GNU
   Lesser General Public License for more details.

   You should have received a copy of the GNU Lesser General Public
   License along with the Example C Library; if not, see
   <https://www.gnu.org/licenses/>.  */
"""
BERKELEY_NOTICE = """\
 * Redistribution and use in source and binary forms, with or without
 * modification, are permitted provided that the following conditions
 * are met:
 * 1. Redistributions of source code must retain the above copyright
 *    notice, this list of conditions, and the following disclaimer,
 *    without modification.
 * 2. The name of the author may not be used to endorse or promote products
 *    derived from this software without specific prior written permission.
"""
NOTICES = {"GPL": GPL_NOTICE, "LGPL": LESSER_NOTICE, "BSD": BERKELEY_NOTICE}


@pytest.fixture
def judged(tmp_path):
    """Returns the verdict on a text, other texts being protected."""

    def verdict(text, *protected):
        with Collection(tmp_path / "c.pmbf", create=True) as made:
            made.add_many([(f"{number}.txt", one) for number, one in enumerate(protected)])
            checker = CollectionChecker.under(Policy(), made)
            plan = Plan("path", iter([Payload("a.txt", ("a.txt",), text.encode(), "path")]), 1)
            return check(plan, Policy(), checker, Allowances(checker.key))

    return verdict


@pytest.mark.parametrize("counted", [
    " ".join(map(str, range(1, 200))),
    "".join(f"[{number}], " for number in range(1, 150)),
    " | ".join("ABCDEFGHIJKLMNOPQRSTUVWXYZ" * 5),
    " ".join(f"0x{number:02x}" for number in range(256)),
    " -> ".join("abcdefghijklmnopqrstuvwxyz" * 6),
    "GREEK ALPHA BETA GAMMA DELTA EPSILON ZETA ETA THETA IOTA KAPPA LAMBDA MU NU XI OMICRON PI RHO SIGMA FINAL SIGMA "
    "TAU UPSILON PHI CHI PSI OMEGA " * 3,
])  # fmt: skip
def test_what_is_only_counted_up_is_no_copy(judged, counted):
    found = judged(f"{words(3, 80)}\n{counted}\n{words(4, 80)}", f"{words(5, 80)}\n{counted}\n{words(6, 80)}")
    assert (found.action, found.findings) == ("clean", ())


def test_words_between_what_is_counted_up_count(judged):
    secret = words(1, 90)
    numbers = " ".join(map(str, range(1, 99)))
    found = judged(f"{words(3, 80)}\n{numbers}\n{secret}", f"{words(5, 80)}\n{numbers}\n{secret}")
    assert found.action == "block"
    assert found.findings[0].n_chars == pytest.approx(sum(map(str.isalnum, secret)), abs=20)


@pytest.mark.parametrize("seed", range(5))
def test_numbers_of_a_table_are_not_counted_up(seed):
    chance = random.Random(seed)
    table = " ".join(str(chance.randrange(10_000)) for _ in range(2000))
    assert counted_up(table, [Span(0, len(table))]) == []


def test_a_reworded_passage_that_is_unlike_and_only_worth_a_look_does_not_count():
    kinds = [
        Passage(Span(0, 300), Span(0, 300), similarity, kind, certainty=certainty)
        for similarity in (0.7, 0.5)
        for kind in ("verbatim", "edited", "reworded")
        for certainty in ("sure", "likely", "worth a look")
    ]
    match = Match(DocumentRef(1, "a", ("a",), 400), 0.5, 9, 300, 0.5, 300, tuple(kinds))
    assert without_doubtful(match).passages == tuple(kinds[:-1])


@pytest.mark.parametrize("name", ["lighthouse-optics.txt", "soil-microbes.txt", "bridge-bearings.md"])
def test_no_summary_counts_as_letters_of_its_source(library, name):
    given = " ".join((LIBRARY / name).read_text(encoding="utf-8").split()[:400:2])
    kinds = {one.kind for match in library.screen(given.encode()).matches for one in match.passages}
    assert kinds == {"summary"}
    checker = CollectionChecker(library)
    plan = Plan("path", iter([Payload("a.txt", ("a.txt",), given.encode(), "path")]), 1)
    assert check(plan, Policy(), checker, Allowances(checker.key)).findings == ()


@pytest.mark.parametrize("name", NOTICES)
def test_a_notice_is_a_licence(name):
    spans = licence_spans(NOTICES[name])
    assert sum(map(len, spans)) > 0.85 * len(NOTICES[name])


@pytest.mark.parametrize("name", NOTICES)
def test_a_notice_with_another_holder_is_no_leak(judged, name):
    theirs = (
        NOTICES[name].replace("Ada Example", "the Institute of Examples").replace("Example C Library", "Sample Kit")
    )
    found = judged(f"{NOTICES[name]}\n{words(3, 90)}", f"{theirs}\n{words(5, 200)}", f"{words(7, 90)}\n{theirs}")
    assert (found.action, found.findings) == ("clean", ())


def test_a_secret_between_two_notices_counts(judged):
    secret = words(1, 90)
    found = judged(f"{GPL_NOTICE}\n{secret}\n{BERKELEY_NOTICE}", f"{GPL_NOTICE}\n{secret}\n{BERKELEY_NOTICE}")
    assert found.action == "block"
    assert found.findings[0].n_chars > 300
