"""A table to report on."""

import numpy as np
import pandas as pd

from pulps.network.likelihood import LikelihoodRecipe

QUICK = {"n_members": 2, "max_epochs": 20, "random_state": 0, "n_repeats": 1}
DENSITY = LikelihoodRecipe(feature_dim=4, bond_dim=3, n_members=1, max_epochs=5)
GENERATIVE = QUICK | {"density": DENSITY}


def make_table(n_rows=160):
    rng = np.random.default_rng(0)
    truth = rng.random(n_rows) < 0.5
    table = pd.DataFrame(
        {
            "size": rng.normal(size=n_rows) + 2 * truth,
            "noise": rng.normal(size=n_rows),
            "color": np.where(rng.random(n_rows) < 0.2 + 0.6 * truth, "red", "blue"),
            "same": "x",
        }
    )
    table.loc[::11, "size"] = np.nan
    return table, truth, (truth & (rng.random(n_rows) < 0.4)).astype(int)
