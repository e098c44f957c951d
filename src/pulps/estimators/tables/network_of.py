"""The network of a consensus: it learns from it, and generates, imputes and explains."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from pulps.estimators.questions.table_questions import TableQuestions
from pulps.estimators.tables.classifier import LPSClassifier
from pulps.estimators.tables.density import ClassDensity
from pulps.estimators.tables.encoded_table import EncodedTable
from pulps.io._sklearn import manage_callbacks
from pulps.views.opinions import Consensus


class NoNetworkError(AttributeError, ValueError):
    """A model is asked for what only its network knows, and was saved without it."""


class NetworkReadings(TableQuestions):
    """What a consensus has from its network."""

    consensus_: Consensus
    generative: bool
    network: LPSClassifier | None
    network_: LPSClassifier
    _training: tuple[EncodedTable, np.ndarray, int]

    def _learn_network_from(self, table: EncodedTable, honest: np.ndarray, seed: int) -> None:
        if hasattr(self, "network_"):
            del self.network_
        self._training = table, honest, seed
        if self.generative:
            self.fitted_network()
            del self._training

    def __getstate__(self) -> dict[str, Any]:
        """Leave the training rows out of files and copies to other processes."""
        state = {**super().__getstate__()}
        state.pop("_training", None)
        return state

    def fitted_network(self) -> LPSClassifier:
        """Return the network, which is trained now if it was not before.

        Returns
        -------
        LPSClassifier
            It learned from the consensus, and has the same columns and classes.
        """
        check_is_fitted(self)
        if not hasattr(self, "network_"):
            if not hasattr(self, "_training"):
                raise NoNetworkError(
                    "This model was saved without its network, which generates, imputes and "
                    "explains. Fit it again with generative=True, or with --generative on the "
                    "command line."
                )
            table, honest, seed = self._training
            network = LPSClassifier.generative() if self.network is None else clone(self.network)
            names = ("pos_label", "prior", "scenario", "categorical_features", "roles", "verbose")
            network.set_params(**{name: getattr(self, name) for name in names})
            if network.density is None:  # states that tell classes apart are no densities
                network.set_params(density=LPSClassifier.generative().density)
            if network.random_state is None:
                network.set_params(random_state=seed)
            for name in ("n_features_in_", "feature_names_in_"):
                if hasattr(self, name):
                    setattr(network, name, getattr(self, name))
            self.network_ = manage_callbacks(LPSClassifier.fit_encoded)(
                network, table, (honest, self.consensus_)
            )
        return self.network_

    def sample(self, n_samples: int = 1, y: Any = None, **options: Any) -> Any:
        """Draw new rows of a class from the network.

        Parameters
        ----------
        n_samples : int, default=1
            Rows to return.
        y : default=None
            One of ``classes_``; None takes the positive class.
        **options
            See :meth:`pulps.LPSClassifier.sample`.

        Returns
        -------
        table
            Of the kind the model was fitted on.
        """
        return self.fitted_network().sample(n_samples, y, **options)

    def impute(self, X: Any, y: Any = None, **options: Any) -> Any:
        """Fill missing cells by the network.

        Parameters
        ----------
        X : table or array
            Rows with missing cells.
        y : default=None
            The class whose density is used; None takes the class that the network predicts.
        **options
            See :meth:`pulps.LPSClassifier.impute`.

        Returns
        -------
        table
            A copy of X without missing cells.
        """
        return self.fitted_network().impute(X, y, **options)

    def score_samples(self, X: Any, y: Any = None) -> np.ndarray:
        """Log-density of each row under a class, by the network.

        Parameters
        ----------
        X : table or array
            Rows of the same kind as in ``fit``.
        y : default=None
            One of ``classes_``; None takes the positive class.

        Returns
        -------
        array of shape (rows,)
        """
        return self.fitted_network().score_samples(X, y)

    def class_density(self, y: Any = None) -> ClassDensity:
        """Return the density of a class, by the network.

        Parameters
        ----------
        y : default=None
            One of ``classes_``; None takes the positive class.

        Returns
        -------
        ClassDensity
        """
        return self.fitted_network().class_density(y)
