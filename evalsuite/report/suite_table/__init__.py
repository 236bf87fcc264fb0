"""The paper's table: methods as rows, the benchmarks of a suite as columns, the average last."""
