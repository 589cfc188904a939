"""The corpora of PAN's plagiarism detection competitions, 2009 to 2015, run and scored.

    CORPUS ─Corpus.at─► documents, pairs, cases
       align     each listed pair compared                      ─► DETECTIONS/*.xml
       retrieve  sources in a collection, each text screened    ─► DETECTIONS/*.xml, *.candidates.tsv
       score     DETECTIONS against the cases                   ─► tables, JSON, a plot
       rivals    other programs on a sample of the same pairs   ─► the same

Detections are files of PAN's own format. So `score` measures the detections of any program, and PAN's scripts measure
ours.
"""
