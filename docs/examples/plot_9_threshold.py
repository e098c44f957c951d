"""
Choosing a threshold
====================

The order of the rows stays; where to draw the line is a choice about costs. ``with_threshold``
names it in one of four ways and tells what to expect, without a single negative.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer

from pulps import PUClassifier, hide_labels

table, benign = load_breast_cancer(return_X_y=True, as_frame=True)
y = hide_labels(benign, label_frequency=0.3, random_state=0)
model = PUClassifier(random_state=0).fit(table, y)

for wish in ({"share": 0.2}, {"precision": 0.9}, {"recall": 0.95}):
    moved = model.with_threshold(**wish)
    told = moved.threshold_report_
    called = int(moved.predict(table[y == 0]).sum())
    print(f"{wish}: {called} rows, precision {told.precision:.2f}, recall {told.recall:.2f}")

# %%
# What is expected over all cuts, and what is true:
hidden, truth = table[y == 0], benign[y == 0].to_numpy()
shares = np.linspace(0.02, 0.98, 49)
moved = [model.with_threshold(share=share) for share in shares]
scores = model.decision_function(hidden) + model.threshold_report_.threshold
called = np.array([scores > one.threshold_report_.threshold for one in moved])

figure, ax = plt.subplots(figsize=(8, 3.6), layout="constrained")
for name, color, true in (
    ("precision", "#6a4fa3", [truth[rows].mean() if rows.any() else 1.0 for rows in called]),
    ("recall", "#1d7f5f", [truth[rows].sum() / truth.sum() for rows in called]),
):
    expected = [getattr(one.threshold_report_, name) for one in moved]
    ax.plot(shares, expected, color=color, label=f"{name}, expected")
    ax.plot(shares, true, color=color, linestyle="--", linewidth=1, label=f"{name}, true")
ax.axvline(model.threshold_report_.share, color="black", linewidth=1, linestyle=":")
ax.set(xlabel="share of the unlabeled rows called positive", ylim=(0, 1.03))
legend = ax.legend(frameon=False, ncols=2)
