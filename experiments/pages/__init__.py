"""Pages of docs/, written from templates and the figures in experiments/results: `python -m experiments page`."""

from experiments.pages import certainty, near, pan, paper, sentences, similar, tradeoffs

PAGES = (certainty.PAGE, near.PAGE, pan.PAGE, paper.PAGE, sentences.PAGE, similar.PAGE, tradeoffs.PAGE)
