"""Files that are whole or not there: written beside their place, and renamed. And files that others have written, or
damaged: what goes wrong while one is read is one kind of error, with its name.

The one who writes holds a lock (`flock`) on the new file, which the system takes back when the process ends, however it
ends. So a new file without a lock was left by a process that was killed, and `clear` removes it. Where there are no such
locks (a file system, a system without them), nothing is removed.
"""

from __future__ import annotations

import csv
import os
import struct
import zlib
from pathlib import Path
from types import TracebackType
from typing import Any

from anfora.core.errors import AnforaError, OpRuntimeError, OpTypeError, OpValueError

try:
    import fcntl
except ImportError:  # not on this system
    fcntl = None  # type: ignore[assignment]

__all__ = ["DAMAGE", "clear", "made_folder", "reading", "write_whole"]

#: What reading a file may raise because of what it holds: a reader need not know which of these its parts let through.
DAMAGE = (
    ValueError, LookupError, TypeError, AttributeError, ArithmeticError, AssertionError, RecursionError, EOFError, OSError,
    SyntaxError, struct.error, zlib.error, csv.Error,
)  # fmt: skip

_PREFIX, _SUFFIX = ".anfora-", ".new"


class reading:
    """A block in which a file is read: what it raises because of what the file holds becomes an OpRuntimeError.

    Errors of this package pass, and so do those that say nothing of the file: a memory that is full, a signal, a time that
    is over.

    Args:
        file: its name, or that of the folder in which it lies.
    """

    def __init__(self, file: Any) -> None:
        self.file = file

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, traceback: TracebackType | None) -> None:
        if isinstance(error, DAMAGE) and not isinstance(error, (AnforaError, TimeoutError)):
            what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            raise OpRuntimeError(f"Invalid file, {self.file} cannot be read ({what})") from error


def write_whole(file: Path, *parts: bytes | memoryview, mode: int = 0o666, durable: bool = True) -> None:
    """Write a file that appears with its whole content; one of its name stays until then, and if this fails.

    Args:
        parts: the content.
        mode: who may read and write it, as far as the process's mask lets.
        durable: whether it has reached the disk before it appears.

    Raises:
        OSError: it cannot be written.
    """
    handle, temporary = _new_file(file.parent, mode)
    try:
        with os.fdopen(handle, "wb") as out:
            for part in parts:
                out.write(part)
            out.flush()
            if durable:
                os.fsync(out.fileno())
            os.replace(temporary, file)
    except BaseException:
        remove(temporary)
        raise


def _new_file(folder: Path, mode: int) -> tuple[int, str]:
    """An open file of a name of its own, locked."""
    while True:
        name = os.path.join(folder, f"{_PREFIX}{os.urandom(8).hex()}{_SUFFIX}")
        handle = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0), mode)
        try:
            _lock(handle)
            if os.fstat(handle).st_nlink:
                return handle, name
        except BaseException:
            os.close(handle)
            remove(name)
            raise
        os.close(handle)  # somebody cleared it away between its making and its lock


def clear(folder: Path) -> None:
    """Remove the new files that killed processes have left in a folder."""
    try:
        with os.scandir(folder) as found:
            left = [entry.path for entry in found if entry.name.startswith(_PREFIX) and entry.name.endswith(_SUFFIX)]
    except OSError:
        return
    for path in left:
        try:
            handle = os.open(path, os.O_WRONLY | getattr(os, "O_NOFOLLOW", 0))
        except OSError:
            continue
        try:
            if _lock(handle):
                remove(path)
        finally:
            os.close(handle)


def _lock(handle: int) -> bool:
    """Whether the file is locked by us now."""
    if fcntl is None:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def remove(path: str) -> None:
    """Remove a file, if it is there and may be removed."""
    try:
        os.unlink(path)
    except OSError:
        pass


def made_folder(path: Any) -> Path:
    """A folder that is there.

    Raises:
        OpTypeError: it is no path.   OpValueError: it cannot be made.
    """
    if not isinstance(path, (str, os.PathLike)) or not os.fspath(path):
        raise OpTypeError(f"the name of a folder must be a string, but got {path!r}")
    folder = Path(os.path.realpath(os.path.expanduser(os.fsdecode(path))))
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OpValueError(f"the folder {str(path)!r} cannot be made: {error.strerror}") from error
    return folder
