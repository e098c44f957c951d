"""
Missing values at prediction
============================

A model fitted on whole rows is asked about rows with one attribute only. The other site is
traced: the answer is that of the marginal, not of a guess that was filled in.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from pulps import LPSClassifier
from pulps.datasets import make_toy

X, y, y_true = make_toy("blobs", n_rows=160, n_labeled=30, random_state=0)
model = LPSClassifier(n_members=2, max_epochs=50, random_state=0).fit(X, y)

grid = np.linspace(X["x1"].min(), X["x1"].max(), 60)
alone = pd.DataFrame({"x1": grid, "x2": np.nan})
figure, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
ax.plot(grid, model.predict_proba(alone)[:, 1], color="black", label="x2 missing")
for height in (-3.0, 3.0):
    known = pd.DataFrame({"x1": grid, "x2": height})
    ax.plot(grid, model.predict_proba(known)[:, 1], label=f"x2 = {height:+.0f}")
ax.set(xlabel="x1", ylabel="probability of positive")
ax.legend(frameon=False)
plt.show()

# %%
# A row of which nothing is known is scored by the sizes of the two states alone:
print(model.predict_proba(pd.DataFrame({"x1": [np.nan], "x2": [np.nan]})).round(2))
