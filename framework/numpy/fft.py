"""numpy's Fourier transforms, by numpy's names and arguments: `anfora.numpy.fft.rfft(a, n, axis, norm)`.

Each is the operator of the same name in `anfora.ops`, where its formula and its gradient are told.
"""

from __future__ import annotations

from typing import Any

from anfora import ops
from anfora.core.nearest import MissingName
from anfora.numpy import with_names

_ONE, _PLANE = "a=input n axis=dim norm", "a=input s axes=dim norm"

#: The functions, with the names of their arguments in numpy's order, each with that in `ops` where it differs.
_ARGUMENTS = {
    **dict.fromkeys(("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"), _ONE),
    **{f"{name}{axes}": _PLANE for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft") for axes in ("2", "n")},
    "fftfreq": "n d dtype", "rfftfreq": "n d dtype", "fftshift": "x=input axes=dim", "ifftshift": "x=input axes=dim",
}  # fmt: skip

__all__ = sorted(_ARGUMENTS)


def __getattr__(name: str) -> Any:
    if name not in _ARGUMENTS:
        raise MissingName(__name__, name)
    function = getattr(ops, name) if name.endswith("freq") else with_names(name, _ARGUMENTS[name])
    globals()[name] = function
    return function


def __dir__() -> list[str]:
    return __all__
