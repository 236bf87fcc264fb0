"""Was it right: pure extraction and grading per answer kind, and the process pool that runs them safely."""
