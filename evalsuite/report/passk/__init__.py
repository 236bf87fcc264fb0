"""Pass@k and its kin over runs and counts files: sources, curves, crossings, and how they are shown."""
