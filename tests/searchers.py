"""Searches in processes of their own, for tests that share or kill them."""

import os
import signal

import optuna
from fitters import points
from sklearn.tree import DecisionTreeClassifier

from pulps.tuning import AgreementSearch, search


class PruneOdd(optuna.pruners.BasePruner):
    def prune(self, study, trial):
        return trial.number % 2 == 1


def depth(trial):
    return {
        "max_depth": trial.suggest_int("max_depth", 1, 6),
        "min_samples_leaf": trial.suggest_int("min_samples_leaf", 1, 8),
    }


def small_search(**parameters):
    tree = DecisionTreeClassifier(max_features=1, class_weight="balanced")
    few = {"n_trials": 6, "cv": 2, "n_members": 2, "random_state": 0}
    return AgreementSearch(tree, depth, **(few | parameters))


def search_until_killed(parameters, n_fits):
    """Search, and die by SIGKILL in the middle of a later trial."""
    evaluate, begun = search.evaluate, []

    def counted(*arguments, **options):
        begun.append(1)
        if len(begun) > n_fits:
            os.kill(os.getpid(), signal.SIGKILL)
        return evaluate(*arguments, **options)

    search.evaluate = counted
    small_search(**parameters).fit(*points())


def search_beside_another(parameters, barrier, log):
    """Search; within the first trial wait until the other one has begun a trial, too."""
    evaluate, begun = search.evaluate, []

    def meeting(*arguments, **options):
        if not begun:
            barrier.wait(timeout=120)
        begun.append(1)
        return evaluate(*arguments, **options)

    search.evaluate = meeting
    small_search(**parameters).fit(*points())
    log.put(len(begun))
