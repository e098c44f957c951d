"""Progress of a fit, through scikit-learn's callbacks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sklearn.callback import ProgressBar

from pulps.io._sklearn import callback_context, has_callbacks


@contextmanager
def fit_progress(estimator, n_epochs: int) -> Iterator[Callable[[], bool]]:
    """Tell the estimator's callbacks of the fit and of each epoch.

    ``verbose`` shows scikit-learn's progress bar unless callbacks were set.

    Parameters
    ----------
    estimator
        The estimator that is fitted.
    n_epochs
        Epochs that are expected.

    Yields
    ------
    callable
        To be called after every epoch; it returns True when a callback asks to stop.
    """
    own_bar = estimator.verbose and not has_callbacks(estimator)
    if own_bar:
        estimator.set_callbacks(ProgressBar())
    fit = callback_context(estimator, n_epochs)
    fit.call_on_fit_task_begin(estimator=estimator)

    def epoch_done() -> bool:
        epoch = fit.subcontext(task_name="epoch")
        epoch.call_on_fit_task_begin(estimator=estimator)
        return bool(epoch.call_on_fit_task_end(estimator=estimator))

    try:
        yield epoch_done
    finally:
        fit.call_on_fit_task_end(estimator=estimator)
        if own_bar:
            estimator.set_callbacks()


class EpochTeller:
    """A callback that hands on how many epochs are done.

    Parameters
    ----------
    tell
        Called with the number of epochs done and the number expected after every epoch.
    """

    def __init__(self, tell: Callable[[int, int], None]):
        self.tell = tell
        self.n_done = 0

    def setup(self, estimator, context):
        """Begin a fit.

        Parameters
        ----------
        estimator, context
            From scikit-learn.
        """
        self.n_done = 0

    def teardown(self, estimator, context):
        """End a fit.

        Parameters
        ----------
        estimator, context
            From scikit-learn.
        """

    def on_fit_task_begin(self, estimator, context):
        """Begin an epoch, or the fit.

        Parameters
        ----------
        estimator, context
            From scikit-learn.
        """

    def on_fit_task_end(self, estimator, context) -> bool:
        """End an epoch, or the fit; never ask to stop.

        Parameters
        ----------
        estimator, context
            From scikit-learn.

        Returns
        -------
        bool
            Always False.
        """
        if context.task_name == "epoch":
            self.n_done += 1
            self.tell(self.n_done, max(self.n_done, context.parent.max_subtasks))
        return False
