"""The fast sweep: log-norms and log-Frobenius norms of stacked chains."""

from pulps.lps import log_frobenius_norms, log_norms

__all__ = ["log_frobenius_norms", "log_norms"]


def active_engine() -> tuple[str, str]:
    """Name of the engine in use and why."""
    return "reference", "the fast engines are not built yet"
