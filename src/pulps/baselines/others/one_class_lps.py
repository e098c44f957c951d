r"""One-class LPS: a single locally purified state learns the labeled rows alone.

The paper's starting point is anomaly detection with tensor networks: a state
:math:`P` should map the known rows to a fixed length, :math:`\log \|P \Phi(x)\|^2 = 1`, and
everything else to nothing, which a small Frobenius norm enforces:

.. math:: \frac 1 n \sum_{x} (\log \|P \Phi(x)\|^2 - 1)^2 + \alpha \max(0, \log \|P\|_F^2).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
import torch
from scipy.special import expit, logsumexp
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted
from torch import Tensor

from pulps.baselines._shared.tabular import TabularClassifier
from pulps.io._sklearn import Interval, StrOptions
from pulps.io.randomness import new_generator
from pulps.network import engine
from pulps.network.adam import Adam, cosine_share
from pulps.tables.embedding import Embedding, draw_bases
from pulps.tables.encoding import TableEncoder
from pulps.training.scaled_cores import ScaledCores

TARGET = 1.0  # log of the squared norm of a known row
CHUNK = 8192


class OneClassLPS(TabularClassifier):
    r"""Anomaly detection with one locally purified state, as a PU classifier.

    Only labeled positives are learned; a row is positive if its density under the state is
    above what all but a share ``contamination`` of the labeled rows reach under a member that
    has not seen them.

    Parameters
    ----------
    bond_dim : int, default=8
        Bond dimension D.
    spacing : int, default=4
        Every ``spacing``-th site has an output leg (S).
    feature_dim : int, default=6
        Number of basis functions of a numeric attribute (d).
    output_dim : int or None, default=2
        Dimension of the output legs; None takes the feature dimension of each site.
    n_repeats : int, default=1
        How often each attribute occurs in the chain; with one the scores are densities.
    n_members : int, default=4
        States trained at once from different starts; their densities are averaged. The
        labeled rows are dealt into as many parts, and each state is not shown one of them,
        for the threshold.
    norm_weight : float, default=1.0
        Weight α of the Frobenius norm.
    contamination : float, default=0.05
        Share of the labeled rows below the threshold, each scored by the member that was not
        shown it; by all members if there are fewer than two labeled rows per member. New rows
        are scored by all members together, a little higher, so fewer fall below.
    max_epochs : int, default=150
        Steps, each on all labeled rows.
    learning_rate : float, default=0.05
        Adam's step; it falls to zero along a cosine.
    pos_label : object, default=None
        The value of ``y`` that marks a labeled positive; by default the larger number.
    categorical_features : "from_dtype", list or None, default="from_dtype"
        See :class:`~pulps.tables.encoding.TableEncoder`.
    numeric_scale : {"blend", "rank", "min-max"}, default="min-max"
        How numeric columns are mapped to the unit interval.
    random_state : int, RandomState or None, default=None
        Seed of the starts.

    Attributes
    ----------
    classes_ : array of shape (2,)
        The value of unlabeled (negative) rows, then that of positive rows.
    cores_ : list of arrays
        One array (members, feature, left, output, right) per site.
    offset_ : float
        Score of the threshold.
    loss_curve_ : array
        Mean loss of the members at every step.

    Notes
    -----
    J. Wang, C. Roberts, G. Vidal and S. Leichenauer, *Anomaly detection with tensor networks*,
    2020 (arXiv 2006.02516). The value of α is recalled, not confirmed. Left open there, chosen
    here: the threshold; several members; missing attributes are summed over. The encoder sees
    the attributes of all rows, so that the domain is known: a category no labeled row has is
    an anomaly, and not a missing value.

    Examples
    --------
    >>> from pulps.datasets import make_toy
    >>> X, y, y_true = make_toy("blobs", random_state=0)
    >>> model = OneClassLPS(max_epochs=50, random_state=0).fit(X, y)
    >>> float((model.predict(X) == y_true).mean()) > 0.9
    True
    """

    _parameter_constraints = {
        **TabularClassifier._parameter_constraints,
        "bond_dim": [Interval(Integral, 1, None, closed="left")],
        "spacing": [Interval(Integral, 1, None, closed="left")],
        "feature_dim": [Interval(Integral, 1, None, closed="left")],
        "output_dim": [Interval(Integral, 1, None, closed="left"), None],
        "n_repeats": [Interval(Integral, 1, None, closed="left")],
        "n_members": [Interval(Integral, 1, None, closed="left")],
        "norm_weight": [Interval(Real, 0, None, closed="left")],
        "contamination": [Interval(Real, 0, 1, closed="left")],
        "max_epochs": [Interval(Integral, 1, None, closed="left")],
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "numeric_scale": [StrOptions({"blend", "rank", "min-max"})],
    }

    def __init__(
        self,
        *,
        bond_dim: int = 8,
        spacing: int = 4,
        feature_dim: int = 6,
        output_dim: int | None = 2,
        n_repeats: int = 1,
        n_members: int = 4,
        norm_weight: float = 1.0,
        contamination: float = 0.05,
        max_epochs: int = 150,
        learning_rate: float = 0.05,
        pos_label: Any = None,
        categorical_features: Sequence[Any] | Literal["from_dtype"] | None = "from_dtype",
        numeric_scale: Literal["min-max", "blend", "rank"] = "min-max",
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.bond_dim = bond_dim
        self.spacing = spacing
        self.feature_dim = feature_dim
        self.output_dim = output_dim
        self.n_repeats = n_repeats
        self.n_members = n_members
        self.norm_weight = norm_weight
        self.contamination = contamination
        self.max_epochs = max_epochs
        self.learning_rate = learning_rate
        self.pos_label = pos_label
        self.categorical_features = categorical_features
        self.numeric_scale = numeric_scale
        self.random_state = random_state

    def _fit_table(self, X: Any, labeled: np.ndarray) -> None:
        self.encoder_ = TableEncoder(self.categorical_features, self.numeric_scale)
        values = self.encoder_.fit_transform(X)[labeled]
        rng = check_random_state(self.random_state)
        generator = new_generator(rng)
        hidden = hidden_rows(len(values), self.n_members, rng)
        self.site_bases_ = draw_bases(
            self.encoder_.columns_, self.n_repeats, "cosine", "one-hot", generator
        )
        embedding = self._embedding()
        shape = embedding.shape(self.bond_dim, self.spacing, self.output_dim)
        start = shape.near_identity_cores(
            [basis.constant() for basis in embedding.bases], self.n_members, 1.0, generator
        )
        self.loss_curve_ = self._train(
            ScaledCores([core.double() for core in start]),
            self._embedded(values),
            torch.as_tensor(~hidden, dtype=torch.float64),
        )
        scores = self._log_densities(values)
        known = scores[hidden] if hidden.any() else scores.mean(axis=0)
        self.offset_ = float(np.quantile(known, self.contamination))
        self.scale_ = float(np.std(known)) or 1.0

    def _train(
        self, scaled: ScaledCores, rows: tuple[list[Tensor], Tensor | None], shown: Tensor
    ) -> np.ndarray:
        optimizer = Adam([scaled.moved], self.learning_rate)
        batch, curve = engine.prepare(*rows), []
        for epoch in range(self.max_epochs):
            cores = scaled.cores()
            loss = one_class_loss(
                engine.log_norms(cores, batch),
                engine.log_frobenius_norms(cores),
                shown,
                self.norm_weight,
            )
            loss.sum().backward()
            optimizer.step(cosine_share(epoch, self.max_epochs))
            curve.append(float(loss.detach().mean()))
        self.cores_ = [core.detach().numpy() for core in scaled.cores()]
        return np.array(curve)

    def _embedding(self) -> Embedding:
        columns = self.encoder_.columns_
        return Embedding(columns, np.arange(len(columns)), self.site_bases_, self.feature_dim)

    def _embedded(self, values: np.ndarray) -> tuple[list[Tensor], Tensor | None]:
        features, observed, _ = self._embedding().rows(values)  # categories traced alike
        return features, observed

    def _log_densities(self, values: np.ndarray) -> np.ndarray:
        """Log-density of each row under each member, shape (members, rows)."""
        cores = [torch.as_tensor(core) for core in self.cores_]
        with torch.no_grad():
            frobenius = engine.log_frobenius_norms(cores)[:, None]
            norms = engine.log_norms(cores, *self._embedded(values))
        return 2 * (norms - frobenius).numpy()

    def score_samples(self, X: Any) -> np.ndarray:
        r"""Compute the log-density of each row, :math:`\log \|P\Phi(x)\|^2 - \log \|P\|_F^2`.

        Larger is more like the labeled rows. Missing attributes are summed over. With
        repeated attributes it is a score and not a density.

        Parameters
        ----------
        X : table or array of shape (rows, columns)
            As in :meth:`decision_function`.

        Returns
        -------
        array of shape (rows,)
        """
        check_is_fitted(self)
        return self._log_density(self._check_columns(X))

    def _log_density(self, X: Any) -> np.ndarray:
        """Log of the members' mean density."""
        chunks = self.encoder_.transform_chunks(X, CHUNK)
        scores = np.concatenate([self._log_densities(values) for values in chunks], axis=1)
        return logsumexp(scores, axis=0) - math.log(self.n_members)

    def _decide_table(self, X: Any) -> np.ndarray:
        return self._log_density(X) - self.offset_

    def _probability(self, decision: np.ndarray) -> np.ndarray:
        """Logistic, in units of the spread of the labeled rows' log-densities: a convention."""
        return expit(decision / self.scale_)


