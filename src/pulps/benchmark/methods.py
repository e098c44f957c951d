"""The methods that can be run by name. Heavy imports happen when a method is used."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from pulps.benchmark.ablations import ABLATIONS, BASELINE
from pulps.benchmark.protocol import Method, Task


def _lps_default(task: Task) -> Any:
    from pulps.estimators.tables.classifier import LPSClassifier

    return LPSClassifier(random_state=task.model_seed)


def _pu_default(task: Task) -> Any:
    from pulps.estimators.tables.consensus import PUClassifier

    return PUClassifier(scenario=task.scenario, random_state=task.model_seed)


def _lps_alone(task: Task) -> Any:
    from pulps.estimators.tables.classifier import LPSClassifier

    return LPSClassifier(first_guess=None, random_state=task.model_seed)


def _lps_paper(task: Task) -> Any:
    from pulps.estimators.tables.classifier import LPSClassifier

    return LPSClassifier.from_paper(task.dataset, random_state=task.model_seed)


def _lps_filled(fill: Any) -> Any:
    def make(task: Task) -> Any:
        from pulps.benchmark.missing import FilledClassifier

        return FilledClassifier(_lps_default(task), fill)

    return make


def _elkan_noto(task: Task) -> Any:
    from pulps.benchmark.missing import ElkanNotoTrees

    return ElkanNotoTrees(random_state=task.model_seed)


def _all_positive(task: Task) -> Any:
    from sklearn.dummy import DummyClassifier

    return DummyClassifier(strategy="constant", constant=1)


def _all_negative(task: Task) -> Any:
    from sklearn.dummy import DummyClassifier

    return DummyClassifier(strategy="constant", constant=0)


def _lps_images(task: Task) -> Any:
    from pulps.estimators.images.classifier import LPSImageClassifier

    return LPSImageClassifier(deskew=True, random_state=task.model_seed)


def _elkan_noto_pixels(task: Task) -> Any:
    from pulps.benchmark.image_rivals import elkan_noto_on_pixels

    return elkan_noto_on_pixels(task.model_seed)


def _label_spreading(**parameters: Any) -> Callable[[Task], Any]:
    """Make labels spread, told the true share of positives."""

    def make(task: Task) -> Any:
        from pulps.benchmark.image_problems import share_of_positives
        from pulps.benchmark.image_rivals import NeighborSpreading

        prior = share_of_positives(task.dataset)
        return NeighborSpreading(prior=prior, random_state=task.model_seed, **parameters)

    return make


def _rival(name: str, **parameters: Any) -> Callable[[Task], Any]:
    """Make a class of :mod:`pulps.baselines` with the task's seed and, if it asks, scenario."""

    def make(task: Task) -> Any:
        rival = getattr(import_module("pulps.baselines"), name)
        model = rival(random_state=task.model_seed, **parameters)
        if "scenario" in model.get_params(deep=False):
            model.set_params(scenario=task.scenario)
        return model

    return make


def _nnpu_cnn(task: Task) -> Any:
    """Make nnPU with a small CNN, the true prior, and the better of two rates on two pairs.

    With three times this rate a third of the problems ended in a constant answer.
    """
    from pulps.benchmark.image_problems import share_of_positives

    prior = share_of_positives(task.dataset)
    settings = {"network": "cnn", "prior": prior, "max_epochs": 3, "learning_rate": 1e-3}
    return _rival("NNPUClassifier", **settings)(task)


def _vpu_cnn(task: Task) -> Any:
    """Make VPU with a small CNN and the best of five rates on two pairs, 100 labels.

    Larger rates rank better and answer worse: labeled images are learned by heart, and all
    others fall below half of the largest answer, where VPU cuts. Of a single labeled image
    none can be held out.
    """
    settings = {"network": "cnn", "max_epochs": 3, "learning_rate": 1e-5}
    model = _rival("VPUClassifier", **settings)(task)
    return model.set_params(n_iter_no_change=None) if task.n_labeled == 1 else model


def _luhc(task: Task) -> Any:
    """Choose width and ν by Lee and Liu's criterion; no negatives are needed for it.

    Of 500 centers, for the sake of time; on a development fold of nursery the answers were
    better than with 2000.
    """
    from sklearn.metrics import make_scorer
    from sklearn.model_selection import GridSearchCV, StratifiedKFold

    from pulps.baselines import LUHCClassifier
    from pulps.metrics import lee_liu_score

    return GridSearchCV(
        LUHCClassifier(max_centers=500, random_state=task.model_seed),
        {"gamma": [0.001, 0.01, 0.1, 1.0, 10.0], "nu": [0.05, 0.2]},
        scoring=make_scorer(lee_liu_score, scenario=task.scenario),
        cv=StratifiedKFold(3, shuffle=True, random_state=task.model_seed % 2**31),
    )


def _pulce(task: Task) -> Any:
    from pulps.baselines import PulceClassifier

    return PulceClassifier()


