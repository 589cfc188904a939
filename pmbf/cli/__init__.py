"""Parts of the command line: options, inputs, one screening, how a command ends. `pmbf.cli.app` joins them."""
