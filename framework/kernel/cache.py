"""Compiled objects on disk: one file an object, named by the hash of what it was made from.

Loading an object runs code, so the folder must belong to the user and be closed to everybody else; where it is not, or
cannot be written, the process compiles for itself and keeps nothing. A file is its payload behind the payload's SHA-256:
what is damaged, half-written or foreign fails that check and is compiled again. Files appear by rename, so any number of
processes may share the folder.

`ANFORA_CACHE` names the folder; empty turns the cache off.
"""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from pathlib import Path

__all__ = ["Cache", "default_folder"]

LIMIT_BYTES = 256 << 20  #: the folder is brought back under this size …
_PRUNE_EVERY = 64  #: … each time a process has written so many files


def default_folder() -> Path | None:
    """Where objects are kept: `ANFORA_CACHE`, or `anfora` in the user's cache folder; None for nowhere."""
    named = os.environ.get("ANFORA_CACHE")
    if named is not None:
        return Path(named) if named else None
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base) / "anfora"


class Cache:
    """A folder of checked blobs. Nothing in here raises for the sake of the disk: a miss is the worst that happens."""

    def __init__(self, folder: Path | None, limit: int = LIMIT_BYTES) -> None:
        self.folder = folder if folder is not None and _private(folder) else None
        self.limit = limit
        self._written = 0

    def read(self, key: str) -> bytes | None:
        if self.folder is None:
            return None
        try:
            blob = (self.folder / key).read_bytes()
        except OSError:
            return None
        digest, payload = blob[:32], blob[32:]
        return payload if hashlib.sha256(payload).digest() == digest else None

    def write(self, key: str, payload: bytes) -> None:
        if self.folder is None:
            return
        temporary = None
        try:
            handle, temporary = tempfile.mkstemp(dir=self.folder, prefix=".new-")
            with os.fdopen(handle, "wb") as file:
                file.write(hashlib.sha256(payload).digest() + payload)
            os.replace(temporary, self.folder / key)
        except OSError:  # full, read-only, or gone since
            if temporary is not None:
                _remove(temporary)
            return
        self._written += 1
        if self._written % _PRUNE_EVERY == 1:
            self.prune()

    def prune(self) -> None:
        """Remove the files used longest ago until the folder is within its limit."""
        try:
            with os.scandir(self.folder) as found:
                entries = [(entry.stat(), entry.path) for entry in found if entry.is_file()]
        except OSError:
            return
        excess = sum(info.st_size for info, _ in entries) - self.limit
        for info, path in sorted(entries, key=lambda entry: max(entry[0].st_atime, entry[0].st_mtime)):
            if excess <= 0:
                return
            _remove(path)
            excess -= info.st_size


def _private(folder: Path) -> bool:
    """Make the folder if need be; whether it is ours alone to write."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        info = folder.stat()
    except OSError:
        return False
    if not stat.S_ISDIR(info.st_mode):
        return False
    if hasattr(os, "getuid"):
        return info.st_uid == os.getuid() and not info.st_mode & 0o022
    return True


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        pass
