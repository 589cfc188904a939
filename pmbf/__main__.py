"""`python -m pmbf` is `pmbf`. A leak check in plain words starts without typer, which takes longer than the check."""

import sys


def main() -> None:
    """Run the command line."""
    if sys.argv[1:2] == ["guard"]:
        from pmbf.cli.guard.plain import run_plain

        run_plain(sys.argv[2:])
    from pmbf.cli.app import main as run_any

    run_any()


if __name__ == "__main__":
    main()
