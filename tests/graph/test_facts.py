"""The table of facts, row by row: what a row says of a function is so, and programs that call it mean what Python says.

Each row is driven twice. *Looked at*: the function is called by Python alone, with arguments that tell which of their
special methods were called; no more may be than the row says. *Compiled*: it is called in a compiled function, on
containers that are made inside and such that come from outside, with each argument in turn a plain number, a number that
varies, a tensor, an object with special methods and one of a class made from a builtin one, four times, with other values.
Results, effects, exceptions and what is left behind are compared with plain Python's.
"""

from __future__ import annotations

import bisect
import functools
import heapq
import inspect
import operator
import random
import struct
import types
from collections import Counter, OrderedDict, defaultdict, deque

import numpy as np
import pytest

from anfora import Tensor, jit
from anfora.graph.facts.table import (
    CALLED,
    DRAINED,
    EQUAL,
    EQUALS,
    INDEX,
    KEY,
    KEYS,
    LENGTH,
    MAPPING,
    ORDER,
    ORDERS,
    TRUTH,
    TRUTHS,
    WALKED,
    WHOLE,
    Fact,
    all_facts,
    fact_of,
)
from anfora.graph.machine import operations
from anfora.graph.machine.walks import Walk

log: list = []


class Special:
    """An object whose methods are seen."""

    def __init__(self, value):
        self.value = value

    def __repr__(self):
        log.append(("repr", self.value))
        return f"Special({self.value})"

    def __eq__(self, other):
        log.append(("eq", self.value, other.value if type(other) is Special else other))
        return self.value == (other.value if type(other) is Special else other)

    def __hash__(self):
        log.append(("hash", self.value))
        return hash(self.value)

    def __lt__(self, other):
        log.append(("lt", self.value))
        return self.value < (other.value if type(other) is Special else other)

    def __gt__(self, other):
        log.append(("gt", self.value))
        return self.value > (other.value if type(other) is Special else other)

    def __index__(self):
        log.append(("index", self.value))
        return self.value

    def __len__(self):
        log.append(("len", self.value))
        return self.value

    def __iter__(self):
        log.append(("iter", self.value))
        return iter([self.value, 7])

    def __bool__(self):
        log.append(("bool", self.value))
        return self.value > 1

    def __add__(self, other):
        log.append(("add", self.value))
        return self.value

    __radd__ = __add__

    def __call__(self, *args):
        log.append(("call", self.value))
        return self.value


class Whole(int):
    """A number of a class of the program's."""

    def __add__(self, other):
        log.append(("add", int(self)))
        return int(self) + 100

    def __eq__(self, other):
        log.append(("eq", int(self)))
        return int(self) == other

    __hash__ = int.__hash__


class Row(list):
    """A list of a class of the program's."""

    def __iter__(self):
        log.append("iter")
        return list.__iter__(self)


def shown(value, depth=0):
    """What can be compared of a value."""
    kind = type(value)
    if isinstance(value, Tensor):
        return "tensor", str(value.dtype), repr(value.tolist())
    if kind is Special:
        return "Special", value.value
    if kind in (Whole, float, int, bool, complex):
        return kind.__name__, repr(int(value) if kind is Whole else value)
    if isinstance(value, (list, tuple, deque)):
        return kind.__name__, [shown(item) for item in list.__iter__(value) if depth < 9] if kind is Row else [
            shown(item, depth + 1) for item in value if depth < 9
        ]  # fmt: skip
    if isinstance(value, dict):
        return kind.__name__, [(shown(key), shown(item, depth + 1)) for key, item in value.items()]
    if isinstance(value, (set, frozenset)):
        return kind.__name__, sorted([shown(item) for item in value], key=repr)
    if kind is range:
        return "range", list(value)
    if callable(value) or hasattr(kind, "__next__"):
        return "something"
    return kind.__name__, str(value)


# -- programs ----------------------------------------------------------------------------------------------------------


