"""Functions of Python's that call functions of the program, written in Python, so that the machine can go into both."""

from __future__ import annotations

import copy as copy_module
import functools
import operator
import sys
from collections.abc import Callable
from typing import Any

from anfora.core.cell import Cell
from anfora.core.tensor import Tensor
from anfora.graph.facts import known
from anfora.graph.facts.collected import METHODS_OF_COUNTERS
from anfora.graph.facts.known import SIMPLE
from anfora.graph.facts.origins import Number, value_of_number
from anfora.graph.facts.questions import answers
from anfora.graph.machine.frames import ORIGINALS
from anfora.graph.machine.generators import Generator, Original, as_given, for_python
from anfora.graph.machine.operations import dict_of, names_of_pattern, order_of, stays_whole
from anfora.graph.polyfill.gradients import GRADIENTS
from anfora.graph.polyfill.iterators import ABSENT, call, given_iterators, go_over, gone_into, iterators
from anfora.graph.polyfill.surroundings import SURROUNDINGS
from anfora.graph.polyfill.taking import ask_length, is_of_program, taking
from anfora.graph.polyfill.tensors import TENSORS, tensor_of_tensor
from anfora.graph.polyfill.transforms import TRANSFORMS
from anfora.kernel import glue

__all__ = ["call", "call_as_cell", "differentiate", "table"]


def call_as_cell(cell, /, *args, **kwargs):
    return Cell.__call__(cell, *args, **kwargs)  # a class that has another one calls this from there


def differentiate(gradient, args, kwargs):
    run = gradient.start(args, kwargs)
    try:
        output = gradient.fn(*run.args, **run.kwargs)
    except BaseException:
        run.leave()
        raise
    return run.finish(output)


# -- special methods: see special.py ----------------------------------------------------------------------------------


def checked(check, method, value):
    return check(method(value))


def without_result(method, *args):
    method(*args)


def contains(method, container, item):
    return True if method(container, item) else False  # noqa: SIM210  (`bool` would ask Python)


def contains_not(method, container, item):
    return not method(container, item)


def first_answer(tried, fail, what, left, right):
    for method, own, other in tried:
        result = method(own, other)
        if result is not NotImplemented:
            return result
    return fail(what, left, right)


def first_answer_not(tried, left, right):
    for method, own, other in tried:
        result = method(own, other)
        if result is not NotImplemented:
            return not result
    return left is not right


def same_or_not(what, left, right):
    return what(left, right)


def class_pattern(value, kind, positional, names):
    """See operations.attributes_of_class."""
    if not isinstance(kind, type):
        raise TypeError("called match pattern must be a class")
    if not isinstance(value, kind):
        return None
    getattr(kind, "__match_args__", None)  # a class may have others in a later call
    found = []
    for name in names_of_pattern(kind, positional, names):
        if name is None:
            found.append(value)
        else:
            try:
                found.append(getattr(value, name))
            except AttributeError:
                return None
    return tuple(found)


def property_(getter, fallback, value, name):
    try:
        return getter(value)
    except AttributeError:
        pass
    return fallback(value, name)


def getattr_(value, name, default):
    try:
        return getattr(value, name)
    except AttributeError:
        return default


def hasattr_(value, name):
    try:
        getattr(value, name)
    except AttributeError:
        return False
    return True


# -- functions that call functions ------------------------------------------------------------------------------------


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


# Where Python runs them itself:
ORIGINALS[map_] = Original(
    map,
    map,
    lambda held, loops: _map_over(held["function"], loops[0]),
    lambda: map(abs, ()),
    lambda rest: map(_itself, rest),
)
ORIGINALS[filter_] = Original(
    filter,
    filter,
    lambda held, loops: filter(held["function"], loops[0]),
    lambda: filter(None, ()),
    lambda rest: filter(_is_kept, rest),
)


def _itself(item):
    return item


def _is_kept(item):
    return True


def _map_over(function, rows):
    return map(function, *rows.__reduce__()[1]) if type(rows) is zip else None


def list_(items=()):
    return [item for item in items]  # noqa: C416  (`list` would leave it to Python again)


