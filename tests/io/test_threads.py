"""Small tables are fitted by one thread, and what was there before holds afterwards."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.naive_bayes import GaussianNB
from threadpoolctl import threadpool_info, threadpool_limits

from pulps import PUClassifier, hide_labels
from pulps.io import threads

SEEN = []


def most_threads():
    return max(pool["num_threads"] for pool in threadpool_info())


class Watching(ClassifierMixin, BaseEstimator):
    def fit(self, X, y, sample_weight=None):
        SEEN.append(most_threads())
        self.model_ = GaussianNB().fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def predict_proba(self, X):
        return self.model_.predict_proba(X)


@pytest.mark.parametrize(("small", "n_threads"), [(10**6, 1), (0, 2)])
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_small_tables_are_fitted_by_one_thread(small, n_threads, n_jobs, monkeypatch):
    monkeypatch.setitem(threads.SMALL, "views", small)
    X = np.random.RandomState(0).normal(size=(60, 2))
    y = hide_labels((X[:, 0] > 0).astype(int), n_labeled=15, random_state=0)
    SEEN.clear()
    with threadpool_limits(2):
        PUClassifier(views=[("watching", Watching())], n_jobs=n_jobs, random_state=0).fit(X, y)
        assert most_threads() == 2
    assert max(SEEN) == n_threads
