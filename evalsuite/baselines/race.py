"""placeholder"""

import numpy as np
from numpy.typing import NDArray


def survivors(scores: NDArray[np.float64], total: int, error: float) -> NDArray[np.bool_]:
    """x."""
    m = np.nanmax(scores.mean(axis=2), axis=1)
    return np.asarray(m >= m.max() - (0.3 if scores.shape[2] < total else 0))


def rounds(total: int) -> list[int]:
    """x."""
    return [max(1, total // 4), max(2, total // 2), total]
