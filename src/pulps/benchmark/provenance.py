"""Where a record comes from: version, commit, machine, and the memory it took."""

from __future__ import annotations

import os
import platform
import subprocess
from functools import cache
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed_version
from pathlib import Path

from pulps import __version__


def version() -> str:
    """Return the version of the library that runs, installed or not.

    Returns
    -------
    str
        Such as ``"0.3.0"``.
    """
    return __version__


@cache
def commit() -> str:
    """Commit of the library, with ``+changes`` if its files differ from it; else the version.

    Returns
    -------
    str
        A hash, or the version where there is no repository.
    """
    here = Path(__file__).resolve()
    tracked = _git("ls-files", "--error-unmatch", here.name, cwd=here.parent)
    head = _git("rev-parse", "HEAD", cwd=here.parent)
    if tracked is None or head is None:
        return version()
    changes = _git("status", "--porcelain", "--", ".", cwd=here.parents[1])
    return head + ("+changes" if changes else "")


@cache
def machine() -> str:
    """Kind of machine, without its name.

    Returns
    -------
    str
        System, number of processors, versions of Python, PyTorch and scikit-learn.

    Examples
    --------
    >>> "CPUs" in machine()
    True
    """
    return (
        f"{platform.system()} {platform.machine()}, {os.cpu_count()} CPUs, "
        f"Python {platform.python_version()}, torch {_version_of('torch')}, "
        f"scikit-learn {_version_of('scikit-learn')}"
    )


def reset_peak_memory() -> None:
    """Start measuring the peak anew, where the system allows it (Linux)."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return


def peak_memory_mb() -> float | None:
    """Measure the largest resident memory of this process, interpreter and libraries included.

    Since :func:`reset_peak_memory` on Linux, since the process started elsewhere, ``None``
    where the system does not tell.

    Returns
    -------
    float or None
        In MB.
    """
    try:
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    except OSError:
        pass
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1024 * 1024 if platform.system() == "Darwin" else 1024)


def _version_of(package: str) -> str:
    try:
        return installed_version(package)
    except PackageNotFoundError:
        return "absent"


def _git(*arguments: str, cwd: Path) -> str | None:
    try:
        done = subprocess.run(
            ["git", *arguments], cwd=cwd, capture_output=True, text=True, timeout=10, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None
