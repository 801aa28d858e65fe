"""Subclasses of Python's containers with methods of their own: which of them Python calls, and which it passes by."""

from __future__ import annotations

import collections

import numpy as np
import pytest
from outcomes import bits

from anfora import Tensor
from anfora.modes import jit


def noting(name, answer):
    """A method that notes its calls."""

    def method(self, *args):
        LOG.append((name, *args))
        return answer(*args)

    return method


LOG: list = []
OWN = {
    "__getitem__": noting("getitem", lambda key: 9),
    "keys": noting("keys", lambda: ["b"]),
    "__iter__": noting("iter", lambda: iter(["a", "b"])),
    "__len__": noting("len", lambda: 1),
    "__contains__": noting("contains", lambda item: True),
}
METHODS = [("__getitem__",), ("keys",), ("__iter__",), ("__len__",), ("__contains__",), ("keys", "__getitem__"),
           ("__iter__", "keys", "__getitem__")]  # fmt: skip


def given(*args, **kwargs):
    return args, kwargs


def defaults(a=0, b=0, **rest):
    return a, b, rest


def updated(d):
    into = {"q": 0}
    into.update(d, c=1)
    return into


def merged_in_place(d):
    into = {"q": 0}
    into |= d
    return into


def matched(d):
    match d:
        case {"a": found, **rest}:
            return found, rest
    return None


OF_DICTS = {
    "call": lambda d: given(**d),
    "call with more": lambda d: given(1, q=0, **d),
    "two in a call": lambda d: given(q=0, **d),
    "the same twice": lambda d: given(a=0, **d),
    "call with defaults": lambda d: defaults(**d),
    "call of a class": lambda d: dict(**d),
    "method of Python's": lambda d: "{a}".format(**d),
    "display": lambda d: {"q": 0, **d},
    "dict": lambda d: dict(d),
    "update": updated,
    "merge": lambda d: {"q": 0} | d,
    "merge from the right": lambda d: list((d | {"q": 0}).items()),
    "merge in place": merged_in_place,
    "items": lambda d: {key: value for key, value in d.items()},  # noqa: C416
    "values": lambda d: [value + 1 for value in d.values()],
    "star": lambda d: given(*d),
    "list": lambda d: [*d],
    "match": matched,
}


def extended(items):
    into = [0]
    into.extend(items)
    into += items
    return into


def unpacked(items):
    first, *rest = items
    return first, rest


OF_SEQUENCES = {
    "star": lambda items: given(0, *items),
    "star of a class": lambda items: max("", *items),
    "display": lambda items: ([0, *items], (0, *items), {"", *items} == {"", "a", "b"}),
    "list": lambda items: list(items),
    "tuple": lambda items: tuple(items),
    "extend": extended,
    "unpack": unpacked,
    "map": lambda items: list(map(str, items)),
    "join": lambda items: ",".join(map(str, items)),
    "enumerate": lambda items: list(enumerate(items)),
    "sorted": lambda items: sorted(items),
    "ask": lambda items: (len(items), bool(items), "z" in items),
}


def calls(work, make, wrap, is_inside):
    """What three calls give, with the methods that each has called."""
    held = make()

    def program(x):
        return work(make() if is_inside else held), x + 1

    compiled, seen = wrap(program), []
    for _ in range(3):
        LOG.clear()
        try:
            result = bits(compiled(Tensor([1.0])))
        except (TypeError, KeyError) as error:
            result = type(error), str(error)
        seen.append((result, list(LOG)))
    return seen


def check(work, base, own, *items):
    kind = type("Own", (base,), {name: OWN[name] for name in own})
    for is_inside in (False, True):
        expected = calls(work, lambda: kind(*items), lambda function: function, is_inside)
        assert calls(work, lambda: kind(*items), jit, is_inside) == expected, (base, own, is_inside)


@pytest.mark.parametrize("own", METHODS, ids="-".join)
@pytest.mark.parametrize("base", [dict, collections.OrderedDict])
def test_a_dict_with_methods_of_its_own_is_taken_as_python_takes_it(base, own):
    for work in OF_DICTS.values():
        check(work, base, own, {"a": 1, "b": 2})


