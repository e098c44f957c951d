"""From a model file to a model that scores.

The description in a file tells how a model is built from plain values, arrays and a few types by
name (:mod:`pulps.io.model_file`). Only what scoring needs is made, and only the types below, which
are arrays and arithmetic; nothing in the file is executed or imported by name.
"""

from __future__ import annotations

import dataclasses
import hashlib
import io
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from pulps.decision.rule import DecisionRule
from pulps.io.model_file import Content, DamagedModelError, NewerModelError, unpack
from pulps.io.naming import quoted
from pulps.score.models import Chains, ConsensusScorer, NetworkScorer, Scorer
from pulps.tables.column_checks import check_column
from pulps.tables.columns import CategoricalColumn, NumericColumn
from pulps.tables.matrix import MatrixForm
from pulps.tables.row_encoding import RowEncoder
from pulps.tables.sites import Sites
from pulps.views.checks import check_consensus, probe_rows
from pulps.views.forest import CodesForest, Forest, MatrixForest
from pulps.views.given_model import GivenModel
from pulps.views.kernel_model import KernelModel
from pulps.views.opinions import Consensus, Opinion
from pulps.views.perceptrons import Perceptrons
from pulps.views.scale import NormalScale

FIELDS = {  # types that are their fields
    kind.__name__: kind
    for kind in (
        *(CategoricalColumn, NumericColumn, MatrixForm, NormalScale, Consensus, Opinion),
        *(CodesForest, Forest, MatrixForest, GivenModel, KernelModel, Perceptrons),
    )
}
SCORED = ("PUClassifier", "LPSClassifier")


class OtherModelError(ValueError):
    """A model that needs more than NumPy to score."""


def load(path: str | os.PathLike[str]) -> Scorer:
    """Read a model of tables to score with.

    Parameters
    ----------
    path : path
        File written by ``PUClassifier.save``, ``LPSClassifier.save`` or ``pulps fit``.

    Returns
    -------
    Scorer
        With ``predict``, ``predict_proba`` and ``decision_function``.
    """
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"There is no model file {path}.")
    try:
        saved = Saved(unpack(path))
        kind = saved.kind(saved.content.schema)
        if kind not in SCORED:
            raise OtherModelError(f"it holds a {kind}")
        scorer: Scorer = saved.value(saved.content.schema)
        check_scorer(scorer)
        scorer.digest = hashlib.sha256(path.read_bytes()).hexdigest()
        return scorer
    except NewerModelError as error:
        raise ValueError(f"{path.name} needs a newer pulps. {error} Update pulps.") from None
    except OtherModelError as error:
        raise OtherModelError(
            f"{path.name} cannot be scored with NumPy alone: {error}. Install all of pulps and "
            "read it with pulps.load_model."
        ) from None
    except DamagedModelError as error:
        raise ValueError(
            f"{path.name} is a damaged pulps model: {error}. Get the file from its author again."
        ) from None
    except MemoryError:
        raise
    except Exception as error:  # whatever a forged description leads to
        raise ValueError(
            f"{path.name} is not a saved pulps model ({type(error).__name__}: {error}). Expected "
            "a file written by 'pulps fit' or a model's save."
        ) from None


def check_scorer(scorer: Scorer) -> None:
    """Refuse a model whose parts do not fit together, by what it says of a few rows.

    Parameters
    ----------
    scorer
        Read from a file.
    """
    columns = scorer.encoder.columns_
    for column in columns:
        check_column(column)
        if (
            not isinstance(column.index, int)
            or not 0 <= column.index < scorer.encoder.n_features_in_
        ):
            raise DamagedModelError(f"column {quoted(column.name)} has no place in the table")
    if isinstance(scorer, ConsensusScorer):
        check_consensus(scorer.consensus, columns)
    classes = scorer.classes_
    if not isinstance(classes, np.ndarray) or classes.shape != (2,):
        raise DamagedModelError("it should have two classes")
    decision = scorer.decision_of_encoded(probe_rows(columns))
    chances = scorer.probability_of(decision)
    if decision.shape != (4,) or not np.isfinite([decision, chances]).all():
        raise DamagedModelError("its decision on an empty row, or on one of ends, is not finite")


