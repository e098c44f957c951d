"""What the file of a model of several classes is made into."""

from __future__ import annotations

from typing import Any

import numpy as np

from pulps.decision.class_scale import ClassScale, centered
from pulps.score.columns import OF_CLASSES, class_columns
from pulps.score.models import ROWS_OF_NETWORK, Chains, Scorer
from pulps.tables.row_encoding import RowEncoder
from pulps.views.classes.opinions import ClassConsensus, OpenConsensus

TINY = 1e-300


class ClassScorer(Scorer):
    """What is left of a :class:`~pulps.LPSSemiSupervisedClassifier`.

    Parameters
    ----------
    encoder
        The columns of the fit.
    classes
        The classes, in the order of the states.
    chains
        The states of the members.
    member_scales, scale
        From log-norms to probabilities.
    teacher
        The first guess, or None.
    blend
        Share of the network in the answer; the rest is the first guess's.
    """

    rows_at_once = ROWS_OF_NETWORK
    score_names = OF_CLASSES

    def __init__(
        self,
        encoder: RowEncoder,
        classes: np.ndarray,
        chains: Chains,
        member_scales: np.ndarray,
        scale: ClassScale,
        teacher: ClassConsensus | OpenConsensus | None,
        blend: float,
    ) -> None:
        super().__init__(encoder, classes)
        self.chains, self.member_scales, self.scale = chains, member_scales, scale
        self.teacher, self.blend = teacher, blend

    def probabilities_of_encoded(self, values: np.ndarray) -> np.ndarray:
        """Probability of every class for encoded rows.

        Parameters
        ----------
        values
            Shape (rows, columns used), NaN where missing.

        Returns
        -------
        array of shape (rows, classes)
        """
        if self.teacher is None:
            return self._by_states(values)
        guessed = self.teacher.probabilities(values)
        if self.blend == 0:
            return guessed
        return self.blend * self._by_states(values) + (1 - self.blend) * guessed

    def _by_states(self, values: np.ndarray) -> np.ndarray:
        logs = self.chains.log_norms(values)
        leads = centered(logs.reshape(len(self.classes_), -1, len(values)))
        return self.scale.probabilities((leads / self.member_scales[:, None]).mean(axis=1))

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of every class, by the network and its first guess.

        Parameters
        ----------
        X : table or array
            Rows, as in :meth:`decision_function`.

        Returns
        -------
        array of shape (rows, classes)
            Columns in the order of ``classes_``.
        """
        return self.in_chunks(X, self.probabilities_of_encoded)

    def predict(self, X: Any) -> np.ndarray:
        """Most probable class of each row.

        Parameters
        ----------
        X : table or array
            Rows, as in :meth:`decision_function`.

        Returns
        -------
        array of shape (rows,)
            Values of ``classes_``.
        """
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def decision_function(self, X: Any) -> np.ndarray:
        """Log-probability of every class; of two classes, log-odds of the second.

        Parameters
        ----------
        X : table or array
            Rows of the same kind as in ``fit``: an array, or a table with the columns of the fit
            in any order, of pandas, polars, pyarrow or :class:`~pulps.tables.reading.TextTable`.

        Returns
        -------
        array of shape (rows, classes), or (rows,) for two
        """
        logs = np.log(np.maximum(self.predict_proba(X), TINY))
        return logs[:, 1] - logs[:, 0] if logs.shape[1] == 2 else logs

    def score_columns(self, X: Any) -> dict[str, np.ndarray]:
        """Tell the most probable class of rows and its probability, as columns for a table.

        Parameters
        ----------
        X : table or array
            Rows, as in :meth:`decision_function`; there may be none.

        Returns
        -------
        dict of arrays
            ``class`` and ``probability``.
        """
        return class_columns(
            self.classes_,
            self.predict_proba(X) if len(X) else np.zeros((0, len(self.classes_))),
        )

    def answers_of_probe(self, values: np.ndarray) -> list[np.ndarray]:
        """Tell the probabilities of a few encoded rows: by all, by the states and by the guess.

        Parameters
        ----------
        values
            Shape (rows, columns used), NaN where missing.

        Returns
        -------
        list of arrays
        """
        found = [self.probabilities_of_encoded(values), self._by_states(values)]
        return found if self.teacher is None else [*found, self.teacher.probabilities(values)]
