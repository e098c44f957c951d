"""How a share is written for people: in whole percent, and what is rare with a digit more."""

from __future__ import annotations

LEAST = 0.0005  # below, a share is only said to be small
RARE = 0.0195


def percent(share: float) -> str:
    """Write a share in percent; half a percent does not become none.

    Parameters
    ----------
    share
        From 0 to 1.

    Returns
    -------
    str

    Examples
    --------
    >>> percent(0), percent(0.00001), percent(0.0041), percent(0.014), percent(0.2), percent(1)
    ('0%', '<0.1%', '0.4%', '1.4%', '20%', '100%')
    """
    if 0 < share < LEAST:
        return f"<{2 * LEAST:.1%}"
    return f"{share:.1%}" if 0 < share < RARE else f"{share:.0%}"