class Saved:
    """The content of a file, of which values are made when they are asked for.

    Parameters
    ----------
    content
        Description and arrays.
    """

    def __init__(self, content: Content) -> None:
        self.content = content

    def kind(self, node: dict[str, Any]) -> str:
        """Name the type of an object.

        Parameters
        ----------
        node
            Its description.

        Returns
        -------
        str
            The name alone for a type of ours, with the module for any other.
        """
        module, name = str(node["__module__"]), str(node["__class__"])
        return name if module.partition(".")[0] == "pulps" else f"{module}.{name}"

    def fields(self, node: dict[str, Any]) -> dict[str, Any]:
        """Describe the attributes of an object.

        Parameters
        ----------
        node
            Its description.

        Returns
        -------
        dict
            Descriptions by name.
        """
        fields: dict[str, Any] = node["content"]["content"]
        return fields

    def value(self, node: dict[str, Any]) -> Any:
        """Make a value.

        Parameters
        ----------
        node
            Its description.

        Returns
        -------
        object
        """
        loader = node["__loader__"]
        if loader == "JsonNode":
            return json.loads(node["content"])
        if loader in ("ListNode", "TupleNode"):
            values = [self.value(one) for one in node["content"]]
            return values if loader == "ListNode" else tuple(values)
        if loader == "DictNode":
            return {name: self.value(one) for name, one in node["content"].items()}
        if loader == "NdArrayNode":
            return self._array(node)
        if loader != "ObjectNode":
            raise OtherModelError(f"it holds a {self.kind(node)}")
        return self._object(node)

    def _array(self, node: dict[str, Any]) -> Any:
        if node["type"] == "json":  # values that NumPy has no type for, such as words
            values = [self.value(one) for one in node["content"]]
            array = np.empty(len(values), dtype=object)
            array[:] = values
            return array.reshape(self.value(node["shape"]))
        part = io.BytesIO(self.content.parts[node["file"]])
        array = np.load(part, allow_pickle=False)
        return array if node["__class__"] == "ndarray" else array[()]

    def _object(self, node: dict[str, Any]) -> Any:
        kind, fields = self.kind(node), self.fields(node)
        if kind in FIELDS:
            unknown = set(fields) - {field.name for field in dataclasses.fields(FIELDS[kind])}
            if unknown:
                raise DamagedModelError(f"its {kind} has fields {', '.join(sorted(unknown))}")
            return FIELDS[kind](**{name: self.value(one) for name, one in fields.items()})
        if kind not in MADE:
            raise OtherModelError(f"a part of it is a {kind}")
        return MADE[kind](self, fields)


def _consensus(saved: Saved, fields: dict[str, Any]) -> ConsensusScorer:
    return ConsensusScorer(
        _encoder(saved, fields),
        saved.value(fields["classes_"]),
        saved.value(fields["slope_"]),
        saved.value(fields["consensus_"]),
        _threshold(saved, fields),
    )


def _network(saved: Saved, fields: dict[str, Any]) -> NetworkScorer:
    encoder = _encoder(saved, fields)
    order, bases, dim = (
        saved.value(fields[name]) for name in ("site_order_", "site_bases_", "feature_dim")
    )
    states = [saved.value(fields[f"{sign}_cores_"]) for sign in ("positive", "negative")]
    cores = [np.concatenate(both) for both in zip(*states, strict=True)]
    scales, slope = saved.value(fields["member_scales_"]), saved.value(fields["slope_"])
    if len(cores) != len(bases) or len(cores[0]) != 2 * len(scales):
        raise DamagedModelError("its cores are not those of its members and sites")
    if sorted(np.ravel(order).tolist()) != [*range(len(encoder.columns_))]:
        raise DamagedModelError("its sites should name each of its columns once, and do not")
    return NetworkScorer(
        encoder,
        saved.value(fields["classes_"]),
        Chains(Sites(encoder.columns_, order, bases, dim), cores),
        DecisionRule(scales, _threshold(saved, fields), slope),
    )


def _threshold(saved: Saved, fields: dict[str, Any]) -> float:
    return float(saved.value(saved.fields(fields["threshold_report_"])["threshold"]))


def _encoder(saved: Saved, fields: dict[str, Any]) -> RowEncoder:
    known, form = saved.fields(fields["encoder_"]), saved.fields(fields["form_"])
    if "names_" in known:
        names = saved.value(known["names_"])
    elif saved.value(form["library"]) == "numpy":
        names = None
    else:  # before columns had roles, every column was used
        columns = form["columns"]["content"]
        names = [saved.value(saved.fields(column)["name"]) for column in columns]
    columns, n_columns = saved.value(known["columns_"]), saved.value(known["n_features_in_"])
    return RowEncoder(columns, names, n_columns)


MADE: dict[str, Callable[[Saved, dict[str, Any]], Any]] = {
    "LPSClassifier": _network,
    "PUClassifier": _consensus,
}
