"""What a user writes, as a type checker reads it; lines marked as wrong must be refused."""

import numpy as np
import pandas as pd

from pulps import LPSClassifier, PUClassifier, Recipe, hide_labels
from pulps.baselines import ElkanNotoClassifier, NNPUClassifier
from pulps.metrics import make_pu_scorer, pu_f1_score
from pulps.priors import DEDPUL

rng = np.random.RandomState(0)
X = pd.DataFrame({"a": rng.normal(size=60), "b": rng.choice(["x", "y"], 60)})
y = hide_labels(np.asarray(X["a"] > 0, dtype=int), n_labeled=10, random_state=0)

network = LPSClassifier(n_members=2, recipe=Recipe(decay="constant"), random_state=0).fit(X, y)
model: PUClassifier = PUClassifier(views=("kernel", "bagging"), prior=0.5).fit(X, y)
low, high = model.threshold_report_.prior_interval
share: float = model.threshold_report_.prior_of_unlabeled
cut: float = network.threshold_report_.threshold
classes: np.ndarray = model.predict(X)
chances: np.ndarray = network.predict_proba(X)
moved: PUClassifier = model.with_threshold(precision=0.5)
names: list[str] = list(network.sample(5, states=True).columns)
rows, report = network.sample(5, states=True, return_report=True)
rate: float = report.acceptance
network.save("model.pulps")
again: LPSClassifier = LPSClassifier.load("model.pulps")
score: float = pu_f1_score(y, classes, prior=0.5)
value: float = make_pu_scorer("pu_f1", prior=0.5)(model, X, y)
rivals = [ElkanNotoClassifier(prior=0.3, weighted=True), NNPUClassifier(prior="estimate")]
prior: float = DEDPUL(random_state=0).fit(X, y).prior_

Recipe(decay="cosin")  # wrong
LPSClassifier(n_members="two")  # wrong
PUClassifier(threshold="f1")  # wrong
NNPUClassifier(loss="hinge")  # wrong
