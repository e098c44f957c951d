"""What the paper prints, beside what its own tables give."""

from __future__ import annotations

from pulps.benchmark.published import load_published, published_scores
from pulps.benchmark.render import Cell, Table
from pulps.benchmark.stats import average_ranks, critical_difference, friedman, wins

EXPERIMENTS = {"mnist_one_vs_rest": "MNIST one-vs-rest", "categorical_f1": "categorical"}


def recomputed_table() -> Table:
    """Recompute every statistic of the paper that its printed tables allow.

    Returns
    -------
    Table
        Printed and recomputed values side by side.
    """
    rows = []
    for experiment, name in EXPERIMENTS.items():
        printed = load_published("printed_statistics")
        printed = printed[printed["experiment"] == experiment].set_index("statistic")["value"]
        test = friedman(published_scores(experiment))
        cd = critical_difference(test.n_methods, test.n_tasks)
        rows += [
            _row(f"Friedman χ², {name}", f"{printed['friedman']:g}", f"{test.statistic:.4g}"),
            _row(f"p-value, {name}", f"{printed['p_value']:.1g}", f"{test.p_value:.2g}"),
            _row(f"critical difference, {name}", f"{printed['critical_difference']}", f"{cd:.5g}"),
        ]
    scores, summary = published_scores(), load_published("categorical_summary")
    again = {
        "wins": (wins(scores), 0),
        "average_f1": (scores.mean(), 2),
        **{
            f"average_f1_{percent}": (scores.xs(percent, level="percent").mean(), 2)
            for percent in (30, 40, 50)
        },
        "average_rank": (average_ranks(scores), 1),
    }
    for statistic, (values, decimals) in again.items():
        printed = summary[summary["statistic"] == statistic].set_index("method")["value"]
        for method, value in values.items():
            name = f"{statistic.replace('_', ' ')}, {method}"
            more = decimals + 1 if decimals else 0
            rows.append(_row(name, f"{printed[method]:.{decimals}f}", f"{value:.{more}f}"))
    return Table(
        "Statistics the paper prints, recomputed from the scores it prints",
        ["statistic", "printed", "recomputed"],
        rows,
        [
            "Bold: differs by more than rounding. The printed average ranks give tied methods "
            "their best rank (they add up to 34.1 instead of 36); the recomputed ones share it, "
            "as Friedman's test does. All of this compares F1 scores of different classes."
        ],
    )


def _row(name: str, printed: str, again: str) -> list[Cell]:
    """Compare as printed: half a unit in the last printed digit is rounding."""
    mantissa, _, exponent = printed.partition("e")
    decimals = len(mantissa.partition(".")[2])
    unit = 10.0 ** (int(exponent or 0) - decimals)
    differs = abs(float(again) - float(printed)) > 0.505 * unit
    return [Cell(name), Cell(printed), Cell(again, bold=differs)]