def hidden_rows(n_rows: int, n_members: int, rng: np.random.RandomState) -> np.ndarray:
    """Choose the labeled rows each member does not see: every row is hidden from one member.

    With a single member, or fewer than two rows per member, all members see everything. The
    result has shape (members, rows).

    Parameters
    ----------
    n_rows
        Number of labeled rows.
    n_members
        Number of models.
    rng
        Deals the rows.

    Returns
    -------
    array
        Boolean, True where a row is hidden.

    Examples
    --------
    >>> hidden_rows(4, 2, np.random.RandomState(0)).sum(axis=0)
    array([1, 1, 1, 1])
    """
    if n_members < 2 or n_rows < 2 * n_members:
        return np.zeros((n_members, n_rows), dtype=bool)
    return rng.permutation(n_rows) % n_members == np.arange(n_members)[:, None]


def one_class_loss(
    log_norms: torch.Tensor, log_frobenius: torch.Tensor, shown: torch.Tensor, norm_weight: float
) -> torch.Tensor:
    """Loss of each member from log-norms (members, rows) and log-Frobenius norms (members,).

    ``shown`` is one for the rows a member sees and zero for others.

    Parameters
    ----------
    log_norms
        Log-norm of each row in each model.
    log_frobenius
        Log-Frobenius norm of each model.
    shown
        One for the rows a member sees, zero for others.
    norm_weight
        Weight of the Frobenius norm.

    Returns
    -------
    Tensor
        One loss per model.

    Examples
    --------
    >>> norms, shown = torch.tensor([[0.5, 1.5]]), torch.tensor([[1.0, 1.0]])
    >>> one_class_loss(norms, torch.tensor([2.0]), shown, 0.25)
    tensor([3.])
    """
    misplaced = ((2 * log_norms - TARGET).square() * shown).sum(dim=1) / shown.sum(dim=1)
    return misplaced + norm_weight * torch.relu(2 * log_frobenius)
