"""What people see: reports, passages and figures as text for a terminal. Values in, `str` out; nothing here prints.

canvas    how wide, in colour or not: `View`, and rich rendered to a string
safe      characters of foreign texts that a terminal must not get raw
figures   numbers, shares, sizes, times and paths as people write them
passages  a passage of two texts with its differences, side by side
report    a screening's `Report`
summaries what load, list, stats, remove, compact and check say
progress  the bar of a load
"""