METHODS = {
    method.name: method
    for method in (
        Method("pu-default", _pu_default, "PU consensus (default)"),
        Method("lps-default", _lps_default, "LPS (default)"),
        Method("lps-alone", _lps_alone, "LPS (no first guess)"),
        Method("lps-paper", _lps_paper, "LPS (paper)"),
        Method("lps-mean-filled", _lps_filled("mean"), "LPS (default), means and modes filled in"),
        Method("lps-knn-filled", _lps_filled("knn"), "LPS (default), filled from 5 neighbors"),
        Method("elkan-noto-trees", _elkan_noto, "Elkan–Noto, boosted trees"),
        Method("pnb", _rival("PositiveNaiveBayes"), "PNB"),
        Method("apnb", _rival("AveragedPositiveNaiveBayes"), "APNB"),
        Method("ptan", _rival("PositiveTAN"), "PTAN"),
        Method("aptan", _rival("AveragedPositiveTAN"), "APTAN"),
        Method("luhc", _luhc, "LUHC"),
        Method("pulce", _pulce, "Pulce"),
        Method("gpu", _rival("GenerativePUClassifier"), "GPU"),
        Method("all-positive", _all_positive, "all positive"),
        Method("all-negative", _all_negative, "all negative"),
        Method("cgenpu", _rival("CGenPUClassifier"), "CGenPU"),
        Method("cgenpu-ac", _rival("CGenPUACClassifier"), "CGenPU-AC"),
        Method("d-gan", _rival("DGANClassifier"), "D-GAN"),
        Method("dist-pu", _rival("DistPUClassifier"), "Dist-PU"),
        Method("elkan-noto", _rival("ElkanNotoClassifier"), "Elkan–Noto"),
        Method(
            "elkan-noto-weighted",
            _rival("ElkanNotoClassifier", weighted=True),
            "Elkan–Noto (weighted)",
        ),
        Method("genpu", _rival("GenPUClassifier"), "GenPU"),
        Method("nnpu", _rival("NNPUClassifier"), "nnPU"),
        Method("one-class-lps", _rival("OneClassLPS"), "one-class LPS"),
        Method("pgan", _rival("PGANClassifier"), "PGAN"),
        Method("pu-bagging", _rival("PUBaggingClassifier"), "PU bagging"),
        Method("pu-extra-trees", _rival("PUExtraTreesClassifier"), "PU extra-trees"),
        Method("spies", _rival("SpyClassifier"), "spies"),
        Method("ted-n", _rival("TEDnClassifier"), "(TED)ⁿ"),
        Method("upu", _rival("UPUClassifier"), "uPU"),
        Method("vpu", _rival("VPUClassifier"), "VPU"),
        Method("lps-images", _lps_images, "LPS (images)"),
        Method("nnpu-cnn", _nnpu_cnn, "nnPU (CNN)"),
        Method("vpu-cnn", _vpu_cnn, "VPU (CNN)"),
        Method("elkan-noto-pixels", _elkan_noto_pixels, "Elkan–Noto (pixels)"),
        Method("label-spreading", _label_spreading(), "label spreading"),
        Method(
            "label-spreading-upright",
            _label_spreading(deskew=True),
            "label spreading (upright images)",
        ),
        Method(
            "label-spreading-edges",
            _label_spreading(deskew=True, edges=True),
            "label spreading (edges of upright images)",
        ),
    )
}


def find_methods(names: Sequence[str]) -> list[Method]:
    """Look methods up by name; ``"ablations"`` stands for all variants and what they vary.

    Parameters
    ----------
    names
        Names of methods.

    Returns
    -------
    list of Method
        In the order of the names.
    """
    found = []
    for name in names:
        group = [BASELINE, *ABLATIONS] if name == "ablations" else [name]
        found += [find_method(one) for one in group]
    return found


def find_method(name: str) -> Method:
    """Look a method up by name, or import one of yours as ``module:attribute``.

    Parameters
    ----------
    name
        Its name.

    Returns
    -------
    Method
        The method.

    Examples
    --------
    >>> find_method("all-positive").title
    'all positive'
    """
    if name in METHODS or name in ABLATIONS:
        return METHODS.get(name) or ABLATIONS[name]
    module, colon, attribute = name.partition(":")
    if not colon:
        raise ValueError(
            f"There is no method {name!r}. Known: {', '.join(METHODS)}. Your own method is named "
            "module:attribute, where the attribute is a pulps.benchmark.protocol.Method."
        )
    method = getattr(import_module(module), attribute)
    if not isinstance(method, Method):
        raise ValueError(f"{name} is a {type(method).__name__}, not a Method.")
    return method


def title(name: str) -> str:
    """Name a method for people.

    Parameters
    ----------
    name
        Name of the method.

    Returns
    -------
    str
        The title of a known method; the name of any other.
    """
    known = METHODS.get(name) or ABLATIONS.get(name)
    return known.title if known else name
