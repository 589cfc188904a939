"""Pages of docs/, written from templates and the figures in experiments/results: `python -m experiments page`."""
