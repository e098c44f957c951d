"""
A pretrained classifier for PU labels
=====================================

TabPFN and TabICL answer without training: labeled rows go in as context, and probabilities come
out. They want negatives, and a PU problem has none. Two ways lead around that. Elkan and Noto's
correction turns "is it labeled?" into "is it positive?". And a consensus hears such a classifier
as one view among others, weighed by the labels it ranks that it was not shown.

Their weights have to be downloaded, so a stand-in takes their place here. It has their manners:
``fit`` only remembers, it takes no weights of rows, and every answer looks at the whole context.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import roc_auc_score

from pulps import PUClassifier, hide_labels
from pulps.baselines import ElkanNotoClassifier


class InContext(ClassifierMixin, BaseEstimator):
    """Attention of a row to the rows of the context, and nothing that is learned."""

    def __init__(self, sharpness=3.0):
        self.sharpness = sharpness

    def fit(self, X, y):
        self.classes_, labels = np.unique(y, return_inverse=True)
        self.center_, self.spread_ = X.mean(axis=0), X.std(axis=0) + 1e-9
        self.context_, self.labels_ = self._scaled(X), np.eye(len(self.classes_))[labels]
        return self

    def _scaled(self, X):
        return (X - self.center_) / self.spread_

    def predict_proba(self, X):
        scaled = self._scaled(X)
        apart = ((scaled[:, None] - self.context_) ** 2).mean(axis=2)
        attention = np.exp(-self.sharpness * (apart - apart.min(axis=1, keepdims=True)))
        return attention @ self.labels_ / attention.sum(axis=1, keepdims=True)

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


table, benign = load_breast_cancer(return_X_y=True, as_frame=True)
malignant = 1 - benign.to_numpy()
y = hide_labels(malignant, label_frequency=0.3, random_state=0)

# %%
# With TabPFN it would read ``pretrained = TabPFNClassifier()``.
pretrained = InContext()
models = {
    "alone, unlabeled as negative": pretrained,
    "in Elkan-Noto": ElkanNotoClassifier(estimator=pretrained, random_state=0),
    "in a consensus": PUClassifier(
        views=["kernel", "boosting", ("pretrained", pretrained)], random_state=0
    ),
}
rows = table.to_numpy()
unlabeled = y == 0
areas, found = {}, {}
for name, model in models.items():
    fitted = model.fit(rows, y)
    areas[name] = roc_auc_score(malignant[unlabeled], fitted.predict_proba(rows)[unlabeled, 1])
    found[name] = fitted.predict(rows)[unlabeled][malignant[unlabeled] == 1].mean()
    print(f"{name}: area {areas[name]:.3f}, hidden positives found {found[name]:.0%}")

# %%
# What the consensus thinks of the view:
print(models["in a consensus"].views_.round(3))

# %%
# The stand-in ranks rows well in any case. Alone it calls too few positive, since hidden positives
# are negatives to it; the other two know better.
figure, ax = plt.subplots(figsize=(6, 2.4), layout="constrained")
ax.barh(list(found), list(found.values()), color="#4878a8")
ax.set(xlim=(0, 1), xlabel="share of the hidden positives that are found")
ax.invert_yaxis()
plt.show()
