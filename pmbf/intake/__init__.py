"""From paths, bytes and uploads to texts, and from texts to documents."""
