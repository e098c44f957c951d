"""From member scores to an answer: who is kept, where to cut, how sure."""

__all__ = ["AgreementWarning"]


class AgreementWarning(UserWarning):
    """The members agree, but held-out labels say that the split they agree on may be wrong."""
