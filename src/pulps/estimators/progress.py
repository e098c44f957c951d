"""Progress of a fit: a line for people, scikit-learn's callbacks for programs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from copy import copy
from functools import partial
from typing import Any

from pulps.io._sklearn import fit_task, has_callbacks
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
) -> Iterator[Callable[..., bool]]:
    """Tell the estimator's callbacks of the fit and of each step, which is an epoch for them.

    ``verbose`` shows a line unless callbacks were set. Callbacks that score a model while it
    learns are given the rows of the fit and, if it can be had, the model as it stands.

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
        To be called after every step, if possible with a function that makes a copy of the
        estimator answer as it stands; it returns True when a callback asks to stop.
    """
    fit = fit_task(estimator, n_steps)
    rows = dict(zip("Xy", getattr(estimator, "_rows_of_fit", ()), strict=False))
    n_done = 0
    with line_of(estimator, n_steps, step) as tell:

        def step_done(conclude: Callable[[Any], object] | None = None) -> bool:
            nonlocal n_done
            n_done += 1
            tell((n_done - 1) % n_steps + 1)  # members that are restarted begin again
            epoch = fit.subcontext(task_name="epoch")
            epoch.call_on_fit_task_begin(estimator=estimator, **rows)
            now = None if conclude is None else partial(_as_it_stands, estimator, conclude)
            stop = epoch.call_on_fit_task_end(
                estimator=estimator, **rows, reconstruction_attributes=now
            )
            return bool(stop)

        yield step_done
    if not rows:  # nobody else tells of the end
        fit.call_on_fit_task_end(estimator=estimator)


def _as_it_stands(estimator: Any, conclude: Callable[[Any], object]) -> dict[str, Any]:
    """Return what a copy of the estimator has once it can answer."""
    model = copy(estimator)
    conclude(model)
    return dict(vars(model))


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
