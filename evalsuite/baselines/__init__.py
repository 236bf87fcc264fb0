"""What a model can do at its best: settings chosen on items that are not scored, and races that cheapen the choice."""
