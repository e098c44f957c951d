"""The shared library that the package's build made: found, loaded, and what its functions take.

The kernel is without headers of Python or PyTorch, so one build serves every version of both,
and a build that failed leaves everything else working. ctypes releases the interpreter's lock
while it runs.
"""

from __future__ import annotations

import ctypes
import os
from functools import cache
from pathlib import Path

VERSION = 1  # of the kernel's interface
CACHE_BYTES = 512 * 1024  # of the second level cache, for the embedded block of a chunk
ALONE = 2e6  # multiplications that one thread does before another has started
MOST_NUMBERS = 2**31 - 1  # rows times features of a site: the kernel counts in 32 bits
HOME = Path(__file__).parents[1] / "network" / "engine"  # where its source is, and its build


class Sweep(ctypes.Structure):
    """The chains and rows of one call, as the kernel reads them."""

    _fields_ = [
        ("n_sites", ctypes.c_int32),
        ("n_chains", ctypes.c_int32),
        ("n_rows", ctypes.c_int32),
        ("n_threads", ctypes.c_int32),
        ("cache_bytes", ctypes.c_int64),
        ("dims", ctypes.c_void_p),
        ("cores", ctypes.c_void_p),
        ("features", ctypes.c_void_p),
        ("observed", ctypes.c_void_p),
    ]


@cache
def load() -> tuple[ctypes.CDLL | None, str]:
    """Load the kernel; return it, or None, and what there is to say about it.

    ``PULPS_KERNEL_DIR`` in the environment names a folder with another build of it, such
    as the one with sanitizers.

    Returns
    -------
    kernel, about
        About an absent kernel, it says why.
    """
    folder = Path(os.environ.get("PULPS_KERNEL_DIR") or HOME)
    built = [p for p in folder.glob("_kernel*") if p.suffix in (".so", ".pyd", ".dylib")]
    found = sorted(built, key=lambda path: len(path.name))  # old builds name a version of Python
    if not found:
        return None, "it was not built; install pulps where a C++ compiler is present"
    try:
        kernel = ctypes.CDLL(str(found[0]))
        version = kernel.pulps_version()
    except (OSError, AttributeError) as error:
        return None, f"{found[0].name} does not load ({error})"
    if version != VERSION:
        return None, f"{found[0].name} is of another version; install pulps again"
    pointer = ctypes.c_void_p
    kernel.pulps_instructions.restype = ctypes.c_char_p
    kernel.pulps_saved_size.restype = ctypes.c_int64
    kernel.pulps_saved_size.argtypes = [pointer, ctypes.c_int, ctypes.c_int]
    kernel.pulps_forward.argtypes = [pointer, ctypes.c_int, ctypes.c_int, pointer, pointer]
    kernel.pulps_backward.argtypes = [*kernel.pulps_forward.argtypes, pointer]
    return kernel, f"{kernel.pulps_instructions(level()).decode()} kernel"


def level() -> int:
    """Instruction set to use: 0 the best, 1 at most AVX2, 2 the generic one; for tests.

    Returns
    -------
    int
        The value of ``PULPS_KERNEL_LEVEL``, 0 if it is not set.
    """
    return int(os.environ.get("PULPS_KERNEL_LEVEL") or 0)


def kernel() -> ctypes.CDLL:
    """Return the loaded kernel.

    Returns
    -------
    CDLL
    """
    library, reason = load()
    if library is None:
        raise RuntimeError(f"There is no native kernel: {reason}.")
    return library
