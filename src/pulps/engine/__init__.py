"""The fast sweep: log-norms and log-Frobenius norms of stacked chains."""

from pulps.lps import log_frobenius_norms, log_norms

__all__ = ["log_frobenius_norms", "log_norms"]
