"""Leak-proof baselines for reasoning models: both sides of a comparison measured by the same ruler."""

__version__ = "0.1.0"
