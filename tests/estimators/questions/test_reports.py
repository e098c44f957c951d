"""One way to ask for a report, whatever the classes: how many rows it lists by default."""

import pytest
from sklearn.base import BaseEstimator

import pulps.report
from pulps.estimators.questions.reports import Reports


class Fitted(Reports, BaseEstimator):
    def __sklearn_is_fitted__(self):
        return True

    def fit(self):
        return self  # scikit-learn asks only what can be fitted


class OfClasses(Fitted):
    class_scale_ = None


@pytest.mark.parametrize(
    ("model", "asked", "listed"),
    [(Fitted(), None, 200), (OfClasses(), None, 20), (Fitted(), 7, 7), (OfClasses(), 7, 7)],
)
def test_a_report_lists_200_rows_or_20_of_each_class_unless_told(
    model, asked, listed, monkeypatch
):
    collected = {"data": "of rows"}
    for collector in ("collect", "collect_classes"):
        monkeypatch.setattr(
            pulps.report, collector, lambda *_, n_rows, **__: collected | {"n_rows": n_rows}
        )
    assert model.report([[0.0]], n_rows=asked).data["n_rows"] == listed
