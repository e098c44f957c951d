"""
Several classes, few labels
===========================

Three kinds of wine, and a label for one bottle in twelve. A network with one state per class
learns from the labels and from the bottles without one.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine

from pulps import LPSSemiSupervisedClassifier

table, kind = load_wine(return_X_y=True, as_frame=True)
kind = kind.to_numpy()
rng = np.random.default_rng(0)
y = np.full(len(kind), -1)  # -1: no label
for one in range(3):
    some = rng.choice(np.flatnonzero(kind == one), 5, replace=False)
    y[some] = one
model = LPSSemiSupervisedClassifier(random_state=0).fit(table, y)
unlabeled = y < 0
print(
    f"right on {(model.transduction_ == kind)[unlabeled].mean():.0%} of {unlabeled.sum()} bottles"
)
print(model.class_shares_.round(2))

# %%
# Sure where the kinds are apart, unsure between them:
chances = model.predict_proba(table)
colors = np.array(["#1d7f5f", "#c2571a", "#3b5b92"])
figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained", sharex=True, sharey=True)
x1, x2 = table["flavanoids"], table["color_intensity"]
axes[0].scatter(x1[unlabeled], x2[unlabeled], s=12, color="#c9d0d8", label="no label")
for one in range(3):
    known = y == one
    axes[0].scatter(x1[known], x2[known], s=40, color=colors[one], label=f"labeled {one}")
    found = unlabeled & (model.transduction_ == one)
    sure = chances[found].max(axis=1)
    axes[1].scatter(x1[found], x2[found], s=14, color=colors[one], alpha=np.clip(sure, 0.25, 1))
axes[0].set(title="what is known", xlabel="flavanoids", ylabel="color intensity")
axes[1].set(title="what is found; pale where unsure", xlabel="flavanoids")
legend = axes[0].legend(frameon=False)

# %%
# Suppose nobody labeled the third kind. With ``unlabeled_class=True`` the model may call a bottle
# "none of these" (-1). That takes more labels: what is unlike all labeled rows shows only if these
# are many enough to show what they are like.
two = np.full(len(kind), -1)
for one in range(2):
    two[rng.choice(np.flatnonzero(kind == one), 25, replace=False)] = one
open_model = LPSSemiSupervisedClassifier(unlabeled_class=True, random_state=0).fit(table, two)
answer = open_model.predict(table)
for one in range(3):
    called = answer[(kind == one) & (two < 0)]
    print(f"kind {one}: {(called == -1).mean():.0%} called none of these")
