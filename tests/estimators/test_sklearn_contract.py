"""Scikit-learn's own checks of what an estimator must do, on the default one."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from pulps import LPSClassifier, LPSSemiSupervisedClassifier, PUClassifier


def known_gaps(estimator):
    if isinstance(estimator, LPSSemiSupervisedClassifier):
        return {
            "check_classifiers_classes": "it passes -1, which is no label; it spares "
            "scikit-learn's own semi-supervised classifiers by name"
        }
    return {
        "check_classifiers_classes": "string labels need pos_label: which of two words marks a "
        "labeled positive cannot be guessed"
    }


@parametrize_with_checks(
    [LPSClassifier(), PUClassifier(), LPSSemiSupervisedClassifier()],
    expected_failed_checks=known_gaps,
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore::pulps.decision.AgreementWarning")
@pytest.mark.filterwarnings("ignore::pulps.tables.notices.TableWarning")  # its tables are tiny
def test_scikit_learn_contract(estimator, check):
    check(estimator)
