"""
A table with words and holes
============================

Numbers, categories and missing cells go in as they are. The truth is known here, so that the
answer can be checked; the model never sees it.
"""

import numpy as np
import pandas as pd

from pulps import LPSClassifier, hide_labels
from pulps.displays import LossCurveDisplay

rng = np.random.default_rng(0)
y_true = (rng.random(200) < 0.4).astype(int)
table = pd.DataFrame(
    {
        "age": np.where(y_true, rng.normal(38, 6, 200), rng.normal(52, 9, 200)).round(),
        "visits": np.where(y_true, rng.poisson(9, 200), rng.poisson(3, 200)),
        "region": np.where(
            y_true, rng.choice(["north", "west"], 200), rng.choice(["south", "west"], 200)
        ),
    }
)
table.loc[rng.random(200) < 0.1, "age"] = np.nan
y = hide_labels(y_true, label_frequency=0.5, random_state=0)
table.head()

# %%
model = LPSClassifier(n_members=4, max_epochs=60, random_state=0).fit(table, y)
print(model.threshold_report_)

# %%
# The unlabeled rows most likely to be positive, and what they truly are:
scored = table.assign(probability=model.predict_proba(table)[:, 1], truth=y_true)
scored[y == 0].nlargest(8, "probability")

# %%
# The terms of the loss while training:
display = LossCurveDisplay.from_estimator(model)
