"""
A small real table: wine
========================

178 wines from three growers. Twenty bottles of the first grower are known; which of the others
are his? Few rows and few labels: the answer is good, and the intervals say how little is known.
"""

from sklearn.datasets import load_wine
from sklearn.metrics import roc_auc_score

from pulps import PUClassifier, hide_labels

table, grower = load_wine(return_X_y=True, as_frame=True)
his = (grower == 0).astype(int)
y = hide_labels(his, n_labeled=20, random_state=0)
model = PUClassifier(random_state=0).fit(table, y)
print(model.threshold_report_)

# %%
# The ten bottles most likely his, and whether they are:
hidden = table[y == 0]
ranked = hidden.assign(probability=model.predict_proba(hidden)[:, 1], his=his[y == 0])
ranked.nlargest(10, "probability")[["alcohol", "proline", "color_intensity", "probability", "his"]]

# %%
# The report says it in words; ``.save("report.html")`` writes the page.
area = roc_auc_score(his[y == 0], model.decision_function(hidden))
print(f"area under the ROC curve: {area:.3f}")
print(model.report(table, y, n_rows=20))
