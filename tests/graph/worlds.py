"""What programs change outside of them: how it is made, changed by calls, and compared."""

from __future__ import annotations

import types

import numpy as np
from outcomes import bits, hops

from anfora import Tensor, jit


class Box:
    """An object that a program changes."""

    def __init__(self, **held):
        self.__dict__.update(held)


def x_of(n=2, start=1.0):
    return Tensor(np.arange(n, dtype=np.float32) + np.float32(start))


def shape(value, seen=None):
    """A value as plain data, with marks where an object comes again."""
    seen = {} if seen is None else seen
    if isinstance(value, (Tensor, int, float, str, type(None))):
        return bits(value)
    if id(value) in seen:
        return "again", seen[id(value)][0]
    seen[id(value)] = len(seen), value  # held, so that its identity stays its own
    if isinstance(value, (list, tuple)):
        return type(value).__name__, [shape(item, seen) for item in value]
    if isinstance(value, dict):
        return "dict", [(key, shape(item, seen)) for key, item in value.items()]
    if isinstance(value, (set, frozenset)):
        return type(value).__name__, sorted(map(str, map(shape, value)))
    if isinstance(value, Box):
        return "box", shape(dict(sorted(value.__dict__.items())), seen)
    if isinstance(value, (type, types.ModuleType)):
        return "names", shape({name: held for name, held in vars(value).items() if not name.startswith("__")}, seen)
    return type(value).__name__


def run_all(function, make, calls):
    """What calls give, and what the world looks like after each."""
    state = make()
    told = []
    for arguments in calls:
        try:
            result = shape(function(*arguments(state)))
        except Exception as error:
            result = type(error), str(error)
        told.append((result, shape(state)))
    return told


def check(function, make, calls, allows=()):
    """Compiled, it gives what Python gives, with no hop but for the given reasons; for any, where these are None."""
    compiled = jit(function)
    expected = run_all(function, make, calls)
    assert run_all(compiled, make, calls) == expected
    assert compiled.program.native is None
    assert allows is None or set(hops(compiled)) <= set(allows)
    return compiled


def same(state):
    return state, x_of()
