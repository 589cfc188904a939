"""The command line: options, inputs, commands, how a command ends. `pmbf.cli.app` joins them."""
