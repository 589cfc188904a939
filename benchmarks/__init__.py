"""Speed beside a peer or a limit of the machine, taken in the same run: `python -m benchmarks`."""
