"""`LPSSemiSupervisedClassifier`: any number of classes, labels for some of the rows.

A fit, step by step: the table is read and encoded (:mod:`pulps.tables`), views tell the labeled
classes apart and are asked about labels that were held out (:mod:`pulps.views.classes`), a network
with one state per class learns from them (:mod:`pulps.training`), and both answer together. With
one labeled class and a class without labels it is :class:`pulps.LPSClassifier`, to the bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
import torch
from sklearn.utils import Tags, check_random_state

from pulps.decision.classes import (
    ClassScale,
    centered,
    class_shares,
    fit_class_scale,
    member_scales,
)
from pulps.decision.decide import compare_members
from pulps.estimators.base import check_device, usable_members
from pulps.estimators.class_answers import ClassAnswers
from pulps.estimators.class_guess import guess_classes
from pulps.estimators.class_reading import read_class_table
from pulps.estimators.defaults import auto_batch_size, auto_epochs, auto_repeats
from pulps.estimators.progress import fit_progress, line_of
from pulps.estimators.recipe import Recipe, checked
from pulps.estimators.recipe_parameters import RecipeParameters
from pulps.estimators.states import log_norms
from pulps.estimators.table import LPSClassifier
from pulps.estimators.table_fit import (
    EncodedTable,
    choose_embedding,
    density_bases,
    fit_class_densities,
    make_batches,
    make_start,
    open_checkpoint,
)
from pulps.estimators.table_guess import rates_of_sites
from pulps.io._sklearn import Interval, StrOptions, fit_context, with_callbacks
from pulps.io.randomness import new_generator
from pulps.io.threads import threads_for
from pulps.network import engine
from pulps.network.likelihood import LikelihoodRecipe
from pulps.tables.embedding import Embedding
from pulps.tables.encoding import TableEncoder
from pulps.training.ensemble import Trained, train_members
from pulps.training.loss import LossTerms
from pulps.training.missing_cells import DrawnCells

_FROM_ONE = Interval(Integral, 1, None, closed="left")
N_VIEWS = 6


class LPSSemiSupervisedClassifier(RecipeParameters, ClassAnswers):
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
    roles : dict or None, default=None
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
        "bond_dim": [_FROM_ONE],
        "spacing": [_FROM_ONE],
        "feature_dim": [_FROM_ONE],
        "n_repeats": [_FROM_ONE, StrOptions({"auto"})],
        "n_members": [_FROM_ONE, StrOptions({"auto"})],
        "max_epochs": [_FROM_ONE, StrOptions({"auto"})],
        "batch_size": [_FROM_ONE, StrOptions({"auto"}), None],
        "first_guess": [StrOptions({"consensus"}), None],
        "categorical_features": ["array-like", StrOptions({"from_dtype"}), None],
        "roles": [dict, None],
        "missing": [StrOptions({"draw", "trace"})],
        "density": [LikelihoodRecipe, None],
        "recipe": [Recipe, None],
        "device": [str],
        "checkpoint": [str, Path, None],
        "random_state": ["random_state"],
        "verbose": ["verbose", StrOptions({"auto"})],
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

    @with_callbacks
    @fit_context(prefer_skip_nested_validation=True)
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
        check_device(self.device)
        encoder = TableEncoder(self.categorical_features, recipe.numeric_scale, roles=self.roles)
        rows, known, table = read_class_table(self, X, y, sample_weight, encoder)
        self.classes_, self.encoder_, self.form_ = table.classes, table.encoder, table.form
        n_labeled_classes = len(table.classes) - (self.unlabeled_class is not False)
        if n_labeled_classes == 1:
            self._fit_positive_unlabeled(table)
        else:
            self._fit_classes(table, recipe)
        chances = self.probabilities_of_encoded(rows)
        self.transduction_ = self.classes_[np.where(known >= 0, known, chances.argmax(axis=1))]
        return self

    def _fit_classes(self, table: EncodedTable, recipe: Recipe) -> None:
        """Learn with one state per class."""
        n_classes = len(table.classes)
        if self._rows_per_batch(len(table)) is None:
            table = table.distinct()
        rng = check_random_state(self.random_state)
        checkpoint = None
        if self.checkpoint is not None:
            checkpoint = open_checkpoint(self.checkpoint, self, recipe, table)
            rng = checkpoint.generator(rng)
        generator = new_generator(rng)
        n_cells = len(table) * len(table.encoder.columns_)
        guess = None
        if self.first_guess is not None:
            with threads_for("views", n_cells), line_of(self, N_VIEWS, "view") as tell:
                done = iter(range(1, 10 * N_VIEWS))
                guess = guess_classes(
                    table,
                    n_classes,
                    rng,
                    open_set=self.unlabeled_class is not False,
                    on_view=lambda: tell(next(done)),
                )
        n_repeats = self.n_repeats
        if n_repeats == "auto":
            n_repeats = auto_repeats(table.n_counted, len(table.encoder.columns_))
        embedding = choose_embedding(table, recipe, n_repeats, self.feature_dim, generator)
        with threads_for("network", n_cells):
            trained = self._train(table, recipe, embedding, guess, generator, checkpoint)
        usable = usable_members(trained, recipe.learning_rate)
        sound = np.flatnonzero(trained.sound.numpy())
        self.members_ = sound if len(sound) else usable
        chains = trained.stack.chains_of(self.members_)
        cores = [core.cpu().numpy()[chains] for core in trained.cores]
        self.cores_ = list(trained.stack.select(self.members_).split_cores(cores))
        self.site_order_, self.site_bases_ = embedding.order, embedding.basis_names
        known = np.asarray(table.known)
        logs = log_norms(embedding, cores, table.values, n_classes)
        self.member_scales_ = member_scales(logs, table.weights)
        leads = centered(logs) / self.member_scales_[:, None]
        labeled = known >= 0
        if guess is None:
            honest = np.eye(n_classes)[np.where(labeled, known, 0)]
            some, self.teacher_ = labeled, None
        else:
            honest, self.teacher_ = guess.honest, guess.teacher
            some = np.full(len(known), True)
        scale = fit_class_scale(leads.mean(axis=1)[:, some], honest[some], table.weights[some])
        self.class_scale_ = scale
        if guess is None:
            honest = np.where(labeled[:, None], honest, scale.probabilities(leads.mean(axis=1)))
        self.class_share_table_ = class_shares(honest, known, table.weights)
        votes = (scale.slope * leads + scale.offsets[:, None, None]).argmax(axis=0)
        self._keep(trained, compare_members(votes, table.weights))
        if self.density is not None:
            self._fit_densities(table, self.density, generator)
        if checkpoint is not None:
            checkpoint.remove()

    def _train(
        self,
        table: EncodedTable,
        recipe: Recipe,
        embedding: Embedding,
        guess: Any,
        generator: torch.Generator,
        keeper: Any,
    ) -> Trained:
        n_classes, known = len(table.classes), np.asarray(table.known)
        n_members = self.n_members
        if n_members == "auto":
            n_members = 4 if n_classes == 2 else 2 if n_classes <= 5 else 1
        shape = embedding.shape(self.bond_dim, self.spacing, recipe.output_dim)
        rates = None if guess is None else rates_of_sites(guess.column_rates, embedding)
        start = make_start(
            embedding, shape, recipe, generator, self.device, rates, n_states=n_classes
        )
        taught = table if guess is None else table.with_rows(guess.made)
        augment = DrawnCells(embedding.n_columns) if self._draws(table) else None
        batches = make_batches(
            taught,
            embedding,
            np.zeros((n_members, len(taught)), dtype=bool),
            start,
            self._rows_per_batch(len(table)),
            augment,
            None if guess is None else guess.hints(),
        )
        n_rows = self._rows_per_batch(len(table))
        epochs = self.max_epochs
        if epochs == "auto":
            epochs = auto_epochs(len(table), n_rows, guessed=guess is not None)
        mass = np.bincount(known[known >= 0], table.weights[known >= 0], n_classes)
        shares = (mass + 1) / (mass + 1).sum()
        settings = replace(
            recipe.settings(epochs, 0.5, guessed=guess is not None),
            n_states=n_classes,
            shares=tuple(shares.tolist()),
            site_rates=rates,
        )
        if guess is not None:
            settings = replace(settings, hint_size=1.0)
        with fit_progress(self, settings.max_epochs) as epoch_done:
            return train_members(
                start,
                batches,
                settings,
                max_restarts=recipe.max_restarts,
                on_epoch=epoch_done,
                keeper=keeper,
            )

    def _draws(self, table: EncodedTable) -> bool:
        return self.missing == "draw" and table.has_holes

    def _rows_per_batch(self, n_rows: int) -> int | None:
        return auto_batch_size(n_rows) if self.batch_size == "auto" else self.batch_size

    def _keep(self, trained: Trained, compared: dict[str, Any]) -> None:
        self.agreement_matrix_ = compared["agreement_matrix"]
        self.agreement_, self.kappa_ = compared["agreement"], compared["kappa"]
        self.restarts_ = trained.restarts
        self.n_iter_ = max(map(len, trained.epochs))
        self.history_ = trained.history()
        total = np.sum([self.history_[name] for name in LossTerms._fields], axis=0)
        self.loss_curve_ = np.nanmean(total[:, self.members_], axis=1)
        self.engine_ = engine.active_engine()[0]

    def _fit_densities(
        self, table: EncodedTable, recipe: LikelihoodRecipe, generator: torch.Generator
    ) -> None:
        known = np.asarray(table.known)
        chances = self.probabilities_of_encoded(table.values)
        classes = np.where(known >= 0, known, chances.argmax(axis=1))
        self.density_bases_ = density_bases(self.encoder_, self.site_order_, generator)
        with line_of(self, recipe.max_epochs, "epoch of the densities") as tell:
            cores = fit_class_densities(
                self.density_embedding,
                table.values,
                [classes == state for state in range(len(table.classes))],
                table.weights,
                recipe,
                generator,
                tell,
            )
        self.density_cores_ = list(cores)

    def _fit_positive_unlabeled(self, table: EncodedTable) -> None:
        """Leave it to the classifier of labeled and unlabeled rows; the labeled class is first."""
        own = self.get_params(deep=False)
        for name in ("unlabeled_class", "blend"):
            del own[name]
        model = LPSClassifier(**own)
        plain = replace(table, known=None, classes=table.classes[::-1])
        model.fit_encoded(plain)
        self.cores_ = [model.positive_cores_, model.negative_cores_]
        self.site_order_, self.site_bases_ = model.site_order_, model.site_bases_
        self.member_scales_, self.members_ = model.member_scales_, model.members_
        cut = model.slope_ * model.threshold_report_.threshold
        self.class_scale_ = ClassScale(model.slope_, np.array([-cut, 0.0]))
        self.teacher_ = None
        report = model.threshold_report_
        n_rows, n_labeled = table.weights.sum(), table.weights[table.labeled].sum()
        ends = np.array([report.prior_of_unlabeled, *report.prior_interval])
        ends = (n_labeled + ends * (n_rows - n_labeled)) / n_rows
        self.class_share_table_ = np.stack([ends, 1 - ends[[0, 2, 1]]])
        for name in ("agreement_", "agreement_matrix_", "kappa_", "restarts_", "n_iter_"):
            setattr(self, name, getattr(model, name))
        for name in ("history_", "loss_curve_", "engine_"):
            setattr(self, name, getattr(model, name))
        if self.density is not None:
            self.density_bases_ = model.density_bases_
            self.density_cores_ = [model.positive_density_cores_, model.negative_density_cores_]
