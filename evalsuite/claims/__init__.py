"""Published numbers held against noise, from nothing but themselves and the benchmarks' sizes."""
