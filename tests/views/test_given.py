"""A classifier of the user as a view, and which columns matter to a score."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from pulps.tables.encoding import TableEncoder
from pulps.views.consensus import fit_consensus
from pulps.views.given import given_view
from pulps.views.relevance import relevance


class Memory(GaussianNB):
    """Knows by heart what it saw: labeled rows it saw are certain, all others unknown."""

    def fit(self, X, y, sample_weight=None):
        self.seen_ = {row.tobytes() for row in X[y == 1]}
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        known = np.array([row.tobytes() in self.seen_ for row in X], dtype=float)
        return np.column_stack([1 - known, known])


def table(n_rows=120, seed=0):
    rng = np.random.RandomState(seed)
    X = rng.normal(size=(n_rows, 3))
    positive = X[:, 0] > 0.3
    labeled = positive & (rng.rand(n_rows) < 0.5)
    encoder = TableEncoder()
    return encoder.fit_transform(X), encoder.columns_, labeled, positive


@pytest.mark.parametrize(
    "classifier", [LogisticRegression(), RandomForestClassifier(20), GaussianNB()]
)
def test_any_classifier_gives_scores_of_training_and_of_new_rows(classifier):
    values, columns, labeled, positive = table()
    rng = np.random.RandomState(0)
    ones = np.ones(len(values))
    honest, model = fit_consensus(
        values, columns, labeled, ones, rng, views=[given_view(classifier)]
    )
    assert np.isfinite(honest).all()
    assert honest[positive].mean() > honest[~positive].mean() + 0.5
    new = model.score(values)
    assert new[positive].mean() > new[~positive].mean() + 0.5
    assert not hasattr(classifier, "classes_")  # only clones are fitted


def test_no_row_is_scored_by_a_model_that_saw_it():
    values, columns, labeled, _ = table()
    ones = np.ones(len(values))
    rng = np.random.RandomState(0)
    honest, model = fit_consensus(
        values, columns, labeled, ones, rng, views=[given_view(Memory())]
    )
    assert np.ptp(honest) == 0  # nobody remembers a row it did not see
    assert np.ptp(model.score(values)) >= 0


def test_columns_of_noise_do_not_matter_and_pairs_of_columns_may():
    rng = np.random.RandomState(0)
    values = rng.rand(800, 12)
    both = (values[:, 3] > 0.5) ^ (values[:, 7] > 0.5)
    found = relevance(values, both + rng.normal(0, 0.2, 800), rng)
    assert found[[3, 7]].tolist() == [1, 1]
    assert np.delete(found, [3, 7]).mean() < 0.1
    assert ((found >= 0) & (found <= 1)).all()


def test_a_missing_cell_may_matter():
    rng = np.random.RandomState(0)
    values = rng.rand(400, 5)
    values[rng.rand(400) < 0.4, 2] = np.nan
    found = relevance(values, np.isnan(values[:, 2]) + rng.normal(0, 0.1, 400), rng)
    assert found[2] == 1
