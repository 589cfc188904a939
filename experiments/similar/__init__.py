"""The table of similarities: `python -m experiments similar`."""
