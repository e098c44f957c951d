"""Locks on single bytes of a file: held by a process, dropped by the system when it ends."""

from __future__ import annotations

import sys

if sys.platform == "win32":
    import msvcrt
    import os

    def lock_byte(handle: int, position: int, *, wait: bool) -> bool:
        """Lock one byte; return whether it is ours. With ``wait`` it always is."""
        while True:
            os.lseek(handle, position % 2**31, os.SEEK_SET)
            try:
                msvcrt.locking(handle, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
            except OSError:
                if not wait:
                    return False
            else:
                return True

    def unlock_byte(handle: int, position: int) -> None:
        """Unlock one byte."""
        os.lseek(handle, position % 2**31, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def lock_byte(handle: int, position: int, *, wait: bool) -> bool:
        """Lock one byte; return whether it is ours. With ``wait`` it always is."""
        try:
            fcntl.lockf(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB), 1, position)
        except (BlockingIOError, PermissionError):
            return False
        return True

    def unlock_byte(handle: int, position: int) -> None:
        """Unlock one byte."""
        fcntl.lockf(handle, fcntl.LOCK_UN, 1, position)
