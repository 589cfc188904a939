"""HTTP within limits: `connections` reads one request after another, `routing` finds its handler, `metrics` counts.

`messages` has one request and one response, `listening` the socket, `limits` the sizes, times and numbers.
"""
