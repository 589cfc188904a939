"""What people see: reports, passages and figures as text for a terminal. Values in, `str` out; nothing here prints.

canvas    width and colours: `View`, and rich rendered to a string
safe      characters of foreign texts that a terminal must not get raw
figures   numbers, shares, sizes, times and paths as people write them
passages  a passage of two texts with its differences, side by side
report    the `Report` of one screening
screened  what is told beside reports: sections, a line for each text without a match, a total
guard     verdicts of the leak check
summaries the results of load, list, stats, remove, compact and check
progress  the bars of a load and of a screening
"""
