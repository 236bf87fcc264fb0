"""The counts that a rounded percentage implies."""

from math import ceil, floor

MOST_SAMPLES = 64


def counts_of(percent: float, n: int, decimals: int) -> list[int]:
    """All c for which 100·c/n, rounded to so many decimals, is this percentage; a tie may be rounded either way."""
    half = 0.5 * 10.0**-decimals + 1e-9
    least, most = ceil((percent - half) * n / 100 - 1e-9), floor((percent + half) * n / 100 + 1e-9)
    return list(range(max(0, least), min(n, most) + 1))


def samples_that_fit(percent: float, n: int, decimals: int) -> int | None:
    """The fewest samples an item with which some count gives this percentage; None where up to 64 do not."""
    return next((k for k in range(1, MOST_SAMPLES + 1) if counts_of(percent, n * k, decimals)), None)
