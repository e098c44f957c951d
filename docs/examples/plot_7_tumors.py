"""
A real table: tumors
====================

Of 569 tumors, a third of the benign ones are known to be benign; nobody has looked at the rest.
The truth is in the table, so that the answer can be checked; the model never sees it.
"""

from sklearn.datasets import load_breast_cancer
from sklearn.metrics import precision_score, recall_score

from pulps import PUClassifier, hide_labels
from pulps.displays import DecisionDisplay, ViewsDisplay

table, benign = load_breast_cancer(return_X_y=True, as_frame=True)
y = hide_labels(benign, label_frequency=0.3, random_state=0)
model = PUClassifier(random_state=0).fit(table, y)
print(model.threshold_report_)

# %%
# What it expected of itself without the truth, and what came true among the hidden rows:
hidden = y == 0
truth, predicted = benign[hidden], model.predict(table[hidden])
told = model.threshold_report_
print(f"positives: expected {told.prior_of_unlabeled:.2f}, true {truth.mean():.2f}")
print(f"precision: expected {told.precision:.2f}, true {precision_score(truth, predicted):.2f}")
print(f"recall: expected {told.recall:.2f}, true {recall_score(truth, predicted):.2f}")

# %%
# Scores of the training rows, each by models that did not see it:
display = DecisionDisplay.from_estimator(model)

# %%
# Who was asked, and how well each ranks labels that it was not shown:
display = ViewsDisplay.from_estimator(model)
