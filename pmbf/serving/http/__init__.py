"""HTTP within limits: `connections` reads one request after another, finds its handler in a table, and counts.

`messages` has one request and one response, `listening` the socket, `limits` the sizes, times and numbers.
"""
