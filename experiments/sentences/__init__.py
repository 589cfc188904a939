"""Screening by sentences: recall of edited passages and units, and what it costs."""
