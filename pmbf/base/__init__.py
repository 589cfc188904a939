"""The ground: what every other room takes, and what knows none of them.

errors       all errors, and the exit codes
params       parameters of a collection; thresholds has the formulas behind them
arrays       arrays of numbers; hashes has those of sampled hashes
span         stretches of characters in a text; places where they stand in a file
labels       names, values and conditions of labels
contents     a file's bytes, within limits: the one place that opens what others wrote
expressions  regular expressions of users
views        how a notebook shows data, by those who know pages
"""

__version__ = "0.1.0"
