"""Parameters of a classifier that has a recipe: the recipe's fields count as its own."""

from __future__ import annotations

from typing import Any, Self

from sklearn.base import BaseEstimator

from pulps.estimators.recipes.recipe import with_recipe


class RecipeParameters(BaseEstimator):
    """A classifier with a parameter ``recipe``, which is a collection of parameters."""

    recipe: Any

    _recipe_type: type[BaseEstimator]

    @classmethod
    def from_parameters(cls, **parameters: Any) -> Self:
        """Return a classifier of flat parameters, its own and those of its recipe.

        Parameters
        ----------
        **parameters
            For instance ``bond_dim=4, decay="constant"``.

        Returns
        -------
        a classifier
            Not fitted.

        Examples
        --------
        >>> from pulps import LPSClassifier
        >>> LPSClassifier.from_parameters(bond_dim=4, decay="constant")
        LPSClassifier(bond_dim=4, recipe=Recipe(decay='constant'))
        """
        return cls(**with_recipe(parameters, cls._recipe_type))

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters, those of the recipe as ``recipe__...``.

        Parameters
        ----------
        deep : bool, default=True
            Whether to list the fields of the recipe as well, also of the default one.

        Returns
        -------
        dict
            Names and values.
        """
        parameters = super().get_params(deep=deep)
        if deep and self.recipe is None:
            fields = self._recipe_type().get_params()
            parameters |= {f"recipe__{name}": value for name, value in fields.items()}
        return parameters

    def set_params(self, **params: Any) -> Self:
        """Set parameters; ``recipe__decay="constant"`` sets a field of the recipe.

        Parameters
        ----------
        **params
            Names and values.

        Returns
        -------
        self
        """
        nested = any(name.startswith("recipe__") for name in params)
        if nested and params.get("recipe", self.recipe) is None:
            params = params | {"recipe": self._recipe_type()}
        return super().set_params(**params)
