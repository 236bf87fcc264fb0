"""What was answered: the rollout record and its append-only store on disk."""
