"""
Everyday questions
==================

How good is it, which method, which rows next, and is it still right in June? Each is one call.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from pulps import PUClassifier, check_drift, compare
from pulps.displays import DriftDisplay, PriorSensitivityDisplay, PURocDisplay

rng = np.random.default_rng(0)


def month(n_rows, unit=1.0):
    """Customers of a month; who has many visits and a low age is likely to buy."""
    buys = rng.random(n_rows) < 0.3
    table = pd.DataFrame(
        {
            "visits": rng.poisson(np.where(buys, 12, 4)),
            "age": unit * rng.normal(np.where(buys, 32, 55), 8),
            "region": rng.choice(["north", "south"], n_rows),
        }
    )
    return table, buys


table, buys = month(400)
y = (buys & (rng.random(400) < 0.5)).astype(int)
model = PUClassifier(views=["kernel"], random_state=0).fit(table, y)

# %%
# How good is it, and what if the share of positives is wrong?
figure, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
PURocDisplay.from_estimator(model, ax=axes[0])
display = PriorSensitivityDisplay.from_estimator(model, ax=axes[1])

# %%
# Which method? Three quick ones here; without ``methods`` six are compared.
found = compare(table, y, methods=["naive forest", "spies", ("ours", model)], cv=2)
print(found.advice)
figure, ax = plt.subplots(figsize=(9, 2.4), layout="constrained")
drawn = found.plot(ax=ax)

# %%
# Which rows to look at next?
rows = model.suggest(table, 5, y=y)
table.iloc[rows]

# %%
# Is the model right for June? Somebody wrote ages in months.
june, _ = month(300, unit=12.0)
report = check_drift(model, june)
print(report)
figure, ax = plt.subplots(figsize=(8, 2.4), layout="constrained")
display = DriftDisplay(report).plot(ax=ax)
