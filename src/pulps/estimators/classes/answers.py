"""What a model of several classes answers, whatever its rows are: classes, shares, chances."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from pulps.decision.class_scale import ClassScale, centered
from pulps.decision.classes import ClassDecision
from pulps.estimators.files.save_and_load import Files
from pulps.io._sklearn import CallbackSupportMixin
from pulps.io.calls import warn_caller
from pulps.io.naming import listed, quoted
from pulps.network import engine
from pulps.tables.notices import TableWarning
from pulps.training.ensemble import Trained
from pulps.training.loss import LossTerms

TINY = 1e-300


class ClassAnswers(Files, ClassifierMixin, CallbackSupportMixin, BaseEstimator):
    """The answers of a fitted model with one state per class and member."""

    # What a fit leaves:
    agreement_: float
    agreement_matrix_: np.ndarray
    class_scale_: ClassScale
    class_share_table_: np.ndarray
    classes_: np.ndarray
    cores_: list[list[np.ndarray]]
    engine_: str
    held_out_table_: np.ndarray
    history_: dict[str, np.ndarray]
    kappa_: float
    loss_curve_: np.ndarray
    member_scales_: np.ndarray
    members_: np.ndarray
    n_iter_: int
    restarts_: list[str]
    transduction_: np.ndarray

    def predict(self, X: Any) -> np.ndarray:
        """Most probable class of each row.

        Parameters
        ----------
        X : table or array
            Rows of the same kind as in ``fit``.

        Returns
        -------
        array of shape (rows,)
            Values of ``classes_``.
        """
        best = self.predict_proba(X).argmax(axis=1)
        return self.classes_[best]

    @abstractmethod
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of every class.

        Parameters
        ----------
        X : table or array
            Rows of the same kind as in ``fit``.

        Returns
        -------
        array of shape (rows, classes)
            Columns in the order of ``classes_``.
        """

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithm of the probability of every class.

        Parameters
        ----------
        X : table or array
            Rows of the same kind as in ``fit``.

        Returns
        -------
        array of shape (rows, classes)
        """
        return np.log(np.maximum(self.predict_proba(X), TINY))

    def decision_function(self, X: Any) -> np.ndarray:
        """Log-probability of every class; of two classes, log-odds of the second.

        Parameters
        ----------
        X : table or array
            Rows of the same kind as in ``fit``.

        Returns
        -------
        array of shape (rows, classes), or (rows,) for two
        """
        logs = self.predict_log_proba(X)
        return logs[:, 1] - logs[:, 0] if logs.shape[1] == 2 else logs

    def probabilities_of_norms(self, log_norms: np.ndarray) -> np.ndarray:
        """Probability of every class by the states alone.

        Parameters
        ----------
        log_norms : array of shape (classes, members, rows)
            Under every state of every kept member.

        Returns
        -------
        array of shape (rows, classes)
        """
        leads = centered(log_norms) / self.member_scales_[:, None]
        return self.class_scale_.probabilities(leads.mean(axis=1))

    def votes_of_norms(self, log_norms: np.ndarray) -> np.ndarray:
        """Class that each kept member alone would choose.

        Parameters
        ----------
        log_norms : array of shape (classes, members, rows)
            Under every state of every kept member.

        Returns
        -------
        array of shape (members, rows)
            Positions in ``classes_``.
        """
        return self.class_scale_.votes(centered(log_norms) / self.member_scales_[:, None])

    @property
    def class_shares_(self) -> pd.DataFrame:
        """Share of every class in the population, with an interval of 90 %."""
        check_is_fitted(self)
        index = pd.Index(self.classes_, name="class")
        return pd.DataFrame(self.class_share_table_, index, ["share", "low", "high"])

    @property
    def held_out_confusion_(self) -> pd.DataFrame:
        """Labels that were held out, and what was said of them.

        One row per class as it was labeled, one column per class as models that did not see the
        label answered; labeled rows are counted by their weights. The answers are those of the
        first guess. Zeros mean that nothing could be held out.
        """
        check_is_fitted(self)
        names = self.classes_
        return pd.DataFrame(
            self.held_out_table_, pd.Index(names, name="label"), pd.Index(names, name="said")
        )

    def class_index(self, y: Any) -> int:
        """Tell which class a value of y names.

        Parameters
        ----------
        y
            One of ``classes_``.

        Returns
        -------
        int
            Position in ``classes_``.
        """
        check_is_fitted(self)
        names = self.classes_.tolist()
        if y in names:
            return names.index(y)
        raise ValueError(
            f"y={quoted(y)} names no class of this model. Pass one of {listed(names, 30)}."
        )

    # What a fit leaves.

    def _keep_states(self, trained: Trained, members: np.ndarray) -> None:
        """Assign the states of the members that are kept, and how they were trained."""
        self.members_ = members
        chains = trained.stack.chains_of(members)
        cores = [core.cpu().numpy()[chains] for core in trained.cores]
        self.cores_ = list(trained.stack.select(members).split_cores(cores))
        self.restarts_ = trained.restarts
        self.n_iter_ = max(map(len, trained.epochs))
        self.history_ = trained.history()
        total = np.sum([self.history_[name] for name in LossTerms._fields], axis=0)
        self.loss_curve_ = np.nanmean(total[:, members], axis=1)
        self.engine_ = engine.active_engine()[0]

    def _keep_decision(self, decision: ClassDecision) -> None:
        """Assign how log-norms become answers."""
        self.member_scales_, self.class_scale_ = decision.member_scales, decision.scale
        self.class_share_table_, self.held_out_table_ = decision.shares, decision.held_out
        self.agreement_matrix_ = decision.compared["agreement_matrix"]
        self.agreement_, self.kappa_ = decision.compared["agreement"], decision.compared["kappa"]

    def _warn_of_empty_classes(self) -> None:
        """Say which classes no training row was given to; nobody would see it otherwise."""
        empty = ~np.isin(self.classes_, self.transduction_)
        if empty.any():
            names = self.classes_[empty].tolist()
            warn_caller(
                f"No training row is given to {'these classes' if len(names) > 1 else 'the class'}"
                f": {listed(names)}. Either "
                "no row belongs there, or it cannot be told from the others: label some of its "
                "rows, or leave unlabeled_class out.",
                TableWarning,
            )
