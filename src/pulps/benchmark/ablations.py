"""The states on their own with one thing changed: what each choice is worth.

The states on their own are the default without a first guess: the paper's loss, pseudo-labels and
balance, with our prior and threshold. Every variant differs from them in one respect; the last one
combines the most promising changes. They run on folds and labels that are not used for reporting
(seed 1), and each is compared with the states on their own task by task.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from importlib import import_module
from typing import Any

import pandas as pd

from pulps.benchmark.protocol import Method, Task
from pulps.benchmark.render import Cell, Table
from pulps.benchmark.stats import paired_difference
from pulps.training.loss import LossWeights

DATASETS = ("audiology", "breast-cancer", "heart-c", "hepatitis", "lymph", "soybean", "vote")
BASELINE = "lps-alone"

# group, what is different, parameters
VARIANTS: Mapping[str, tuple[str, str, Mapping[str, Any]]] = {
    "no-labeled-own": ("loss", "labeled rows not on the sphere (λ1 = 0)", {"labeled_own": 0.0}),
    "no-labeled-other": ("loss", "labeled rows not in a kernel (λ2 = 0)", {"labeled_other": 0.0}),
    "no-positive": (
        "loss",
        "no term for rows called positive (λ3 = λ4 = 0)",
        {"positive_own": 0.0, "positive_other": 0.0},
    ),
    "no-negative": (
        "loss",
        "no term for rows called negative (λ5 = λ6 = 0)",
        {"negative_other": 0.0, "negative_own": 0.0},
    ),
    "no-norm": ("loss", "no norm term (λ7 = 0)", {"norm": 0.0}),
    "no-balance": ("loss", "no balance term (λ8 = 0)", {"balance": 0.0}),
    "strong-balance": ("loss", "balance term four times as strong", {"balance": 16.0}),
    "near-kernel": (
        "loss",
        "log-norms of 0 and −10 wanted instead of 5 and −50",
        {"sphere": 0.0, "kernel": -10.0},
    ),
    "margin": ("loss", "no pseudo-labels within a margin of 5", {"margin": 5.0}),
    "log-of-norm": ("loss", "norms instead of squared norms", {"log_of": "norm"}),
    "half-prior": ("prior", "balance target fixed at one half", {"prior": None}),
    "all-labels": ("prior", "no labels held out, so cut at equal norms", {"label_parts": None}),
    "cut-balance": ("threshold", "cut at equal norms", {"threshold": "balance"}),
    "cut-prior": ("threshold", "cut at the estimated prior", {"threshold": "prior"}),
    "cut-pu-f1": ("threshold", "cut at the best estimated F1", {"threshold": "pu-f1"}),
    "cut-lee-liu": ("threshold", "cut by Lee and Liu", {"threshold": "lee-liu"}),
    "bond-4": ("model", "bond dimension 4", {"bond_dim": 4}),
    "bond-12": ("model", "bond dimension 12", {"bond_dim": 12}),
    "spacing-1": ("model", "output leg at every site", {"spacing": 1}),
    "spacing-8": ("model", "output leg at every eighth site", {"spacing": 8}),
    "output-1": ("model", "output dimension 1", {"output_dim": 1}),
    "output-4": ("model", "output dimension 4", {"output_dim": 4}),
    "table-order": ("model", "columns in the order of the table", {"site_order": "table"}),
    "repeats-1": ("model", "no attribute repeated", {"n_repeats": 1}),
    "repeats-2": ("model", "every attribute twice", {"n_repeats": 2}),
    "feature-4": ("basis", "4 functions per number", {"feature_dim": 4}),
    "feature-12": ("basis", "12 functions per number", {"feature_dim": 12}),
    "mixed-basis": ("basis", "sine or cosine, drawn", {"basis": "mixed"}),
    "fourier-categories": ("basis", "categories as numbers", {"category_basis": "fourier"}),
    "rank-scale": ("basis", "numbers by rank", {"numeric_scale": "rank"}),
    "min-max-scale": ("basis", "numbers from minimum to maximum", {"numeric_scale": "min-max"}),
    "traced-holes": ("training", "missing cells traced out in training", {"missing": "trace"}),
    "random-start": ("training", "random start", {"start": "random"}),
    "small-start": ("training", "near-identity start, a tenth of the noise", {"start_scale": 0.1}),
    "slow": ("training", "learning rate 0.02", {"learning_rate": 0.02}),
    "fast": ("training", "learning rate 0.1", {"learning_rate": 0.1}),
    "constant-rate": ("training", "no decay of the learning rate", {"decay": "constant"}),
    "short": ("training", "100 epochs", {"max_epochs": 100}),
    "long": ("training", "400 epochs", {"max_epochs": 400}),
    "one-member": ("members", "a single member", {"n_members": 1}),
    "four-members": ("members", "four members", {"n_members": 4}),
    "pair": ("members", "the most agreeing pair of eight", {"n_selected": 2}),
    "cluster": ("members", "the largest cluster of agreeing members", {"n_selected": "cluster"}),
    "together": (
        "together",
        "random start, output leg of dimension 4 at every site",
        {"start": "random", "spacing": 1, "output_dim": 4},
    ),
}
# group, what is different, class in pulps.benchmark.variants
CLASSES: Mapping[str, tuple[str, str, str]] = {
    "soft-sides": (
        "loss",
        "unlabeled rows count for both classes, softness 5",
        "SoftLabels",
    ),
    "late-sides": (
        "loss",
        "no pseudo-labels in the first fifth of the epochs",
        "LateLabels",
    ),
    "co-training": ("loss", "pseudo-labels from the other half of the members", "CoTraining"),
    "averaged": ("training", "cores averaged over the last quarter", "WeightAveraging"),
    "swap-noise": ("training", "one cell in ten from another row", "SwappedCells"),
    "agreement-weighted": ("members", "members weighted by their κ", "AgreementWeighted"),
}
_LOSS = set(LossWeights.__dataclass_fields__)


def _make(parameters: Mapping[str, Any], task: Task) -> Any:
    from pulps.estimators.tables.classifier import LPSClassifier

    weights = {name: value for name, value in parameters.items() if name in _LOSS}
    others = {name: value for name, value in parameters.items() if name not in _LOSS}
    if weights:
        others["loss_weights"] = LossWeights(**weights)
    return LPSClassifier.from_parameters(first_guess=None, random_state=task.model_seed, **others)


def _make_class(name: str, task: Task) -> Any:
    variant = getattr(import_module("pulps.benchmark.variants"), name)
    return variant(first_guess=None, random_state=task.model_seed)


_PARTS = [*dict.fromkeys(part for part, *_ in VARIANTS.values())]
ABLATIONS = {
    f"lps-{name}": Method(f"lps-{name}", partial(_make, parameters), f"LPS, {text}")
    for name, (_, text, parameters) in VARIANTS.items()
} | {
    f"lps-{name}": Method(f"lps-{name}", partial(_make_class, variant), f"LPS, {text}")
    for name, (_, text, variant) in CLASSES.items()
}


def ablation_table(records: pd.DataFrame) -> Table:
    """Compare every variant with the states on their own on the tasks that both have done.

    Parameters
    ----------
    records
        Records of the suite ``"ablations"``.

    Returns
    -------
    Table
        One row per variant, grouped by the part that it changes.
    """
    rows = []
    wide = {
        measure: records.pivot_table(index="task", columns="method", values=measure)
        for measure in ("f1_pos", "macro_f1", "auc")
    }
    variants = {**VARIANTS, **CLASSES}
    for name in sorted(variants, key=lambda name: _PARTS.index(variants[name][0])):
        group, text, _ = variants[name]
        method = f"lps-{name}"
        if method not in wide["auc"] or BASELINE not in wide["auc"]:
            continue
        cells = [Cell(group), Cell(text)]
        for scores in wide.values():
            both = scores[[method, BASELINE]].dropna()
            mean, error = paired_difference(both[method], both[BASELINE])
            cells.append(Cell(f"{mean:+.3f} ± {error:.3f}", bold=abs(mean) > 2 * error > 0))
        rows.append([*cells, Cell(str(len(both)))])
    alone = [f"{scores[BASELINE].mean():.3f}" for scores in wide.values()]
    return Table(
        "One thing changed",
        ["part", "change", "F1", "macro-F1", "AUC", "tasks"],
        rows,
        [
            f"Difference to the states on their own ({', '.join(alone)}) on the same tasks, mean "
            "± standard error; positive if the change is better. Bold: more than two of these.",
            f"Tables: {', '.join(sorted(records['dataset'].unique()))}; 30 % of the positives "
            f"labeled; test folds {', '.join(map(str, sorted(records['fold'].unique())))} of seed "
            "1, which no reported score uses. The last column counts tables times folds.",
        ],
    )
