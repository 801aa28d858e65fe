"""Functions of Python's that call functions of the program, written in Python, so that the machine can go into both."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

__all__ = ["call", "differentiate", "table"]

_ABSENT = object()


def call(cell, /, *args, **kwargs):
    return cell(*args, **kwargs)


def differentiate(gradient, args, kwargs):
    run = gradient.start(args, kwargs)
    try:
        output = gradient.fn(*run.args, **run.kwargs)
    except BaseException:
        run.leave()
        raise
    return run.finish(output)


def any_(items):
    for item in items:
        if item:
            return True
    return False


def all_(items):
    for item in items:
        if not item:
            return False
    return True


def map_(function, *items):
    for row in zip(*items):
        yield function(*row)


def filter_(function, items):
    for item in items:
        if item if function is None else function(item):
            yield item


def list_(items=()):
    return [item for item in items]


def sum_(items, start=0):
    for item in items:
        start = start + item
    return start


def reduce_(function, items, *start):
    rest = iter(items)
    if start:
        value = start[0]
    else:
        value = _ABSENT
    for item in rest:
        if value is _ABSENT:
            value = item
        else:
            value = function(value, item)
    if value is _ABSENT:
        raise TypeError("reduce() of empty iterable with no initial value")
    return value


def _with_generator(plain: Callable, replacement: Callable, at: int = 0) -> Callable:
    """Use the replacement where an argument is a generator of the program."""

    def special(recorder: Any, machine: Any, args: tuple, kwargs: dict) -> bool:
        from anfora.graph.machine import Generator

        if kwargs or len(args) <= at or type(args[at]) is not Generator:
            return False
        recorder.enter(machine, replacement, args, kwargs)
        return True

    return special


def _always(replacement: Callable, needs: int) -> Callable:
    def special(recorder: Any, machine: Any, args: tuple, kwargs: dict) -> bool:
        if kwargs or len(args) < needs:
            return False
        recorder.enter(machine, replacement, args, kwargs)
        return True

    return special


def _tuple_of(recorder: Any, machine: Any, args: tuple, kwargs: dict) -> bool:
    from anfora.graph.machine import Generator

    if kwargs or len(args) != 1 or type(args[0]) is not Generator:
        return False
    recorder.enter(machine, tuple_, args, kwargs)
    return True


def tuple_(items):
    found = [item for item in items]
    return tuple(found)


def table() -> dict[Any, Callable]:
    """What to do instead, by function: (recorder, machine, args, kwargs) -> whether it was done."""
    return {
        any: _always(any_, 1),
        all: _always(all_, 1),
        map: _always(map_, 2),
        filter: _always(filter_, 2),
        functools.reduce: _always(reduce_, 2),
        list: _with_generator(list, list_),
        tuple: _tuple_of,
        sum: _with_generator(sum, sum_),
    }
