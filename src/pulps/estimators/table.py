"""`LPSClassifier`: one call, sensible on any table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import chain
from numbers import Integral, Real
from pathlib import Path

import numpy as np
import torch
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.callback import CallbackSupportMixin, with_callbacks
from sklearn.utils import assert_all_finite, check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from pulps.decision.decide import keep_members
from pulps.decision.held_out import hide_parts
from pulps.decision.learned_prior import LearnedPrior, every_kind_of_row
from pulps.decision.threshold import RULES
from pulps.estimators.checkpoint import Checkpoint, fingerprint
from pulps.estimators.defaults import auto_batch_size, auto_epochs, auto_members, auto_repeats
from pulps.estimators.density import DensityMixin
from pulps.estimators.generation import GenerationMixin
from pulps.estimators.presets import paper_parameters
from pulps.estimators.progress import fit_progress
from pulps.io._sklearn import Interval, StrOptions, check_sample_weight, fit_context
from pulps.labels import SCENARIOS, read_labels, share_among_unlabeled
from pulps.network import engine
from pulps.network.basis import Basis, embed
from pulps.network.likelihood import LikelihoodRecipe, fit_densities
from pulps.network.lps import ChainShape
from pulps.tables.decoding import read_form
from pulps.tables.encoding import Column, TableEncoder, is_table
from pulps.tables.ordering import order_by_dependence
from pulps.tables.sites import draw_bases, make_bases, missing_weights, to_sites
from pulps.training.batches import Batches, DrawnCells, LazyRows
from pulps.training.ensemble import Trained, train_members
from pulps.training.loop import Recipe
from pulps.training.loss import LossWeights

CHUNK = 8192


class LPSClassifier(
    GenerationMixin, DensityMixin, ClassifierMixin, CallbackSupportMixin, BaseEstimator
):
    r"""Positive-unlabeled classification with two locally purified states.

    One tensor network learns the labeled positives and the unlabeled rows that look like
    them, a second one the rest. A row is positive when the norm of its projection by the
    first is the larger one. Several members are trained at once from different starts.
    Those that call every row one class or lose the labeled rows are set aside, the rest
    averaged; how much they agree is told, so no negatives are needed. ``n_selected`` keeps
    only the most agreeing ones.

    Parameters
    ----------
    bond_dim : int, default=8
        Bond dimension D of both states.
    spacing : int, default=4
        Every ``spacing``-th site has an output leg (S).
    feature_dim : int, default=6
        Number of basis functions of a numeric attribute (d).
    output_dim : int or None, default=2
        Dimension of the output legs. None takes the feature dimension of each site, as in
        the paper; two did as well on the tables we tried and is much cheaper.
    n_repeats : int or "auto", default="auto"
        How often each attribute occurs in the chain. A short chain is a weak model, so
        ``"auto"`` repeats the attributes of a narrow table, and beyond 2000 rows those of
        any table of up to 55 columns, see :mod:`pulps.estimators.defaults`.
    site_order : {"dependence", "table"}, default="dependence"
        Attributes that depend on each other side by side along the chain
        (:mod:`pulps.tables.ordering`), or the columns as they come.
    n_members : int or "auto", default="auto"
        Models trained at once; ``"auto"`` takes eight, or four beyond 2000 rows.
    n_selected : int, "cluster" or None, default=None
        Members kept, the most agreeing ones. ``"cluster"`` keeps the largest set of which
        every pair agrees on nine rows of ten, or the most agreeing pair; None keeps every
        member that is not degenerate.
    max_epochs : int or "auto", default="auto"
        Passes over the rows. ``"auto"`` makes 200 steps with all rows at once, or 240 with
        mini-batches.
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
    batch_size : int, "auto" or None, default="auto"
        Rows in a batch; None takes all rows, ``"auto"`` all rows up to 2000 and batches of
        512 beyond. If fewer than one row in ten is labeled, as many labeled rows are added to
        a batch.
    margin : float, default=0
        Unlabeled rows with a log-ratio within the margin take no side in training.
    prior : float, "learn" or None, default="learn"
        Share of positives in the population, if you know it. It sets the target of the
        balance term and takes the place of the estimate where the threshold needs one.
        ``"learn"`` estimates it from held-out labels, several times while training and once
        more in the end. None trains as the paper does, which expects as many positive as
        negative unlabeled rows, and estimates the prior afterwards.
    threshold : {"auto", "balance", "prior", "pu-f1", "lee-liu"}, default="auto"
        Where to cut the decision, see :mod:`pulps.decision.threshold`; ``"balance"`` is the
        paper's rule, positive where the positive norm is the larger one.
    label_parts : int or None, default=4
        Each member takes one of this many parts of the labeled rows for unlabeled, so that
        prior, threshold and probabilities rest on rows whose label was not shown. None, or
        fewer than two labeled rows a part, shows every member all labels.
    scenario : {"single-training-set", "case-control"}, default="single-training-set"
        How the table came about. In a single training set the labeled rows were taken out
        of the population, in case-control they come on top of it; the share of positives
        among the unlabeled rows follows from ``prior`` accordingly.
    pos_label : object, default=None
        The value of ``y`` that marks a labeled positive; by default the larger number.
        Needed if ``y`` holds strings.
    categorical_features : "from_dtype", list or None, default="from_dtype"
        See :class:`~pulps.tables.encoding.TableEncoder`.
    numeric_scale : {"blend", "rank", "min-max"}, default="blend"
        How numeric columns are mapped to the unit interval.
    basis : {"cosine", "sine", "mixed"}, default="cosine"
        Functions for numeric attributes; ``"mixed"`` draws sine or cosine for each site.
    category_basis : {"one-hot", "fourier"}, default="one-hot"
        ``"fourier"`` treats category codes as numbers, as the paper does.
    missing : {"draw", "trace"}, default="draw"
        What a missing cell is in training: drawn anew in every step from the rows that have
        it, or traced out, as in the paper. Prediction traces either way.
    start : {"near-identity", "random"}, default="near-identity"
        Where training starts.
    start_scale : float, default=1.0
        Size of the random part of the start.
    log_of : {"squared-norm", "norm"}, default="squared-norm"
        What the loss places: the paper says norms, the author's code uses squared norms.
    loss_weights : LossWeights or None, default=None
        Weights of the loss terms and the two places; None takes the paper's.
    density : LikelihoodRecipe or None, default=None
        How to train a second pair of chains, by maximum likelihood, on the labeled rows and
        those that the model then calls positive, and on the rest. They generate: sampling,
        imputation and densities use them. None uses the two states, as in the paper, which
        separate classes but are poor densities; see :meth:`generative`.
    max_restarts : int, default=2
        How often a member that diverges or collapses to one class starts again.
    device : str, default="cpu"
        Where to train, in the words of torch.
    dtype : {"float32", "float64"}, default="float32"
        Precision of training. Prediction is always in double precision.
    checkpoint : path or None, default=None
        File in which ``fit`` keeps its state, without pickle. If it is there already, ``fit``
        goes on from it and ends at the same cores as if it had never been stopped, given the
        same rows, parameters, engine and number of threads. It is deleted at the end.
    checkpoint_every : int, default=10
        Epochs between two writes of the checkpoint.
    random_state : int, RandomState or None, default=None
        Seed of starts, batches and mixed bases.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    classes_ : array of shape (2,)
        The value of unlabeled (negative) rows, then that of positive rows.
    positive_cores_, negative_cores_ : list of arrays
        One array (members kept, feature, left, output, right) a site.
    agreement_ : float
        Share of training rows on which two kept members predict the same class, averaged
        over pairs: the paper's "estimated accuracy". It measures stability; members can
        agree on a wrong split, and a warning says so where the held-out labels contradict
        it. NaN with a single member.
    kappa_ : float
        The same beyond what chance alone would give (Cohen's κ).
    agreement_matrix_ : array
        Agreement of all pairs of kept members.
    members_ : array
        Which of the trained members were kept.
    threshold_report_ : ThresholdReport
        Where the decision is cut and why, the share of positives among the unlabeled rows
        with an interval, and the scores to expect; print it.
    prior_ : float
        Share of positives in the population, given or estimated.
    member_scales_ : array
        Mean size of each kept member's log-ratio on the unlabeled rows.
    slope_ : float
        Steepness of the probability at the threshold.
    restarts_ : list of str
        What happened to members that had to start again.
    loss_curve_ : array
        Total loss after every epoch, averaged over the members kept.
    history_ : dict of arrays
        For every epoch and trained member: the five loss terms, ``norm_weight``,
        ``labeled_recall``, ``positive_share`` and ``learning_rate``.
    n_iter_ : int
        Epochs of the longest run.
    positive_density_cores_, negative_density_cores_ : list of arrays
        Cores of the chains that generate, if ``density`` is given.
    density_bases_ : array of str
        Basis of every site of these.
    encoder_ : TableEncoder
        The fitted encoder.
    form_ : TableForm
        Library, names and types of the table of the fit, for writing rows like it.
    site_order_ : array of int
        Which column each of the first sites holds; repeats follow in the same order.
    site_bases_ : array of str
        Basis of every site.
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

    _parameter_constraints = {
        "bond_dim": [Interval(Integral, 1, None, closed="left")],
        "spacing": [Interval(Integral, 1, None, closed="left")],
        "feature_dim": [Interval(Integral, 1, None, closed="left")],
        "output_dim": [Interval(Integral, 1, None, closed="left"), None],
        "n_repeats": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"})],
        "site_order": [StrOptions({"dependence", "table"})],
        "n_members": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"})],
        "n_selected": [Interval(Integral, 1, None, closed="left"), StrOptions({"cluster"}), None],
        "max_epochs": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"})],
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "decay": [StrOptions({"cosine", "plateau", "constant"})],
        "patience": [Interval(Integral, 1, None, closed="left")],
        "n_iter_no_change": [Interval(Integral, 1, None, closed="left"), None],
        "clip": [Interval(Real, 0, None, closed="neither"), None],
        "batch_size": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"}), None],
        "margin": [Interval(Real, 0, None, closed="left")],
        "prior": [Interval(Real, 0, 1, closed="neither"), StrOptions({"learn"}), None],
        "threshold": [StrOptions(set(RULES))],
        "label_parts": [Interval(Integral, 2, None, closed="left"), None],
        "scenario": [StrOptions(set(SCENARIOS))],
        "pos_label": "no_validation",
        "categorical_features": ["array-like", StrOptions({"from_dtype"}), None],
        "numeric_scale": [StrOptions({"blend", "rank", "min-max"})],
        "basis": [StrOptions({"cosine", "sine", "mixed"})],
        "category_basis": [StrOptions({"one-hot", "fourier"})],
        "missing": [StrOptions({"draw", "trace"})],
        "start": [StrOptions({"near-identity", "random"})],
        "start_scale": [Interval(Real, 0, None, closed="neither")],
        "log_of": [StrOptions({"squared-norm", "norm"})],
        "loss_weights": [LossWeights, None],
        "density": [LikelihoodRecipe, None],
        "max_restarts": [Interval(Integral, 0, None, closed="left")],
        "device": [str],
        "dtype": [StrOptions({"float32", "float64"})],
        "checkpoint": [str, Path, None],
        "checkpoint_every": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
        "verbose": ["boolean"],
    }

    def __init__(
        self,
        *,
        bond_dim=8,
        spacing=4,
        feature_dim=6,
        output_dim=2,
        n_repeats="auto",
        site_order="dependence",
        n_members="auto",
        n_selected=None,
        max_epochs="auto",
        learning_rate=0.05,
        decay="cosine",
        patience=10,
        n_iter_no_change=None,
        clip=None,
        batch_size="auto",
        margin=0.0,
        prior="learn",
        threshold="auto",
        label_parts=4,
        scenario="single-training-set",
        pos_label=None,
        categorical_features="from_dtype",
        numeric_scale="blend",
        basis="cosine",
        category_basis="one-hot",
        missing="draw",
        start="near-identity",
        start_scale=1.0,
        log_of="squared-norm",
        loss_weights=None,
        density=None,
        max_restarts=2,
        device="cpu",
        dtype="float32",
        checkpoint=None,
        checkpoint_every=10,
        random_state=None,
        verbose=False,
    ):
        self.bond_dim = bond_dim
        self.spacing = spacing
        self.feature_dim = feature_dim
        self.output_dim = output_dim
        self.n_repeats = n_repeats
        self.site_order = site_order
        self.n_members = n_members
        self.n_selected = n_selected
        self.max_epochs = max_epochs
        self.learning_rate = learning_rate
        self.decay = decay
        self.patience = patience
        self.n_iter_no_change = n_iter_no_change
        self.clip = clip
        self.batch_size = batch_size
        self.margin = margin
        self.prior = prior
        self.threshold = threshold
        self.label_parts = label_parts
        self.scenario = scenario
        self.pos_label = pos_label
        self.categorical_features = categorical_features
        self.numeric_scale = numeric_scale
        self.basis = basis
        self.category_basis = category_basis
        self.missing = missing
        self.start = start
        self.start_scale = start_scale
        self.log_of = log_of
        self.loss_weights = loss_weights
        self.density = density
        self.max_restarts = max_restarts
        self.device = device
        self.dtype = dtype
        self.checkpoint = checkpoint
        self.checkpoint_every = checkpoint_every
        self.random_state = random_state
        self.verbose = verbose

    @classmethod
    def from_paper(cls, name: str, **overrides) -> LPSClassifier:
        """Return the paper's configuration of one of its experiments.

        Parameters
        ----------
        name
            One of the 15 tables ("vote", "iris", …), "moons", "blobs", "circles", "mnist".
        **overrides
            Parameters to set differently, for instance ``random_state``.

        Examples
        --------
        >>> LPSClassifier.from_paper("vote", random_state=0).bond_dim
        6
        """
        return cls(**(paper_parameters(name) | overrides))

    @classmethod
    def generative(cls, **overrides) -> LPSClassifier:
        """Return a classifier that also generates well.

        It adds a pair of chains trained by maximum likelihood (``density``) to the default
        and keeps the three most agreeing members: with ``accept`` every member has a veto
        on what is generated, and one poor member would reject many good rows.

        Parameters
        ----------
        **overrides
            Parameters to set differently, for instance ``random_state``.
        """
        return cls(**({"density": LikelihoodRecipe(), "n_selected": 3} | overrides))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    @with_callbacks
    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Learn from labeled positives and unlabeled rows.

        Parameters
        ----------
        X : table or array of shape (rows, columns)
            pandas, polars or pyarrow table, or a numeric array. NaN, None and null are
            missing values: drawn anew in every step of training, unless ``missing`` is
            ``"trace"``, and summed over at predict.
        y : array of shape (rows,)
            Two values: 1 (or ``pos_label``) for a labeled positive, 0 for an unlabeled row.
        sample_weight : array of shape (rows,), default=None
            Weight of each row in its group's mean.

        Returns
        -------
        self
        """
        X, y = self._check_table(X, y)
        classes, labeled = read_labels(y, self.pos_label)
        weights = check_sample_weight(sample_weight, y, dtype=float, ensure_non_negative=True)
        used = weights > 0
        if len({*labeled[used].tolist()}) < 2:
            raise ValueError(
                "All rows of positive sample_weight have the same y, so there is only one "
                "class. Keep labeled positives and unlabeled rows with weights above zero."
            )
        self.classes_ = classes
        self.encoder_ = TableEncoder(self.categorical_features, self.numeric_scale)
        values = self.encoder_.fit_transform(X, sample_weight=weights)[used]
        self.form_ = read_form(X, self.encoder_)
        return self._fit_encoded(values, labeled[used], weights[used])

    def _fit_encoded(self, values, labeled, weights):
        """Train on encoded rows, an array or a file of rows, and keep what was learned."""
        rng = check_random_state(self.random_state)
        checkpoint = self._open_checkpoint(values, labeled, weights)
        if checkpoint is not None:
            rng = checkpoint.generator(rng)
        generator = torch.Generator().manual_seed(int(rng.randint(np.iinfo(np.int32).max)))
        n_members = auto_members(len(values)) if self.n_members == "auto" else self.n_members
        spies = np.zeros((n_members, len(values)), dtype=bool)
        if self.label_parts is not None and labeled.sum() >= 2 * self.label_parts:
            spies = hide_parts(labeled, n_members, self.label_parts, rng)
        self.site_order_ = np.arange(values.shape[1])
        if self.site_order == "dependence":
            self.site_order_ = order_by_dependence(values, self.encoder_.columns_, weights)
        self.site_bases_ = draw_bases(
            self._ordered_columns(),
            self._n_repeats(len(values)),
            self.basis,
            self.category_basis,
            generator,
        )
        trained = self._train(values, labeled, spies, weights, generator, checkpoint)
        keep_members(
            self,
            trained,
            lambda cores: self._log_norms(cores, values),
            labeled,
            spies,
            weights,
            self._known_prior_of_unlabeled(labeled),
        )
        if self.density is not None:
            self._fit_densities(values, labeled, weights, generator)
        if checkpoint is not None:
            checkpoint.remove()
        return self

    def _open_checkpoint(self, values, labeled, weights) -> Checkpoint | None:
        if self.checkpoint is None:
            return None
        from pulps import __version__

        parameters = self.get_params() | {"version": __version__}
        for name in ("checkpoint", "checkpoint_every", "verbose"):
            del parameters[name]
        if not isinstance(self.random_state, Integral):
            parameters["random_state"] = type(self.random_state).__name__
        chunks = (values[first : first + CHUNK] for first in range(0, len(values), CHUNK))
        mark = fingerprint(parameters, chain([labeled, weights], chunks))
        return Checkpoint(self.checkpoint, self.checkpoint_every, mark)

    def _check_table(self, X, y):
        """Check shapes, names and classes."""
        X = self._check_columns(X, reset=True)
        if y is None:
            raise ValueError(
                "This LPSClassifier estimator requires y to be passed, but the target y is "
                "None: pass 1 for labeled positives and 0 for unlabeled rows."
            )
        y = column_or_1d(y, warn=True)
        assert_all_finite(y, input_name="y")
        check_classification_targets(y)
        check_consistent_length(X, y)
        return X, y

    def _check_columns(self, X, *, reset):
        """Check names and number of columns; arrays become numeric, tables stay as they are."""
        if is_table(X):
            return validate_data(self, X, reset=reset, skip_check_array=True)
        return validate_data(self, X, reset=reset, ensure_all_finite="allow-nan", dtype="numeric")

    def _ordered_columns(self) -> list[Column]:
        return [self.encoder_.columns_[i] for i in self.site_order_]

    def _bases(self) -> list[Basis]:
        return make_bases(self._ordered_columns(), self.site_bases_, self.feature_dim)

    def _embedding(self):
        """Return what takes the values of sites to features, what is observed, and weights."""
        bases = self._bases()
        weights = missing_weights(self._ordered_columns(), self.site_bases_, self.feature_dim)
        return lambda values: (*embed(bases, values), weights)

    def _to_sites(self, values: np.ndarray) -> np.ndarray:
        return to_sites(values[:, self.site_order_], self._ordered_columns(), self.site_bases_)

    def _train(self, values, labeled, spies, weights, generator, checkpoint) -> Trained:
        bases = self._bases()
        shape = ChainShape(
            tuple(basis.dim for basis in bases), self.bond_dim, self.spacing, self.output_dim
        )
        place = {"dtype": getattr(torch, self.dtype), "device": self.device}

        def start(n_members):
            if self.start == "random":
                cores = shape.random_cores(2 * n_members, self.start_scale, generator)
            else:
                constants = [basis.constant() for basis in bases]
                cores = shape.near_identity_cores(
                    constants, 2 * n_members, self.start_scale, generator
                )
            return [core.to(**place) for core in cores]

        shown = labeled & ~spies
        embedding = self._embedding()
        lazy = LazyRows(values, self._to_sites, **place)
        batches = Batches(
            lazy[:] if isinstance(values, np.ndarray) else lazy,
            embedding,
            torch.as_tensor(weights * shown, **place),
            torch.as_tensor(weights * ~shown, **place),
            self._rows_a_batch(len(values)),
            generator,
            self._augment(values),
        )
        recipe = self._recipe(labeled)
        if self.prior == "learn" and spies.any():
            rows = every_kind_of_row(labeled)
            sample = engine.prepare(*embedding(batches.values[rows]))

            def log_ratios(cores):
                with torch.no_grad():
                    log_p, log_n = engine.log_norms(cores, sample).chunk(2)
                return (log_p - log_n).double().cpu().numpy()

            prior = LearnedPrior(log_ratios, labeled[rows], spies[:, rows], recipe.max_epochs)
            recipe = replace(recipe, prior=prior)
        with fit_progress(self, recipe.max_epochs) as epoch_done:
            return train_members(
                start,
                batches,
                recipe,
                max_restarts=self.max_restarts,
                on_epoch=epoch_done,
                keeper=checkpoint,
            )

    def _n_repeats(self, n_rows: int) -> int:
        if self.n_repeats == "auto":
            return auto_repeats(n_rows, len(self.encoder_.columns_))
        return self.n_repeats

    def _rows_a_batch(self, n_rows: int) -> int | None:
        return auto_batch_size(n_rows) if self.batch_size == "auto" else self.batch_size

    def _augment(
        self, values
    ) -> Callable[[torch.Tensor, torch.Generator | None], torch.Tensor] | None:
        """Say what happens to the values of a batch before they are embedded."""
        whole = isinstance(values, np.ndarray) and not np.isnan(values).any()
        if whole or self.missing == "trace":
            return None
        return DrawnCells(len(self.encoder_.columns_))

    def _recipe(self, labeled) -> Recipe:
        epochs = self.max_epochs
        if epochs == "auto":
            epochs = auto_epochs(len(labeled), self._rows_a_batch(len(labeled)))
        known = self._known_prior_of_unlabeled(labeled)
        return Recipe(
            max_epochs=epochs,
            learning_rate=self.learning_rate,
            decay=self.decay,
            patience=self.patience,
            stop_after=self.n_iter_no_change,
            clip=self.clip,
            weights=self.loss_weights or LossWeights(),
            margin=self.margin,
            prior=0.5 if known is None else known,
            squared=self.log_of == "squared-norm",
        )

    def _known_prior_of_unlabeled(self, labeled) -> float | None:
        if self.prior is None or self.prior == "learn":
            return None
        return share_among_unlabeled(self.prior, labeled, self.scenario)

    def _fit_densities(self, values, labeled, weights, generator) -> None:
        """Train the chains that generate, each on the rows of its class."""
        columns = self._ordered_columns()
        self.density_bases_ = draw_bases(columns, 1, "cosine", "one-hot", generator)
        positive = labeled | (self._decision(values) > 0)
        cores = fit_densities(
            make_bases(columns, self.density_bases_, self.density.feature_dim),
            torch.as_tensor(values[:, self.site_order_]),
            torch.as_tensor(np.stack([weights * positive, weights * ~positive])),
            self.density,
            generator,
        )
        both = [core.chunk(2) for core in cores]
        self.positive_density_cores_ = [positive.numpy() for positive, _ in both]
        self.negative_density_cores_ = [negative.numpy() for _, negative in both]

    def _log_norms(self, cores, values: np.ndarray) -> np.ndarray:
        """Log-norms in double precision, a chunk of rows at a time; NaN is traced out."""
        embedding = self._embedding()
        cores = [torch.as_tensor(core, dtype=torch.float64) for core in cores]
        chunks = []
        with torch.no_grad():
            for first in range(0, len(values), CHUNK):
                part = torch.as_tensor(self._to_sites(values[first : first + CHUNK]))
                chunks.append(engine.log_norms(cores, *embedding(part)).numpy())
        return np.concatenate(chunks, axis=1)

    def _encoded_chunks(self, X):
        return self.encoder_.transform_chunks(self._check_columns(X, reset=False), CHUNK)

    def decision_function(self, X) -> np.ndarray:
        r"""Log-ratio :math:`\log \|\hat y^p\| - \log \|\hat y^n\|` above the threshold.

        Each member's log-ratio is taken in units of its mean size on the unlabeled training
        rows, then averaged over members. Positive means positive. Missing attributes are
        traced out.
        """
        check_is_fitted(self)
        return np.concatenate([self._decision(values) for values in self._encoded_chunks(X)])

    def member_decisions(self, X) -> np.ndarray:
        """Decision of every member alone, shape (members, rows); their mean is the decision."""
        scores = self.log_ratios(X) / self.member_scales_[:, None]
        return scores - self.threshold_report_.threshold

    def _decision(self, values: np.ndarray) -> np.ndarray:
        scores = self._ratios(values) / self.member_scales_[:, None]
        return scores.mean(axis=0) - self.threshold_report_.threshold

    def predict(self, X) -> np.ndarray:
        """Class of each row: positive where the decision is above zero."""
        positive = self.decision_function(X) > 0
        return self.classes_[positive.astype(int)]

    def predict_proba(self, X) -> np.ndarray:
        """Probability of both classes, shape (rows, 2).

        A logistic function of the decision, one half at the threshold, with the slope under
        which the held-out labels are most likely (:mod:`pulps.decision.calibration`). Without
        held-out labels the slope is a convention.
        """
        check_is_fitted(self)
        positive = expit(self.slope_ * self.decision_function(X))
        return np.column_stack([1 - positive, positive])

    def _is_positive(self, y) -> bool:
        for value, positive in ((self.classes_[1], True), (self.classes_[0], False)):
            if y == value:
                return positive
        if y in (0, 1):
            return bool(y)
        raise ValueError(
            f"y={y!r} names no class; pass 1 or {self.classes_[1]!r} for positive, 0 or "
            f"{self.classes_[0]!r} for negative."
        )

    def report(self, X, y=None, *, title="Report", n_rows=200, random_state=0):
        """Tell what was learned and which unlabeled rows are most likely positive.

        Parameters
        ----------
        X : table or array
            Rows, as at fit.
        y : array of shape (rows,), default=None
            Labels, as at fit. None takes every row for unlabeled.
        title : str, default="Report"
            Heading of the page.
        n_rows : int, default=200
            Unlabeled rows to list.
        random_state : int, RandomState or None, default=0
            Source of the examples that are drawn.

        Returns
        -------
        pulps.report.Report
            ``.data`` is a plain dict, ``.html()`` one page, ``.save("report.html")`` writes it.
        """
        from pulps.report import make_report

        check_is_fitted(self)
        return make_report(self, X, y, title=title, n_rows=n_rows, random_state=random_state)

    def save(self, path) -> None:
        """Write the fitted model to a file, without pickle; see :meth:`load`."""
        from pulps.estimators.persistence import save

        save(self, path)

    @classmethod
    def load(cls, path) -> LPSClassifier:
        """Read a model written by :meth:`save`; nothing in the file is executed."""
        from pulps.estimators.persistence import load

        return load(path, cls)
