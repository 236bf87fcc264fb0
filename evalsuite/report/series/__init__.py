"""The curve of a training run over its steps, in words, as a table, as data and as a picture."""