def called(function, name, makers, given):
    """A call, on what is made of the values that are given; an iterator is gone through."""
    args = [make(value) for make, value in zip(makers, given)]
    try:
        result = function(*args) if name is None else getattr(args[0], name)(*args[1:])
    except Exception as error:
        result = type(error).__name__, error.args
    return result, args


def walked(function, name, makers, given):
    """The same, and the iterator that comes is gone through for some items."""
    args = [make(value) for make, value in zip(makers, given)]
    items = []
    try:
        result = function(*args) if name is None else getattr(args[0], name)(*args[1:])
        for item in result:
            items.append(item)
            if len(items) == 5:
                break
    except Exception as error:
        items.append((type(error).__name__, error.args))
    return items, args


def as_it_is(value):
    return value


def in_a_list(value):
    return [3, value, 2]


def in_numbers(value):
    return [3, 1, 2]


def in_a_tuple(value):
    return (3, value, 2)


def in_a_dict(value):
    return {"a": value, 1: 2}


def in_a_set(value):
    return {3, 1, 2}


def in_a_frozen_set(value):
    return frozenset([3, 1, 2])


def in_an_iterator(value):
    return iter([3, value, 2])


def in_a_deque(value):
    return deque([3, value, 2])


def in_a_default_dict(value):
    return defaultdict(int, {"a": value, 1: 2})


def in_an_ordered_dict(value):
    return OrderedDict([("a", value), (1, 2)])


def in_a_counter(value):
    return Counter({"a": 2, 1: 2})


def in_a_range(value):
    return range(5)


def in_a_text(value):
    return "3 1 2"


OWNERS = {
    list: in_a_list, dict: in_a_dict, set: in_a_set, frozenset: in_a_frozen_set, tuple: in_a_tuple, deque: in_a_deque,
    defaultdict: in_a_default_dict, OrderedDict: in_an_ordered_dict, Counter: in_a_counter, range: in_a_range,
    str: in_a_text,
}  # fmt: skip


# -- arguments ---------------------------------------------------------------------------------------------------------

#: By what a row says of an argument, what is made of a number for it; the first that fits.
_MADE = (
    (CALLED, as_it_is),
    (MAPPING, in_a_dict),
    (DRAINED | WALKED | LENGTH, in_a_list),
)
VALUES = (1, 2, 0, 1)


def halved(value):
    return -1 if value is None else value


def plain(k):
    return VALUES[k]


def varying(k):
    return VALUES[k] + 0.5


def tensor(k):
    return Tensor(VALUES[k])


def special(k):
    return Special(VALUES[k])


def subclass(k):
    return Whole(VALUES[k])


def list_from_outside(k):
    return [3, VALUES[k], 2]


def specials_from_outside(k):
    return [Special(1), Special(VALUES[k])]


def row(k):
    return Row([VALUES[k], 2])


def dict_from_outside(k):
    return {"a": VALUES[k], VALUES[k]: 5}


def dict_of_specials(k):
    return {Special(VALUES[k]): 5}


SCALARS = (plain, varying, tensor, special, subclass)
CONTAINERS = (list_from_outside, specials_from_outside, row, dict_from_outside, special)

