"""Compiled objects on disk: one file an object, named by the hash of what it was made from.

Loading an object runs code. So the folder must belong to the user and be closed to everybody else, and so must every file
that is read; the folders above must be the user's or the system's, and closed to others, or such that nobody can rename
what is not his (`/tmp`). This is looked at each time that a file is read. Where it is not so, or the folder cannot be
written, the process compiles for itself and keeps nothing. A file is its payload behind the SHA-256 of its name and the
payload: what is damaged, half-written, foreign, or has another's name fails that check and is compiled again. Files appear
by rename, so any number of processes may share the folder.

`ANFORA_CACHE` names the folder; empty turns the cache off.
"""

from __future__ import annotations

import functools
import hashlib
import logging
import os
import stat
from pathlib import Path

from anfora.core import files

__all__ = ["Cache", "default_folder"]

log = logging.getLogger("anfora")

LIMIT_BYTES = 256 << 20  #: the folder is brought back under this size …
_PARTS = 64  #: … about each time that all processes together have written this part of it


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
        self.folder = _made(folder) if folder is not None else None
        self.limit = limit

    def read(self, key: str) -> bytes | None:
        if self.folder is None or not _is_safe(self.folder):
            return None
        try:
            handle = os.open(self.folder / key, os.O_RDONLY | _NO_LINKS)
            with open(handle, "rb") as file:
                info = os.fstat(handle)
                if not (stat.S_ISREG(info.st_mode) and _is_ours(info)):
                    return None
                blob = file.read()
        except OSError:
            return None
        return blob[_DIGEST:] if _digest(key, blob[_DIGEST:]) == blob[:_DIGEST] else None

    def write(self, key: str, payload: bytes) -> None:
        if self.folder is None:
            return
        digest = _digest(key, payload)
        try:
            files.write_whole(self.folder / key, digest, payload, mode=0o600, durable=False)
        except OSError:  # full, read-only, or gone since
            return
        # To look at all files takes a third of a second where they are many, and no process knows what others write. So
        # the digest decides, as if it were drawn, with a chance that is the file's part of what may be written between.
        drawn = int.from_bytes(digest[:8], "big") / 2**64
        if drawn * self.limit < _PARTS * (len(digest) + len(payload)):
            files.clear(self.folder)
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
            files.remove(path)
            excess -= info.st_size


_DIGEST = hashlib.sha256().digest_size
_NO_LINKS = getattr(os, "O_NOFOLLOW", 0)


def _digest(key: str, payload: bytes) -> bytes:
    """What a file starts with; the key is a part of it, so that no file can stand for another."""
    return hashlib.sha256(key.encode() + b"\0" + payload).digest()


def _made(folder: Path) -> Path | None:
    """The folder, made if need be, behind all links; None if it may not be used."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder = Path(os.path.realpath(folder))
        open_to_others = _open_to_others(folder)
    except OSError:
        return None
    if open_to_others is not None:
        log.warning(
            "compiled kernels are not kept in %s, since others may write in %s; ANFORA_CACHE names another folder",
            folder, open_to_others,
        )  # fmt: skip
    return folder if open_to_others is None else None


def _is_safe(folder: Path) -> bool:
    try:
        return _open_to_others(folder) is None
    except OSError:
        return False


def _open_to_others(folder: Path) -> Path | None:
    """The folder, or one above it, in which somebody else can put a file, or another folder in its place."""
    if not _is_ours(os.lstat(folder)):
        return folder
    return next((above for above in folder.parents if not _is_closed(os.lstat(above))), None)


def _is_ours(info: os.stat_result) -> bool:
    """Whether we own it and nobody else may write it."""
    return not hasattr(os, "getuid") or (info.st_uid == os.getuid() and not info.st_mode & 0o022)


def _is_closed(info: os.stat_result) -> bool:
    """Whether nobody but the user and the system can rename what is in a folder and not his."""
    if not hasattr(os, "getuid"):
        return True
    if not stat.S_ISDIR(info.st_mode) or info.st_uid not in {os.getuid(), 0, _system()}:
        return False
    others = info.st_mode & (0o002 if info.st_gid == _own_group() else 0o022)
    return not others or bool(info.st_mode & stat.S_ISVTX)


@functools.cache
def _system() -> int:
    """Who owns the root of all folders: in containers that is not always 0."""
    return os.stat("/").st_uid


@functools.cache
def _own_group() -> int | None:
    """The group of the user's name that has no other member: on many systems folders are made for it to write."""
    try:
        import grp
        import pwd

        user = pwd.getpwuid(os.getuid())
        group = grp.getgrgid(user.pw_gid)
    except (ImportError, KeyError):
        return None
    return group.gr_gid if group.gr_name == user.pw_name and set(group.gr_mem) <= {user.pw_name} else None
