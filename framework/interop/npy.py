"""Arrays in numpy's `.npy` files, which somebody else may have written, or damaged."""

from __future__ import annotations

import os

import numpy as np

from anfora.core.errors import OpValueError

__all__ = ["read_npy"]


def read_npy(file: str | os.PathLike) -> np.ndarray:
    """The array in a file. It takes no more memory than the file is long, whatever the header says.

    Raises:
        OpValueError: the file cannot be read, is not of this form, is cut off, or holds several arrays or Python objects.
    """
    try:
        array = np.load(file, mmap_mode="r", allow_pickle=False)
    except OSError as error:
        raise OpValueError(f"{str(file)!r} cannot be read: {error.strerror or error}") from error
    except MemoryError:
        raise
    except Exception as error:  # numpy lets through whatever its parts raise: of tokens, of archives, of types
        raise OpValueError(f"{str(file)!r} should be an array in numpy's format, but is not: {error}") from error
    if isinstance(array, np.ndarray):
        return np.array(array)
    array.close()
    raise OpValueError(f"{str(file)!r} holds several arrays; one is needed")
