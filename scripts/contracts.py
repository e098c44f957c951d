"""Run scikit-learn's checks on rivals, priors and searches as a user calls them, with defaults.

Those with adversarial networks, which would take hours, are left to the tests.

    python scripts/contracts.py                  # goes on where it stopped
    python scripts/contracts.py NNPUClassifier   # these again

What fails is written to ``benchmarks/results/contracts.json`` with its message; tests hold the
same checks with small parameters, and with the reasons of what is expected to fail.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from pathlib import Path

import sklearn
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import check_estimator

from pulps import LPSPrior, baselines, priors
from pulps.tuning import AgreementSearch

RESULTS = Path(__file__).parents[1] / "benchmarks" / "results" / "contracts.json"


def estimators() -> dict[str, BaseEstimator]:
    """Return all estimators besides our own classifiers, which the test suite checks as they are.

    Returns
    -------
    dict
        Estimators with their defaults, by name.
    """
    kinds = [LPSPrior]
    for module in (priors, baselines):
        found = (getattr(module, name) for name in module.__all__)
        kinds += [one for one in found if isinstance(one, type) and issubclass(one, BaseEstimator)]
    gans = {name for name in baselines.__all__ if "GAN" in name or "GenPU" in name}
    made = {
        kind.__name__: kind() for kind in kinds if kind.__name__ not in {*gans, "PriorEstimator"}
    }
    search = AgreementSearch(LogisticRegression(), {}, n_trials=1)
    return made | {"AgreementSearch": search}


def main(names: list[str]) -> None:
    """Check estimators one after the other, and keep what was found after each.

    Parameters
    ----------
    names
        Those to check again; none checks all that were not checked yet.
    """
    found = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for name, estimator in estimators().items():
        if name not in names if names else name in found:
            continue
        start = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            results = check_estimator(estimator, on_skip=None, on_fail=None)
        failed = {
            one["check_name"]: " ".join(str(one["exception"]).split())[:300]
            for one in results
            if one["status"] == "failed"
        }
        found[name] = {
            "scikit-learn": sklearn.__version__,
            "n_checks": len(results),
            "failed": failed,
            "seconds": round(time.process_time() - start),
        }
        RESULTS.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")
        print(name, len(results), "checks,", len(failed), "failed", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
