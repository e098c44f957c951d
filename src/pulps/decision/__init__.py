"""From member scores to an answer: who is kept, where to cut, how sure."""

from pulps.decision.selection import AgreementWarning

__all__ = ["AgreementWarning"]
