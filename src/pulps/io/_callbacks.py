"""Callbacks for scikit-learn 1.7 and 1.8, which have none of their own.

The same four hooks are called in the same order as by ``sklearn.callback`` of 1.9, with as much
of its context as a callback of one estimator reads. What is left out needs scikit-learn's
help: callbacks that a meta-estimator hands on, and hooks that ask for data.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any, Protocol, TypeVar

Method = TypeVar("Method", bound=Callable[..., Any])

HOOKS = ("setup", "on_fit_task_begin", "on_fit_task_end", "teardown")


class Callback(Protocol):
    """What hears of a fit: ``sklearn.callback.FitCallback``."""

    def setup(self, estimator: Any, context: Any) -> None:
        """Begin a fit."""

    def on_fit_task_begin(self, estimator: Any, context: Any) -> Any:
        """Begin a task."""

    def on_fit_task_end(self, estimator: Any, context: Any) -> Any:
        """End a task; True asks to stop."""

    def teardown(self, estimator: Any, context: Any) -> None:
        """End a fit, also one that failed."""


class CallbackContext:
    """A task of a fit, as callbacks see it.

    Parameters
    ----------
    callbacks
        Who hears of the task.
    task_name
        What it is called.
    task_id
        Its number among the tasks of its parent.
    max_subtasks
        Number of tasks inside.
    parent
        The task it is a part of.
    """

    def __init__(
        self,
        callbacks: Sequence[Callback],
        task_name: str,
        task_id: int = 0,
        max_subtasks: int = 0,
        parent: CallbackContext | None = None,
    ):
        self.callbacks = callbacks
        self.task_name = task_name
        self.task_id = task_id
        self.max_subtasks = max_subtasks
        self.parent = parent
        self.n_subtasks = 0

    def subcontext(self, task_name: str = "") -> CallbackContext:
        """Open the context of a task inside this one.

        Parameters
        ----------
        task_name
            What it is called.

        Returns
        -------
        CallbackContext
            Its context.
        """
        self.n_subtasks += 1
        return CallbackContext(self.callbacks, task_name, self.n_subtasks - 1, parent=self)

    def call_on_fit_task_begin(self, *, estimator: Any, **data: Any) -> CallbackContext:
        """Tell callbacks that the task begins.

        Parameters
        ----------
        estimator
            The estimator that is fitted.
        **data
            Not handed on.

        Returns
        -------
        CallbackContext
            This context.
        """
        for callback in self.callbacks:
            callback.on_fit_task_begin(estimator, self)
        return self

    def call_on_fit_task_end(self, *, estimator: Any, **data: Any) -> bool:
        """Tell callbacks that the task has ended.

        Parameters
        ----------
        estimator
            The estimator that is fitted.
        **data
            Not handed on.

        Returns
        -------
        bool
            Whether one of them asks to stop.
        """
        answers = [callback.on_fit_task_end(estimator, self) for callback in self.callbacks]
        return any(answers)


class CallbackSupportMixin:
    """An estimator whose fits callbacks can follow."""

    def set_callbacks(self, *callbacks: Callback) -> Any:
        """Say who hears of the fits to come.

        Parameters
        ----------
        *callbacks
            Objects with the methods ``setup``, ``on_fit_task_begin``, ``on_fit_task_end`` and
            ``teardown``; none for silence.

        Returns
        -------
        self
            The estimator.
        """
        for callback in callbacks:
            missing = [hook for hook in HOOKS if not callable(getattr(callback, hook, None))]
            if isinstance(callback, type) or missing:
                raise TypeError(
                    f"callbacks must be objects with the methods {', '.join(HOOKS)}, but got "
                    f"{callback!r}."
                )
        if callbacks:
            self._skl_callbacks = list(callbacks)
        else:
            self.__dict__.pop("_skl_callbacks", None)
        return self

    def _init_callback_context(self, max_subtasks: int = 0) -> CallbackContext:
        callbacks = getattr(self, "_skl_callbacks", [])
        self._callback_fit_ctx = CallbackContext(callbacks, "fit", max_subtasks=max_subtasks)
        self._skl_callbacks_to_teardown: list[Callback] = []
        for callback in callbacks:
            self._skl_callbacks_to_teardown.append(callback)
            callback.setup(estimator=self, context=self._callback_fit_ctx)
        return self._callback_fit_ctx


def with_callbacks(method: Method) -> Method:
    """Tear callbacks down after a fit, however it ended.

    Parameters
    ----------
    method
        The ``fit`` of an estimator.

    Returns
    -------
    callable
        The method.
    """

    @functools.wraps(method)
    def managed(estimator: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return method(estimator, *args, **kwargs)
        finally:
            if hasattr(estimator, "_callback_fit_ctx"):
                context = estimator.__dict__.pop("_callback_fit_ctx")
                with ExitStack() as ends:  # all are called, even if one of them fails
                    for callback in reversed(estimator.__dict__.pop("_skl_callbacks_to_teardown")):
                        ends.callback(callback.teardown, estimator=estimator, context=context)

    return managed  # type: ignore[return-value]
