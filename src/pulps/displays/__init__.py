"""Pictures of a fitted model; each Display is computed once and can be drawn again."""

from pulps.displays.bonds import BondEntropyDisplay
from pulps.displays.classes import ClassMapDisplay, ClassSharesDisplay
from pulps.displays.curves import PUPrecisionRecallDisplay, PURocDisplay
from pulps.displays.decisions import DecisionDisplay, DecisionMapDisplay
from pulps.displays.densities import MarginalDisplay, PairDisplay
from pulps.displays.drift import DriftDisplay
from pulps.displays.explanations import BeeswarmDisplay, WaterfallDisplay
from pulps.displays.samples import SampleDisplay
from pulps.displays.sensitivity import PriorSensitivityDisplay
from pulps.displays.training import TERMS, LossCurveDisplay
from pulps.displays.views import ViewsDisplay

__all__ = [
    "TERMS",
    "BeeswarmDisplay",
    "BondEntropyDisplay",
    "ClassMapDisplay",
    "ClassSharesDisplay",
    "DecisionDisplay",
    "DecisionMapDisplay",
    "DriftDisplay",
    "LossCurveDisplay",
    "MarginalDisplay",
    "PUPrecisionRecallDisplay",
    "PURocDisplay",
    "PairDisplay",
    "PriorSensitivityDisplay",
    "SampleDisplay",
    "ViewsDisplay",
    "WaterfallDisplay",
]
