"""The first guess of a table with several classes: a chance per class for any row.

The views tell the labeled classes apart (:mod:`pulps.views.classes`). If there is a class without
labels as well, others tell first whether a row is like any labeled one
(:mod:`pulps.views.consensus`), as in positive-unlabeled learning.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count

import numpy as np
import torch

from pulps.decision.honest import decide_honestly
from pulps.estimators.tables.encoded_table import EncodedTable
from pulps.estimators.tables.guess import (
    ENOUGH_ROWS,
    FEW_ENOUGH,
    LEAST_RATE,
    MOST_MADE,
    Line,
    ask_views,
    mixed_rows,
)
from pulps.io.randomness import new_seed
from pulps.labels import every_nth
from pulps.views.classes.consensus import fit_class_consensus
from pulps.views.classes.fitting import CLASS_VIEWS
from pulps.views.classes.opinions import ClassConsensus, OpenConsensus
from pulps.views.relevance import relevance

SUREST = 6.0  # log-odds that the network is told at most


@dataclass(frozen=True)
class ClassGuess:
    """What a network is told of a table before it learns.

    Parameters
    ----------
    teacher
        Gives any row a chance per class.
    honest
        Chances of the rows of the table; of labeled ones by models that did not see the label.
    asked
        Labeled rows of which this is true: those whose class has another label.
    column_rates
        How fast the cores of each column may move.
    made, made_chances
        Encoded rows that were made up, and what the teacher says of them.
    """

    teacher: ClassConsensus | OpenConsensus
    honest: np.ndarray
    asked: np.ndarray
    column_rates: np.ndarray
    made: np.ndarray
    made_chances: np.ndarray

    def hints(self) -> np.ndarray:
        """Say what the network is told of all rows, made-up ones last.

        Returns
        -------
        array of shape (classes, rows), or (rows,) for two
            Logarithms of the chances; of two classes the log-odds of the first.
        """
        chances = np.concatenate([self.honest, self.made_chances])
        logs = np.log(np.maximum(chances, np.exp(-SUREST))).T
        return logs[0] - logs[1] if len(logs) == 2 else logs


def guess_classes(
    table: EncodedTable,
    n_classes: int,
    rng: np.random.RandomState,
    generator: torch.Generator,
    *,
    open_set: bool,
    line: Line,
) -> ClassGuess:
    """Give every row a chance per class by models that did not see its label.

    Parameters
    ----------
    table
        The rows.
    n_classes
        Number of classes.
    rng, generator
        Sources of folds, views, trees and of rows that are made up, and of rows that are chosen
        where there are very many.
    open_set
        Whether the last class has no labels.
    line
        Shows how many views of how many are fitted.

    Returns
    -------
    ClassGuess
    """
    known = np.asarray(table.known)
    columns = table.encoder.columns_
    n_labeled_classes = n_classes - open_set
    fitted = count(1)
    with line(len(CLASS_VIEWS), "view") as tell:
        honest, asked, of_labeled = fit_class_consensus(
            table.values,
            columns,
            known,
            n_labeled_classes,
            table.weights,
            rng,
            balanced=not open_set,
            on_view=lambda: tell(next(fitted)),
        )
    teacher: ClassConsensus | OpenConsensus = of_labeled
    if open_set:
        scores, like_labeled = ask_views("consensus", table, rng, generator, line)
        told = decide_honestly(
            scores,
            table.labeled,
            table.weights,
            rule="auto",
            known_prior=None,
            single_training_set=True,
            gaps=like_labeled.gaps,
            random_state=new_seed(rng),
        )
        teacher = OpenConsensus(
            like_labeled, float(told.report.threshold), float(told.slope), of_labeled
        )
        honest = teacher.together(scores, honest)
    copies = table.copies
    rows = copies[every_nth(len(copies), ENOUGH_ROWS)]
    matters = relevance(table.values[rows], honest[rows], rng)
    made = np.empty((0, len(columns)))
    if table.in_memory and len(copies) <= FEW_ENOUGH:
        n_made = 2 * MOST_MADE // n_classes**2  # every class is a chain for every row
        made = mixed_rows(table.values[rng.permutation(copies)[:n_made]], rng)
    rates = np.maximum(matters, LEAST_RATE)
    return ClassGuess(teacher, honest, asked, rates, made, teacher.probabilities(made))
