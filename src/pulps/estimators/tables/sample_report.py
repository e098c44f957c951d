"""How a sample came about."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SampleReport:
    """How a sample came about.

    Parameters
    ----------
    n_drawn, n_accepted
        Rows drawn, and those of them that passed.
    method
        ``"sweep"`` and ``"grid"`` are exact; see :mod:`pulps.network.sampling` for
        ``"resample"``.
    efficiency
        Effective share of the proposals; one for the exact methods.
    """

    n_drawn: int
    n_accepted: int
    method: str
    efficiency: float

    @property
    def acceptance(self) -> float:
        """Share of the drawn rows that passed."""
        return self.n_accepted / self.n_drawn
