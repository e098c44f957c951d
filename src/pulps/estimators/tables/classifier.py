"""`LPSClassifier`: one call, sensible on any table.

A fit, step by step: the table is read and encoded (:mod:`pulps.tables`), views of it make a
first guess (:mod:`pulps.views`), the members learn from that (:mod:`pulps.training`), and what
they say of the training rows becomes a decision (:mod:`pulps.decision.follow`). Without a guess,
labels hidden from members (:mod:`pulps.decision.held_out`) decide (:mod:`pulps.decision.decide`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
from sklearn.utils import check_random_state
from torch import Generator

from pulps.decision.decide import Decision
from pulps.decision.threshold import RULES
from pulps.estimators.base import check_device, usable_members
from pulps.estimators.progress import fit_progress, line_of
from pulps.estimators.questions.training_summary import summarize_training
from pulps.estimators.recipes.recipe import Recipe, checked
from pulps.estimators.tables.deciding_rows import DecidingRows
from pulps.estimators.tables.defaults import auto_batch_size, auto_epochs
from pulps.estimators.tables.encoded_table import EncodedTable
from pulps.estimators.tables.fit import (
    choose_embedding,
    hidden_labels,
    learned_prior,
    make_batches,
    make_start,
    open_checkpoint,
)
from pulps.estimators.tables.guess import FirstGuess, Teacher, guess_table
from pulps.estimators.tables.presets import TablePresets
from pulps.estimators.tables.readings import TableReadings
from pulps.estimators.tables.sizes import members_and_repeats
from pulps.estimators.tables.states import log_ratios
from pulps.estimators.tables.training_table import read_training_table
from pulps.io._sklearn import HasMethods, Interval, StrOptions, fit_context, with_callbacks
from pulps.io.randomness import new_generator
from pulps.io.threads import threads_for
from pulps.labels import SCENARIOS
from pulps.metrics.rows import Scenario
from pulps.network.likelihood import LikelihoodRecipe
from pulps.tables.embedding import Embedding
from pulps.tables.encoding import TableEncoder
from pulps.training.ensemble import Trained, train_members
from pulps.training.loop import LoopSettings
from pulps.training.missing_cells import DrawnCells

_FROM_ONE = Interval(Integral, 1, None, closed="left")


class LPSClassifier(TableReadings, TablePresets):
    r"""Positive-unlabeled classification with two locally purified states.

    One tensor network learns the labeled positives and the unlabeled rows that look like
    them, a second one the rest; a row is positive when its norm under the first is larger. A
    first guess says which rows these are, how many, and how sure that is. Several members are
    trained at once from different starts. Those that call every row one class or lose the
    labeled rows are set aside, the rest averaged.

    Parameters
    ----------
    bond_dim : int, default=8
        Bond dimension D of both states.
    spacing : int, default=4
        Every ``spacing``-th site has an output leg (S).
    feature_dim : int, default=6
        Number of basis functions of a numeric attribute (d).
    n_repeats : int or "auto", default="auto"
        How often each attribute occurs in the chain. ``"auto"`` repeats those of a narrow table,
        and beyond 2000 rows of any up to 55 columns (:mod:`pulps.estimators.tables.defaults`).
    n_members : int or "auto", default="auto"
        Models trained at once; ``"auto"`` takes four, or eight without a first guess and up to
        2000 rows.
    max_epochs : int or "auto", default="auto"
        Passes over the rows. ``"auto"`` makes 20 steps with all rows at once, or 80 with
        mini-batches; 200 and 240 without a first guess.
    batch_size : int, "auto" or None, default="auto"
        Rows in a batch; None takes all, ``"auto"`` all up to 2000 and batches of 512 beyond. If
        fewer than one row in ten is labeled, as many labeled rows are added to each batch.
    first_guess : "consensus", classifier or None, default="consensus"
        Who says which unlabeled rows are positive, by honest scores: several cheap views of the
        table (:mod:`pulps.views`), or your classifier of scikit-learn, cross-fitted on numbers
        standardized and categories one-hot. None leaves the states on their own, as in the
        paper; prior and threshold then rest on labels that are hidden from some members.
    prior : float, "learn" or None, default="learn"
        Share of positives in the population, if you know it. ``"learn"`` estimates it: from the
        first guess, or without one from held-out labels while training. None does so as well,
        but without a first guess trains as if half of the unlabeled rows were positive.
    scenario : {"single-training-set", "case-control"}, default="single-training-set"
        How the table came about: the labeled rows were taken out of the population, or come on
        top of it. The share of positives among the unlabeled rows follows from ``prior``.
    threshold : {"auto", "balance", "prior", "pu-f1", "lee-liu"}, default="auto"
        Where to cut the decision, see :mod:`pulps.decision.threshold`; ``"balance"`` is the
        paper's rule, positive where the positive norm is the larger one.
    pos_label : object, default=None
        The value of ``y`` that marks a labeled positive; by default the larger number.
        Needed if ``y`` holds strings.
    categorical_features : "from_dtype", list or None, default="from_dtype"
        See :class:`~pulps.tables.encoding.TableEncoder`.
    roles : dict or None, default=None
        What some columns of a table are, by name: ``"number"``, ``"category"``, ``"date"``,
        ``"out"`` and so on, see :mod:`pulps.tables.roles`. The others are guessed.
    missing : {"draw", "trace"}, default="draw"
        What a missing cell is in training: drawn anew in every step from the rows that have
        it, or traced out, as in the paper. Prediction traces either way.
    density : LikelihoodRecipe or None, default=None
        How to train a second pair of chains, by maximum likelihood, on the rows of each class.
        Sampling, imputation and densities use them. None uses the two states, as in the
        paper, which separate classes but are poor densities; see :meth:`generative`.
    recipe : Recipe or None, default=None
        Everything else about the training, see :class:`pulps.Recipe`; None takes its defaults.
    device : str, default="cpu"
        Where to train: a device of torch, such as ``"cuda"``.
    checkpoint : path or None, default=None
        File in which ``fit`` keeps its state, without pickle. If it exists, ``fit`` goes on from
        it and ends at the same cores, given the same rows, parameters, engine and number of
        threads. It is deleted at the end.
    random_state : int, RandomState or None, default=None
        Seed of starts, batches and mixed bases.
    verbose : bool, int or "auto", default="auto"
        Whether to show how far a fit is. ``"auto"`` shows a line on a terminal or in a notebook
        once a fit has taken two seconds; True or 1 shows it at once, and in a log as well.

    Attributes
    ----------
    classes_ : array of shape (2,)
        The value of unlabeled (negative) rows, then that of positive rows.
    positive_cores_, negative_cores_ : list of arrays
        One array (members kept, feature, left, output, right) per site.
    agreement_ : float
        Share of training rows on which two kept members predict the same class, averaged over
        pairs: the paper's "estimated accuracy". It measures stability, and with a first guess
        only that all members learn the same; without one, a warning says where held-out labels
        contradict it. NaN with a single member.
    kappa_ : float
        The same beyond what chance alone would give (Cohen's κ).
    agreement_matrix_, members_ : arrays
        Agreement of all pairs of kept members, and which of the trained members these are.
    threshold_report_ : ThresholdReport
        Where the decision is cut and why, the share of positives among the unlabeled rows
        with an interval, and the scores to expect; print it.
    movable_cut_, training_summary_ : MovableCut or None, TrainingSummary
        What :meth:`with_threshold`, after a first guess, and :func:`pulps.check_drift` need.
    prior_ : float
        Share of positives in the population, given or estimated.
    member_scales_, slope_ : array, float
        Mean size of each kept member's log-ratio on the unlabeled rows, and steepness of the
        probability at the threshold; see ``decision_rule``.
    restarts_ : list of str
        What happened to members that had to start again.
    loss_curve_ : array
        Total loss after every epoch, averaged over the members kept.
    history_ : dict of arrays
        For every epoch and trained member: the six loss terms, ``norm_weight``,
        ``labeled_recall``, ``positive_share`` and ``learning_rate``.
    n_iter_ : int
        Epochs of the longest run.
    positive_density_cores_, negative_density_cores_, density_bases_
        Cores of the chains that generate and the basis of each of their sites, if ``density``
        is given.
    encoder_, form_ : TableEncoder, TableForm
        How the table is encoded; its library, names and types, for writing rows like it.
    site_order_, site_bases_ : array of int, array of str
        Which column each of the first sites holds (repeats follow in the same order), and the
        basis of every site.
    engine_ : str
        The engine that trained.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from pulps import LPSClassifier, hide_labels
    >>> X, y_true = make_moons(200, noise=0.1, random_state=0)
    >>> y = hide_labels(y_true, n_labeled=30, random_state=0)
    >>> model = LPSClassifier(n_members=2, random_state=0).fit(X, y)
    >>> float((model.predict(X) == y_true).mean()) > 0.9
    True
    """

    _recipe_type = Recipe
    _parameter_constraints = {
        "bond_dim": [_FROM_ONE],
        "spacing": [_FROM_ONE],
        "feature_dim": [_FROM_ONE],
        "n_repeats": [_FROM_ONE, StrOptions({"auto"})],
        "n_members": [_FROM_ONE, StrOptions({"auto"})],
        "max_epochs": [_FROM_ONE, StrOptions({"auto"})],
        "batch_size": [_FROM_ONE, StrOptions({"auto"}), None],
        "first_guess": [
            StrOptions({"consensus"}),
            HasMethods(["fit", "decision_function"]),
            HasMethods(["fit", "predict_proba"]),
            None,
        ],
        "prior": [Interval(Real, 0, 1, closed="neither"), StrOptions({"learn"}), None],
        "scenario": [StrOptions(set(SCENARIOS))],
        "threshold": [StrOptions(set(RULES))],
        "pos_label": "no_validation",
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
        bond_dim: int = 8,
        spacing: int = 4,
        feature_dim: int = 6,
        n_repeats: int | Literal["auto"] = "auto",
        n_members: int | Literal["auto"] = "auto",
        max_epochs: int | Literal["auto"] = "auto",
        batch_size: int | Literal["auto"] | None = "auto",
        first_guess: Any = "consensus",
        prior: float | Literal["learn"] | None = "learn",
        scenario: Scenario = "single-training-set",
        threshold: Literal["auto", "balance", "prior", "pu-f1", "lee-liu"] = "auto",
        pos_label: Any = None,
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
        self.bond_dim = bond_dim
        self.spacing = spacing
        self.feature_dim = feature_dim
        self.n_repeats = n_repeats
        self.n_members = n_members
        self.max_epochs = max_epochs
        self.batch_size = batch_size
        self.first_guess = first_guess
        self.prior = prior
        self.scenario = scenario
        self.threshold = threshold
        self.pos_label = pos_label
        self.categorical_features = categorical_features
        self.roles = roles
        self.missing = missing
        self.density = density
        self.recipe = recipe
        self.device = device
        self.checkpoint = checkpoint
        self.random_state = random_state
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=True)
    @with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from labeled positives and unlabeled rows.

        Parameters
        ----------
        X : table or array of shape (rows, columns)
            pandas, polars or pyarrow table, or a numeric array. NaN, None and null are
            missing values: drawn anew in every step of training, unless ``missing`` is
            ``"trace"``, and summed over at prediction.
        y : array of shape (rows,)
            Two values: 1 (or ``pos_label``) for a labeled positive, 0 for an unlabeled row. Or
            three: 1, 0 and -1 for a row that is known to be negative; the answer is -1 or 1.
        sample_weight : array of shape (rows,), default=None
            How many rows each row stands for, in training and in everything learned from it.
            Weight two equals the row twice (to the bit while all rows train at once), zero no row.

        Returns
        -------
        self
        """
        recipe = checked(self.recipe or Recipe())
        encoder = TableEncoder(self.categorical_features, recipe.numeric_scale, roles=self.roles)
        return self.fit_encoded(read_training_table(self, X, y, sample_weight, encoder))

    def fit_encoded(self, table: EncodedTable, teacher: Teacher | None = None) -> Self:
        """Learn from rows that are encoded already; :meth:`fit` is this after reading a table.

        Parameters
        ----------
        table : EncodedTable
            Rows in memory or in a file, labels and weights.
        teacher : honest scores of the rows and a Consensus, default=None
            A first guess that was made already; None makes it.

        Returns
        -------
        self
        """
        recipe = checked(self.recipe or Recipe())
        check_device(self.device)
        if table.in_memory and self._rows_per_batch(len(table)) is None:
            table = table.distinct()
        rng = check_random_state(self.random_state)
        checkpoint = None
        if self.checkpoint is not None:
            checkpoint = open_checkpoint(self.checkpoint, self, recipe, table)
            rng = checkpoint.generator(rng)
        generator = new_generator(rng)
        n_members, n_repeats = members_and_repeats(self, table)
        n_cells = len(table) * len(table.encoder.columns_)
        with threads_for("views", n_cells):
            guess = self._guess(table, teacher, rng, generator)
        hidden = hidden_labels(table, n_members, None if guess else recipe.label_parts, rng)
        embedding = choose_embedding(table, recipe, n_repeats, self.feature_dim, generator)
        known = self._known_prior_of_unlabeled(table.labeled, table.row_weights)
        judged = DecidingRows.of(table, hidden, None if guess is None else guess.rows, known)
        with threads_for("network", n_cells):
            trained = self._train(
                table, recipe, embedding, hidden, guess, judged, generator, checkpoint
            )
        decision, decided = self._conclude(trained, recipe, embedding, judged)
        scores = decided + decision.report.threshold
        self.training_summary_ = summarize_training(judged.table, scores, self.scenario)
        if self.density is not None:
            if judged.table is not table:
                decided = self.decision_of_encoded(table.values)
            self._fit_densities(table, self.density, decided > 0, generator)
        if checkpoint is not None:
            checkpoint.remove()
        self._warn(decision, trained.n_members, recipe.max_restarts)
        return self

    def _conclude(
        self,
        trained: Trained,
        recipe: Recipe,
        embedding: Embedding,
        judged: DecidingRows,
    ) -> tuple[Decision, np.ndarray]:
        """Turn members as they stand into a model that answers."""
        usable = usable_members(trained, recipe.learning_rate)
        cores = [core.cpu().numpy()[trained.stack.chains_of(usable)] for core in trained.cores]
        table = judged.table
        ratios = log_ratios(embedding, cores, table.values)
        decision = judged.decide(
            ratios,
            usable,
            size=recipe.n_selected,
            rule=self.threshold,
            single_training_set=self.scenario == "single-training-set",
        )
        self.classes_, self.encoder_, self.form_ = table.classes, table.encoder, table.form
        self.site_order_, self.site_bases_ = embedding.order, embedding.basis_names
        self._keep(trained, usable, decision)
        self.movable_cut_ = decision.movable
        return decision, self.decision_rule.decision(ratios[decision.members])

    def _guess(
        self, table: EncodedTable, teacher: Any, rng: np.random.RandomState, generator: Generator
    ) -> FirstGuess | None:
        if self.first_guess is None:
            return None
        return guess_table(
            self.first_guess,
            table,
            rng,
            generator,
            teacher=teacher,
            rule=self.threshold,
            known_prior=self._known_prior_of_unlabeled(table.labeled, table.row_weights),
            single_training_set=self.scenario == "single-training-set",
            line=partial(line_of, self),
        )

    def _train(
        self,
        table: EncodedTable,
        recipe: Recipe,
        embedding: Embedding,
        hidden: np.ndarray,
        guess: FirstGuess | None,
        judged: DecidingRows,
        generator: Generator,
        keeper: Any,
    ) -> Trained:
        shape = embedding.shape(self.bond_dim, self.spacing, recipe.output_dim)
        rates = None if guess is None else guess.site_rates(embedding)
        start = make_start(embedding, shape, recipe, generator, self.device, rates)
        taught, hints = (table, None) if guess is None else guess.taught(table)
        unseen = hidden if guess is None else np.zeros((len(hidden), len(taught)), dtype=bool)
        batches = make_batches(
            taught,
            embedding,
            unseen,
            start,
            self._rows_per_batch(len(table)),
            self._augment(table, embedding),
            hints,
        )
        settings = replace(self._settings(table, recipe), site_rates=rates)
        if self.prior == "learn" and unseen.any():
            prior = learned_prior(table, embedding, batches, unseen, settings.max_epochs)
            settings = replace(settings, prior=prior)
        with fit_progress(self, settings.max_epochs) as epoch_done:
            return train_members(
                start,
                batches,
                settings,
                max_restarts=recipe.max_restarts,
                on_epoch=lambda now: epoch_done(
                    lambda model: model._conclude(now(), recipe, embedding, judged)
                ),
                keeper=keeper,
            )

    def _augment(self, table: EncodedTable, embedding: Embedding) -> Any:
        draws = self.missing == "draw" and table.has_holes
        return DrawnCells(embedding.n_columns) if draws else None

    def _rows_per_batch(self, n_rows: int) -> int | None:
        return auto_batch_size(n_rows) if self.batch_size == "auto" else self.batch_size

    def _settings(self, table: EncodedTable, recipe: Recipe) -> LoopSettings:
        """Say how the loop trains."""
        epochs, n_rows, guessed = self.max_epochs, len(table), self.first_guess is not None
        if epochs == "auto":
            epochs = auto_epochs(n_rows, self._rows_per_batch(n_rows), guessed=guessed)
        known = self._known_prior_of_unlabeled(table.labeled, table.row_weights)
        return recipe.settings(epochs, 0.5 if known is None else known, guessed=guessed)
