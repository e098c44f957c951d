"""The route of a chunk of rows through the chain: where factors go, where environments do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torch import Tensor

from pulps.network.engine.factors import ends

LONGEST_RUN = 16
SMALLEST_BOND = 4  # below it an environment is as small as a factor, and calls cost more


@dataclass(frozen=True)
class Step:
    """A run of sites, or one joint with the rows of the chunk that observe and miss it."""

    sites: range
    seen: Tensor | None = None
    missed: Tensor | None = None


@dataclass(frozen=True)
class Route:
    """Sites a factor passes from the left, steps of the environment, sites from the right."""

    left: range
    steps: list[Step]
    right: range

    @property
    def plain(self) -> bool:
        """Whether environments go all the way."""
        return not self.left and not self.right


def find_route(shapes: Sequence[tuple[int, ...]], observed: Tensor | None) -> Route:
    """Cut the chain, cores (feature, left, output, right), for one chunk of rows.

    Parameters
    ----------
    shapes
        Shape (feature, left, output, right) of the core of each site.
    observed
        Boolean, shape (rows, sites); None if nothing is missing.

    Returns
    -------
    Route
        The same for all rows of the chunk.
    """
    whole = [True] * len(shapes) if observed is None else observed.all(dim=0).tolist()
    low, high = 0, len(shapes)
    if max(shape[3] for shape in shapes) >= SMALLEST_BOND or high == 1:
        low, high = ends(shapes, lambda site: not whole[site])
    steps: list[Step] = []
    start = low
    for site in range(low, high):
        if shapes[site][2] == 1 and whole[site]:
            if site - start + 1 < LONGEST_RUN and site + 1 < high:
                continue
            steps.append(Step(range(start, site + 1)))
        else:
            if start < site:
                steps.append(Step(range(start, site)))
            if whole[site] or observed is None:
                steps.append(Step(range(site, site + 1)))
            else:
                seen = observed[:, site].nonzero()[:, 0]
                missed = (~observed[:, site]).nonzero()[:, 0]
                steps.append(Step(range(site, site + 1), seen if len(seen) else None, missed))
        start = site + 1
    return Route(range(low), steps, range(len(shapes) - 1, high - 1, -1))
