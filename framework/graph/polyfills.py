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
    for item in items:  # noqa: SIM110
        if item:
            return True
    return False


def all_(items):
    for item in items:  # noqa: SIM110
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
    return [item for item in items]  # noqa: C416  (`list` would leave it to Python again)


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


def first_(items, most):
    found = []
    for item in items:
        found.append(item)
        if len(found) == most:
            break
    return found


def rows_(tensor):
    for i in range(len(tensor)):
        yield tensor[i]


def next_(items, default):
    try:
        return next(items)
    except StopIteration:
        return default


def enumerate_(items, start=0):
    for item in items:
        yield start, item
        start = start + 1


def zip_(*items):
    rests = [iter(each) for each in items]
    while rests:
        row = []
        for rest in rests:
            try:
                row.append(next(rest))
            except StopIteration:
                return
        yield tuple(row)


def _always(replacement: Callable, needs: int) -> Callable:
    def special(recorder: Any, machine: Any, args: tuple, kwargs: dict) -> bool:
        if kwargs or len(args) < needs:
            return False
        recorder.enter(machine, replacement, args, kwargs)
        return True

    return special


def _with_generators(replacement: Callable, count: int | None = None) -> Callable:
    """Use the replacement where generators of the program are among the arguments."""

    def special(recorder: Any, machine: Any, args: tuple, kwargs: dict) -> bool:
        if kwargs or not any(map(recorder.is_walked, args)) or count not in (None, len(args)):
            return False
        recorder.enter(machine, replacement, args, kwargs)
        return True

    return special


def table() -> dict[Any, Callable]:
    """What to do instead, by function: (recorder, machine, args, kwargs) -> whether it was done."""
    return {
        any: _always(any_, 1),
        all: _always(all_, 1),
        map: _always(map_, 2),
        filter: _always(filter_, 2),
        functools.reduce: _always(reduce_, 2),
        enumerate: _with_generators(enumerate_),
        next: _with_generators(next_, 2),
        sum: _with_generators(sum_),
        zip: _with_generators(zip_),
    }
