"""Callbacks of our own, for scikit-learn before 1.9, do what scikit-learn's do."""

import pytest
from sklearn.base import BaseEstimator, clone

from pulps.io import _callbacks as ours


class Recorder:
    def __init__(self, stop_at=None, fail_at=None):
        self.heard, self.stop_at, self.fail_at = [], stop_at, fail_at

    def _hear(self, hook, context):
        parent = context.parent and (context.parent.task_name, context.parent.max_subtasks)
        told = (hook, context.task_name, context.task_id, context.max_subtasks, parent)
        self.heard.append(told)
        if hook == self.fail_at:
            raise ArithmeticError(hook)

    def setup(self, estimator, context):
        self._hear("setup", context)

    def on_fit_task_begin(self, estimator, context):
        self._hear("begin", context)

    def on_fit_task_end(self, estimator, context):
        self._hear("end", context)
        return context.task_id == self.stop_at

    def teardown(self, estimator, context):
        self._hear("teardown", context)


def walker(way):
    class Walker(way.CallbackSupportMixin, BaseEstimator):
        @way.with_callbacks
        def fit(self, X=None, y=None):
            whole = self._init_callback_context(max_subtasks=3)
            whole.call_on_fit_task_begin(estimator=self)
            self.steps_ = 0
            for _ in range(3):
                step = whole.subcontext(task_name="step")
                step.call_on_fit_task_begin(estimator=self)
                self.steps_ += 1
                if step.call_on_fit_task_end(estimator=self):
                    break
            whole.call_on_fit_task_end(estimator=self)
            return self

    return Walker()


def the_way_of_scikit_learn():
    return pytest.importorskip("sklearn.callback", reason="scikit-learn has none before 1.9")


@pytest.mark.parametrize("stop_at", [None, 1])
def test_the_same_is_heard_in_the_same_order(stop_at):
    theirs = the_way_of_scikit_learn()
    heard = []
    for way in (ours, theirs):
        first, second = Recorder(stop_at), Recorder()
        fitted = walker(way).set_callbacks(first, second).fit()
        assert fitted.steps_ == (3 if stop_at is None else stop_at + 1)
        heard.append((first.heard, second.heard))
    assert heard[0] == heard[1]


@pytest.mark.parametrize("hook", ["setup", "begin", "end", "teardown"])
def test_who_was_set_up_is_torn_down_whatever_fails(hook):
    first, second = Recorder(fail_at=hook), Recorder()
    model = walker(ours).set_callbacks(first, second)
    with pytest.raises(ArithmeticError, match=hook):
        model.fit()
    ended = [record.heard[-1][0] == "teardown" for record in (first, second) if record.heard]
    assert ended == [True] * (1 if hook == "setup" else 2)
    assert not hasattr(model, "_callback_fit_ctx")


def test_nobody_hears_of_a_fit_after_callbacks_were_taken_back():
    recorder = Recorder()
    model = walker(ours).set_callbacks(recorder).set_callbacks()
    model.fit()
    assert recorder.heard == []
    assert vars(model).keys() == {"steps_"}
    assert clone(model).fit().steps_ == 3


@pytest.mark.parametrize("wrong", [object(), Recorder, len])
def test_what_cannot_hear_is_refused(wrong):
    with pytest.raises(TypeError, match="callbacks must be objects with the methods setup"):
        walker(ours).set_callbacks(wrong)
