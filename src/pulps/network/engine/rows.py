"""Rows made ready for the engine: embedded, sorted by what is missing, cut into chunks.

Rows that miss the same attributes belong together, because a site that every row of a
chunk observes joins the cheap product of its block, and a site that some row misses does
not. Sorting is done once; training calls the engine thousands of times with the result.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

CLOSE = 0.25  # of all sites: rows that miss sites no further apart are swept together


@dataclass(frozen=True, eq=False)
class PreparedRows:
    """Rows as the engine reads them; make one with :func:`pulps.network.engine.prepare`.

    Parameters
    ----------
    features
        One tensor (rows, feature) per site, in sorted order.
    observed
        Boolean, shape (rows, sites), in sorted order; None if nothing is missing.
    order
        The position each sorted row had; None if the rows were not moved.
    roots
        Square roots of the weights of :func:`pulps.network.engine.prepare`, by which the features
        were divided and the cores must be multiplied: observed sites are as before, and traced
        ones are weighted. None if there are no weights or nothing is missing.
    borders
        Where rows of another kind start, see :func:`kinds_of`.
    kept
        What engines found out about these rows and need again.
    """

    features: list[Tensor]
    observed: Tensor | None
    order: Tensor | None
    roots: list[Tensor] | None = None
    borders: tuple[int, ...] = ()
    kept: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.features[0])

    def addresses(self, pointers: Callable[[Sequence[Tensor]], Any]) -> Any:
        """Addresses of the features, found once.

        Parameters
        ----------
        pointers
            Takes tensors and returns their addresses as a C array.

        Returns
        -------
        object
            What ``pointers`` returned for the features.
        """
        if "addresses" not in self.kept:
            features = [phi.contiguous() for phi in self.features]
            self.kept["addresses"] = (pointers(features), features)
        return self.kept["addresses"][0]

    def observed_bytes(self) -> Tensor | None:
        """Which sites are observed, contiguous, a byte each.

        Returns
        -------
        Tensor or None
            Shape (rows, sites), in sorted order; None if nothing is missing.
        """
        return None if self.observed is None else self.observed.contiguous()

    def weighted(self, cores: Sequence[Tensor]) -> Sequence[Tensor]:
        """Cores as these rows want them.

        Parameters
        ----------
        cores
            One tensor (chains, feature, left, output, right) per site.

        Returns
        -------
        sequence of Tensor
            The cores times ``roots``, or the same cores if there are none.
        """
        if self.roots is None:
            return cores
        return [
            core * root.to(core).view(1, -1, 1, 1, 1)
            for core, root in zip(cores, self.roots, strict=True)
        ]

    def restored(self, values: Tensor) -> Tensor:
        """Put values of sorted rows, shape (chains, rows), back in the caller's order.

        Parameters
        ----------
        values
            One value per chain and sorted row.

        Returns
        -------
        Tensor
            The same values in the caller's order.
        """
        if self.order is None:
            return values
        return torch.empty_like(values).index_copy_(1, self.order, values)

    def sorted(self, values: Tensor) -> Tensor:
        """Put values in the caller's order, shape (chains, rows), in sorted order.

        Parameters
        ----------
        values
            One value per chain and row.

        Returns
        -------
        Tensor
            The same values in sorted order.
        """
        return values if self.order is None else values.index_select(1, self.order)


def sort_rows(
    features: Sequence[Tensor], observed: Tensor | None, weights: Sequence[Tensor] | None = None
) -> PreparedRows:
    """Bring rows that miss the same attributes together.

    Parameters
    ----------
    features, observed, weights
        See :func:`pulps.network.engine.prepare`.

    Returns
    -------
    PreparedRows
        The rows as they came if nothing is missing.
    """
    features = [phi.detach() for phi in features]
    if observed is None or bool(observed.all()):
        return PreparedRows(features, None, None)
    patterns, pattern = torch.unique(observed, dim=0, return_inverse=True)
    kind = kinds_of(patterns)[pattern]
    order = torch.argsort(kind * len(patterns) + pattern, stable=True)
    borders = kind.bincount(minlength=3).cumsum(0)[:2].tolist()
    features = [phi[order] for phi in features]
    roots = None if weights is None else [weight.sqrt() for weight in weights]
    if roots is not None:
        features = [phi / root.to(phi) for phi, root in zip(features, roots, strict=True)]
    return PreparedRows(features, observed[order], order, roots, tuple(borders))


def kinds_of(patterns: Tensor) -> Tensor:
    """Kind of a row by what it misses: 0 sites far apart, 1 sites close together, 2 nothing.

    Factors (:mod:`pulps.network.engine.factors`) go from both ends up to the first and the last
    site that some row of a chunk misses. So rows that miss few sites in one place, sorted by that
    place, carry factors nearly all the way, unless they share a chunk with rows that do not.

    Parameters
    ----------
    patterns
        Boolean, shape (patterns, sites): which sites are observed.

    Returns
    -------
    Tensor
        One kind per pattern.
    """
    missed = (~patterns).int()
    first, last_from_end = missed.argmax(dim=1), missed.flip(1).argmax(dim=1)
    n_sites = patterns.shape[1]
    close = n_sites - last_from_end - first <= max(1, n_sites * CLOSE)
    return torch.where(patterns.all(dim=1), 2, close.long())


def free_bytes(device: torch.device) -> int:
    """Memory that can still be had on a device; a cautious guess where nobody tells.

    Parameters
    ----------
    device
        Device of the tensors.

    Returns
    -------
    int
        Number of bytes.
    """
    if device.type == "cuda":
        return torch.cuda.mem_get_info(device)[0]
    table = Path("/proc/meminfo")
    if device.type == "cpu" and table.exists():
        for line in table.read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return 1024 * int(line.split()[1])
    return 4 * 2**30
