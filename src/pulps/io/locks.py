"""Locks held by a process and dropped by the system when it ends, however it ends.

Locks on single bytes belong to the process, those on a whole file to the handle it was opened by.
"""

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

    def lock_file(handle: int, *, wait: bool) -> bool:
        """Return that a file is not ours alone: it cannot be locked and renamed here."""
        return False

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

    def lock_file(handle: int, *, wait: bool) -> bool:
        """Lock a file until its handle is closed; return whether it is ours."""
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except OSError:  # also where a file system knows no such locks
            return False
        return True
