"""Positive-unlabeled learning in the words of several classes: one labeled, one without labels."""

from __future__ import annotations

from typing import Any

import numpy as np

from pulps.decision.class_scale import ClassScale

OF_TRAINING = (
    *("agreement_", "agreement_matrix_", "kappa_", "restarts_", "n_iter_", "history_"),
    *("loss_curve_", "engine_", "member_scales_", "members_"),
)


def take_over(model: Any, fitted: Any, n_rows: float, n_labeled: float) -> None:
    """Let a model of classes answer as one of labeled and unlabeled rows does, to the bit.

    Parameters
    ----------
    model
        Of two classes, the labeled one first.
    fitted
        A fitted classifier of labeled and unlabeled rows; its chains become the model's.
    n_rows, n_labeled
        Weight of all rows, and of the labeled ones.
    """
    for name in OF_TRAINING:
        setattr(model, name, getattr(fitted, name))
    model.cores_ = [fitted.positive_cores_, fitted.negative_cores_]
    report = fitted.threshold_report_
    cut = fitted.slope_ * report.threshold
    model.class_scale_ = ClassScale(fitted.slope_, np.array([-cut, 0.0]))
    model.teacher_, model.held_out_table_ = None, np.zeros((2, 2))
    ends = np.array([report.prior_of_unlabeled, *report.prior_interval])
    ends = (n_labeled + ends * (n_rows - n_labeled)) / n_rows
    model.class_share_table_ = np.stack([ends, 1 - ends[[0, 2, 1]]])
    if model.density is not None:
        model.density_cores_ = [fitted.positive_density_cores_, fitted.negative_density_cores_]
