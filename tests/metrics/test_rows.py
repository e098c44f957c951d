"""Which rows are labeled, which are the population, and what is refused."""

import pytest
from populations import simulate

from pulps.metrics import (
    lee_liu_score,
    prior_of_unlabeled,
    pu_f1_score,
    pu_recall_score,
)


def test_the_prior_of_the_unlabeled_rows_depends_on_the_scenario():
    y, _, truth, _ = simulate("single-training-set")
    share = truth[y == 0].mean()
    assert prior_of_unlabeled(y, prior=0.4) == pytest.approx(share, abs=0.005)
    assert prior_of_unlabeled(y, prior=0.4, scenario="case-control") == 0.4


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: pu_recall_score([0, 0], [1, 0]), "labeled and unlabeled"),
        (lambda: pu_recall_score([1, 1], [1, 0]), "labeled and unlabeled"),
        (lambda: pu_recall_score([1, -1], [1, 0]), "PU labels are 1"),
        (lambda: pu_recall_score([1, 0], [1, 0, 1]), "shape"),
        (lambda: pu_recall_score([1, 0], [1, 2]), "values 0 and 1"),
        (lambda: pu_f1_score([1, 0], [1, 0], prior=0.0), "between 0 and 1"),
        (lambda: lee_liu_score([1, 0], [1, 0], scenario="pu"), "case-control"),
    ],
)
def test_rows_that_cannot_be_scored_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
