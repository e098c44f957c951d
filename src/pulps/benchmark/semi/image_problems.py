"""Images of ten classes, of which a few per class are labeled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np

from pulps.benchmark.semi.problems import SemiFold
from pulps.datasets import load_images

IMAGE_SETS = ("mnist", "fashion-mnist")
LABELS_PER_CLASS = (100, 10, 1)
N_TRAIN = 10_000


@dataclass(frozen=True)
class SemiImageTask:
    """A set of images with some labels per class.

    Parameters
    ----------
    dataset
        One of ``IMAGE_SETS``.
    per_class
        Labeled images of each class.
    seed
        Draws the training images and the labeled ones.
    """

    dataset: str
    per_class: int
    seed: int = 0

    @property
    def id(self) -> str:
        """One line that names the task, the same in every run.

        >>> SemiImageTask("mnist", 10).id
        'mnist labeled=10 per class seed=0 train=10000'
        """
        return (
            f"{self.dataset} labeled={self.per_class} per class seed={self.seed} train={N_TRAIN}"
        )

    @property
    def model_seed(self) -> int:
        """Seed for the estimator."""
        return self.seed

    def describe(self) -> dict[str, Any]:
        """Name the task in a record.

        Returns
        -------
        dict
        """
        return {
            "task": self.id,
            "dataset": self.dataset,
            "label_frequency": self.per_class,
            "fold": 0,
            "seed": self.seed,
            "max_train": N_TRAIN,
        }

    def load(self) -> SemiFold:
        """Draw training images and labels; the test images are those of the set.

        Returns
        -------
        SemiFold
        """
        images = _images(self.dataset)
        rng = np.random.RandomState(self.seed)
        rows = np.sort(rng.permutation(len(images.train_labels))[:N_TRAIN])
        y_true = images.train_labels[rows].astype(int)
        labels = np.full(N_TRAIN, -1)
        for one in np.unique(y_true):
            chosen = rng.permutation(np.flatnonzero(y_true == one))[: self.per_class]
            labels[chosen] = one
        return SemiFold(
            images.train_images[rows],
            labels,
            y_true,
            images.test_images,
            images.test_labels.astype(int),
        )


@lru_cache(maxsize=1)
def _images(name: str) -> Any:
    return load_images(name)


def semi_image_tasks(
    datasets: Sequence[str] | None = None,
    per_class: Sequence[int] | None = None,
    seeds: Sequence[int] = (0,),
) -> list[SemiImageTask]:
    """List the tasks.

    Parameters
    ----------
    datasets
        Names of image sets; None takes both.
    per_class
        Labeled images of each class; None takes 100, 10 and 1.
    seeds
        Seeds of images and labels.

    Returns
    -------
    list of SemiImageTask

    Examples
    --------
    >>> len(semi_image_tasks())
    6
    """
    return [
        SemiImageTask(name, count, seed)
        for seed, name, count in product(
            seeds, datasets or IMAGE_SETS, per_class or LABELS_PER_CLASS
        )
    ]