#: Rows of which the arguments are of kinds of their own: the positional ones, of the k-th call.
SAMPLES = {
    isinstance: lambda k: (VALUES[k], int),
    issubclass: lambda k: (int, (object, float)),
    ord: lambda k: ("abc"[VALUES[k]],),
    chr: lambda k: (97 + VALUES[k],),
    bytes: lambda k: (b"abc",),
    getattr: lambda k: (VALUES[k], "real"),
    hasattr: lambda k: (VALUES[k], "real"),
    functools.partial: lambda k: (halved, VALUES[k]),
    functools.reduce: lambda k: (operator.add, [1, VALUES[k]], 2),
    map: lambda k: (halved, [1, VALUES[k]]),
    filter: lambda k: (halved, [1, VALUES[k]]),
    format: lambda k: (VALUES[k], "3d"),
    struct.pack: lambda k: ("<i", VALUES[k]),
    struct.calcsize: lambda k: ("<i",),
    struct.unpack: lambda k: ("<b", b"abc"[VALUES[k] :][:1]),
    operations.join: lambda k: ("a", str(VALUES[k])),
    operations.spread: lambda k: (halved, [1, VALUES[k]]),
    operations.merge_keywords: lambda k: ({"b": 1}, {"a": VALUES[k]}, halved),
    operations.make_dict: lambda k: (["a", 1, "b", VALUES[k]],),
    operations.values_of_keys: lambda k: ({"a": VALUES[k]}, ("a",)),
    operations.rest_of_mapping: lambda k: ({"a": VALUES[k], "b": 2}, ("a",)),
    operations.unpack: lambda k: ([VALUES[k], 2], 2),
    operations.unpack_rest: lambda k: ([VALUES[k], 2, 3], 1, 1),
}
#: Rows of what only the machine calls, in ways of its own, or which do more than can be compared.
NOT_CALLED = frozenset({
    id, print, super, type, setattr, delattr, object.__setattr__, object.__delattr__, Walk, tuple.__new__,
    operations.fill_cell, operations.empty_cell, operations.set_global, operations.delete_global,
    operations.special_method, operations.no_comparison, operations.no_operator, operations.as_length,
    operations.as_filled, operations.as_truth, operations.as_text, operations.as_iterator, operations.names_of_pattern,
    operations.dict_of, operations.send,
})  # fmt: skip


def places(fact: Fact):
    """The uses of the arguments that a row is tried with, for each number of them."""
    takes = fact.takes
    if fact.rest is not None:
        yield (*takes, fact.rest, fact.rest)
    elif takes:
        yield takes
    if fact.alone is not None:
        yield (fact.alone,)


def maker_of(fact: Fact, place: int, use: int):
    if place == 0 and fact.owner is not None:
        return OWNERS.get(fact.owner, as_it_is)
    if fact.function in HEAPS and place == 0:
        return in_numbers
    return next((made for uses, made in _MADE if use & uses), as_it_is)


HEAPS = {
    heapq.heapify, heapq.heappush, heapq.heappop, heapq.heapreplace, heapq.heappushpop, bisect.insort_left,
    bisect.insort_right,
}  # fmt: skip


def cases(fact: Fact):
    """The calls of a row: makers of the arguments, and what they are made of, by the number of the call."""
    if fact.function in SAMPLES:
        sample = SAMPLES[fact.function]
        count = len(sample(0))
        yield "sample", (as_it_is,) * count, sample
        uses = [fact.use(place, count) for place in range(count)]
        for place in range(count):
            kinds = CONTAINERS if uses[place] & (DRAINED | WALKED) else SCALARS if uses[place] else ()
            for value in kinds:
                given = functools.partial(_replaced, sample, place, value)
                yield f"sample {place}, {value.__name__}", (as_it_is,) * count, given
        return
    for uses in places(fact):
        makers = tuple(maker_of(fact, place, use) for place, use in enumerate(uses))
        for place in range(len(uses)):
            for value in SCALARS:
                if not (is_hash(fact) and value is tensor):  # that is where it lies
                    yield f"{place}, {value.__name__}", makers, functools.partial(_given, len(uses), place, value)
            if makers[place] is not as_it_is and not (place == 0 and fact.owner not in (None, list, dict)):
                others = (*makers[:place], as_it_is, *makers[place + 1 :])
                for value in CONTAINERS[: 3 if fact.owner is list and place == 0 else None]:
                    yield f"{place} is {value.__name__}", others, functools.partial(_given, len(uses), place, value)
        if in_a_list in makers[1:]:
            drained = tuple([in_an_iterator if made is in_a_list else made for made in makers[1:]])
            yield "iterator", (makers[0], *drained), functools.partial(_given, len(uses), len(uses) - 1, plain)


