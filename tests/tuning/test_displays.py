"""Pictures of a search."""

import matplotlib as mpl
import pytest
from fitters import points
from searchers import PruneOdd, small_search

from pulps.tuning import (
    SearchHistoryDisplay,
    SearchParameterDisplay,
)

mpl.use("agg")


def test_pictures_of_a_search():
    search = small_search(pruner=PruneOdd(), n_trials=4).fit(*points())
    history = SearchHistoryDisplay.from_search(search)
    trials, pruned = history.ax_.collections
    assert (len(trials.get_offsets()), len(pruned.get_offsets())) == (2, 2)
    assert history.ax_.lines[0].get_ydata()[-1] == search.best_score_
    display = SearchParameterDisplay.from_search(search, "max_depth")
    shown = display.ax_.collections[0].get_offsets()[:, 0]
    assert shown.tolist() == search.cv_results_["param_max_depth"][[0, 2]].tolist()
    with pytest.raises(ValueError, match="max_depth, min_samples_leaf"):
        SearchParameterDisplay.from_search(search, "bond_dim")