@pytest.mark.parametrize("own", METHODS[:1] + METHODS[2:5], ids="-".join)
@pytest.mark.parametrize("base", [list, tuple])
def test_a_sequence_with_methods_of_its_own_is_walked_over_as_python_does(base, own):
    for work in OF_SEQUENCES.values():
        check(work, base, own, ["a", "b"])


def above(base, name):
    """A class whose method is noted, and then calls that of the class behind, which it has read before the hop."""

    def method(self, *args):
        behind = getattr(super(kind, self), name)
        print(name)
        return "own", behind(*args)

    kind = type("Above", (base,), {name: method})
    return kind


#: Classes written in C, their methods, what objects are made of, and what the methods are given.
BEHIND = [
    (list, "append", [[1, 2]], [3]),
    (list, "__getitem__", [[1, 2]], [1]),
    (list, "__len__", [[1, 2]], []),
    (dict, "__setitem__", [{"a": 1}], ["a", 2]),
    (dict, "get", [{"a": 1}], ["b", 2]),
    (collections.OrderedDict, "move_to_end", [{"a": 1, "b": 2}], ["a"]),
    (collections.deque, "append", [[1, 2]], [3]),
    (set, "add", [[1, 2]], [3]),
    (int, "__add__", [3], [4]),
    (float, "__mul__", [1.5], [2.0]),
    (str, "upper", ["ab"], []),
    (tuple, "index", [(1, 2)], [2]),
    (bytearray, "append", [b"ab"], [3]),
    (ValueError, "with_traceback", ["no"], [None]),
    (np.ndarray, "sum", [0], []),
    (Tensor, "__add__", [[1.0, 2.0]], [3]),
    (Tensor, "sum", [[1.0, 2.0]], []),
    (Tensor, "detach", [[1.0, 2.0]], []),
]


@pytest.mark.parametrize(("base", "name", "made_of", "given"), BEHIND)
def test_a_method_of_the_class_behind_stays_that_behind_a_hop(base, name, made_of, given, capsys):
    kind = above(base, name)
    for is_inside in (False, True):
        results = []
        for wrap in (lambda function: function, jit):
            held = [kind(*made_of) for _ in range(2)]

            def program(x, k, held=held):
                own = kind(*made_of) if is_inside else held[k]  # noqa: B023
                asked = getattr(own, name)
                direct = getattr(base, name)
                print("hop")
                return x + 1, shown(asked(*given)), shown(direct(own, *given)), shown(own)

            compiled = wrap(program)
            results.append([bits(compiled(Tensor([1.0]), k)) for k in (0, 0, 1, 1, 0)])
            results[-1].append(capsys.readouterr().out)
        assert results[0] == results[1]


@pytest.mark.parametrize("name", ["__getitem__", "__len__", "__contains__", "index"])
def test_which_class_a_method_is_of_is_told_apart(name):
    """Methods of one name, of one object, given to a compiled function."""
    held = above(list, name)([5, 6])

    def program(x, asked, *given):
        result = asked(*given)
        print("hop")
        return x + 1, result, asked(*given)

    compiled = jit(program)
    given = {"__len__": [], "__getitem__": [0]}.get(name, [6])
    for _ in range(2):
        for asked in (getattr(super(type(held), held), name), getattr(held, name), getattr([5, 6], name)):
            assert bits(compiled(Tensor([1.0]), asked, *given)) == bits(program(Tensor([1.0]), asked, *given))


def shown(value):
    """A value without the methods of its class."""
    if isinstance(value, Tensor):
        return type(value).__name__, bits(Tensor(value))
    if isinstance(value, tuple):
        return type(value).__name__, [shown(item) for item in tuple.__iter__(value)]
    plain = next((base for base in type(value).__mro__ if base.__module__ != __name__), object)
    return type(value).__name__, plain.__repr__(value)
