"""`pmbf guard`: the leak check's command line. Empty, so that a hook starts without typer."""
