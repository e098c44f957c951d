"""Rivals on disk, without pickle: arrays, plain values, scikit-learn's and our own types.

A file is an archive of skops. Reading it builds types of scikit-learn that skops trusts and those
of :data:`TRUSTED`, and runs nothing from the file. A network of yours, a torch module or a
function, is code and cannot be in a file.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator

from pulps.io._sklearn import SklearnTree
from pulps.io.outputs import write_whole

TRUSTED = [
    "sklearn.tree._tree.Tree",  # whose nodes are checked below
    "pulps.tables.columns.CategoricalColumn",
    "pulps.tables.columns.NumericColumn",
    "pulps.tables.decoding.ColumnForm",
    "pulps.tables.decoding.TableForm",
    "pulps.tables.encoding.TableEncoder",
    "pulps.tables.table_matrix.TableMatrix",
    "pulps.tables.roles.LeftOutColumn",
    "pulps.views.risk_tree.Tree",
    *(
        f"pulps.baselines.{name}"
        for name in (
            "_shared.bayesian_network.BayesianNetwork",
            "_shared.codes.TableCoder",
            "_shared.generated_rows.RowCodec",
            "_shared.images.ImageChannels",
            "bayes.apnb.AveragedPositiveNaiveBayes",
            "bayes.aptan.AveragedPositiveTAN",
            "bayes.generative_pu.GenerativePUClassifier",
            "bayes.pnb.PositiveNaiveBayes",
            "bayes.ptan.PositiveTAN",
            "gans.cgenpu.CGenPUClassifier",
            "gans.cgenpu_ac.CGenPUACClassifier",
            "gans.d_gan.DGANClassifier",
            "gans.genpu.GenPUClassifier",
            "gans.pgan.PGANClassifier",
            "networks.dist_pu.DistPUClassifier",
            "networks.nnpu.NNPUClassifier",
            "networks.ted_n.TEDnClassifier",
            "networks.upu.UPUClassifier",
            "networks.vpu.VPUClassifier",
            "others.dilca.DilcaDistance",
            "others.luhc.LUHCClassifier",
            "others.one_class_lps.OneClassLPS",
            "others.pulce.PulceClassifier",
            "trees.elkan_noto.ElkanNotoClassifier",
            "trees.pu_bagging.PUBaggingClassifier",
            "trees.pu_extra_trees.PUExtraTreesClassifier",
            "trees.spies.SpyClassifier",
        )
    ),
]


class Files:
    """A rival that goes into a file."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted model to a file, without pickle; see :meth:`load`.

        Parameters
        ----------
        path : path
            The file; it is replaced whole or not at all.
        """
        import skops.io as sio

        try:
            archive = sio.dumps(self)
            foreign = _foreign(archive)
        except (RuntimeError, TypeError) as error:  # of a module, which it cannot take apart
            archive, foreign = b"", f"{type(error).__name__}: {error}"
        if foreign:
            raise ValueError(
                f"The model holds types that a file cannot hold safely ({foreign}). Name a "
                "network ('linear', 'mlp', 'cnn') instead of passing one, leave out what brings "
                "these types, or keep the model in memory."
            )
        write_whole(path, archive)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a model written by :meth:`save`; nothing in the file is executed.

        Parameters
        ----------
        path : path
            The file.

        Returns
        -------
        the fitted model
        """
        import skops.io as sio

        path = Path(path)
        if not path.is_file():
            raise FileNotFoundError(f"There is no model file {path}.")
        archive = path.read_bytes()
        try:
            foreign = _foreign(archive)
            model: Any = None if foreign else sio.loads(archive, trusted=TRUSTED)
        except Exception as error:
            raise ValueError(
                f"{path.name} is not a saved {cls.__name__} ({type(error).__name__}). Expected a "
                f"file written by {cls.__name__}.save."
            ) from None
        if foreign:
            raise ValueError(
                f"{path.name} names types that a saved {cls.__name__} does not have: {foreign}. "
                "Nothing was loaded; get the file from its author again."
            )
        if not isinstance(model, cls):
            raise ValueError(
                f"{path.name} holds a {type(model).__name__}, not a {cls.__name__}. Pass a file "
                f"written by {cls.__name__}.save."
            )
        fault = _fault(model)
        if fault is not None:
            raise ValueError(
                f"{path.name} is damaged: {fault}. Nothing was loaded; get the file from its "
                "author again."
            )
        return model


def _foreign(archive: bytes) -> str:
    """Name the types of an archive that nobody trusts."""
    import skops.io as sio

    return ", ".join(sorted(set(sio.get_untrusted_types(data=archive)) - set(TRUSTED)))


def _fault(model: Any) -> str | None:
    """Say what could harm: an attribute in the place of a method, a tree that leads nowhere."""
    rest, seen = [model], set()
    while rest:
        one = rest.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, dict):
            rest.extend(one.values())
        elif isinstance(one, list | tuple):
            rest.extend(one)
        elif isinstance(one, SklearnTree):
            if not _leads_to_leaves(one):
                return "a tree of it has nodes that lead nowhere"
        elif isinstance(one, BaseEstimator):
            hidden = [name for name in vars(one) if callable(getattr(type(one), name, None))]
            if hidden:
                return f"its attributes {', '.join(hidden)[:200]} would take the place of methods"
            rest.extend(vars(one).values())
    return None


def _leads_to_leaves(tree: Any) -> bool:
    """Whether every node is a leaf or has two later nodes for children, and asks a column."""
    left, right = np.asarray(tree.children_left), np.asarray(tree.children_right)
    leaf, number = left == -1, np.arange(len(left))
    later = (left > number) & (right > number) & (np.maximum(left, right) < len(left))
    asks = (tree.feature >= 0) & (tree.feature < tree.n_features)
    return bool((np.where(leaf, right == -1, later & asks)).all())
