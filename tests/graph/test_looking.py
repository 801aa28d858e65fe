"""Compiling looks at the objects of a program without a word to them: what they do when they are asked is asked for by the
program alone."""

from __future__ import annotations

import weakref
from typing import ClassVar

import pytest
from outcomes import bits

import anfora as ms
from anfora import Tensor


class Shy:
    """Tells of each attribute that is asked for."""

    asked: ClassVar[list[str]] = []

    def __getattribute__(self, name):
        Shy.asked.append(name)
        return object.__getattribute__(self, name)

    def method(self):
        return 3


class Posing:
    """Says that it is something else."""

    asked: ClassVar[list[str]] = []

    @property
    def __class__(self):
        Posing.asked.append("class")
        return list


class Thing:
    items = (1, 2)


def dead():
    return weakref.proxy(Thing())


def passed(made, x):
    return [type(item).__name__ for item in (made, [made][0], (made, 1)[0])], x * 2


def held(made, x):
    box = Thing()
    box.made = made
    table = {"made": made, "items": [made, (made,)]}
    return type(box.made).__name__, len(table["items"]), x * 2


def given(made, x):
    def inner(*args, **kwargs):
        return len(args), sorted(kwargs), x * 2

    return inner(made, key=made)


def asked(made, x):
    try:
        return len(made), x * 2
    except Exception as error:
        return type(error).__name__, str(error).split(" at ")[0]


def called(made, x):
    try:
        return made.method(), x * 2
    except Exception as error:
        return type(error).__name__


def its_class(made, x):
    try:
        return made.__class__.__name__, isinstance(made, list), x * 2
    except ReferenceError:
        return "dead"


@pytest.mark.parametrize("make", [dead, Shy, Posing], ids=["dead proxy", "__getattribute__", "__class__"])
@pytest.mark.parametrize(
    "program", [passed, held, given, asked, called, its_class], ids=lambda program: program.__name__
)
def test_objects_are_asked_for_what_the_program_asks_them(make, program):
    def outcome(function):
        Shy.asked.clear()
        Posing.asked.clear()
        found = function(make(), Tensor(2.0))
        return str(found), Shy.asked[:], Posing.asked[:]

    wanted = outcome(program)
    compiled = ms.jit(program)
    for _ in range(4):
        assert outcome(compiled) == wanted


@ms.jit
def class_of_generator(x):
    made = (item for item in [1])
    return made.__class__.__name__, map(abs, [1]).__class__ is map, x.__class__ is Tensor


def test_the_class_of_what_the_machine_runs_is_pythons():
    for _ in range(3):
        assert class_of_generator(Tensor(1.0)) == ("generator", True, True)


def a_dict_that_holds_itself(held):
    held["itself"] = held


def a_dict_that_holds_a_view_of_itself(held):
    held["view"] = held.values()


def a_list_that_holds_its_method(held):
    held["list"] = []
    held["list"].append(held["list"].pop)


def a_list_that_holds_its_iterator(held):
    held["list"] = [1]
    held["list"].append(iter(held["list"]))


@pytest.mark.parametrize(
    "fill",
    [
        a_dict_that_holds_itself,
        a_dict_that_holds_a_view_of_itself,
        a_list_that_holds_its_method,
        a_list_that_holds_its_iterator,
    ],
)
def test_what_holds_itself_is_looked_into_once(fill):
    def f(n):
        held = {}
        fill(held)
        held.update({"n": n})
        return list(held), held["n"]

    compiled = ms.jit(f)
    assert [compiled(n) for n in range(4)] == [f(n) for n in range(4)]


#: What is asked of a list that holds itself three times, and of a dict that does.
ASKED_OF_ITSELF = [
    "7 in items[1:1]", "items.count(x)", "items.index(x)", "items[:1].index(x)", "len(items)", "str(items)[:3]",
    "4 in table.values()", "[*table]", "items.copy()[0]", "items[1] is items", "bool(items)", "x in items",
    "7 in items[:1]", "table.get('a')", "{**table}['b'] is table", "[i for i in items if i is items][0] is items",
]  # fmt: skip


@pytest.mark.parametrize("is_outside", [False, True])
@pytest.mark.parametrize("asked", ASKED_OF_ITSELF)
def test_what_holds_itself_several_times_is_gone_through_once(asked, is_outside, tmp_path):
    making = ["items = [x]", "items += [items, items, items]", "table = {'a': 1}"]
    making += ["table.update(b=table, c=[table, table])"]
    made = [] if is_outside else making
    text = "\n    ".join(["def program(t, x, items=None, table=None):", *made])
    text += f"\n    return {asked}, t + x\n"
    file = tmp_path / "program.py"
    file.write_text(text)
    scope: dict = {"x": 0.5}
    exec(compile(text, file, "exec"), scope)
    exec("\n".join(making), scope)

    def told(function):
        found = []
        for n in range(3):
            scope["items"][0] = n + 0.5
            given = (scope["items"], scope["table"]) if is_outside else ()
            found.append(bits(function(Tensor([1.0]), n + 0.5, *given)))
        return found

    assert told(ms.jit(scope["program"])) == told(scope["program"])
