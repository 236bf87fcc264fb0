"""One file a command: argument parsing and printing only."""
