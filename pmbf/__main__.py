"""`python -m pmbf` is `pmbf`. A leak check in plain words starts without typer, which takes longer than the check."""

import os
import sys

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
"""NumPy's library for matrices makes its threads at import, which takes 35 ms. No matrix is multiplied here."""


def main() -> None:
    """Run the command line."""
    if sys.argv[1:2] == ["guard"]:
        from pmbf.cli.guard.run import run_plain

        run_plain(sys.argv[2:])
    from pmbf.cli.app import main as run_any

    run_any()


if __name__ == "__main__":
    main()