def dict_(mapping):
    return {key: mapping[key] for key in mapping.keys()}  # noqa: SIM118  (it may have no other way)


def list_with_length(items):
    return _with_room_for(items, iter(items))


@given_iterators
def _with_room_for(items, rest):
    ask_length(items)
    return [item for item in rest]  # noqa: C416


def list_of_rest(items, before):
    """What is assigned to targets of which one has a star: a list is made of what is left behind the first ones."""
    rest = iter(items)
    found = []
    while len(found) < before:
        item = next(rest, ABSENT)
        if item is ABSENT:
            return found
        found.append(item)
    return [*found, *rest]


def sorted_(items, *, key, reverse=False):
    items = list(items)
    order = order_of([key(item) for item in items], reverse)
    return [items[i] for i in order]


def max_(*items, key=None, **default):
    return best(operator.gt, max, items, key, default)


def min_(*items, key=None, **default):
    return best(operator.lt, min, items, key, default)


def best(is_better, of_none, items, key, default):
    found = value = ABSENT
    for item in items[0] if len(items) == 1 else items:
        other = item if key is None else key(item)
        if found is ABSENT or is_better(other, value):
            found, value = item, other
    return of_none((), **default) if found is ABSENT else found


def sum_(items, start=0):
    for item in items:
        start = start + item
    return start


def exact_sum_(items, start=0):
    """As Python does since 3.12: what the additions of floats have rounded away is added at the end."""
    lost, is_plain = 0.0, type(start) is int or type(start) is float
    for item in items:
        if is_plain and type(start) is float:
            if type(item) is float:
                total = start + item
                added = total - start
                lost = lost + ((start - (total - added)) + (item - added))
                start = total
                continue
            if type(item) is bool or (type(item) is int and -0x8000000000000000 <= item <= 0x7FFFFFFFFFFFFFFF):
                start = start + float(item)
                continue
            start, is_plain = with_lost_(start, lost), False
        start = start + item
        is_plain = is_plain and (type(start) is int or type(start) is float)
    return with_lost_(start, lost) if is_plain and type(start) is float else start


def with_lost_(total, lost):
    return total + lost if lost and lost - lost == 0 else total


def reduce_(function, items, *start):
    try:
        rest = iter(items)
    except TypeError:
        rest = None
    if rest is None:
        raise TypeError("reduce() arg 2 must support iteration")
    return _reduced(function, rest, start[0] if start else ABSENT)


@given_iterators
def _reduced(function, rest, value):
    for item in rest:
        if value is ABSENT:
            value = item
        else:
            value = function(value, item)
    if value is ABSENT:
        raise TypeError("reduce() of empty iterable with no initial value")
    return value


def default_item(table, key):
    table[key] = value = table.default_factory()
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


#: As `Tensor.__iter__` has it, whose generator it is in the program.
rows_.__name__, rows_.__qualname__ = "<genexpr>", "Tensor.__iter__.<locals>.<genexpr>"


def items_(items):
    """Over a list, whose items are read one by one, so that they are numbers that vary."""
    i = 0
    while i < len(items):
        yield items[i]
        i = i + 1


def next_(items, default):
    try:
        return next(items)
    except StopIteration:
        return default


def close_(generator):
    try:
        generator.throw(GeneratorExit())
    except (GeneratorExit, StopIteration):
        return
    raise RuntimeError("generator ignored GeneratorExit")


def partial_(function, /, *args, **kwargs):
    return functools.partial(function.func, *function.args, *args, **{**function.keywords, **kwargs})


def enumerate_(items, start=0):
    of = [start]
    for item in items:
        number = of[0]
        of[0] = number + 1
        yield number, item


def zip_(*items):
    rests = [iter(each) for each in items]
    while rests:
        row = _row(rests)
        if row is None:
            raise StopIteration  # and no end: it may be asked again
        yield row


def _row(rests):
    row = []
    for rest in rests:
        item = next(rest, ABSENT)
        if item is ABSENT:
            return None
        row.append(item)
    return tuple(row)