def is_hash(fact: Fact) -> bool:
    return fact.function is hash or name_of(fact) == "__hash__"


def _given(count, place, value, k):
    return tuple(value(k) if i == place else 1 for i in range(count))


def _replaced(sample, place, value, k):
    given = sample(k)
    return (*given[:place], value(k), *given[place + 1 :])


def name_of(fact: Fact) -> str | None:
    """The name of the method that is called on the first argument; None where the function itself is called."""
    return fact.function.__name__ if fact.owner is not None else None


def outcome(run, given):
    log.clear()
    try:
        result = run(given)
    except Exception as error:
        result = type(error).__name__, error.args
    told = list(log)
    return shown(result), shown(list(given)), told


def differs(fact: Fact, makers, sample) -> tuple | None:
    """The first call of which the compiled function gives something else than Python."""
    function, name = fact.function, name_of(fact)
    program = walked if gives_iterator(fact) else called

    def run(given):
        return program(function, name, makers, given)

    compiled = jit(run)
    for k in range(4):
        right = outcome(run, sample(k))
        came = outcome(compiled, sample(k))
        if came != right:
            return k, came, right
    return None


def gives_iterator(fact: Fact) -> bool:
    kind = fact.function
    return (isinstance(kind, type) and hasattr(kind, "__next__")) or kind in (
        zip,
        map,
        filter,
        reversed,
        enumerate,
        iter,
    )


def rows():
    """The rows to be tried: of the methods of numbers and texts, and of numpy's functions, some."""
    found = {}
    for fact in all_facts():
        if fact.function in NOT_CALLED or fact.owner in (np.ndarray, np.generic):
            continue
        name = getattr(fact.function, "__qualname__", None) or repr(fact.function)
        if fact.owner is not None:
            name = f"{fact.owner.__name__}.{fact.function.__name__}"
        elif "lambda" in name:
            tables = (operations.OPERATIONS, operations.FORMATS)
            name = next(f"{key} of operations" for each in tables for key in each if each[key] is fact.function)
        found[name] = fact
    return found


ROWS = rows()

#: The uses of an argument in which a special method of it is asked for, and those of what holds it.
ASKING = {
    "hash": (KEY | WHOLE, KEYS | WHOLE),
    "eq": (KEY | EQUAL | WHOLE, KEYS | EQUALS | WHOLE),
    "lt": (ORDER | WHOLE, ORDERS | WHOLE),
    "gt": (ORDER | WHOLE, ORDERS | WHOLE),
    "index": (INDEX | WHOLE, WHOLE),
    "len": (LENGTH | TRUTH | WHOLE, TRUTHS | WHOLE),
    "iter": (WALKED | DRAINED | WHOLE, MAPPING | WHOLE),  # of couples
    "bool": (TRUTH | WHOLE, TRUTHS | WHOLE),
    "call": (CALLED | WHOLE, WHOLE),
    "repr": (WHOLE, WHOLE),
    "add": (WHOLE, WHOLE),
}


@pytest.mark.parametrize("name", sorted(ROWS))
def test_no_more_is_asked_than_a_row_says(name):
    fact = ROWS[name]
    method = name_of(fact)
    for uses in places(fact) if fact.function not in SAMPLES else ():
        makers = tuple(maker_of(fact, place, use) for place, use in enumerate(uses))
        for place, use in enumerate(uses):
            others = (*makers[:place], as_it_is, *makers[place + 1 :])
            for made, is_within in ((makers, makers[place] is not as_it_is), (others, False)):
                if place == 0 and method is not None and not is_within:
                    continue
                for value in (1, 2):
                    given = [Special(value) if i == place else 1 for i in range(len(uses))]
                    *_, told = outcome(functools.partial(called, fact.function, method, made), given)
                    asked = {each[0] for each in told}
                    assert not [each for each in asked if not use & ASKING[each][is_within]], (place, is_within)


