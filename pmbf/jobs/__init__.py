"""How calls are run: in threads, in processes; what goes between those travels in frames."""
