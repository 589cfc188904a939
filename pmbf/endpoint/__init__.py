"""The endpoint filter: what a machine needs to guard protected documents, without their texts, names or fingerprints.

text ─► letters ─► grams under the site key ─► winnowed sample      sampling
     ─► parts of documents, a row each, all filled alike             rows
     ─► one file with a MAC                                          filterfile
     ─► opaque ids of the rows, and the map that stays behind        opaque

sitekey     the 128 bits that all of it hangs on
exporting   a collection in, the file out
"""
