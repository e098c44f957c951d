"""Progress of a fit, through scikit-learn's callbacks; their young API is touched only here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sklearn.callback import ProgressBar


@contextmanager
def fit_progress(estimator, n_epochs: int) -> Iterator[Callable[[], bool]]:
    """Tell the estimator's callbacks of the fit and of each epoch.

    Yields a function to call after every epoch; it returns True when a callback asks to
    stop. ``verbose`` shows scikit-learn's progress bar unless callbacks were set.
    """
    own_bar = estimator.verbose and not getattr(estimator, "_skl_callbacks", None)
    if own_bar:
        estimator.set_callbacks(ProgressBar())
    fit = estimator._init_callback_context(max_subtasks=n_epochs)
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
