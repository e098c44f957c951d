"""The studio: from a table to a report in the browser, and an API for a saved model.

Read in this order: :mod:`limits` says how much is allowed; :mod:`listening` runs the server and
:mod:`connections` ends clients that say nothing; :mod:`guard` stands in front of everything and
checks host, origin, token and size; :mod:`answers` is what errors look like; :mod:`api` serves a
saved model, with :mod:`computing` and :mod:`batching` to do the work; :mod:`reading` has uploads
read in a process of their own (:mod:`reader`, :mod:`tables`), :mod:`registry` remembers them;
:mod:`jobs` trains in processes of their own (:mod:`worker`), :mod:`outcomes` is what they leave,
:mod:`keeping` has it survive the server; :mod:`workspace` holds them together and :mod:`routes`
connects them to the page; :mod:`server` puts it all together.
"""
