"""Recipes: everything about training that a user seldom sets, apart from what they do.

A recipe is an estimator without ``fit``, so that its fields can be searched like any other
parameter: ``GridSearchCV(LPSClassifier(), {"recipe__learning_rate": [0.02, 0.05]})``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from numbers import Integral, Real
from typing import Any, Literal

from sklearn.base import BaseEstimator

from pulps.io._sklearn import Interval, StrOptions, check_parameters
from pulps.training.loop import LoopSettings
from pulps.training.loss import SIDES_ONLY, LossWeights
from pulps.training.pseudo_labels import soft_pseudo_labels, sure_log_odds

FEW_LABELS = LossWeights(labeled_own=0.5, labeled_other=0.5)
GUESSED_START = 0.3
OWN_GUESSED = 2.0  # of images

_POSITIVE = [Interval(Real, 0, None, closed="neither")]
_NOT_NEGATIVE = [Interval(Real, 0, None, closed="left")]
_FROM_ONE = Interval(Integral, 1, None, closed="left")
_OF_BOTH = {
    "learning_rate": _POSITIVE,
    "margin": _NOT_NEGATIVE,
    "label_parts": [Interval(Integral, 2, None, closed="left"), None],
    "n_selected": [_FROM_ONE, StrOptions({"cluster"}), None],
    "loss_weights": [LossWeights, None],
    "hint_size": _POSITIVE,
    "own": _NOT_NEGATIVE,
    "max_restarts": [Interval(Integral, 0, None, closed="left")],
}


class Recipe(BaseEstimator):
    """How the states of a table learn; part of :class:`pulps.LPSClassifier`.

    Parameters
    ----------
    learning_rate : float, default=0.05
        Adam's step.
    decay : {"cosine", "plateau", "constant"}, default="cosine"
        How the learning rate falls.
    patience : int, default=10
        Epochs without a better loss before ``"plateau"`` halves the rate of a member.
    n_iter_no_change : int or None, default=None
        Epochs without a better loss after which a member stops.
    clip : float or None, default=None
        Largest norm of a member's gradient.
    margin : float, default=0
        Unlabeled rows with a log-ratio within the margin belong to neither class in training.
    label_parts : int or None, default=4
        Each member takes one of this many parts of the labeled rows for unlabeled, so that
        prior, threshold and probabilities rest on rows whose label was not shown. None, or
        fewer than two labeled rows per part, shows every member all labels. With a first guess
        every member is shown all labels: the guess has honest scores.
    n_selected : int, "cluster" or None, default=None
        Members kept, the most agreeing ones. ``"cluster"`` keeps the largest set of which
        every pair agrees on nine rows of ten, or the most agreeing pair; None keeps every
        member that is not degenerate.
    output_dim : int or None, default=2
        Dimension of the output legs. None takes the feature dimension of each site, as in
        the paper; two did as well on the tables we tried and is much cheaper.
    site_order : {"dependence", "table"}, default="dependence"
        Attributes that depend on each other side by side along the chain
        (:mod:`pulps.tables.ordering`), or the columns as they come.
    numeric_scale : {"blend", "rank", "min-max"}, default="blend"
        How numeric columns are mapped to the unit interval.
    basis : {"cosine", "sine", "mixed"}, default="cosine"
        Functions for numeric attributes; ``"mixed"`` draws sine or cosine for each site.
    category_basis : {"one-hot", "fourier"}, default="one-hot"
        ``"fourier"`` treats category codes as numbers, as the paper does.
    start : {"near-identity", "random"}, default="near-identity"
        Where training starts.
    start_scale : float or None, default=None
        Size of the random part of the start. None takes 0.3 with a first guess and 1 without.
    log_of : {"squared-norm", "norm"}, default="squared-norm"
        What the loss places: the paper says norms, the author's code uses squared norms.
    loss_weights : LossWeights or None, default=None
        Weights of the loss terms and the two log-norms. None takes the logistic term alone with
        a first guess (``pulps.training.loss.SIDES_ONLY``) and the paper's weights without.
    hint_size : float, default=4.0
        How sure the first guess is where it is surest, in log-odds.
    own : float, default=0.5
        How much the states' own log-ratio is heard beside the first guess.
    max_restarts : int, default=2
        How often a member that diverges or collapses to one class starts again.
    dtype : {"float32", "float64"}, default="float32"
        Precision of training. Prediction is always in double precision.
    checkpoint_every : int, default=10
        Epochs between two writes of the checkpoint.

    Examples
    --------
    >>> from pulps import LPSClassifier, Recipe
    >>> LPSClassifier(recipe=Recipe(decay="constant")).get_params()["recipe__decay"]
    'constant'
    """

    _parameter_constraints = _OF_BOTH | {
        "decay": [StrOptions({"cosine", "plateau", "constant"})],
        "patience": [_FROM_ONE],
        "n_iter_no_change": [_FROM_ONE, None],
        "clip": [*_POSITIVE, None],
        "output_dim": [_FROM_ONE, None],
        "site_order": [StrOptions({"dependence", "table"})],
        "numeric_scale": [StrOptions({"blend", "rank", "min-max"})],
        "basis": [StrOptions({"cosine", "sine", "mixed"})],
        "category_basis": [StrOptions({"one-hot", "fourier"})],
        "start": [StrOptions({"near-identity", "random"})],
        "start_scale": [*_POSITIVE, None],
        "log_of": [StrOptions({"squared-norm", "norm"})],
        "dtype": [StrOptions({"float32", "float64"})],
        "checkpoint_every": [_FROM_ONE],
    }

    def __init__(
        self,
        *,
        learning_rate: float = 0.05,
        decay: Literal["cosine", "constant", "plateau"] = "cosine",
        patience: int = 10,
        n_iter_no_change: int | None = None,
        clip: float | None = None,
        margin: float = 0.0,
        label_parts: int | None = 4,
        n_selected: int | Literal["cluster"] | None = None,
        output_dim: int | None = 2,
        site_order: Literal["dependence", "table"] = "dependence",
        numeric_scale: Literal["blend", "min-max", "rank"] = "blend",
        basis: Literal["cosine", "mixed", "sine"] = "cosine",
        category_basis: Literal["one-hot", "fourier"] = "one-hot",
        start: Literal["near-identity", "random"] = "near-identity",
        start_scale: float | None = None,
        log_of: Literal["squared-norm", "norm"] = "squared-norm",
        loss_weights: LossWeights | None = None,
        hint_size: float = 4.0,
        own: float = 0.5,
        max_restarts: int = 2,
        dtype: Literal["float32", "float64"] = "float32",
        checkpoint_every: int = 10,
    ) -> None:
        self.learning_rate = learning_rate
        self.decay = decay
        self.patience = patience
        self.n_iter_no_change = n_iter_no_change
        self.clip = clip
        self.margin = margin
        self.label_parts = label_parts
        self.n_selected = n_selected
        self.output_dim = output_dim
        self.site_order = site_order
        self.numeric_scale = numeric_scale
        self.basis = basis
        self.category_basis = category_basis
        self.start = start
        self.start_scale = start_scale
        self.log_of = log_of
        self.loss_weights = loss_weights
        self.hint_size = hint_size
        self.own = own
        self.max_restarts = max_restarts
        self.dtype = dtype
        self.checkpoint_every = checkpoint_every

    def scale_of_start(self, guessed: bool) -> float:
        """Size of the random part of the start.

        Parameters
        ----------
        guessed
            Whether there is a first guess.

        Returns
        -------
        float
        """
        return (
            (GUESSED_START if guessed else 1.0) if self.start_scale is None else self.start_scale
        )

    def settings(self, max_epochs: int, prior: float, *, guessed: bool = False) -> LoopSettings:
        """Say how the loop trains.

        Parameters
        ----------
        max_epochs
            Passes over the rows.
        prior
            Share of positives among the unlabeled rows.
        guessed
            Whether the rows come with a first guess, which never fades.

        Returns
        -------
        LoopSettings
        """
        settings = LoopSettings(
            max_epochs=max_epochs,
            learning_rate=self.learning_rate,
            decay=self.decay,
            patience=self.patience,
            stop_after=self.n_iter_no_change,
            clip=self.clip,
            weights=self.loss_weights or (SIDES_ONLY if guessed else LossWeights()),
            margin=self.margin,
            prior=prior,
            squared=self.log_of == "squared-norm",
        )
        if not guessed:
            return settings
        return replace(
            settings,
            hint_size=self.hint_size,
            hint_until=math.inf,
            own=self.own,
            pseudo_labels=soft_pseudo_labels,
        )


class ImageRecipe(BaseEstimator):
    """How the states of images learn; part of :class:`pulps.LPSImageClassifier`.

    Parameters
    ----------
    learning_rate : float, default=0.03
        Step of Adam; it falls to zero along a cosine.
    labeled_share : float, default=0.125
        How many labeled images are added to each batch if they are rare, per image in the
        batch; the paper adds as many as there are.
    margin : float, default=10.0
        Unlabeled images whose log-ratio is within ``margin`` of zero teach nothing.
    label_parts : int or None, default=None
        Hide each labeled image from one in ``label_parts`` members, which gives honest
        scores of labels to the threshold. Needs twice as many labeled images.
    n_selected : int, "cluster" or None, default="cluster"
        Keep that many of the most agreeing members; ``"cluster"`` keeps the largest set of
        which every pair agrees on nine images of ten; None keeps every member that is not
        degenerate. With very few labels some members find another split than the wanted
        one, but seldom the same.
    output_dim : int, default=4
        Dimension of the output legs.
    family : {"pca", "dct"}, default="pca"
        Functions of a patch, see :class:`pulps.images.PatchBook`.
    contrast : float, default=2.0
        Scale of a patch on its half sphere; larger values tell faint patches better apart.
    start_scale : float, default=1.0
        Spread of the random start.
    loss_weights : LossWeights or None, default=None
        Weights of the loss terms and the two log-norms. None takes the logistic term alone with
        a first guess (``pulps.training.loss.SIDES_ONLY``); without, the paper's weights, but an
        eighth of that of the labeled images.
    pseudo_labels : {"hard", "soft"} or None, default=None
        Whether an unlabeled image counts for the class it leans to, or for both by its odds
        (:mod:`pulps.training.pseudo_labels`). None is soft with a first guess, hard without.
    hint_size : float, default=20.0
        How sure the first guess is where it is surest, in log-odds.
    hint_until : float, default=numpy.inf
        Share of the steps after which the first guess has faded away; infinity never fades.
    own : float or None, default=None
        How much the states' own log-ratio, with the odds of the share of positives, is heard
        beside the first guess; None takes 2 with one, 1 without.
    max_restarts : int, default=2
        How many times a member that diverges or collapses may start again.
    """

    _parameter_constraints = _OF_BOTH | {
        "labeled_share": _POSITIVE,
        "output_dim": [_FROM_ONE],
        "family": [StrOptions({"pca", "dct"})],
        "contrast": _POSITIVE,
        "start_scale": _POSITIVE,
        "hint_until": [Interval(Real, 0, None, closed="right")],
        "pseudo_labels": [StrOptions({"hard", "soft"}), None],
        "own": [*_NOT_NEGATIVE, None],
    }

    def __init__(
        self,
        *,
        learning_rate: float = 0.03,
        labeled_share: float = 0.125,
        margin: float = 10.0,
        label_parts: int | None = None,
        n_selected: int | Literal["cluster"] | None = "cluster",
        output_dim: int = 4,
        family: Literal["pca", "dct"] = "pca",
        contrast: float = 2.0,
        start_scale: float = 1.0,
        loss_weights: LossWeights | None = None,
        pseudo_labels: Literal["hard", "soft"] | None = None,
        hint_size: float = 20.0,
        hint_until: float = math.inf,
        own: float | None = None,
        max_restarts: int = 2,
    ):
        self.learning_rate = learning_rate
        self.labeled_share = labeled_share
        self.margin = margin
        self.label_parts = label_parts
        self.n_selected = n_selected
        self.output_dim = output_dim
        self.family = family
        self.contrast = contrast
        self.start_scale = start_scale
        self.loss_weights = loss_weights
        self.pseudo_labels = pseudo_labels
        self.hint_size = hint_size
        self.hint_until = hint_until
        self.own = own
        self.max_restarts = max_restarts

    def settings(self, max_epochs: int, prior: float, *, guessed: bool = False) -> LoopSettings:
        """Say how the loop trains.

        Parameters
        ----------
        max_epochs
            Passes over the images.
        prior
            Share of positives among the unlabeled images.
        guessed
            Whether the images come with a first guess.

        Returns
        -------
        LoopSettings
        """
        soft = guessed if self.pseudo_labels is None else self.pseudo_labels == "soft"
        own = (OWN_GUESSED if guessed else 1.0) if self.own is None else self.own
        by_odds = partial(soft_pseudo_labels, prior_odds=own * sure_log_odds(prior))
        return LoopSettings(
            max_epochs=max_epochs,
            learning_rate=self.learning_rate,
            weights=self.loss_weights or (SIDES_ONLY if guessed else FEW_LABELS),
            margin=self.margin,
            prior=prior,
            hint_size=self.hint_size,
            hint_until=self.hint_until,
            own=own,
            pseudo_labels=by_odds if soft else None,
        )


def checked(recipe: BaseEstimator) -> BaseEstimator:
    """Check the fields of a recipe.

    Parameters
    ----------
    recipe
        The recipe; its fields must be what its constraints allow.

    Returns
    -------
    the recipe
    """
    check_parameters(recipe)
    return recipe


def with_recipe(parameters: Mapping[str, Any], recipe: type[BaseEstimator]) -> dict[str, Any]:
    """Gather the fields of a recipe among flat parameters into one.

    Parameters
    ----------
    parameters
        Parameters of a classifier and fields of its recipe, side by side; a field may also be
        written ``recipe__field``. Fields change the ``recipe`` that is given, if one is.
    recipe
        The type of the recipe.

    Returns
    -------
    dict
        Parameters of the classifier, with ``recipe`` among them if there was any field.

    Examples
    --------
    >>> with_recipe({"bond_dim": 4, "decay": "constant"}, Recipe)
    {'bond_dim': 4, 'recipe': Recipe(decay='constant')}
    """
    known = recipe().get_params()
    own: dict[str, Any] = {}
    fields: dict[str, Any] = {}
    for name, value in parameters.items():
        field = name.removeprefix("recipe__")
        (fields if field in known else own)[field if field in known else name] = value
    if not fields:
        return own
    given = own.get("recipe")
    return own | {"recipe": recipe(**((given.get_params() if given else {}) | fields))}