ORIGINALS[enumerate_] = Original(
    enumerate, enumerate, lambda held, loops: enumerate(loops[0], held["of"][0]), lambda: enumerate(())
)
ORIGINALS[zip_] = Original(zip, zip, lambda held, loops: zip(*as_given(for_python(held["rests"]))), zip)


# -- methods of objects of C ------------------------------------------------------------------------------------------


def itemgetter_(keys, value, /):
    return value[keys[0]] if len(keys) == 1 else tuple([value[key] for key in keys])


def attrgetter_(paths, value, /):
    found = []
    for path in paths:
        part = value
        for name in path.split("."):
            part = getattr(part, name)
        found.append(part)
    return found[0] if len(paths) == 1 else tuple(found)


def methodcaller_(name, args, kwargs, value, /):
    return getattr(value, name)(*args, **kwargs)


def getter(function: Any) -> tuple[Callable, tuple]:
    """What a call of an `itemgetter`, `attrgetter` or `methodcaller` does: a function, and its first arguments."""
    maker, parts, *_ = function.__reduce__()
    if type(function) is operator.methodcaller:
        if isinstance(maker, functools.partial):
            return methodcaller_, (maker.args[0], parts, maker.keywords)
        return methodcaller_, (parts[0], parts[1:], {})
    return (itemgetter_ if type(function) is operator.itemgetter else attrgetter_), (parts,)


def parts_of_getter(function: Any) -> tuple:
    return getter(function)[1]


def _is_plain_tensor(recorder: Any, args: tuple, kwargs: dict) -> bool:
    """Whether `copy.copy(x)` is of a tensor without a history, and with nothing beside its data."""
    if kwargs or len(args) != 1 or type(args[0]) is not Tensor or args[0]._array is None:
        return False
    value = args[0]
    return value._node is None and not value.__dict__ and (not recorder.is_outside(value) or glue.is_recording())


_copy = gone_into(tensor_of_tensor, _is_plain_tensor)


def _deepcopy(recorder: Any, machine: Any, args: tuple, kwargs: dict) -> bool:
    """`copy.deepcopy(x)` of what is its own copy; or of a tensor."""
    if not kwargs and len(args) == 1 and (type(args[0]) in SIMPLE or type(args[0]) is Number):
        machine.push(args[0])
        return True
    return _copy(recorder, machine, args, kwargs)


def _vars(recorder: Any, machine: Any, args: tuple, kwargs: dict) -> bool:
    """`vars(x)` of an object of the program."""
    fits = len(args) == 1 and not kwargs and known.is_object(args[0]) and not isinstance(args[0], type)
    if not fits or recorder.opaque(args[0]) or dict_of(args[0]) is None:
        return False
    machine.push(recorder.getattr(machine, args[0], "__dict__"))
    return True


def _walking(replacement: Callable, first: int) -> Callable:
    """The same for an iterator over the arguments from the first such one on."""

    def special(recorder: Any, machine: Any, args: tuple, kwargs: dict) -> bool:
        if kwargs or len(args) <= first:
            return False
        go_over(recorder, machine, replacement, tuple(range(first, len(args))), args, kwargs)
        return True

    return special


def _with_generators(
    replacement: Callable, walked: int | None = 1, count: int | None = None, is_lazy: bool = False
) -> Callable:
    """Use the replacement where the machine itself walks over one of the first `walked` arguments.

    Args:
        is_lazy: whether it is an iterator over these.
    """

    def special(recorder: Any, machine: Any, args: tuple, kwargs: dict) -> bool:
        if kwargs or not any(map(recorder.is_walked, args[:walked])) or count not in (None, len(args)):
            return False
        if is_lazy:
            go_over(recorder, machine, replacement, tuple(range(len(args[:walked]))), args, kwargs)
        else:
            recorder.enter(machine, replacement, args, kwargs)
        return True

    return special


def _enumerate(recorder: Any, machine: Any, args: tuple, kwargs: dict) -> bool:
    """`enumerate(items, start)`, where that is a number: anything else is asked for one at once."""
    if len(args) == 2 and type(value_of_number(args[1])) is not int:
        return False
    return _with_generators(enumerate_, is_lazy=True)(recorder, machine, args, kwargs)


