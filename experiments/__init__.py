"""Experiments: accuracy on real corpora. Each is one command that prints a Markdown table and writes JSON.

python -m experiments shingles CORPORA --out out/shingles.json
"""
