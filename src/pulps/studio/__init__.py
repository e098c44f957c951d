"""The studio: from a table to a report in the browser, and an API for a saved model.

Read in this order: :mod:`limits` says how much is allowed; :mod:`guard` stands in front of
everything and checks host, origin, token and size; :mod:`answers` is what errors look like;
:mod:`api` serves a saved model, with :mod:`computing` and :mod:`batching` to do the work;
:mod:`tables` reads what was uploaded, :mod:`registry` remembers it; :mod:`jobs` trains in
processes of their own (:mod:`worker`); :mod:`routes` connects them to the page; :mod:`server`
puts it all together.
"""

from pulps.studio.limits import Limits
from pulps.studio.server import make_app

__all__ = ["Limits", "make_app"]
