"""`LPSSemiSupervisedClassifier`: any number of classes, labels for some of the rows.

A fit, step by step: the table is read and encoded (:mod:`pulps.tables`), views tell the labeled
classes apart and are asked about labels that were held out (:mod:`pulps.views.classes`), a network
with one state per class learns from them (:mod:`pulps.training`), and both answer together. With
one labeled class and a class without labels it is :class:`pulps.LPSClassifier`, to the bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from numbers import Real
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
from sklearn.utils import Tags, check_random_state

from pulps.decision.classes import decide_classes
from pulps.estimators.base import check_device, usable_members
from pulps.estimators.classes.fit import members_of, train_classes
from pulps.estimators.classes.positive_unlabeled import take_over
from pulps.estimators.classes.table_guess import guess_classes
from pulps.estimators.classes.table_readings import ClassTableReadings
from pulps.estimators.classes.training_table import read_class_table
from pulps.estimators.progress import line_of
from pulps.estimators.recipes.recipe import Recipe, checked
from pulps.estimators.recipes.recipe_fields import RecipeParameters
from pulps.estimators.tables.classifier import LPSClassifier
from pulps.estimators.tables.defaults import auto_batch_size, auto_repeats
from pulps.estimators.tables.encoded_table import EncodedTable
from pulps.estimators.tables.fit import (
    choose_embedding,
    density_bases,
    fit_class_densities,
    open_checkpoint,
)
from pulps.estimators.tables.sizes import check_size
from pulps.io._sklearn import (
    Interval,
    StrOptions,
    fit_context,
    manage_callbacks,
    with_callbacks,
)
from pulps.io.randomness import new_generator
from pulps.io.threads import threads_for
from pulps.network.likelihood import LikelihoodRecipe
from pulps.tables.encoding import TableEncoder

# Parameters that mean what they mean to the classifier of labeled and unlabeled rows.
SHARED = (
    *("bond_dim", "spacing", "feature_dim", "n_repeats", "n_members", "max_epochs"),
    *("batch_size", "categorical_features", "roles", "missing", "density", "recipe", "device"),
    *("checkpoint", "random_state", "verbose"),
)


class LPSSemiSupervisedClassifier(RecipeParameters, ClassTableReadings):
    r"""Classification with labels for some of the rows, and any number of classes.

    One tensor network per class learns the labeled rows of its class and the unlabeled rows that
    look like them; the class with the largest norm wins. A first guess says which rows these
    are: the consensus of several cheap classifiers, weighed by labels that were held out from
    them. Several members are trained at once from different starts.

    The answer is a blend of the network and its first guess, one to three. On the tables we
    measured the two are level, and so is any blend of them: the accuracy comes from the first
    guess, and the network adds densities, draws and imputation.

    Parameters
    ----------
    unlabeled_class : bool or object, default=False
        Whether there is a class that nobody labeled, "none of these": unlabeled rows may then be
        like no labeled one. Pass a value to name it; True takes -1, or ``"none of these"`` where
        classes are text. With one labeled class this is positive-unlabeled learning.
    blend : float, default=0.25
        Share of the network in the answer, from 0 to 1; the rest is the first guess's.
    bond_dim, spacing, feature_dim : int
        See :class:`pulps.LPSClassifier`.
    n_repeats : int or "auto", default="auto"
        See there.
    n_members : int or "auto", default="auto"
        Models trained at once; ``"auto"`` takes four for two classes, two up to five classes and
        one for more.
    max_epochs, batch_size : int or "auto", default="auto"
        See there; None as ``batch_size`` takes all rows at once.
    first_guess : "consensus" or None, default="consensus"
        Who says which unlabeled rows belong to which class. None leaves the states on their own,
        as in the paper, and the answer to the network alone.
    categorical_features : "from_dtype", list or None, default="from_dtype"
        See :class:`~pulps.tables.encoding.TableEncoder`.
    roles : dict[str, Any] or None, default=None
        What some columns are, see :mod:`pulps.tables.roles`.
    missing : {"draw", "trace"}, default="draw"
        What a missing cell is in training: drawn anew in every step from the rows that have
        it, or traced out. Prediction traces either way.
    density : LikelihoodRecipe or None, default=None
        How to train a chain per class that generates; needed for :meth:`sample`.
    recipe : Recipe or None, default=None
        Everything else about the training, see :class:`pulps.Recipe`.
    device : str, default="cpu"
        Where to train: a device of torch.
    checkpoint : path or None, default=None
        File in which ``fit`` keeps its state and from which it goes on.
    random_state : int, RandomState or None, default=None
        Seed of folds, views, starts and batches.
    verbose : bool, int or "auto", default="auto"
        Whether to show how far a fit is.

    Attributes
    ----------
    classes_ : array of shape (classes,)
        Labeled classes in sorted order, then the one without labels, if there is one.
    transduction_ : array of shape (rows,)
        Class of every training row: its label, or what is predicted.
    class_shares_ : pandas.DataFrame
        Share of every class in the population, with an interval of 90 % that rests on held-out
        labels (:func:`pulps.decision.classes.class_shares`).
    held_out_confusion_ : pandas.DataFrame
        Labels that were held out, and what was said of them: the accuracy to expect, class by
        class.
    cores_ : list of lists of arrays
        For each class, one array (members kept, feature, left, output, right) per site.
    teacher_ : consensus or None
        The first guess, which scores any row.
    class_scale_, member_scales_ : ClassScale, array
        How log-norms become probabilities.
    agreement_, kappa_, agreement_matrix_, members_
        Of kept members on the training rows, see :class:`pulps.LPSClassifier`.
    density_cores_, density_bases_
        Chains that generate, if ``density`` is given.
    loss_curve_, history_, n_iter_, restarts_, engine_
        As there; ``positive`` and ``negative`` are unlabeled rows given to the first class and to
        any other.
    encoder_, form_, site_order_, site_bases_, n_features_in_, feature_names_in_
        As there.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from pulps import LPSSemiSupervisedClassifier
    >>> X, y_true = load_iris(return_X_y=True)
    >>> y = y_true.copy()
    >>> y[np.arange(150) % 10 > 0] = -1  # every tenth row keeps its label
    >>> model = LPSSemiSupervisedClassifier(random_state=0).fit(X, y)
    >>> bool((model.transduction_ == y_true).mean() > 0.9)
    True
    """

    _recipe_type = Recipe
    _parameter_constraints = {
        "unlabeled_class": "no_validation",
        "blend": [Interval(Real, 0, 1, closed="both")],
        "first_guess": [StrOptions({"consensus"}), None],
        **{name: LPSClassifier._parameter_constraints[name] for name in SHARED},
    }

    def __init__(
        self,
        *,
        unlabeled_class: Any = False,
        blend: float = 0.25,
        bond_dim: int = 8,
        spacing: int = 4,
        feature_dim: int = 6,
        n_repeats: int | Literal["auto"] = "auto",
        n_members: int | Literal["auto"] = "auto",
        max_epochs: int | Literal["auto"] = "auto",
        batch_size: int | Literal["auto"] | None = "auto",
        first_guess: Literal["consensus"] | None = "consensus",
        categorical_features: Sequence[Any] | Literal["from_dtype"] | None = "from_dtype",
        roles: dict[str, str] | None = None,
        missing: Literal["draw", "trace"] = "draw",
        density: LikelihoodRecipe | None = None,
        recipe: Recipe | None = None,
        device: str = "cpu",
        checkpoint: str | Path | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: bool | int | Literal["auto"] = "auto",
    ) -> None:
        self.unlabeled_class = unlabeled_class
        self.blend = blend
        self.bond_dim = bond_dim
        self.spacing = spacing
        self.feature_dim = feature_dim
        self.n_repeats = n_repeats
        self.n_members = n_members
        self.max_epochs = max_epochs
        self.batch_size = batch_size
        self.first_guess = first_guess
        self.categorical_features = categorical_features
        self.roles = roles
        self.missing = missing
        self.density = density
        self.recipe = recipe
        self.device = device
        self.checkpoint = checkpoint
        self.random_state = random_state
        self.verbose = verbose

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    @fit_context(prefer_skip_nested_validation=True)
    @with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from labeled and unlabeled rows.

        Parameters
        ----------
        X : table or array of shape (rows, columns)
            pandas, polars or pyarrow table, or a numeric array. NaN, None and null are missing
            values.
        y : array of shape (rows,)
            Classes; -1, None or NaN for a row without a label.
        sample_weight : array of shape (rows,), default=None
            How many rows each row stands for. Weight two equals the row twice, zero no row.

        Returns
        -------
        self
        """
        recipe = checked(self.recipe or Recipe())
        encoder = TableEncoder(self.categorical_features, recipe.numeric_scale, roles=self.roles)
        rows, known, table = read_class_table(self, X, y, sample_weight, encoder)
        self.fit_encoded(table)
        if len(rows) > len(table):  # those that weigh nothing get an answer as well
            self.transduction_ = self._transduced(rows, known)
        return self

    def fit_encoded(self, table: EncodedTable) -> Self:
        """Learn from rows that are encoded already; :meth:`fit` is this after reading a table.

        Parameters
        ----------
        table : EncodedTable
            Rows in memory or in a file, with ``known`` classes, and weights.

        Returns
        -------
        self
        """
        recipe = checked(self.recipe or Recipe())
        check_device(self.device)
        self.classes_, self.encoder_, self.form_ = table.classes, table.encoder, table.form
        if len(table.classes) - (self.unlabeled_class is not False) == 1:
            self._fit_positive_unlabeled(table)
        else:
            self._fit_classes(table, recipe)
        self.transduction_ = self._transduced(table.values, np.asarray(table.known))
        self._warn_of_empty_classes()
        return self

    def _fit_classes(self, table: EncodedTable, recipe: Recipe) -> None:
        """Learn with one state per class."""
        n_rows = auto_batch_size(len(table)) if self.batch_size == "auto" else self.batch_size
        if table.in_memory and n_rows is None:
            table = table.distinct()
        rng = check_random_state(self.random_state)
        checkpoint = None
        if self.checkpoint is not None:
            checkpoint = open_checkpoint(self.checkpoint, self, recipe, table)
            rng = checkpoint.generator(rng)
        generator = new_generator(rng)
        n_classes, n_columns = len(table.classes), len(table.encoder.columns_)
        n_cells, guess, n_repeats = len(table) * n_columns, None, self.n_repeats
        if n_repeats == "auto":
            n_repeats = auto_repeats(table.n_counted, n_columns)
        n_chains = n_classes * members_of(self, n_classes)
        check_size(self, table.encoder.columns_, n_chains, n_repeats)
        if self.first_guess is not None:
            open_set = self.unlabeled_class is not False
            with threads_for("views", n_cells):
                guess = guess_classes(
                    table,
                    n_classes,
                    rng,
                    generator,
                    open_set=open_set,
                    line=partial(line_of, self),
                )
        embedding = choose_embedding(table, recipe, n_repeats, self.feature_dim, generator)
        with threads_for("network", n_cells):
            trained = train_classes(
                self, table, recipe, embedding, guess, generator, checkpoint, n_rows
            )
        usable = usable_members(trained, recipe.learning_rate)
        sound = np.flatnonzero(trained.sound.numpy())
        self._keep_states(trained, sound if len(sound) else usable)
        self.site_order_, self.site_bases_ = embedding.order, embedding.basis_names
        self.teacher_ = None if guess is None else guess.teacher
        told = (None, None) if guess is None else (guess.honest, guess.asked)
        known, logs = np.asarray(table.known), self.log_norms(table.values)
        self._keep_decision(decide_classes(logs, known, table.weights, *told))
        if self.density is not None:
            self._fit_densities(table, self.density, generator)
        if checkpoint is not None:
            checkpoint.remove()

    def _fit_densities(
        self, table: EncodedTable, recipe: LikelihoodRecipe, generator: Any
    ) -> None:
        classes = self._transduced(table.values, np.asarray(table.known))
        self.density_bases_ = density_bases(self.encoder_, self.site_order_, generator)
        with line_of(self, recipe.max_epochs, "epoch of the densities") as tell:
            cores = fit_class_densities(
                self.density_embedding,
                table.values,
                [classes == one for one in table.classes],
                table.weights,
                recipe,
                generator,
                tell,
            )
        self.density_cores_ = list(cores)

    def _fit_positive_unlabeled(self, table: EncodedTable) -> None:
        """Leave it to the classifier of labeled and unlabeled rows; the labeled class is first."""
        own = {name: getattr(self, name) for name in (*SHARED, "first_guess")}
        model = LPSClassifier(**own)
        plain = replace(table, known=None, classes=table.classes[::-1])
        manage_callbacks(LPSClassifier.fit_encoded)(model, plain)
        take_over(self, model, table.weights.sum(), table.weights[table.labeled].sum())
        self.site_order_, self.site_bases_ = model.site_order_, model.site_bases_
        if self.density is not None:
            self.density_bases_ = model.density_bases_
