"""Near-duplicates: how right the pairs are, what the two plans cost, and other libraries beside them."""
