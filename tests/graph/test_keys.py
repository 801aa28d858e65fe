"""Dicts and sets from outside whose keys are objects: these stay the objects that they are, and are asked for what Python
asks them, in each call."""

from __future__ import annotations

import enum
import operator
from typing import NamedTuple

import pytest

from anfora import Tensor, jit
from anfora.graph.run import ledger

LOG: list = []


class Plain:
    """Equal to itself alone."""

    def __init__(self, number):
        self.number = number


class Asked(Plain):
    """Writes down what it is asked for."""

    def __hash__(self):
        LOG.append(("hash", self.number))
        return self.number % 2

    def __eq__(self, other):
        LOG.append(("eq", self.number, other.number))
        return self.number == other.number


class Word(enum.Enum):
    one, two, three = 1, 2, 3

    @property
    def number(self):
        return self.value


class Pair(tuple):
    """Looks like a tuple."""

    __slots__ = ()
    number = property(lambda self: self[0].number)


MAKERS = {
    "equal to itself alone": Plain,
    "with methods of its own": Asked,
    "of an enum": Word,
    "a tuple of a class": lambda number: Pair((Asked(number), number)),
    "a tensor": lambda number: Tensor([float(number)]),
}


def number_of(key):
    if isinstance(key, Tensor):
        return float(key)
    return key.number


#: Which keys come out of `outer`, or of its keys, in some order.
TAKEN = [
    "list(outer)", "[*outer]", "[key for key in outer]", "list(iter(outer))", "tuple(outer)",
    "sorted(outer, key=number_of)", "list(zip(outer, 'abc'))[0]", "[max(outer, key=number_of)]",
    "list(dict.fromkeys(outer))", "list(set(outer))",
    "list(frozenset(outer) | set(outer))", "next(iter(outer)), *outer", "list(filter(None, outer))",
    "[next(enumerate(outer))[1]]",
    "[key for key in outer if key != other]", "[key for key in outer if key is not other]",
    "list(reversed(list(outer)))",
]  # fmt: skip
OF_DICTS = [
    "list(outer.items())[0]", "[key for key, _ in outer.items()]", "list({**outer})", "list(dict(outer))",
    "list(outer.copy())", "list({key: value for key, value in outer.items()})", "[key for key in outer if outer[key]]",
    "[*outer.keys()]", "list(dict(zip(outer, outer.values())))", "list(zip(*outer.items()))[0]",
    "list(outer | {other: 1})",
]  # fmt: skip


