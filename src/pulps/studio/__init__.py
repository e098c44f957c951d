"""The studio: the journey from a table to a report by mouse, and an API for a saved model.

Read in this order: :mod:`limits` says how much is allowed; :mod:`guard` stands before
everything and checks host, origin, token and size; :mod:`answers` is how errors look;
:mod:`api` serves a saved model, :mod:`computing` and :mod:`batching` let it compute;
:mod:`tables` keeps what was uploaded; :mod:`jobs` trains in processes of their own
(:mod:`worker`); :mod:`desk` ties them to the page; :mod:`server` starts it all.
"""

from pulps.studio.limits import Limits
from pulps.studio.server import make_app

__all__ = ["Limits", "make_app"]
