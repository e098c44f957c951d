"""Pictures of a fitted model; each Display is computed once and can be drawn again."""

from pulps.displays.decisions import DecisionDisplay, DecisionMapDisplay
from pulps.displays.densities import MarginalDisplay, PairDisplay
from pulps.displays.samples import SampleDisplay
from pulps.displays.training import TERMS, LossCurveDisplay
from pulps.displays.views import ViewsDisplay

__all__ = [
    "TERMS",
    "DecisionDisplay",
    "DecisionMapDisplay",
    "LossCurveDisplay",
    "MarginalDisplay",
    "PairDisplay",
    "SampleDisplay",
    "ViewsDisplay",
]
