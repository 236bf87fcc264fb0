"""MLflow: runs are logged once, and kept for later where MLflow is away."""
