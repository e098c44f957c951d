"""What the classifiers by states share: recipe, decision, what a fit leaves.

A classifier trains an ensemble of members, each with one state per class, keeps some of them
and turns their log-ratios into a decision. What differs is how rows become sites.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
import torch
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from pulps.decision import AgreementWarning
from pulps.decision.decide import Decision
from pulps.decision.rule import DecisionRule
from pulps.estimators.answers import Answers
from pulps.estimators.recipes.recipe_fields import RecipeParameters
from pulps.io.calls import warn_caller
from pulps.network import engine
from pulps.training.ensemble import Trained
from pulps.training.loss import LossTerms


class StateClassifier(RecipeParameters, Answers):
    """A classifier by the norms of two states per member."""

    # What a fit leaves:
    agreement_: float
    agreement_matrix_: np.ndarray
    engine_: str
    history_: dict[str, np.ndarray]
    kappa_: float
    loss_curve_: np.ndarray
    member_scales_: np.ndarray
    members_: np.ndarray
    n_iter_: int
    negative_cores_: list[np.ndarray]
    positive_cores_: list[np.ndarray]
    restarts_: list[str]

    # Decisions.

    @property
    def decision_rule(self) -> DecisionRule:
        """How log-ratios of the members become a decision and a probability."""
        check_is_fitted(self)
        return DecisionRule(self.member_scales_, self.threshold_report_.threshold, self.slope_)

    @abstractmethod
    def log_ratios(self, X: Any) -> np.ndarray:
        """Log-ratio of both norms for every kept member.

        Parameters
        ----------
        X : table or array
            Rows of the same kind as in ``fit``.

        Returns
        -------
        array of shape (members, rows)
        """

    def member_decisions(self, X: Any) -> np.ndarray:
        """Decision of every kept member alone; their mean is the decision.

        Parameters
        ----------
        X : table or array
            Rows of the same kind as in ``fit``.

        Returns
        -------
        array of shape (members, rows)
        """
        return self.decision_rule.member_decisions(self.log_ratios(X))

    def decision_function(self, X: Any) -> np.ndarray:
        r"""Log-ratio :math:`\log \|\hat y^p\| - \log \|\hat y^n\|` above the threshold.

        Each member's log-ratio is taken in units of its mean size on the unlabeled training
        rows, then averaged over members. Positive means positive. What is missing is
        traced out.

        Parameters
        ----------
        X : table or array
            Rows of the same kind as in ``fit``.

        Returns
        -------
        array of shape (rows,)
        """
        return self.decision_rule.decision(self.log_ratios(X))

    # What a fit leaves.

    def _keep(self, trained: Trained, usable: np.ndarray, decision: Decision) -> None:
        """Assign what both kinds of fit leave behind; ``usable`` members were asked."""
        self.members_ = usable[decision.members]
        chains = trained.stack.chains_of(self.members_)
        kept = trained.stack.select(self.members_)
        cores = [core.cpu().numpy()[chains] for core in trained.cores]
        self.positive_cores_, self.negative_cores_ = kept.split_cores(cores)
        self.restarts_ = trained.restarts
        self.member_scales_ = decision.scales
        self.threshold_report_ = decision.report
        self.prior_ = decision.prior
        self.slope_ = decision.slope
        self.agreement_matrix_ = decision.agreement_matrix
        self.agreement_ = decision.agreement
        self.kappa_ = decision.kappa
        self.n_iter_ = max(map(len, trained.epochs))
        self.history_ = trained.history()
        total = np.sum([self.history_[name] for name in LossTerms._fields], axis=0)
        self.loss_curve_ = np.nanmean(total[:, self.members_], axis=1)
        self.engine_ = engine.active_engine()[0]

    def _warn(self, decision: Decision, n_trained: int, max_restarts: int) -> None:
        """Warn of what is to be doubted about a fit; the warning points at the user's own line."""
        for doubt in decision.doubts:
            warn_caller(doubt, AgreementWarning)
        if not decision.any_sound:
            again = ", also after starting again" if max_restarts else ""
            warn_caller(
                f"All {n_trained} members put every unlabeled row in one class or lose most "
                f"labeled rows{again}. The predictions are of no use; try another "
                "recipe__learning_rate, more labeled rows, or a prior.",
                ConvergenceWarning,
            )


def check_device(device: str) -> None:
    """Refuse a device that cannot train here.

    Parameters
    ----------
    device
        A device of torch.
    """
    try:
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        reason = str(error).splitlines()[0].rstrip(".")
        raise ValueError(
            f"device={device!r} cannot train here: {reason}. Pass device='cpu', or install a "
            "torch that knows the device."
        ) from None


def usable_members(trained: Trained, learning_rate: float) -> np.ndarray:
    """Members whose loss is finite; raise if there is none.

    Parameters
    ----------
    trained
        Members after training.
    learning_rate
        What they were trained with, for the message.

    Returns
    -------
    array of int
        Which members.
    """
    usable = trained.finite
    if not len(usable):
        raise ValueError(
            f"All {trained.n_members} members diverged: the loss is not finite. Lower "
            f"recipe__learning_rate (now {learning_rate})."
        )
    return usable
