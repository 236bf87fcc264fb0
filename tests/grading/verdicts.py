"""The three verdicts of the golden tables."""

R, W, N = "right", "wrong", "no answer"
