"""Everyone with everyone, by features: a feature of a text is a number, and texts are alike if they share many.

sharing     counts of blocks of documents, the highest of each document
pairs       near-duplicates among texts, files or the documents of a collection
similar     a table beside a collection: of each document those that are most similar to it
resultsets  copies in a list of articles
"""
