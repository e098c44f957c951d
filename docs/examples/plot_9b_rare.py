"""
Rare positives
==============

Four in a hundred tumors are malignant here, and half of those are known. Accuracy is of no use:
calling nothing positive has 98 %. What counts is how many of the first rows are right.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer

from pulps import PUClassifier, hide_labels

table, benign = load_breast_cancer(return_X_y=True, as_frame=True)
malignant = 1 - benign.to_numpy()
rng = np.random.default_rng(0)
kept = np.sort(np.append(np.flatnonzero(benign), rng.choice(np.flatnonzero(malignant), 16, False)))
table, malignant = table.iloc[kept], malignant[kept]
y = hide_labels(malignant, n_labeled=8, random_state=0)
model = PUClassifier(random_state=0).fit(table, y)
print(model.threshold_report_)

# %%
# The hidden malignant tumors stand among the first rows:
hidden, truth = table[y == 0], malignant[y == 0]
order = np.argsort(-model.decision_function(hidden))
found = np.cumsum(truth[order])
for n in (5, 10, 20, 40):
    print(f"the first {n} rows hold {found[n - 1]} of {truth.sum()}")

# %%
figure, ax = plt.subplots(figsize=(8, 3.2), layout="constrained")
ax.plot(np.arange(1, len(found) + 1), found / truth.sum(), color="#1d7f5f", label="in this order")
ax.plot([0, len(found)], [0, 1], color="#98a4b3", linestyle=":", label="in random order")
ax.set(xlabel="rows looked at", ylabel="malignant tumors found")
legend = ax.legend(frameon=False)
