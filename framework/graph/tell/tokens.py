"""The tokens of a walk (digest.py), and the values that are told by their text: numbers, short texts, tuples of these."""

from __future__ import annotations

import hashlib
import re
import sys
import types
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from anfora.core.dtype import DType

__all__ = [
    "ATOMS", "Blob", "Children", "Path", "Token", "Word", "atom", "hashed", "long_text", "plain_text", "shown_path",
]  # fmt: skip

Path = Any  #: None, or (the path that it goes on from, how it is written); what starts with "/" starts anew
Children = Iterable[tuple[Path, Any]]

_LONG = 200  #: characters of a text that are a part of its token
_MOST_ATOMS = 200  #: of a tuple that is one value


def shown_path(path: Path) -> str:
    """A path as messages have it."""
    steps = []
    while path is not None:
        path, step = path
        if step.startswith("/"):
            steps.append(step[1:])
            break
        steps.append(step)
    text = "".join(reversed(steps))
    return text if len(text) <= _LONG else f"{text[: _LONG // 2]} … {text[-_LONG // 2 :]}"


class Blob(NamedTuple):
    """Many values: of these the token has a hash, and the first that differs is looked for when it does."""

    data: bytes
    form: Any  #: "text", "bytes", or of an array dtype and shape

    @property
    def stamp(self) -> bytes:
        return self.data if len(self.data) <= 64 else hashlib.blake2b(self.data, digest_size=16).digest()


class Word(str):
    """A text that stands for itself, without quotes."""

    __slots__ = ()


class Token(NamedTuple):
    """What the walk says of one thing."""

    path: Path
    text: str  #: what it is, in words; "\\0" and a number: what was met so early
    blob: Blob | None = None


# -- values without an identity that counts ---------------------------------------------------------------------------

_ADDRESS = re.compile(r"\bat 0x[0-9a-f]+")


def plain_text(text: str) -> str:
    """A text without addresses."""
    return _ADDRESS.sub("at 0x…", text) if "0x" in text else text


def _int_text(value: int) -> str:
    return int.__repr__(value) if value.bit_length() < 2000 else int.__format__(value, "x")


def _float_text(value: float) -> str:
    if value == value:
        return float.__repr__(value)
    return f"nan (bits {np.float64(value).view(np.uint64):#x})"


def _str_text(value: str) -> str | None:
    return str.__repr__(plain_text(value)) if len(value) <= _LONG else None


ATOMS: dict[type, Callable[[Any], str | None]] = {
    type(None): repr,
    bool: repr,
    type(...): repr,
    type(NotImplemented): repr,
    int: _int_text,
    float: _float_text,
    complex: lambda value: f"{_float_text(value.real)} + {_float_text(value.imag)}j",
    str: _str_text,
    bytes: lambda value: repr(value) if len(value) <= _LONG else None,
    range: lambda value: f"range({_int_text(value.start)}, {_int_text(value.stop)}, {_int_text(value.step)})",
    types.CodeType: lambda value: (
        f"the code of {value.co_qualname if sys.version_info >= (3, 11) else value.co_name}"
        f" ({hashlib.blake2b(value.co_code, digest_size=6).hexdigest()})"
    ),
    DType: repr,
    Word: str.__str__,
}


def atom(value: Any) -> str | None:
    """A value that is told by its text; None for others."""
    kind = type(value)
    text = ATOMS.get(kind)
    if text is not None:
        return text(value)
    if kind is tuple or kind is frozenset:
        return _tuple_of_atoms(value)
    if kind is slice:
        parts = [text for text in map(atom, (value.start, value.stop, value.step)) if text is not None]
        return f"slice({', '.join(parts)})" if len(parts) == 3 else None
    if issubclass(kind, np.generic) and kind.__module__ == "numpy" and value.dtype.kind in "biufcSUmM":
        return f"numpy.{kind.__name__}({value.tolist()!r}: {value.tobytes().hex()})"
    if issubclass(kind, np.dtype):
        return repr(value)
    return None


def _tuple_of_atoms(value: Any) -> str | None:
    """The text of a tuple that holds nothing with an identity."""
    texts: list[str] = []
    pending = [iter(value)]
    ends = [_ENDS[type(value)]]
    texts.append(ends[0][0])
    while pending:
        for item in pending[-1]:
            if len(texts) > _MOST_ATOMS:
                return None
            if type(item) is tuple or type(item) is frozenset:
                pending.append(iter(item))
                ends.append(_ENDS[type(item)])
                texts.append(ends[-1][0])
                break
            text = atom(item)
            if text is None:
                return None
            texts.append(f"{text},")
        else:
            pending.pop()
            texts.append(ends.pop()[1])
    return " ".join(texts)


_ENDS: dict[type, tuple[str, str]] = {tuple: ("(", ")"), frozenset: ("frozenset({", "})")}


def long_text(path: Path, value: str | bytes) -> Token:
    if isinstance(value, str):
        return Token(path, "a text", Blob(plain_text(value).encode("utf-8", "surrogatepass"), "text"))
    return Token(path, "bytes", Blob(bytes(value), "bytes"))


def hashed(state: tuple) -> str:
    """A long state as one value."""
    return hashlib.blake2b(repr(state).encode(), digest_size=12).hexdigest()
