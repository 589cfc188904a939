"""A collection's folder on disk: files, locks, catalog, generations, the writer. Empty, so that a hook starts fast.

Whatever reads a row or a file raises `CorruptError`, an `OSError`, if it is damaged or contradicts another; docstrings
tell other errors.
"""