def _is_known(recorder: Any, args: tuple, kwargs: dict) -> bool:
    """Whether something is known of what is gone over: else that is one hop, and not one for each item."""
    return not kwargs and len(args) == 1 and not recorder.opaque(args[0])


def _with_key(replacement: Callable, is_in_turn: bool = True) -> Callable:
    """Use the replacement where a function gives the keys, or asks items one by one that the program gives."""

    def fits(recorder: Any, args: tuple, kwargs: dict) -> bool:
        has_key = bool(args) and kwargs.get("key") is not None
        asks_in_turn = is_in_turn and len(args) == 1 and kwargs.keys() <= {"default", "key"}
        return has_key or (asks_in_turn and is_of_program(recorder, args[0]))

    return gone_into(replacement, fits)


def _waits(recorder: Any, args: tuple, kwargs: dict) -> bool:
    """Whether a generator waits at a `yield`."""
    if kwargs or len(args) != 1 or not recorder.is_own_generator(args[0]):
        return False
    return not args[0].is_running and args[0].frame is not None and bool(args[0].frame.pc)


def _partial(recorder: Any, machine: Any, args: tuple, kwargs: dict) -> bool:
    """`functools.partial` of a partial function from outside, of which it takes what that holds."""
    function = recorder.force(args[0]) if args else None
    if type(function) is not functools.partial or not recorder.is_outside(function):
        return False
    is_whole = stays_whole(function)
    recorder.guard("is", recorder.derive(stays_whole, recorder.origins[id(function)][1]), is_whole)
    if is_whole:
        return False
    recorder.enter(machine, partial_, (function, *args[1:]), kwargs)
    return True


def _count(recorder: Any, machine: Any, args: tuple, kwargs: dict) -> bool:
    """`for i in range(n)`, where n varies."""
    if kwargs or not 0 < len(args) < 4 or not any(type(x) is Number for x in args[:2]):
        return False
    start, stop, step = (0, args[0], 1) if len(args) == 1 else (*args, 1)[:3]
    return recorder.rolling.count_up(machine, start, stop, step)


def _count_back(recorder: Any, machine: Any, args: tuple, kwargs: dict) -> bool:
    """`for i in reversed(range(n))`."""
    if kwargs or len(args) != 1 or type(args[0]) is not range:
        return False
    items = args[0][::-1]
    return recorder.rolling.count_up(machine, items.start, items.stop, items.step)


def table() -> dict[Any, Callable]:
    """What to do instead, by function: (recorder, machine, args, kwargs) -> whether it was done."""
    found = {
        any: gone_into(any_, _is_known),
        all: gone_into(all_, _is_known),
        map: _walking(map_, 1),
        filter: _walking(filter_, 1),
        functools.partial: _partial,
        functools.reduce: gone_into(reduce_, lambda _, args, kwargs: len(args) > 1 and not kwargs),
        range: _count,
        reversed: _count_back,
        enumerate: _enumerate,
        next: _with_generators(next_, count=2),
        Generator.close: gone_into(close_, _waits),
        sum: _with_generators(sum_ if sys.version_info < (3, 12) else exact_sum_),
        zip: _with_generators(zip_, None, is_lazy=True),
        sorted: _with_key(sorted_, is_in_turn=False),
        max: _with_key(max_),
        min: _with_key(min_),
        **TENSORS,
        vars: _vars,
        copy_module.copy: _copy,
        copy_module.deepcopy: _deepcopy,
        **iterators(),
        **METHODS_OF_COUNTERS,
        **answers(),
        **SURROUNDINGS,
        **TRANSFORMS,
        **GRADIENTS,
    }
    for function, way in taking().items():
        found[function] = _either(way, found[function]) if function in found else way
    return found


def _either(first: Callable, second: Callable) -> Callable:
    def special(recorder: Any, machine: Any, args: tuple, kwargs: dict) -> bool:
        return first(recorder, machine, args, kwargs) or second(recorder, machine, args, kwargs)

    return special
