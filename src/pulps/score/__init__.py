"""Scores by a model file, with NumPy and the compiled kernel alone: no PyTorch, no scikit-learn.

``load`` reads the file that ``save`` or ``pulps fit`` wrote; what it returns has ``predict``,
``predict_proba`` and ``decision_function``, and they give what those of the fitted model give.
``python -m pulps.score model.pulps table.csv`` scores a file of text. Rows may be an array or,
where its library is installed, a table of pandas, polars or pyarrow (narwhals reads these).

Examples
--------
>>> import tempfile, pathlib, pulps
>>> from sklearn.datasets import make_moons
>>> X, y_true = make_moons(200, noise=0.1, random_state=0)
>>> model = pulps.PUClassifier(views=["bagging"], random_state=0)
>>> model = model.fit(X, pulps.hide_labels(y_true, n_labeled=40, random_state=0))
>>> file = pathlib.Path(tempfile.mkdtemp()) / "model.pulps"
>>> model.save(file)
>>> scorer = load(file)
>>> bool((scorer.predict(X) == model.predict(X)).all())
True
"""

from pulps.score.class_models import ClassScorer
from pulps.score.models import ConsensusScorer, NetworkScorer, PositiveScorer, Scorer
from pulps.score.saved import load

__all__ = [
    "ClassScorer",
    "ConsensusScorer",
    "NetworkScorer",
    "PositiveScorer",
    "Scorer",
    "load",
]
