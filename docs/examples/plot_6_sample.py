"""
New rows of either class
========================

``LPSClassifier.generative()`` adds chains trained by maximum likelihood. They generate rows,
under conditions if you like, and fill missing cells. Here they are small and trained briefly.
"""

from pulps import LPSClassifier
from pulps.datasets import make_toy
from pulps.displays import SampleDisplay
from pulps.network.likelihood import LikelihoodRecipe

X, y, y_true = make_toy("blobs", n_rows=160, n_labeled=30, random_state=0)
small = LikelihoodRecipe(feature_dim=8, bond_dim=4, n_members=2, max_epochs=60)
model = LPSClassifier.generative(n_members=3, max_epochs=50, density=small, random_state=0)
model.fit(X, y)
display = SampleDisplay.from_estimator(model, X, y, ("x1", "x2"), n_samples=200, random_state=0)

# %%
# Above the training rows, the labeled ones in blue; below generated rows, orange for the positive
# class, blue for the negative. Circles are rows that every member puts in their class, dots
# those that at least one member does not: with ``accept=0``, ``sample`` returns circles only.
#
# Rows given a value, and a hole that is filled from the rest of its row:
print(model.sample(3, y=1, given={"x1": 3.0}, random_state=0))
holes = X.head(3).astype(float)
holes.loc[holes.index[1], "x2"] = float("nan")
print(model.impute(holes, how="mean"))
