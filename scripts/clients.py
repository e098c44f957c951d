"""Try the libraries of others that CI does not install, and keep what came out.

    pip install -c constraints.txt -e '.[test,clients]'
    pip install quimb ibis-framework skrub lightgbm xgboost-cpu imbalanced-learn ...
    python scripts/clients.py          # writes results and the page docs/clients.md
    python scripts/clients.py --page   # only the page

Every library has tests in this repository, which skip where it is missing. Here they run, and
``benchmarks/results/clients.json`` has the outcome with versions and the date. A library that is
not installed keeps its last result.
"""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

import pulps

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "clients.json"
PAGE = ROOT / "docs" / "clients.md"
HERE = "tests/estimators/test_third_parties.py::"
CLIENTS = {
    "category_encoders": ("encodes words before a fit", [f"{HERE}test_encoders_of"]),
    "cleanlab": ("finds hidden positives", [f"{HERE}test_cleanlab_"]),
    "cloudpickle": ("sends a model elsewhere", [f"{HERE}test_cloudpickle_"]),
    "duckdb": (
        "its relations are refused with the call to make",
        ["tests/tables/test_arriving.py::test_a_relation_of_duckdb_"],
    ),
    "feature_engine": ("drops columns by our importances", [f"{HERE}test_feature_engine_"]),
    "ibis-framework": ("its tables are refused with the call to make", [f"{HERE}test_a_table_of"]),
    "imbalanced-learn": ("samples rows before a fit", [f"{HERE}test_imbalanced_learn_"]),
    "lightgbm": (
        "a base of Elkan–Noto, a view",
        [f"{HERE}test_boosted_trees_of_others", "lightgbm"],
    ),
    "MAPIE": ("sets of classes from our probabilities", [f"{HERE}test_mapie_"]),
    "mlflow-skinny": (
        "keeps models, by skops and by our file",
        ["tests/test_mlflow.py::", "tests/estimators/test_clients.py::test_mlflow_"],
    ),
    "mlxtend": ("chooses columns by a scorer of ours", [f"{HERE}test_mlxtend_"]),
    "optuna-integration": ("searches with a scorer of ours", [f"{HERE}test_optuna_"]),
    "pu-toolbox": ("takes the same labels", [f"{HERE}test_pu_toolbox_"]),
    "pulearn": ("the same machine, the same scores", [f"{HERE}test_pulearn_"]),
    "quimb": (
        "norms and entropies of its states are ours",
        [
            "tests/network/test_exchange.py::test_the_norms_are_those_of_quimb",
            "tests/network/test_exchange.py::test_a_state_of_quimb_",
        ],
    ),
    "shap": (
        "explains our decisions; its exact values are ours",
        [
            "tests/estimators/test_clients.py::test_shap_",
            "tests/estimators/questions/test_explanation.py::test_values_equal_those_of_shap",
        ],
    ),
    "skops": ("keeps models", ["tests/estimators/test_clients.py::test_skops_"]),
    "skrub": ("cleans a table before a fit", [f"{HERE}test_skrub_"]),
    "xgboost-cpu": (
        "a base of Elkan–Noto, a view",
        [f"{HERE}test_boosted_trees_of_others", "xgboost"],
    ),
}


class Outcomes:
    """What every test came to, by its name.

    Attributes
    ----------
    found : dict
        ``"passed"``, ``"failed"`` or ``"skipped"`` by node id.
    """

    def __init__(self) -> None:
        self.found: dict[str, str] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note what a test came to.

        Parameters
        ----------
        report
            Of its setup, its call or its teardown.
        """
        if report.when == "call" or report.outcome != "passed":
            self.found[report.nodeid] = report.outcome


def of_client(name: str, nodes: list[str], found: dict[str, str]) -> dict[str, str]:
    """Choose the outcomes that are about one client.

    Parameters
    ----------
    name
        Of the distribution.
    nodes
        Beginnings of node ids; a word without a colon must be in the id as well.
    found
        Outcomes of all tests.

    Returns
    -------
    dict
        Outcomes by node id.
    """
    words = [node for node in nodes if "::" not in node]
    starts = tuple(node for node in nodes if "::" in node)
    return {
        node: outcome
        for node, outcome in found.items()
        if node.startswith(starts) and all(word in node for word in words)
    }


def installed(name: str) -> str | None:
    """Return the version of a distribution, None if there is none.

    Parameters
    ----------
    name
        Of the distribution.

    Returns
    -------
    str or None
    """
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def run() -> None:
    """Run the tests of what is installed, and keep what came out."""
    kept: dict[str, Any] = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    outcomes = Outcomes()
    files = {
        node.split("::")[0] for _, nodes in CLIENTS.values() for node in nodes if "::" in node
    }
    functions = [
        node.split("::")[1] for _, nodes in CLIENTS.values() for node in nodes if "::" in node
    ]
    chosen = " or ".join(sorted({name for name in functions if name} | {"test_mlflow"}))
    options = ["-q", "-p", "no:cacheprovider", "-k", chosen, *sorted(str(ROOT / f) for f in files)]
    pytest.main(["--rootdir", str(ROOT), "-c", str(ROOT / "pyproject.toml"), *options], [outcomes])
    today = datetime.now(UTC).date().isoformat()
    for name, (_, nodes) in CLIENTS.items():
        mine, version = of_client(name, nodes, outcomes.found), installed(name)
        if version is None or not mine or set(mine.values()) == {"skipped"}:
            print(name, "was not tried: it is not installed")
            continue
        kept[name] = {
            "version": version,
            "pulps": pulps.__version__,
            "date": today,
            "passed": sum(outcome == "passed" for outcome in mine.values()),
            "failed": sorted(node for node, outcome in mine.items() if outcome == "failed"),
        }
    RESULTS.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n")


def page() -> str:
    """Write the page from the results.

    Returns
    -------
    str
        Markdown.
    """
    kept = json.loads(RESULTS.read_text())
    lines = [
        "# Tools of others, tried",
        "",
        "<!-- Written by scripts/clients.py; do not edit by hand. -->",
        "",
        "CI runs tests with scikit-learn, pandas, polars, pyarrow, Dask, Ray, Spark, MLflow,",
        "skops, Optuna, TensorKrowch, mypy and pyright. What takes longer to install is tried by",
        "`scripts/clients.py`, which runs the tests of every library that is installed, some of",
        "CI among them. Its last results:",
        "",
        "| library | what is tried | version | tests | date |",
        "| --- | --- | --- | --- | --- |",
    ]
    for name, (what, _) in sorted(CLIENTS.items(), key=lambda item: item[0].lower()):
        one = kept.get(name)
        if one is None:
            lines.append(f"| {name} | {what} | – | not tried | – |")
            continue
        told = f"{one['passed']} pass"
        if one["failed"]:
            told += ", fail: " + ", ".join(node.split("::")[1] for node in one["failed"])
        lines.append(f"| {name} | {what} | {one['version']} | {told} | {one['date']} |")
    lines += [
        "",
        "TabPFN and TabICL, which download their weights before the first fit, were not tried:",
        "a classifier without `sample_weight` stands for them in the tests of Elkan–Noto.",
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    if "--page" not in sys.argv[1:]:
        run()
    PAGE.write_text(page(), encoding="utf-8")
