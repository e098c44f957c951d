"""A fit that was killed goes on to the same bits."""

import multiprocessing
import signal

import numpy as np
import pytest
from fitters import classifier, fit_until_killed, points

from pulps.estimators.tables.checkpoint import Checkpoint
from pulps.network.likelihood import LikelihoodRecipe

FITS = {
    "all rows, plateaus": {"decay": "plateau", "patience": 1, "learning_rate": 0.5, "prior": None},
    "mini-batches, first guess": {"batch_size": 16, "basis": "mixed", "random_state": None},
    "mini-batches, learned prior": {"batch_size": 16, "first_guess": None, "random_state": None},
    "chains that generate": {"density": LikelihoodRecipe(max_epochs=3), "batch_size": 30},
}


def same(one, other):
    names = ["positive_cores_", "negative_cores_", "positive_density_cores_"]
    for name in names:
        for a, b in zip(getattr(one, name, []), getattr(other, name, []), strict=True):
            np.testing.assert_array_equal(a, b)
    for name, curve in one.history_.items():
        np.testing.assert_array_equal(curve, other.history_[name])
    assert one.restarts_ == other.restarts_
    assert one.threshold_report_ == other.threshold_report_
    np.testing.assert_array_equal(one.members_, other.members_)


class StoppedError(Exception):
    """Raised where a test wants a fit to end."""


def fit_until_stopped(model, X, y, n_writes):
    """Fit, and stop right after the checkpoint was written for the n-th time."""
    write, written = Checkpoint.epoch_done, []

    def counted(self, arrays):
        write(self, lambda: written.append(self) or arrays())
        if len(written) >= n_writes:
            raise StoppedError

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Checkpoint, "epoch_done", counted)
        with pytest.raises(StoppedError):
            model.fit(X, y)


@pytest.mark.parametrize("case", FITS)
def test_a_stopped_fit_goes_on_to_the_same_bits(case, tmp_path):
    parameters = FITS[case] | {"checkpoint_every": 1}
    np.random.seed(5)  # noqa: NPY002 (random_state=None draws from it)
    whole = classifier(**parameters).fit(*points())
    parameters["checkpoint"] = tmp_path / "fit.npz"
    np.random.seed(5)  # noqa: NPY002
    fit_until_stopped(classifier(**parameters), *points(), n_writes=13)
    assert parameters["checkpoint"].exists()
    same(whole, classifier(**parameters).fit(*points()))
    assert not parameters["checkpoint"].exists()


def test_a_stopped_fit_draws_the_same_cells(tmp_path):
    X, y = points()
    X[np.random.default_rng(1).random(X.shape) < 0.3] = np.nan
    whole = classifier().fit(X, y)
    parameters = {"checkpoint": tmp_path / "fit.npz", "checkpoint_every": 1}
    fit_until_stopped(classifier(**parameters), X, y, n_writes=13)
    same(whole, classifier(**parameters).fit(X, y))


def test_a_killed_fit_goes_on_to_the_same_bits(tmp_path):
    alone = {"first_guess": None, "batch_size": 30}  # another process has views of other sizes
    parameters = {"checkpoint": str(tmp_path / "fit.npz"), "checkpoint_every": 5, **alone}
    process = multiprocessing.get_context("spawn").Process(
        target=fit_until_killed, args=(parameters, 3)
    )
    process.start()
    process.join(timeout=300)
    assert process.exitcode == -signal.SIGKILL
    resumed = classifier(**parameters)
    resumed.fit(*points())
    same(classifier(**alone).fit(*points()), resumed)
    assert [path.name for path in tmp_path.iterdir()] == []


def test_the_checkpoint_of_another_fit_is_refused(tmp_path):
    path = tmp_path / "fit.npz"
    X, y = points()
    fit_until_stopped(classifier(checkpoint=path, checkpoint_every=2), X, y, n_writes=1)
    moved = X.copy()
    moved[0, 0] += 1
    for model, rows in ((classifier(bond_dim=2), X), (classifier(), moved)):
        with pytest.raises(ValueError, match="checkpoint of another fit"):
            model.set_params(checkpoint=path).fit(rows, y)
    assert path.exists()
    path.write_bytes(b"PK\x03\x04 torn")
    with pytest.raises(ValueError, match="is not a checkpoint"):
        classifier(checkpoint=path).fit(X, y)


def test_nothing_in_a_checkpoint_is_executed(tmp_path):
    path = tmp_path / "fit.npz"
    np.savez(path, fingerprint=np.array([{}], dtype=object))
    with pytest.raises(ValueError, match="is not a checkpoint"):
        classifier(checkpoint=path).fit(*points())
