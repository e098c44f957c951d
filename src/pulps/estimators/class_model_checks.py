"""What a model of several classes read from a file must be before it is used."""

from __future__ import annotations

from typing import Any

import numpy as np

from pulps.decision.classes import ClassScale
from pulps.estimators.class_guess import OpenConsensus
from pulps.estimators.model_checks import check_chain, check_table
from pulps.io._sklearn import check_parameters
from pulps.io.model_file import DamagedModelError
from pulps.io.value_checks import (
    need,
    number,
    numbers,
    told,
    whole_numbers,
)
from pulps.views.checks import fault_of_views, probe_rows
from pulps.views.classes.consensus import ClassConsensus


def check_class_model(model: Any) -> None:
    """Raise if the parts of a fitted model of several classes do not fit together.

    Parameters
    ----------
    model
        Read from a file.
    """
    try:
        check_parameters(model)
        check_table(model)
        _check_classes(model)
        _check_states(model)
        fault = fault_of_views(model.teacher_, len(model.encoder_.columns_))
        need(fault is None, str(fault))
        probe = probe_rows(model.encoder_.columns_)
        answers = [model.probabilities_of_encoded(probe), model._by_network(probe)]
        if model.teacher_ is not None:
            answers.append(model.teacher_.probabilities(probe))
        for chances in answers:
            need(
                chances.shape == (len(probe), len(model.classes_)) and np.isfinite(chances).all(),
                "its probabilities of an empty row, or of one of ends, are not finite",
            )
    except DamagedModelError:
        raise
    except (MemoryError, RecursionError):
        raise
    except Exception as error:
        raise DamagedModelError(f"{type(error).__name__}: {error}") from None


def _check_classes(model: Any) -> None:
    classes = model.classes_
    need(
        isinstance(classes, np.ndarray) and classes.ndim == 1 and len(classes) > 1,
        f"its classes_ should be two values or more, but are {told(classes)}",
    )
    need(len(set(classes.tolist())) == len(classes), "its classes_ should differ, and do not")
    shares = numbers(model.class_share_table_, 2, "its class shares")
    need(
        shares.shape == (len(classes), 3) and (shares >= 0).all() and (shares <= 1).all(),
        f"its class shares should be {len(classes)} times three numbers from 0 to 1",
    )
    scale = model.class_scale_
    need(
        isinstance(scale, ClassScale),
        f"its class_scale_ should be a ClassScale, but is {told(scale)}",
    )
    need(number(scale.slope, "its slope") > 0, "its slope should be above zero, and is not")
    offsets = numbers(scale.offsets, 1, "its offsets")
    need(len(offsets) == len(classes), f"it should have {len(classes)} offsets, one per class")
    need(
        model.teacher_ is None or isinstance(model.teacher_, ClassConsensus | OpenConsensus),
        f"its teacher_ should be a consensus, but is {told(model.teacher_)}",
    )
    need(
        isinstance(model.transduction_, np.ndarray) and model.transduction_.ndim == 1,
        f"its transduction_ should be a list, but is {told(model.transduction_)}",
    )


def _check_states(model: Any) -> None:
    n_members, n_classes = len(whole_numbers(model.members_, "its members_")), len(model.classes_)
    scales = numbers(model.member_scales_, 1, "its member_scales_")
    need(
        len(scales) == n_members > 0 and (scales > 0).all(),
        f"its member_scales_ should be {n_members} numbers above zero, one per member",
    )
    order = whole_numbers(model.site_order_, "its site_order_")
    n_columns = len(model.encoder_.columns_)
    need(
        sorted(order.tolist()) == [*range(n_columns)],
        f"its site_order_ should name each of {n_columns} columns once",
    )
    recipe = model.recipe or model._recipe_type()
    shape = model.embedding.shape(model.bond_dim, model.spacing, recipe.output_dim)
    parts = [(model.cores_, shape, n_members)]
    if model.density is not None:
        size = model.density
        shape = model.density_embedding.shape(size.bond_dim, size.spacing, size.output_dim)
        parts.append((model.density_cores_, shape, size.n_members))
    for states, wanted, n_chains in parts:
        need(
            isinstance(states, list) and len(states) == n_classes,
            f"it should have the cores of {n_classes} classes, and has not",
        )
        for cores in states:
            check_chain(cores, wanted, n_chains)
