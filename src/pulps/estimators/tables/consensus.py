"""`PUClassifier`: the answer for tables, a consensus of views.

A fit, step by step: the table is read and encoded (:mod:`pulps.tables`), every view scores each
row by models that did not see it (:mod:`pulps.views`), and their consensus becomes a prior, a cut
and a probability (:mod:`pulps.decision.honest`). A tensor network that learns from the consensus
generates, imputes and explains.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from numbers import Integral, Real
from typing import Any, Literal, Self

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted

from pulps.decision.honest import HonestScores
from pulps.decision.known_negatives import decide_with_negatives
from pulps.estimators.progress import fit_progress
from pulps.estimators.questions.training_summary import TrainingSummary, summarize_training
from pulps.estimators.tables.classifier import LPSClassifier
from pulps.estimators.tables.network_of import NetworkReadings
from pulps.estimators.tables.sizes import members_and_repeats
from pulps.estimators.tables.training_table import read_training_table
from pulps.io._sklearn import Interval, StrOptions, check_parameters, fit_context, with_callbacks
from pulps.io.randomness import Seed, new_seed
from pulps.io.threads import threads_for
from pulps.labels import SCENARIOS
from pulps.metrics.rows import Scenario
from pulps.tables.columns import CategoricalColumn
from pulps.tables.decoding import TableForm
from pulps.tables.encoding import TableEncoder
from pulps.tables.notices import Cells
from pulps.views.catalog import DEFAULT_VIEWS, VIEWS, View
from pulps.views.consensus import fit_consensus
from pulps.views.given import given_view

CHUNK = 65_536
CUTS = ("auto", "prior", "pu-f1", "lee-liu")
NETWORK = "lps"


class PUClassifier(NetworkReadings):
    """Positive-unlabeled classification of any table, by a consensus of honest views.

    Several cheap classifiers of labeled against unlabeled rows look at the table, each scoring
    every row by models that did not see it. They are put on one scale, weighed by how well they
    rank labels that were held out, and averaged. The same honest scores tell the share of
    positives, where to cut, how sure the answer is and what to expect of it.

    Parameters
    ----------
    views : sequence or None, default=None
        The views: names of :data:`pulps.views.catalog.VIEWS`, ``"lps"`` for the tensor network,
        or pairs of a name and a classifier of scikit-learn, which sees numbers standardized and
        categories one-hot. None takes all of the catalog.
    prior : float or "learn", default="learn"
        Share of positives in the population, if you know it; as many rows are then called
        positive. ``"learn"`` estimates it.
    scenario : {"single-training-set", "case-control"}, default="single-training-set"
        How the table came about: the labeled rows were taken out of the population, or come on
        top of it.
    threshold : {"auto", "prior", "pu-f1", "lee-liu"}, default="auto"
        Where to cut, see :mod:`pulps.decision.honest` and :mod:`pulps.decision.threshold`; move
        it later with :meth:`with_threshold`.
    pos_label : object, default=None
        The value of ``y`` that marks a labeled positive; by default the larger number.
        Needed if ``y`` holds strings.
    categorical_features : "from_dtype", list or None, default="from_dtype"
        See :class:`~pulps.tables.encoding.TableEncoder`.
    roles : dict or None, default=None
        What some columns of a table are, by name: ``"number"``, ``"category"``, ``"date"``,
        ``"out"`` and so on, see :mod:`pulps.tables.roles`. The others are guessed.
    generative : bool, default=False
        Whether to train the network as well, for sampling, densities, imputation and
        explanations. Without it these train it when they are first asked for, as long as the
        model has not been saved.
    network : LPSClassifier or None, default=None
        The network to train; None takes ``LPSClassifier.generative()``. It learns from the
        consensus.
    n_jobs : int or None, default=None
        Views to fit at the same time; None one by one, -1 one per core.
    random_state : int, RandomState or None, default=None
        Seed of folds, views and network.
    verbose : bool, int or "auto", default="auto"
        Whether to show how far a fit is. ``"auto"`` shows a line on a terminal or in a notebook
        once a fit has taken two seconds; True or 1 shows it at once, and in a log as well.

    Attributes
    ----------
    classes_ : array of shape (2,)
        The value of unlabeled (negative) rows, then that of positive rows.
    consensus_ : Consensus
        The fitted views, on one scale.
    views_ : pandas.DataFrame
        For each view its weight, and the chance that it ranks a held-out labeled row above an
        unlabeled one.
    threshold_report_ : ThresholdReport
        Where the decision is cut and why, the share of positives among the unlabeled rows
        with an interval, and the scores to expect among these rows; print it.
    prior_ : float
        Share of positives in the population, given or estimated.
    slope_ : float
        Steepness of the probability at the threshold.
    honest_ : HonestScores
        Honest scores of the training rows, for another cut.
    training_summary_ : TrainingSummary
        Distributions of the training rows, for :func:`pulps.check_drift`.
    network_ : LPSClassifier
        The network, once it was trained.
    encoder_, form_ : TableEncoder, TableForm
        How the table is encoded; its library, names and types.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from pulps import PUClassifier, hide_labels
    >>> X, y_true = make_moons(300, noise=0.1, random_state=0)
    >>> y = hide_labels(y_true, n_labeled=40, random_state=0)
    >>> model = PUClassifier(random_state=0).fit(X, y)
    >>> float((model.predict(X) == y_true).mean()) > 0.9
    True
    """

    encoder_: TableEncoder
    form_: TableForm
    honest_: HonestScores
    training_summary_: TrainingSummary

    _parameter_constraints = {
        "views": ["array-like", None],
        "prior": [Interval(Real, 0, 1, closed="neither"), StrOptions({"learn"})],
        "scenario": [StrOptions(set(SCENARIOS))],
        "threshold": [StrOptions(set(CUTS))],
        "pos_label": "no_validation",
        "categorical_features": ["array-like", StrOptions({"from_dtype"}), None],
        "roles": [dict, None],
        "generative": ["boolean"],
        "network": [LPSClassifier, None],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
        "verbose": ["verbose", StrOptions({"auto"})],
    }

    def __init__(
        self,
        *,
        views: Sequence[str | tuple[str, Any]] | None = None,
        prior: float | Literal["learn"] = "learn",
        scenario: Scenario = "single-training-set",
        threshold: Literal["auto", "prior", "pu-f1", "lee-liu"] = "auto",
        pos_label: Any = None,
        categorical_features: Sequence[Any] | Literal["from_dtype"] | None = "from_dtype",
        roles: dict[str, str] | None = None,
        generative: bool = False,
        network: LPSClassifier | None = None,
        n_jobs: int | None = None,
        random_state: Seed = None,
        verbose: bool | int | Literal["auto"] = "auto",
    ) -> None:
        self.views = views
        self.prior = prior
        self.scenario = scenario
        self.threshold = threshold
        self.pos_label = pos_label
        self.categorical_features = categorical_features
        self.roles = roles
        self.generative = generative
        self.network = network
        self.n_jobs = n_jobs
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
        """Learn from labeled positives and unlabeled rows.

        Parameters
        ----------
        X : table or array of shape (rows, columns)
            pandas, polars or pyarrow table, or a numeric array. NaN, None and null are
            missing values.
        y : array of shape (rows,)
            Two values: 1 (or ``pos_label``) for a labeled positive, 0 for an unlabeled row. Or
            three: 1, 0 and -1 for a row that is known to be negative. With ten or more of these
            scores are counted instead of estimated, and the answer is -1 or 1.
        sample_weight : array of shape (rows,), default=None
            How many rows each row stands for. Weight two equals the row twice, zero no row.

        Returns
        -------
        self
        """
        encoder = TableEncoder(self.categorical_features, roles=self.roles)
        table = read_training_table(self, X, y, sample_weight, encoder).distinct()
        if self.generative or NETWORK in (self.views or ()):
            network = self.network or LPSClassifier.generative()
            check_parameters(network)
            members_and_repeats(network, table)
        rng = check_random_state(self.random_state)
        views = self._views(encoder)
        with threads_for("views", table.values.size):
            with fit_progress(self, len(views), "view") as view_done:
                honest, self.consensus_ = fit_consensus(
                    table.values,
                    encoder.columns_,
                    table.labeled,
                    table.weights,
                    rng,
                    views=views,
                    n_jobs=self.n_jobs,
                    on_view=view_done,
                )
            decision = decide_with_negatives(
                honest,
                table.labeled,
                table.weights,
                table.negative,
                rule=self.threshold,
                known_prior=self._known_prior_of_unlabeled(table.labeled, table.weights),
                single_training_set=self.scenario == "single-training-set",
                gaps=self.consensus_.gaps,
                random_state=new_seed(rng),
            )
        self.classes_, self.encoder_, self.form_ = table.classes, encoder, table.form
        self.threshold_report_, self.honest_ = decision.report, decision.honest
        self.prior_, self.slope_ = decision.prior, decision.slope
        self.training_summary_ = summarize_training(table, honest, self.scenario)
        self._learn_network_from(table, honest, new_seed(rng))
        return self

    def _views(self, encoder: TableEncoder) -> list[View]:
        names = DEFAULT_VIEWS if self.views is None else self.views
        views = [self._view(one, encoder) for one in names]
        repeated = {view.name for view in views if sum(v.name == view.name for v in views) > 1}
        if not views or repeated:
            raise ValueError(
                f"views names {', '.join(sorted(repeated)) or 'nothing'} "
                f"{'more than once' if repeated else 'at all'}; every view needs a name of its "
                "own, and there must be one at least."
            )
        return views

    def _view(self, one: Any, encoder: TableEncoder) -> View:
        if isinstance(one, str):
            if one == NETWORK:
                categorical = [
                    place
                    for place, column in enumerate(encoder.columns_)
                    if isinstance(column, CategoricalColumn)
                ]
                network = clone(self.network) if self.network is not None else LPSClassifier()
                network.set_params(categorical_features=categorical, density=None)
                return given_view(network, NETWORK, reads="codes")
            if one in VIEWS:
                return VIEWS[one]
        elif isinstance(one, Sequence) and len(one) == 2 and hasattr(one[1], "fit"):
            return given_view(one[1], str(one[0]))
        raise ValueError(
            f"views holds {one!r}; expected one of {', '.join(VIEWS)}, {NETWORK}, or a pair of a "
            "name and a classifier."
        )

    @property
    def views_(self) -> pd.DataFrame:
        """Weight and area of every view."""
        check_is_fitted(self)
        opinions = self.consensus_.opinions
        return pd.DataFrame(
            {"weight": [o.weight for o in opinions], "area": [o.area for o in opinions]},
            index=pd.Index([opinion.name for opinion in opinions], name="view"),
        )

    def encode(self, X: Any) -> np.ndarray:
        """Encode rows as the fit did.

        Parameters
        ----------
        X : table or array
            Rows of the same kind as in ``fit``.

        Returns
        -------
        array of shape (rows, columns used)
            NaN where a cell is missing or unknown.
        """
        check_is_fitted(self)
        return self.encoder_.transform(self.check_columns(X))

    def decision_function(self, X: Any) -> np.ndarray:
        """Consensus of the views above the threshold; positive means positive.

        Parameters
        ----------
        X : table or array
            Rows of the same kind as in ``fit``.

        Returns
        -------
        array of shape (rows,)
            In units of the deviation of the unlabeled training rows.
        """
        check_is_fitted(self)
        cells = Cells()
        chunks = self.encoder_.transform_chunks(self.check_columns(X), CHUNK, cells)
        decision = np.concatenate([self.decision_of_encoded(values) for values in chunks])
        cells.warn()
        return decision

    def decision_of_encoded(self, values: np.ndarray) -> np.ndarray:
        """Decision of rows that are encoded already; see :meth:`encode`.

        Parameters
        ----------
        values : array of shape (rows, columns used)
            Encoded rows.

        Returns
        -------
        array of shape (rows,)
        """
        return self.consensus_.score(values) - self.threshold_report_.threshold

    def opinions(self, X: Any) -> pd.DataFrame:
        """Tell what every view thinks of each row.

        Parameters
        ----------
        X : table or array
            Rows of the same kind as in ``fit``.

        Returns
        -------
        pandas.DataFrame
            One column per view: normal scores among the unlabeled training rows.
        """
        each = self.consensus_.each(self.encode(X))
        return pd.DataFrame(each.T, columns=self.views_.index)

    def with_threshold(
        self,
        *,
        value: float | None = None,
        share: float | None = None,
        precision: float | None = None,
        recall: float | None = None,
    ) -> Self:
        """Return the same model with another cut; name one of these.

        Parameters
        ----------
        value : float, default=None
            The cut itself, on the scale of ``threshold_report_.threshold``.
        share : float, default=None
            Share of the unlabeled training rows above the cut.
        precision : float, default=None
            Precision that is expected at least, among unlabeled rows; of all such cuts, the one
            with the best recall.
        recall : float, default=None
            Recall that is expected at least; of all such cuts, the highest.

        Returns
        -------
        PUClassifier
            A copy; this model stays as it is.
        """
        check_is_fitted(self)
        report = self.honest_.at(
            value=value,
            share=share,
            precision=precision,
            recall=recall,
            prior=self.threshold_report_.prior_of_unlabeled,
            interval=self.threshold_report_.prior_interval,
        )
        moved = copy(self)
        if hasattr(self, "_training"):  # which copies leave out
            moved._training = self._training
        moved.threshold_report_ = report
        return moved
