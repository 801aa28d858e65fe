"""What an import inside of a compiled function finds, asks and raises is what Python does, call after call."""

from __future__ import annotations

import sys
import types
import warnings

import pytest

from anfora import jit

ASKED = []


def module_of(**held):
    module = types.ModuleType("made_here")
    module.__dict__.update(held)
    return module


def giving(name):
    ASKED.append(name)
    if name == "number":
        return len(ASKED)
    raise AttributeError(name)


class Told(type):
    """A class whose attributes warn."""

    def __getattribute__(cls, name):
        if name == "number":
            warnings.warn(f"{name} is read", DeprecationWarning, stacklevel=2)
        return super().__getattribute__(name)


class Namespace(metaclass=Told):
    number = 4


class Raising:
    def __getattr__(self, name):
        ASKED.append(name)
        raise ValueError(name) if name == "other" else AttributeError(name)


def read():
    from made_here import number

    return number


def missing():
    try:
        from made_here import number, other  # noqa: F401
    except ImportError as error:
        return str(error), error.name, error.path, error.__context__
    except ValueError as error:
        return str(error)


def with_warnings():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        from made_here import number
    return number, [(each.filename, each.lineno, str(each.message)) for each in caught]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("program", [read, missing, with_warnings], ids=lambda program: program.__name__)
@pytest.mark.parametrize(
    "module",
    [
        module_of(number=3), module_of(number=3, __file__="/here/it.py"), module_of(__getattr__=giving),
        module_of(number=3, __getattr__=giving), Namespace, Namespace(), Raising(), types.SimpleNamespace(number=7),
    ],
)  # fmt: skip
def test_imports(monkeypatch, program, module):
    monkeypatch.setitem(sys.modules, "made_here", module)
    compiled = jit(program)

    def outcome(function):
        ASKED.clear()
        try:
            return function(), [*ASKED]
        except ImportError as error:
            return str(error), error.name, error.path, [*ASKED]

    for _ in range(4):
        assert outcome(compiled) == outcome(program)


def looking_on(n):
    """Goes on with what must be compiled then: a helper with a match statement, loops and comprehensions."""

    def inner(values):
        found = [value * n for value in values if value]
        for value in values:
            match value:
                case int(real=number):
                    found.append(number)
                case _:
                    found.append(n)
        return found, {key: len(found) for key in found}, super

    hidden = {
        name: sys.modules[name] for name in ("ast", "collections", "copy", "functools", "inspect", "types", "weakref")
    }
    sys.modules.update({name: types.ModuleType(name) for name in hidden})
    try:
        return inner([*range(n)]), inner([*map(str, range(n + 40))]), sorted(inner(range(50))[0])
    finally:
        sys.modules.update(hidden)


def test_the_modules_of_the_library_may_be_others_while_a_program_runs():
    compiled = jit(looking_on)
    for n in (2, 3, 2):
        assert compiled(n) == looking_on(n)
