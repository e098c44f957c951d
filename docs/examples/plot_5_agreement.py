"""
Agreement of members
====================

Members that found the same split from different starts have probably found the one in the data.
Agreement measures stability, not truth: look at it beside what the labels say.
"""

import matplotlib.pyplot as plt

from pulps import LPSClassifier
from pulps.datasets import make_toy
from pulps.decision.agreement import estimate_agreement
from pulps.decision.copies import collect_votes
from pulps.metrics import lee_liu_score, pu_recall_score, why_degenerate

X, y, y_true = make_toy("moons", n_rows=160, n_labeled=40, random_state=1)
model = LPSClassifier(n_members=6, max_epochs=50, random_state=0).fit(X, y)

figure, ax = plt.subplots(figsize=(4.6, 3.8), layout="constrained")
image = ax.imshow(model.agreement_matrix_, vmin=0.5, vmax=1, cmap="viridis")
ax.set(xlabel="member", ylabel="member", title="share of rows called the same")
figure.colorbar(image)
plt.show()

# %%
# The paper's estimated accuracy with an interval, and agreement beyond chance:
votes = collect_votes([model], X)
print(estimate_agreement(votes, y == 1, random_state=0))

# %%
# What the labels say, without negatives. The rows were trained on, so this is too rosy; the
# threshold report rests on labels that members were not shown.
predicted = model.predict(X)
print("recall of labeled rows", pu_recall_score(y, predicted))
print("Lee–Liu", round(lee_liu_score(y, predicted), 2))
print("degenerate?", why_degenerate(y, predicted))
print(model.threshold_report_)
