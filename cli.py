#!/usr/bin/env python3
"""Runs `pmbf` from a checkout, without installing it: `python cli.py load …`."""

from pmbf.__main__ import main

if __name__ == "__main__":
    main()
