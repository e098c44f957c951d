"""Progress of a fit: a line for people, scikit-learn's callbacks for programs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from pulps.io._sklearn import callback_context, has_callbacks
from pulps.io.progress import Tell, progress


def line_of(estimator: Any, n_steps: int, step: str) -> AbstractContextManager[Tell]:
    """Show how far a part of a fit is, as ``verbose`` asks; nothing if callbacks were set.

    Parameters
    ----------
    estimator
        The estimator that is fitted.
    n_steps
        Steps that are expected.
    step
        What people call a step.

    Returns
    -------
    context
        Of a function to be called with the number of steps done.
    """
    return progress(step, n_steps, False if has_callbacks(estimator) else estimator.verbose)


@contextmanager
def fit_progress(
    estimator: Any, n_steps: int, step: str = "epoch"
) -> Iterator[Callable[[], bool]]:
    """Tell the estimator's callbacks of the fit and of each step, which is an epoch for them.

    ``verbose`` shows a line unless callbacks were set.

    Parameters
    ----------
    estimator
        The estimator that is fitted.
    n_steps
        Steps that are expected.
    step
        What people call a step.

    Yields
    ------
    callable
        To be called after every step; it returns True when a callback asks to stop.
    """
    fit = callback_context(estimator, n_steps)
    fit.call_on_fit_task_begin(estimator=estimator)
    n_done = 0
    with line_of(estimator, n_steps, step) as tell:

        def step_done() -> bool:
            nonlocal n_done
            n_done += 1
            tell((n_done - 1) % n_steps + 1)  # members that are restarted begin again
            epoch = fit.subcontext(task_name="epoch")
            epoch.call_on_fit_task_begin(estimator=estimator)
            return bool(epoch.call_on_fit_task_end(estimator=estimator))

        try:
            yield step_done
        finally:
            fit.call_on_fit_task_end(estimator=estimator)


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

    def setup(self, estimator: Any, context: Any) -> None:
        """Begin a fit.

        Parameters
        ----------
        estimator, context
            From scikit-learn.
        """
        self.n_done = 0

    def teardown(self, estimator: Any, context: Any) -> None:
        """End a fit.

        Parameters
        ----------
        estimator, context
            From scikit-learn.
        """

    def on_fit_task_begin(self, estimator: Any, context: Any) -> None:
        """Begin an epoch, or the fit.

        Parameters
        ----------
        estimator, context
            From scikit-learn.
        """

    def on_fit_task_end(self, estimator: Any, context: Any) -> bool:
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
