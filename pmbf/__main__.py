"""`python -m pmbf` is `pmbf`."""

from pmbf.commands import main

if __name__ == "__main__":
    main()
