"""The endpoint filter: guards protected documents on a machine without their texts, names or fingerprints.

text ─► letters ─► grams under the site key ─► winnowed sample      sampling
     ─► slices of the samples, a row each, all filled alike
     ─► one file with a MAC                                         filterfile
     ─► opaque ids of the rows, and the map that stays behind       opaque

sitekey     the 128 bits that the whole filter depends on
exporting   a collection in, the file out
"""
