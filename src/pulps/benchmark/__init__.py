"""The evidence: one protocol, a resumable runner, statistics, tables and figures.

Read in this order: :mod:`protocol` (a task, a method, a record), :mod:`methods`,
:mod:`suites`, :mod:`store`, :mod:`run`, :mod:`published`, :mod:`stats`, :mod:`tables`,
:mod:`figures`. The commands are in :mod:`pulps.cli.benchmark`.
"""
