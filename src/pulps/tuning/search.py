"""``AgreementSearch``: choose hyper-parameters without negatives."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from numbers import Integral, Real
from typing import Any, Literal, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import Tags, check_array
from sklearn.utils.validation import check_is_fitted

from pulps.decision.copies import set_seeds
from pulps.estimators.tables.checkpoint import fingerprint
from pulps.estimators.tables.classifier import LPSClassifier
from pulps.io._sklearn import HasMethods, Interval, StrOptions, available_if, fit_context
from pulps.io.progress import Tell, progress
from pulps.io.randomness import new_seed
from pulps.io.workers import Call, in_order
from pulps.labels import SCENARIOS, read_target
from pulps.metrics import PUStratifiedKFold
from pulps.tables.reading import is_table
from pulps.tuning.budget import Budget
from pulps.tuning.objective import evaluate, metrics_needed, value_of
from pulps.tuning.results import to_frame
from pulps.tuning.space import draw
from pulps.tuning.study import SharedStudy, quiet


def _can(name: str) -> Callable[[Any], bool]:
    """Whether the estimator that was chosen, or else the one given, has a method."""

    def check(search: Any) -> bool:
        model = getattr(search, "best_estimator_", None) or search._template()
        getattr(model, name)
        return True

    return check


class AgreementSearch(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """Search for hyper-parameters by how much members agree and what PU labels say.

    Each trial fits a setting on the folds and is judged without negatives
    (:mod:`pulps.tuning.objective`). The study is kept in optuna's storage: a search that was
    stopped or killed continues with the next ``fit``, and several processes with one storage
    share the work. Results depend on ``random_state`` and ``trials_at_once``, but neither on
    ``n_jobs`` nor on where joblib runs the fits.

    Parameters
    ----------
    estimator : classifier, default=None
        What to tune; None takes ``LPSClassifier()``. A model with ``member_decisions`` has
        members of its own; of any other, ``n_members`` copies are fitted.
    space : {"default", "paper"}, callable or dict, default="default"
        What to search: a function of an optuna trial that returns parameters, or names with
        optuna distributions. The named ones are for ``LPSClassifier``.
    objective : str or callable, default="guarded"
        "agreement" (as in the paper), "kappa", "guarded", a metric of
        :func:`pulps.metrics.make_pu_scorer`, or a function of the results of a fold.
    prior : float or None, default=None
        Share of positives in the population, for metrics that need it.
    scenario : {"single-training-set", "case-control"}, default="single-training-set"
        How the rows were drawn, for metrics that need it.
    n_trials : int, default=50
        Number of trials the study shall have in the end, including those of other processes.
    timeout : float or None, default=None
        Seconds that the search should take. No trial begins that would not end in time together
        with the last fit, by how long the fits before took; the first one always does.
    sampler : {"tpe", "random"} or optuna sampler, default="tpe"
        How settings are proposed; the paper searches at random.
    pruner : {"median"}, optuna pruner or None, default=None
        When to give up on a setting before all folds are done.
    cv : int, cross-validator or None, default=3
        Folds, with labeled rows in each. None fits and judges on all rows, as the paper's
        agreement does; PU metrics are then those of rows that were trained on.
    n_members : int, default=5
        Number of copies of an estimator that has no members of its own.
    trials_at_once : int, default=1
        Number of trials proposed together, so that their fits can run in parallel.
    storage : path, URL, optuna storage or None, default=None
        Where the study is kept: a journal file, a database, or (None) memory.
    study_name : str, default="pulps"
        Name of the study in the storage.
    refit : bool, default=True
        Whether to fit the best setting on all rows.
    n_jobs : int or None, default=None
        Number of fits in parallel, as joblib understands it.
    random_state : int, RandomState or None, default=None
        Seed of folds, starts and proposals.
    verbose : bool, int or "auto", default="auto"
        Whether to show how many fits are made and how long the rest will take; see
        :class:`~pulps.LPSClassifier`.

    Attributes
    ----------
    best_estimator_ : classifier
        The best setting, fitted on all rows.
    best_params_ : dict
        Its parameters.
    best_score_ : float
        Its mean score over the folds.
    best_index_ : int
        Its row in ``cv_results_``.
    cv_results_ : DataFrame
        One row per trial: ``params``, ``param_…``, ``split0_test_score``, …, ``mean_test_score``,
        ``std_test_score``, ``rank_test_score``, the mean of everything a fold is judged by,
        ``state`` and ``error``.
    n_splits_ : int
        Number of folds.
    classes_ : array of shape (2,)
        The value of unlabeled (negative) rows, then that of positive rows.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from pulps import hide_labels
    >>> from pulps.tuning import AgreementSearch
    >>> X, y_true = make_moons(80, noise=0.1, random_state=0)
    >>> y = hide_labels(y_true, n_labeled=20, random_state=0)
    >>> small = LPSClassifier.from_parameters(n_members=2, max_epochs=20, label_parts=None)
    >>> space = lambda trial: {"bond_dim": trial.suggest_int("bond_dim", 2, 6)}
    >>> search = AgreementSearch(small, space, n_trials=2, cv=2, random_state=0).fit(X, y)
    >>> len(search.cv_results_), sorted(search.best_params_)
    (2, ['bond_dim'])
    """

    _parameter_constraints = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "space": [str, callable, dict],
        "objective": [str, callable],
        "prior": [Interval(Real, 0, 1, closed="neither"), None],
        "scenario": [StrOptions(set(SCENARIOS))],
        "n_trials": [Interval(Integral, 1, None, closed="left")],
        "timeout": [Interval(Real, 0, None, closed="left"), None],
        "sampler": "no_validation",
        "pruner": "no_validation",
        "cv": "no_validation",
        "n_members": [Interval(Integral, 2, None, closed="left")],
        "trials_at_once": [Interval(Integral, 1, None, closed="left")],
        "storage": "no_validation",
        "study_name": [str],
        "refit": ["boolean"],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
        "verbose": ["verbose", StrOptions({"auto"})],
    }

    def __init__(
        self,
        estimator: Any = None,
        space: str | Callable[..., Any] | dict[str, Any] = "default",
        *,
        objective: str | Callable[..., Any] = "guarded",
        prior: float | None = None,
        scenario: Literal["single-training-set", "case-control"] = "single-training-set",
        n_trials: int = 50,
        timeout: float | None = None,
        sampler: Any = "tpe",
        pruner: Any = None,
        cv: Any = 3,
        n_members: int = 5,
        trials_at_once: int = 1,
        storage: Any = None,
        study_name: str = "pulps",
        refit: bool = True,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: bool | int | Literal["auto"] = "auto",
    ) -> None:
        self.estimator = estimator
        self.space = space
        self.objective = objective
        self.prior = prior
        self.scenario = scenario
        self.n_trials = n_trials
        self.timeout = timeout
        self.sampler = sampler
        self.pruner = pruner
        self.cv = cv
        self.n_members = n_members
        self.trials_at_once = trials_at_once
        self.storage = storage
        self.study_name = study_name
        self.refit = refit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _template(self) -> Any:
        return LPSClassifier() if self.estimator is None else self.estimator

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        own = self._template().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags = own.input_tags
        tags.array_api_support = False
        return tags

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any) -> Self:
        """Search, or continue a search, and fit the best setting.

        Parameters
        ----------
        X : table or array of shape (rows, columns)
            Whatever the estimator takes.
        y : array of shape (rows,)
            PU labels.

        Returns
        -------
        self
            Fitted.
        """
        if not is_table(X):
            sparse = "csr" if self.__sklearn_tags__().input_tags.sparse else False  # takes rows
            X = check_array(X, accept_sparse=sparse, dtype="numeric", ensure_all_finite=False)
        pos_label = getattr(self._template(), "pos_label", None)
        y, classes, labeled = read_target(
            y, pos_label, n_rows=X.shape[0], caller=type(self).__name__
        )
        metrics = metrics_needed(self.objective, self.prior)
        seed = new_seed(self.random_state)
        with quiet():
            study = SharedStudy(
                self.storage,
                self.study_name,
                self.sampler,
                self.pruner,
                seed,
                self._mark(X, labeled),
            )
            try:
                folds = self._folds(y, labeled, study.seed)
                self.n_splits_ = len(folds)
                n_new = max(0, self.n_trials - len(study.finished()))
                n_fits = n_new * len(folds) + self.refit
                with progress("fit", n_fits, self.verbose) as tell:
                    self._search(study, X, y, labeled, folds, metrics, n_fits, tell)
                    self._collect(study.finished())
                    self.classes_ = classes
                    if self.refit:
                        self._fit_best(X, y, study.seed)
            finally:
                study.give_up()
                study.close()
        return self

    def _fit_best(self, X: Any, y: Any, seed: int) -> None:
        best = clone(self._template()).set_params(**self.best_params_)
        set_seeds(best, seed)
        self.best_estimator_ = best.fit(X, y)
        if hasattr(best, "feature_names_in_"):
            self.feature_names_in_ = best.feature_names_in_

    def _mark(self, X: Any, labeled: np.ndarray) -> str:
        settings = {
            "estimator": repr(self._template()),
            "space": getattr(self.space, "__name__", repr(self.space)),
            "objective": getattr(self.objective, "__name__", repr(self.objective)),
            "prior": self.prior,
            "scenario": self.scenario,
            "cv": repr(self.cv),
        }
        values = X if isinstance(X, np.ndarray) else np.array(np.shape(X))
        if isinstance(X, pd.DataFrame):
            values = pd.util.hash_pandas_object(X, index=False).to_numpy()
        if values.dtype == object:
            values = np.array(values.shape)
        return fingerprint(settings, [values, labeled])

    def _folds(
        self, y: Any, labeled: np.ndarray, seed: int
    ) -> list[tuple[np.ndarray, np.ndarray]]:
        if self.cv is None:
            rows = np.arange(len(y))
            return [(rows, rows)]
        cv = self.cv
        if isinstance(cv, Integral):
            cv = PUStratifiedKFold(int(cv), random_state=seed)
        return list(cv.split(np.zeros(len(y)), labeled))

    def _search(
        self,
        study: SharedStudy,
        X: Any,
        y: Any,
        labeled: np.ndarray,
        folds: Sequence[tuple[np.ndarray, np.ndarray]],
        metrics: Any,
        n_fits: int,
        tell: Tell,
    ) -> None:
        """Ask for trials and run them, fold by fold, until the study has enough."""
        budget = Budget(self.timeout)
        seeds = np.random.SeedSequence(study.seed).generate_state(len(folds))
        common = {
            "metrics": metrics,
            "n_members": self.n_members,
            "prior": self.prior,
            "scenario": self.scenario,
        }
        while budget.allows(self.trials_at_once * len(folds) + self.refit):
            trials = study.ask(self.trials_at_once, self.n_trials)
            if not trials:
                return
            drawn = [(trial, draw(self.space, trial)) for trial in trials]
            for trial, parameters in drawn:
                trial.set_user_attr("params", parameters)
            for fold, (train, test) in enumerate(folds):
                seed = int(seeds[fold])
                calls = (
                    Call(
                        evaluate,
                        (self._template(), parameters, X, y, labeled, train, test),
                        common | {"seed": seed},
                    )
                    for _, parameters in drawn
                )
                results = in_order(calls, self.n_jobs)
                budget.n_done += len(results)
                tell(budget.n_done, budget.reachable(n_fits))
                last = fold == len(folds) - 1
                drawn = [
                    pair
                    for pair, result in zip(drawn, results, strict=True)
                    if self._note(study, pair[0], fold, result, last=last)
                ]

    def _note(
        self, study: SharedStudy, trial: Any, fold: int, result: dict[str, Any], *, last: bool
    ) -> bool:
        """Record the result of a fold; return whether the trial continues."""
        if result["error"] is not None:
            trial.set_user_attr("error", result["error"])
            study.tell(trial, None, "FAIL")
            return False
        value = value_of(self.objective, result)
        before = trial.user_attrs.get("folds", [])
        trial.set_user_attr("folds", [*before, result | {"score": value}])
        mean = float(np.mean([one["score"] for one in before] + [value]))
        trial.report(mean, fold)
        if last:
            study.tell(trial, mean)
        elif trial.should_prune():
            study.tell(trial, None, "PRUNED")
            return False
        return not last

    def _collect(self, trials: Sequence[Any]) -> None:
        """Lay the trials out as a table and find the best."""
        self.cv_results_ = results = to_frame(trials, self.n_splits_)
        done = results["state"] == "COMPLETE" if len(results) else np.array([], dtype=bool)
        if not done.any():
            errors = [trial.user_attrs["error"] for trial in trials if "error" in trial.user_attrs]
            raise ValueError(
                f"None of the {len(trials)} trials was completed. "
                + (f"The first one failed with {errors[0]}" if errors else "Raise the timeout.")
            )
        if (results["state"] == "FAIL").any():
            n_failed = int((results["state"] == "FAIL").sum())
            warnings.warn(
                f"{n_failed} of {len(results)} trials failed, the first one with "
                f"{results['error'].dropna().iloc[0]}",
                RuntimeWarning,
                stacklevel=3,
            )
        self.best_index_ = int(results["mean_test_score"].where(done, -np.inf).argmax())
        self.best_score_ = float(results["mean_test_score"].iloc[self.best_index_])
        self.best_params_ = results["params"].iloc[self.best_index_]

    @property
    def n_features_in_(self) -> int:
        """Number of columns, as the best estimator saw it."""
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_.n_features_in_

    def _best(self) -> Any:
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_

    @available_if(_can("predict"))
    def predict(self, X: Any) -> np.ndarray:
        """Class of each row, by the best estimator.

        Parameters
        ----------
        X
            Rows.

        Returns
        -------
        array
            Classes.
        """
        return self._best().predict(X)

    @available_if(_can("predict_proba"))
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of both classes, by the best estimator.

        Parameters
        ----------
        X
            Rows.

        Returns
        -------
        array of shape (rows, 2)
            Probabilities.
        """
        return self._best().predict_proba(X)

    @available_if(_can("decision_function"))
    def decision_function(self, X: Any) -> np.ndarray:
        """Decision of the best estimator.

        Parameters
        ----------
        X
            Rows.

        Returns
        -------
        array
            Larger is more positive.
        """
        return self._best().decision_function(X)
