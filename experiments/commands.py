"""What each experiment makes of its arguments: the text that its command prints."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import asdict

from experiments import (
    alignment,
    certainty,
    classes,
    edited,
    growing,
    leaks,
    others,
    planted,
    retrieval,
    short,
    similar,
)
from experiments.arguments import chosen, write_figures
from experiments.near import command as near
from experiments.pages import certainty as certainty_page
from experiments.pages import near as near_page
from experiments.pages import pan as pan_page
from experiments.pages import paper as paper_page
from experiments.pages import sentences as sentences_page
from experiments.pages import similar as similar_page
from experiments.pages import tradeoffs
from experiments.paper import command as paper
from experiments.sentences import command as sentences
from pmbf.base.params import PROFILES, Params

PAGES = (
    certainty_page.PAGE,
    near_page.PAGE,
    pan_page.PAGE,
    paper_page.PAGE,
    sentences_page.PAGE,
    similar_page.PAGE,
    tradeoffs.PAGE,
)


def _alignment(arguments: argparse.Namespace) -> str:
    return alignment.run(arguments.folder, n_pairs=arguments.pairs, seed=arguments.seed, out=arguments.out)


def _classes(arguments: argparse.Namespace) -> str:
    how = {"n_texts": arguments.texts, "n_words": arguments.words, "n_copied": arguments.copied}
    return classes.run(arguments.folder, **how, seed=arguments.seed, jobs=arguments.jobs, out=arguments.out)


def _leaks(arguments: argparse.Namespace) -> str:
    how = {"n_planted": arguments.planted, "seed": arguments.seed, "endpoint": arguments.endpoint}
    how |= {"most": arguments.most, "n_files": arguments.files}
    return leaks.run(arguments.protected, arguments.folder, **how, out=arguments.out)


def _edited(arguments: argparse.Namespace) -> str:
    how = {"params": _params(arguments), "n_texts": arguments.texts, "seed": arguments.seed, "out": arguments.out}
    return edited.run(arguments.folder, of=arguments.of or arguments.folder, **how)


def _planted(arguments: argparse.Namespace) -> str:
    how = {"n_clean": arguments.clean, "n_planted": arguments.planted, "seed": arguments.seed}
    return planted.run(arguments.folder, **how, out=arguments.out)


def _short(arguments: argparse.Namespace) -> str:
    how = {"n_passages": arguments.passages, "seed": arguments.seed, "params": _params(arguments)}
    return short.run(arguments.folder, **how, out=arguments.out)


def _growing(arguments: argparse.Namespace) -> str:
    how = {"filler": arguments.filler, "sizes": arguments.sizes, "n_screened": arguments.screened}
    how |= {"params": _params(arguments), "half": arguments.half, "out": arguments.out}
    return growing.run(arguments.corpora / "pan13_train", **how)


def _retrieval(arguments: argparse.Namespace) -> str:
    how = {"half": arguments.half, "filler": arguments.filler, "n_filler": arguments.filler_texts}
    how |= {"sensitivity": arguments.sensitivity}
    return retrieval.run(arguments.corpora / "pan13_train", params=_params(arguments), **how, out=arguments.out)


def _others(arguments: argparse.Namespace) -> str:
    figures = others.run(arguments.corpora, jobs=arguments.jobs, only=arguments.only)
    write_figures(figures, arguments.out)
    return others.table(figures)


def _page(arguments: argparse.Namespace) -> str:
    for page in PAGES:
        page.write()
    return "docs/ is written"


def _params(arguments: argparse.Namespace) -> Params:
    return chosen(Params, dict(arguments.set), **asdict(PROFILES[arguments.profile]()))


EXPERIMENTS: dict[str, Callable[[argparse.Namespace], str]] = {
    "alignment": _alignment,
    "certainty": certainty.told,
    "classes": _classes,
    "edited": _edited,
    "growing": _growing,
    "leaks": _leaks,
    "near": near.run,
    "others": _others,
    "page": _page,
    "paper": paper.run,
    "planted": _planted,
    "retrieval": _retrieval,
    "short": _short,
    "sentences": sentences.run,
    "similar": similar.told,
}