@pytest.mark.parametrize("name", sorted(ROWS))
def test_a_row_means_what_python_says(name):
    fact = ROWS[name]
    tried = list(cases(fact))
    for what, makers, sample in random.Random(name).sample(tried, min(len(tried), MOST)):
        found = differs(fact, makers, sample)
        assert found is None, (what, *found)


#: Cases of a row that are tried, of some dozens.
MOST = 5


def parameters_of(fact: Fact) -> list[inspect.Parameter]:
    try:
        return list(inspect.signature(fact.function).parameters.values())
    except (TypeError, ValueError):  # written in C, and does not tell
        return []


def names_of(fact: Fact) -> list[str]:
    """The arguments that a row has, where all can be given by name."""
    parameters = parameters_of(fact)[: len(fact.takes)]
    can = fact.takes and all(each.kind is each.POSITIONAL_OR_KEYWORD for each in parameters)
    return [each.name for each in parameters] if can and len(parameters) == len(fact.takes) else []


NAMED = sorted(
    name for name, fact in ROWS.items() if fact.owner is None and "operations" not in name and names_of(fact)
)


@pytest.mark.parametrize("name", NAMED)
def test_a_row_means_the_same_by_name(name):
    fact = ROWS[name]
    names = names_of(fact)

    def by_name(*args):
        return fact.function(**dict(zip(names, args)))

    program = walked if gives_iterator(fact) else called
    tried = [each for each in cases(fact) if len(each[1]) == len(names)]
    for what, makers, sample in random.Random(name).sample(tried, min(len(tried), MOST)):
        run = functools.partial(program, by_name, None, makers)
        compiled = jit(run)
        for k in range(3):
            assert outcome(compiled, sample(k)) == outcome(run, sample(k)), (what, k)


# -- what else a row says ----------------------------------------------------------------------------------------------


def _asked(*names, answer=NotImplemented):
    """A class whose objects note which of their methods are called."""
    made = {name: (lambda self, *given, name=name: log.append(name) or answer) for name in names}
    return type("Asked", (), made)


@pytest.mark.parametrize("name", [name for name, fact in ROWS.items() if fact.asking is not None])
def test_a_row_names_the_methods_that_are_asked(name):
    """In their order, those of the first operand before that of the other."""
    fact = ROWS[name]
    asking = fact.asking
    log.clear()
    if asking.kind == "class":
        kind = type("Kind", (type,), dict(vars(_asked(*asking.names, answer=True))))("Of", (), {})
        given, right = (int, kind), list(asking.names)
    elif asking.kind in ("member", "no member"):
        given, right = (1, _asked(*asking.names, answer=True)()), list(asking.names)
    elif asking.kind == "truth":
        given, right = (_asked(asking.names[-1])(),), [asking.names[-1]]  # the others come before it
    elif asking.reflected:
        given = (_asked(*asking.names)(), _asked(asking.reflected)())
        right = [*asking.names, asking.reflected]
    else:
        places = _PLACES_OF_ITEMS.get(fact.function, 0)
        given, right = (_asked(*asking.names)(), *range(places)), list(asking.names)
    try:
        fact.function(*given)
    except TypeError as error:
        assert asking.symbol in str(error)
    assert log == right


#: How many other arguments those have that are called with some.
_PLACES_OF_ITEMS = {operator.getitem: 1, operator.delitem: 1, operator.setitem: 2}


