"""Settings shared by all tests."""

from pathlib import Path

import torch
from hypothesis import settings
from threadpoolctl import threadpool_limits

from pulps.views import bagging, boosting, consensus, kernel, risk_network, risk_trees

settings.register_profile("pulps", deadline=None, derandomize=True)
settings.load_profile("pulps")

# Laws do not depend on how many trees or steps a view has, and many tests fit views.
bagging.N_TREES = risk_trees.N_TREES = boosting.N_ROUNDS = 15
kernel.N_TREES = 5
risk_network.N_STEPS = 60
consensus.DEFAULT_VIEWS = ("kernel", "boosting")  # of a network's first guess

# Two test processes on two cores: threads inside each would only get in the way.
torch.set_num_threads(1)
threadpool_limits(1)

SLOW = {  # folders, modules and single tests: processes, clusters, pages, browsers
    "cli/test_signals.py",
    "estimators/tables/test_classifier.py::test_toy_sets_are_learned_with_defaults",
    "house/test_site.py",
    "images/test_streams.py",
    "io/test_clusters.py",
    "io/test_workers.py",
    "scale/test_streaming.py",
    "studio",
    "tuning/test_study.py",
}


def pytest_collection_modifyitems(items):
    """Mark what a developer need not wait for: ``pytest -m "not slow"`` leaves it out."""
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here):
            module = item.path.relative_to(here).as_posix()
            if SLOW & {module.split("/")[0], module, f"{module}::{item.originalname}"}:
                item.add_marker("slow")
