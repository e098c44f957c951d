"""Scikit-learn's own checks of what an estimator must do."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from pulps import LPSClassifier


def known_gaps(estimator):
    return {
        "check_classifiers_classes": "string labels need pos_label: which of two words marks a "
        "labeled positive cannot be guessed"
    }


# Short runs in double precision, because one check compares fits to seven digits; a small
# prior, because these checks label every positive row, so that hardly any unlabeled row is one;
# and all labels shown, because labels are dealt out by row, so that a row of weight two is not
# the same as two rows.
ESTIMATOR = LPSClassifier(
    max_epochs=30,
    n_members=2,
    max_restarts=0,
    prior=0.05,
    threshold="prior",
    label_parts=None,
    scenario="case-control",
    dtype="float64",
    random_state=0,
)


@parametrize_with_checks(
    [ESTIMATOR],
    expected_failed_checks=known_gaps,
    xfail_strict=True,
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_scikit_learn_contract(estimator, check):
    check(estimator)
