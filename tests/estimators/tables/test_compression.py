"""A compressed model: smaller, the same on given rows, and a model like any other."""

import numpy as np
import pandas as pd
import pytest

from pulps import LPSClassifier, hide_labels


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    y_true = rng.random(150) < 0.5
    X = pd.DataFrame(
        {
            "size": rng.standard_normal(150) + 2 * y_true,
            "weight": rng.standard_normal(150) - y_true,
            "color": pd.Categorical(np.where(rng.random(150) < 0.8, y_true, ~y_true).astype(str)),
        }
    )
    X.loc[::9, "weight"] = np.nan
    return X, hide_labels(y_true, label_frequency=0.4, random_state=0)


@pytest.fixture(scope="module")
def model(rows):
    return LPSClassifier(bond_dim=10, n_members=2, max_epochs=20, random_state=0).fit(*rows)


def log_norms(model, X):
    """Return log-norms of both states, the negative ones behind the positive ones."""
    from pulps.estimators.tables.compression import doubled
    from pulps.estimators.tables.compression import log_norms as of_states

    return of_states(model.states, doubled(model.states.stacked), model.encode(X)).numpy()


@pytest.mark.parametrize("tolerance", [0.001, 0.01, 0.3])
def test_no_log_norm_of_the_rows_changes_by_more_than_the_tolerance(model, rows, tolerance):
    X, _ = rows
    smaller, report = model.compress(X, tolerance=tolerance, return_report=True)
    change = np.abs(log_norms(smaller, X) - log_norms(model, X)).max()
    assert change == pytest.approx(report.change, abs=1e-9)
    assert change <= tolerance
    assert report.change <= report.bound
    assert report.bonds_after == tuple(c.shape[4] for c in smaller.positive_cores_[:-1])
    assert sum(report.bonds_after) < sum(report.bonds_before) == 10 * len(report.bonds_before)
    shift = np.abs(smaller.decision_function(X) - model.decision_function(X)).max()
    assert shift <= 2 * tolerance * np.mean(1 / model.member_scales_)


def test_a_larger_tolerance_leaves_less(model, rows):
    X, _ = rows
    sizes = [
        sum(core.size for core in model.compress(X, tolerance=tolerance).positive_cores_)
        for tolerance in (0.0, 0.01, 0.3, 1000.0)
    ]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] < sizes[1] < sizes[0]


def test_nothing_changes_without_tolerance(model, rows):
    X, _ = rows
    same = model.compress(X, tolerance=0)
    np.testing.assert_array_equal(same.decision_function(X), model.decision_function(X))


def test_the_model_itself_stays_as_it_was(model, rows):
    X, _ = rows
    before = [core.copy() for core in model.positive_cores_]
    smaller = model.compress(X, tolerance=0.3)
    assert smaller is not model
    assert type(smaller) is type(model)
    for old, new in zip(before, model.positive_cores_, strict=True):
        np.testing.assert_array_equal(old, new)


def test_it_is_saved_in_a_smaller_file_and_read_again(model, rows, tmp_path):
    X, _ = rows
    smaller = model.compress(X, tolerance=0.3)
    model.save(tmp_path / "large.pulps")
    smaller.save(tmp_path / "small.pulps")
    again = LPSClassifier.load(tmp_path / "small.pulps")
    np.testing.assert_array_equal(again.decision_function(X), smaller.decision_function(X))
    assert again.bond_dim == max(core.shape[4] for core in smaller.positive_cores_)
    sizes = [(tmp_path / f"{name}.pulps").stat().st_size for name in ("small", "large")]
    assert sizes[0] < sizes[1]


def test_it_still_samples_and_scores(model, rows):
    X, _ = rows
    smaller = model.compress(X, tolerance=0.1)
    drawn = smaller.sample(5, states=True, random_state=0)
    assert drawn.shape == (5, 3)
    assert drawn.notna().all(axis=None)
    assert smaller.predict_proba(X).shape == (len(X), 2)
    assert np.isfinite(smaller.score_samples(X.head(10))).all()


def test_a_tolerance_below_zero_is_refused(model, rows):
    with pytest.raises(ValueError, match=r"tolerance is -1; it must be zero or more"):
        model.compress(rows[0], tolerance=-1)