def told(function, worlds):
    """Of each call which of the keys have come, and what these were asked for."""
    found = []
    for call in range(5):
        keys, outer = worlds[call // 3]
        LOG.clear()
        result, taken = function(outer, keys[call % 3], Tensor([float(call)]))
        log = [*LOG]
        places = [next((n for n, key in enumerate(keys) if key is each), type(each).__name__) for each in taken]
        found.append((float(result), places, log))
    return found


@pytest.mark.parametrize("made", MAKERS)
def test_keys_stay_what_they_are(made, tmp_path):
    for kind in (dict, set, frozenset):
        for number, taken in enumerate(TAKEN + (OF_DICTS if kind is dict else [])):
            file = tmp_path / f"{kind.__name__}{number}.py"
            file.write_text(
                f"def program(outer, other, x):\n    found = {taken}\n    print(end='')\n    return x * len(found), found\n"
            )
            scope = {"number_of": number_of}
            exec(compile(file.read_text(), file, "exec"), scope)
            worlds = [
                (keys, kind(dict.fromkeys(keys, 1))) for keys in [[*map(MAKERS[made], (1, 3, 2))] for _ in range(2)]
            ]
            assert told(jit(scope["program"]), worlds) == told(scope["program"], worlds), (kind, taken)


def test_a_dict_of_objects_is_copied_as_often_as_the_program_says(tmp_path):
    file = tmp_path / "copies.py"
    file.write_text("""
def program(n):
    made = {Asked(3): 1, Asked(1): 2, Asked(7): 3}
    del made[Asked(7)]
    again = {**made}
    more = {**made, Asked(n): 5}
    copied = dict(more)
    equal = copied == more
    copied.update(made)
    both = made | more
    made |= both
    return len(made), len(again), len(more), equal, len({*made, Asked(n)}), len(set(made) & {Asked(8)})
""")
    scope = {"Asked": Asked}
    exec(compile(file.read_text(), file, "exec"), scope)
    compiled = jit(scope["program"])
    for n in (1, 3, 5, 3, 2):
        LOG.clear()
        expected = scope["program"](n), [*LOG]
        LOG.clear()
        assert (compiled(n), LOG) == expected


class Counted(int):
    """Counts how often it is hashed."""

    def __init__(self, *_):
        self.count = 0

    def __hash__(self):
        self.count += 1
        return int.__hash__(self)


def test_what_is_put_down_is_not_hashed_again():
    def program(n, x):
        table = dict.fromkeys(map(Counted, range(n)))
        found = [sum(each.count for each in table)]
        for made in (set(table), frozenset(table), {*table}, dict(table), {**table}):
            print(end="")
            again = dict.fromkeys(made, x)
            found.append((sum(each.count for each in table), len(again)))
        return found, len(set(table) & table.keys())

    compiled = jit(program)
    for n in (3, 3, 4, 3, 5):
        assert compiled(n, Tensor([1.0])) == program(n, Tensor([1.0]))


class Text(str):
    """Tells when it is compared."""

    def __eq__(self, other):
        ASKED.append(("text", str(other)))
        return str.__eq__(self, other)

    __hash__ = str.__hash__


class Price(int):
    def __eq__(self, other):
        ASKED.append(("amount", int(other)))
        return int.__eq__(self, other)

    __hash__ = int.__hash__


class LikeText:
    """Is equal to a text."""

    def __eq__(self, other):
        ASKED.append("alike")
        return other == "ab"

    def __repr__(self):
        return "like a text"

    def __hash__(self):
        return hash("ab")


class Two(NamedTuple):
    one: object
    two: object


ASKED: list = []
EQUAL_KEYS = {
    "text": (lambda: Text("ab"), "ab"),
    "amount": (lambda: Price(3), 3),
    "alike": (LikeText, "ab"),
    "text in a tuple": (lambda: (Text("ab"), 1), ("ab", 1)),
    "text in a named tuple": (lambda: Two(Text("ab"), 1), ("ab", 1)),
    "text in a frozen set": (lambda: frozenset([Text("ab")]), frozenset(["ab"])),
}
LOOKING_UP = {
    "item": lambda table, key: table[key],
    "in": lambda table, key: (key in table, key not in table),
    "in keys": lambda table, key: operator.contains(table.keys(), key),
    "get": lambda table, key: table.get(key),
    "set": lambda table, key: table.__setitem__(key, 2),
    "delete": lambda table, key: table.__delitem__(key),
    "pop": lambda table, key: table.pop(key),
    "setdefault": lambda table, key: table.setdefault(key, 3),
    "update": lambda table, key: table.update({key: 4}),
    "merge": lambda table, key: table | {key: 5},
    "in a set": lambda table, key: key in {*table},
    "add": lambda table, key: {*table}.add(key),
    "discard": lambda table, key: {*table}.discard(key),
    "both": lambda table, key: {*table} & {key},
    "equal": lambda table, key: table == {key: 1},
}


@pytest.mark.parametrize("is_made_inside", [False, True])
@pytest.mark.parametrize("keys", EQUAL_KEYS)
@pytest.mark.parametrize("way", LOOKING_UP)
def test_keys_are_asked_whether_they_are_equal_as_often_as_python_asks(way, keys, is_made_inside, monkeypatch):
    monkeypatch.setattr(ledger, "_FREE", 1 << 60)
    make, key = EQUAL_KEYS[keys]
    look = LOOKING_UP[way]

    def program(x, table):
        if table is None:
            table = {make(): 1}
        found = look(table, key)
        return found, len(table), x + 1

    def run(function):
        told = []
        for number in (1.0, 1.0, 2.0, 3.0):
            ASKED.clear()
            found, size, _ = function(Tensor([number]), None if is_made_inside else {make(): 1})
            told.append((repr(found), size, [*ASKED]))
        return told

    assert run(jit(program)) == run(program)
