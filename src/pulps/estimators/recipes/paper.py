"""The paper's own configurations, for comparison.

Rows of its table of data sets and hyper-parameters, and the settings of the synthetic
and the image experiments. What the table does not give follows the text: cosines for all
attributes, categories as numbers on the unit interval, min-max scaling, logarithms of
norms, ten models of which the most agreeing one is used, none of them started again.
"""

from __future__ import annotations

from typing import Any

from pulps.images import Augmentation
from pulps.training.loss import LossWeights

# Rep., S, d, D, learning rate, epochs, patience ("/" in the paper: constant rate)
TABLES = {
    "audiology": (1, 10, 12, 12, 0.01, 210, 70),
    "breast-cancer": (2, 6, 12, 20, 0.1, 10, None),
    "chess": (2, 4, 20, 6, 0.01, 400, 100),
    "credit-a": (1, 5, 12, 12, 0.01, 50, None),
    "dermatology": (1, 11, 4, 2, 0.1, 20, None),
    "heart-c": (2, 4, 12, 12, 0.01, 50, None),
    "hepatitis": (1, 4, 12, 12, 0.01, 210, 70),
    "iris": (2, 4, 4, 2, 0.1, 20, None),
    "lymph": (3, 4, 12, 6, 0.1, 150, 50),
    "mushroom": (2, 7, 12, 6, 0.01, 150, 50),
    "nursery": (2, 4, 20, 6, 0.1, 400, 100),
    "pima": (2, 4, 12, 12, 0.01, 210, 70),
    "soybean": (1, 7, 20, 6, 0.01, 400, 100),
    "spambase": (2, 10, 12, 12, 0.01, 210, 70),
    "vote": (2, 4, 20, 6, 0.1, 400, 100),
}
SYNTHETIC = ("moons", "blobs", "circles")


def paper_parameters(name: str) -> dict[str, Any]:
    """Parameters of ``LPSClassifier`` for an experiment of the paper.

    Parameters
    ----------
    name
        One of the 15 tables, "moons", "blobs", "circles" or "mnist".

    Returns
    -------
    dict
        Parameters of the classifier and fields of its recipe, side by side.

    Examples
    --------
    >>> paper_parameters("iris")["bond_dim"]
    2
    """
    common = {
        "output_dim": None,
        "category_basis": "fourier",
        "numeric_scale": "min-max",
        "site_order": "table",
        "missing": "trace",
        "start": "random",
        "start_scale": 1.0,
        "log_of": "norm",
        "loss_weights": LossWeights(),
        "first_guess": None,
        "n_members": 10,
        "n_selected": 1,
        "batch_size": None,
        "prior": None,
        "threshold": "balance",
        "label_parts": None,
        "max_restarts": 0,
    }
    if name in TABLES:
        repeats, spacing, feature_dim, bond_dim, rate, epochs, patience = TABLES[name]
        return common | {
            "n_repeats": repeats,
            "spacing": spacing,
            "feature_dim": feature_dim,
            "bond_dim": bond_dim,
            "learning_rate": rate,
            "max_epochs": epochs,
            "decay": "constant" if patience is None else "plateau",
            "patience": patience or 10,
        }
    if name in SYNTHETIC:
        return common | {
            "basis": "mixed",
            "n_repeats": 9,
            "spacing": 3,
            "feature_dim": 12,
            "bond_dim": 12,
            "learning_rate": 0.1,
            "max_epochs": 200,  # not printed
            "decay": "constant",
            "n_members": 4,
            "n_selected": None,
        }
    if name == "mnist":
        return common | {
            "spacing": 10,
            "feature_dim": 6,
            "bond_dim": 20,
            "learning_rate": 0.01,
            "batch_size": 256,
            "max_epochs": 500,  # not printed; the author's command
            "decay": "constant",
        }
    raise ValueError(
        f"The paper has no experiment named {name!r}; it has "
        f"{', '.join([*TABLES, *SYNTHETIC, 'mnist'])}."
    )


def paper_image_parameters() -> dict[str, Any]:
    """Parameters of ``LPSImageClassifier`` for the MNIST experiments of the paper.

    The number of steps is not printed; the author's command has 500 passes over the images, far
    beyond what a processor does in minutes.

    Returns
    -------
    dict
        Parameters of the classifier and fields of its recipe, side by side.

    Examples
    --------
    >>> paper_image_parameters()["bond_dim"]
    20
    """
    return {
        "size": 20,
        "patch_size": 1,
        "feature_dim": 6,
        "bond_dim": 20,
        "spacing": 10,
        "output_dim": 6,
        "path": "raster",
        "augmentation": Augmentation(rotation=15, zoom=0.15, shift=0),
        "first_guess": None,
        "threshold": "balance",
        "labeled_share": 1.0,
        "learning_rate": 0.01,
        "loss_weights": LossWeights(),
        "n_members": 10,
        "n_selected": 1,
        "max_restarts": 0,
        "n_steps": 3000,
    }
