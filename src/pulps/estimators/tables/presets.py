"""Ways to make a classifier of tables that are not its default."""

from __future__ import annotations

from typing import Any, Self

from pulps.estimators.base import StateClassifier
from pulps.estimators.recipes.paper import paper_parameters
from pulps.network.likelihood import LikelihoodRecipe


class TablePresets(StateClassifier):
    """The paper's configurations, and one that also generates well."""

    @classmethod
    def from_paper(cls, name: str, **overrides: Any) -> Self:
        """Return the paper's configuration of one of its experiments.

        Parameters
        ----------
        name
            One of the 15 tables ("vote", "iris", …), "moons", "blobs", "circles", "mnist".
        **overrides
            Parameters, and fields of the recipe, to set differently.

        Returns
        -------
        LPSClassifier

        Examples
        --------
        >>> from pulps import LPSClassifier
        >>> LPSClassifier.from_paper("vote", random_state=0).bond_dim
        6
        """
        return cls.from_parameters(**(paper_parameters(name) | overrides))

    @classmethod
    def generative(cls, **overrides: Any) -> Self:
        """Return a classifier that also generates well.

        It adds chains trained by maximum likelihood (``density``) and keeps the three most
        agreeing members: with ``accept`` every member has a veto on what is generated, and one
        poor member would reject many good rows.

        Parameters
        ----------
        **overrides
            Parameters, and fields of the recipe, to set differently.

        Returns
        -------
        LPSClassifier
        """
        return cls.from_parameters(
            **({"density": LikelihoodRecipe(), "n_selected": 3} | overrides)
        )
