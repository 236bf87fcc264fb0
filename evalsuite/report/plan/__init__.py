"""How many samples a comparison over a suite needs."""
