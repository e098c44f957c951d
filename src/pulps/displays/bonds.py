"""Which attributes carry information between the left and the right of a chain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from pulps.displays.axes import NEGATIVE, POSITIVE, axes_or_new, network_of

MOST_NAMES = 40  # of sites that are written below the picture
ROWS = 2000  # that tell what goes over a bond


class BondEntropyDisplay:
    """Entropy of every bond of a network, by class, along the attributes.

    A bond lies between two attributes. Where its entropy is high, what stands to the left of it
    says much of what stands to the right; where it is zero, the two parts could be two networks.

    Parameters
    ----------
    names : list of str
        What the sites hold, in their order.
    entropies : dict
        For every class an array (members, bonds), in bits.
    widths : sequence of int
        Dimensions of the bonds: none can carry more bits than the logarithm of its own.
    """

    def __init__(
        self, names: Sequence[str], entropies: dict[Any, np.ndarray], widths: Sequence[int]
    ) -> None:
        self.names, self.entropies = list(names), entropies
        self.widths = np.asarray(widths)

    @classmethod
    def from_estimator(cls, model: Any, X: Any = None, *, ax: Any = None) -> Self:
        """Compute and draw the entropies of a model.

        Parameters
        ----------
        model : LPSClassifier, PUClassifier or LPSSemiSupervisedClassifier
            A fitted model.
        X : table or array, default=None
            Rows that count; of more than two thousand some are taken. None counts all that the
            network can hold, wherever data are.
        ax : matplotlib axes, default=None
            Where to draw; None makes new axes.

        Returns
        -------
        BondEntropyDisplay
            The display, drawn.
        """
        from pulps.network import bond_entropies, from_arrays, prepare

        network = network_of(model)
        embedding = network.embedding
        if hasattr(network, "cores_"):
            states = dict(zip(network.classes_, network.cores_, strict=True))
        else:
            states = {"positive": network.positive_cores_, "negative": network.negative_cores_}
        values = np.full((1, embedding.n_columns), np.nan) if X is None else network.encode(X)
        rows = prepare(*embedding.rows(values[:: max(1, len(values) // ROWS)]))
        entropies = {}
        for name, cores in states.items():
            doubled = from_arrays([core.astype(float) for core in cores], layout="gslkr")
            entropies[name] = bond_entropies(doubled, rows).numpy() / np.log(2)
        names = [str(embedding.column_at(site).name) for site in range(len(embedding.bases))]
        widths = [core.shape[4] for core in cores[:-1]]
        return cls(names, entropies, widths).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw on the given axes, or on new ones.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Where to draw; None makes new axes.

        Returns
        -------
        self
            With ``ax_`` and ``figure_``.
        """
        ax = axes_or_new(ax)
        own = {"positive": POSITIVE, "negative": NEGATIVE}
        between = np.arange(len(self.widths)) + 0.5
        for name, entropies in self.entropies.items():
            (line,) = ax.plot(
                between, entropies.mean(0), marker="o", markersize=4, label=str(name)
            )
            color = own.get(name, line.get_color())
            line.set_color(color)
            low, high = entropies.min(0), entropies.max(0)
            ax.fill_between(between, low, high, color=color, alpha=0.15, linewidth=0)
        ax.step(
            between, np.log2(self.widths), where="mid", color="black", linewidth=1, linestyle=":"
        )
        step = -(-len(self.names) // MOST_NAMES)
        at = np.arange(0, len(self.names), step)
        ax.set_xticks(at, [self.names[site] for site in at], rotation=90)
        ax.set(
            xlim=(-0.5, len(self.names) - 0.5),
            ylabel="entropy of the bond, in bits",
            title="What the left tells the right",
        )
        ax.set_ylim(bottom=0)
        ax.legend(frameon=False, fontsize="small")
        self.ax_, self.figure_ = ax, ax.figure
        return self
