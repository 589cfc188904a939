"""A collection's folder on disk: files, locks, catalog, generations, the writer. Empty, so that a hook starts fast."""
