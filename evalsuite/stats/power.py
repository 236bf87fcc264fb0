"""How large a difference must be to be seen."""

from statistics import NormalDist


def detectable_effect(standard_error: float, level: float = 0.95, power: float = 0.8) -> float:
    """The smallest true difference that a two-sided test at 1 − level shows with this power, in the unit of the error.

    (z₁₋α/₂ + z_power) · se: Miller 2024, "Adding Error Bars to Evals" (arXiv 2411.00640), section 5, solved for the
    effect.

    Raises:
        ValueError: a negative standard error, or a level or power outside (0, 1).
    """
    if standard_error < 0 or not 0 < level < 1 or not 0 < power < 1:
        raise ValueError(f"no effect follows from se = {standard_error}, level = {level}, power = {power}")
    normal = NormalDist()
    return (normal.inv_cdf((1 + level) / 2) + normal.inv_cdf(power)) * standard_error