@pytest.mark.parametrize("name", [name for name, fact in ROWS.items() if fact.hands_on is not None])
def test_what_hands_on_items_takes_them_when_it_is_asked(name):
    """And as many come as the row says."""
    fact = ROWS[name]
    if fact.owner is not None:
        source = OWNERS[fact.owner](2)
        assert len(list(fact.function(source))) == fact.hands_on([len(source)])
        return
    taken = []
    counts = [3, 2] if fact.rest is not None else [3]
    walked = [_noting(count, taken) for count in counts] if fact.function is not reversed else [range(3)]
    given = (lambda *items: True, *walked) if fact.takes and fact.takes[0] & CALLED and fact.alone is None else walked
    made = fact.function(*given)
    assert not taken
    assert len(list(made)) == fact.hands_on(counts)


def _noting(count, taken):
    for item in range(count):
        taken.append(item)
        yield item


@pytest.mark.parametrize("fact", [fact for fact in all_facts() if fact.puts is not None], ids=repr)
def test_a_change_goes_where_its_row_says(fact):
    """What is dropped by it is what stood there; all else stays."""
    value = {"a": 1, "b": 2} if fact.owner in (None, *MAPPINGS) else fact.owner(["a", "b", "c"])
    if fact.owner in MAPPINGS[1:]:
        value = OWNERS[fact.owner](2)
        value["b"] = 3
    key = 1 if isinstance(value, (list, deque)) else "b"
    if fact.puts == "all":
        fact.function(value)
        assert not value
        return
    if fact.puts == "attribute":
        value = types.SimpleNamespace(**value)
    elif fact.puts == "variable":
        value = types.CellType("a")
    elif fact.function in (operations.set_global, operations.delete_global):
        value = types.FunctionType(halved.__code__, value)
    given = (value,) if fact.puts == "variable" else (value, key)
    is_put = len(fact.takes) > len(given)
    before = _held(value)
    fact.function(*given, *[7] * is_put)
    if is_put:
        before[key] = 7
    else:
        del before[key]
    assert _held(value) == before


def _held(value):
    """What stands in something, by its place."""
    if type(value) is types.CellType:
        return {"b": value.cell_contents} if operations.is_filled(value) else {}
    if type(value) is types.FunctionType:
        return {name: held for name, held in value.__globals__.items() if name != "__builtins__"}
    if type(value) is types.SimpleNamespace:
        return dict(vars(value))
    return list(value) if isinstance(value, (list, deque)) else dict(value)


MAPPINGS = (dict, defaultdict, OrderedDict, Counter)


def test_a_row_is_all_that_a_function_needs():
    """A function that changes a list, and compares what is in it, is no hop on numbers, and one on tensors."""

    def pushed(items, value):
        heap = [5, 3]
        heapq.heapify(heap)
        heapq.heappush(heap, value)
        return heapq.heappop(heap), heap, [heapq.heappop(items), items]

    compiled = jit(pushed)
    for value in (4, 1, 7, 1):
        assert compiled([2, value], value) == pushed([2, value], value)
    for value in (4, 1, 7, 1):
        came, heap, more = compiled([2, Tensor(value)], Tensor(value))
        right, rest, others = pushed([2, value], value)
        assert (int(came), [int(x) for x in heap]) == (right, rest)
        assert [int(more[0]), [int(x) for x in more[1]]] == others


def test_each_polyfill_has_a_row():
    from anfora.graph.polyfill.polyfills import table as polyfills

    pythons = [
        each for each in polyfills() if getattr(each, "__module__", None) in ("builtins", "itertools", "_functools")
    ]
    assert pythons and [each for each in pythons if fact_of(each) is None] == [vars]


COUNTED = [
    function
    for function in (*operations.OPERATIONS.values(), *operations.IN_PLACE.values(), abs)
    if "lambda" not in repr(function)
]


@pytest.mark.parametrize("function", COUNTED, ids=lambda function: function.__name__)
def test_operands_are_counted(function):
    """Also where tensors are among them, whose operators are found without going through Python."""

    def run(operands):
        return function(*operands)

    compiled = jit(run)
    for count in range(4):
        given = [Tensor([3, 2]), 1, 2][:count]
        assert outcome(compiled, given) == outcome(run, given)
