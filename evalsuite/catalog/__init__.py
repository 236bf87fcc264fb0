"""What is asked: tasks, prompt formats, suites, checkpoints, and the data behind them."""
