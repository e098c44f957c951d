"""Tuning without negatives: search hyper-parameters by agreement and PU scores.

Read :mod:`pulps.tuning.space`, what is searched; :mod:`pulps.tuning.objective`, how a setting is
judged; :mod:`pulps.tuning.study`, a study that many processes share and that survives being
killed; :mod:`pulps.tuning.search`, the estimator. Needs the extra ``tune`` (optuna).
"""

from pulps.tuning.displays import SearchHistoryDisplay, SearchParameterDisplay
from pulps.tuning.objective import OBJECTIVES
from pulps.tuning.search import AgreementSearch
from pulps.tuning.space import SPACES, default_space, paper_space

__all__ = [
    "OBJECTIVES",
    "SPACES",
    "AgreementSearch",
    "SearchHistoryDisplay",
    "SearchParameterDisplay",
    "default_space",
    "paper_space",
]
