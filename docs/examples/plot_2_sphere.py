"""
Sphere and kernel
=================

Training places rows. The logarithm of a positive row's squared norm shall be 5 under the positive
state, on its *sphere*, and −50 under the negative state, in its *kernel*; that of a negative row
the other way round. Labeled rows are told which class they belong to, unlabeled rows go
where they already lean. Few rows get all the way, and they need not: the diagonal tells the class.
"""

import matplotlib.pyplot as plt
import torch

from pulps import LossWeights, LPSClassifier
from pulps.datasets import make_toy
from pulps.network.lps import log_norms

X, y, y_true = make_toy("blobs", n_rows=160, n_labeled=30, random_state=0)
model = LPSClassifier(n_members=2, max_epochs=80, random_state=0).fit(X, y)

# %%
# The fitted cores are NumPy arrays. ``encode`` turns rows into numbers, the embedding turns these
# into features of the sites, and the sweep in :mod:`pulps.network.lps` reads off the norm of every
# row; here of the first member.
features, observed, _ = model.embedding.rows(model.encode(X))


def log_squared_norms(cores):
    """Return log of the squared norm of each row under the first member."""
    first = [torch.as_tensor(core[:1], dtype=torch.float64) for core in cores]
    return 2 * log_norms(first, features, observed)[0].numpy()


log_p, log_n = log_squared_norms(model.positive_cores_), log_squared_norms(model.negative_cores_)

# %%
targets = LossWeights()
figure, ax = plt.subplots(figsize=(6, 5.4), layout="constrained")
for truth, color, name in ((1, "#c2540a", "positive"), (0, "#1f6fa8", "negative")):
    rows = (y_true == truth) & (y == 0)
    ax.scatter(log_p[rows], log_n[rows], s=14, color=color, alpha=0.6, label=f"unlabeled, {name}")
ax.scatter(log_p[y == 1], log_n[y == 1], s=26, color="black", marker="x", label="labeled")
sphere, kernel = targets.sphere, targets.kernel
for across, up, name in ((sphere, kernel, "positive"), (kernel, sphere, "negative")):
    ax.scatter(across, up, s=220, facecolor="none", edgecolor="black")
    ax.annotate(
        f"{name} rows\nshould be here",
        (across, up),
        xytext=(0, 12),
        textcoords="offset points",
        ha="center",
        fontsize="small",
    )
low, high = kernel - 10, sphere + 15
ax.plot([low, high], [low, high], color="gray", lw=1, ls="--")
ax.set(
    xlabel="log squared norm, positive state",
    ylabel="log squared norm, negative state",
    xlim=(low, high),
    ylim=(low, high),
)
ax.legend(frameon=False, loc="upper right", fontsize="small")
plt.show()
