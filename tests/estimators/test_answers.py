"""What every classifier answers: probabilities, scores, and what a notebook shows."""

import typing
import warnings

import numpy as np
import pytest

from pulps import LPSClassifier, LPSImageClassifier, PUClassifier
from pulps.datasets import make_toy
from pulps.estimators.answers import PULabelsWarning


@pytest.fixture(scope="module")
def fitted():
    X, y, truth = make_toy("moons", n_rows=200, n_labeled=30, random_state=0)
    return PUClassifier(views=["kernel"], random_state=0).fit(X, y), X, y, truth


def test_log_probabilities_are_those_of_the_probabilities_and_finite_far_out(fitted):
    model, X, *_ = fitted
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X))
    model = PUClassifier(views=["kernel"], random_state=0).fit(X, fitted[2])
    model.slope_ = 1e6
    assert np.isfinite(model.predict_log_proba(X)).all()


def test_scoring_labels_of_a_pu_problem_warns_and_scoring_the_truth_does_not(fitted):
    model, X, y, truth = fitted
    with pytest.warns(PULabelsWarning, match="unlabeled rows"):
        model.score(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert model.score(X, truth) > 0.8


def test_a_notebook_shows_what_a_fitted_model_learned(fitted):
    model, *_ = fitted
    told = model.threshold_report_
    for html in (model._repr_html_(), model._repr_mimebundle_()["text/html"]):
        assert f"{told.prior_of_unlabeled:.0%}" in html
        assert f"{told.precision:.2f}" in html
    assert "learned:" not in PUClassifier()._repr_html_()
    assert told._repr_html_().startswith("<table>")
    assert "<b>" not in type(told)(**vars(told) | {"reason": "<b>"})._repr_html_()


@pytest.mark.parametrize("kind", [PUClassifier, LPSClassifier, LPSImageClassifier])
def test_editors_know_the_types_of_parameters_and_of_a_fit(kind):
    types = typing.get_type_hints(kind.__init__)
    assert set(kind().get_params(deep=False)) <= set(types)
    assert kind.fit.__annotations__["return"] == "Self"
