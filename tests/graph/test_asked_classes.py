"""What classes of the program are asked: what Python asks them, as often, and nothing else. A class of classes may answer
for names that its classes do not have, and an abstract class may have a function that says what counts as its own."""

from __future__ import annotations

import abc
from collections.abc import Callable
from typing import Any

import pytest
from outcomes import outcome

import anfora as ms
from anfora import Tensor

LOG: list[Any] = []


class Answering(type):
    """Answers for every name, and writes down that it was asked."""

    def __getattr__(cls, name: str) -> Any:
        LOG.append(name)
        return name

    def __setattr__(cls, name: str, value: Any) -> None:
        LOG.append((name, value))
        super().__setattr__(name, value)


class Held(metaclass=Answering):
    """Has no special methods but those of every object."""

    def __init__(self, value: int) -> None:
        self.value = value


class Getting(metaclass=Answering):
    def __get__(self, owner: Any, kind: type) -> Any:
        LOG.append("get")
        return 3


class Owner(metaclass=Answering):
    plain = Held(5)
    described = Getting()


OUTSIDE = Held(7)


def in_front_of_a_hop(x: Tensor, k: int) -> Any:
    held = Held(k)
    print(end="")
    return x * held.value


def on_the_stack(x: Tensor, k: int) -> Any:
    return x * k, Held(k) is None, Held(k).value, print(end=""), [Held(k)][0].value


def truth(x: Tensor, k: int) -> Any:
    return (1 if Held(k) else 2), not Held(k), bool(OUTSIDE), x


def not_iterable(x: Tensor, k: int) -> Any:
    return list(Held(k))  # type: ignore[call-overload]


def no_length(x: Tensor, k: int) -> Any:
    return x, len(OUTSIDE)  # type: ignore[arg-type]


def no_item(x: Tensor, k: int) -> Any:
    return Held(k)[k]  # type: ignore[index]


def no_context(x: Tensor, k: int) -> Any:
    with Held(k):  # type: ignore[attr-defined]
        return x


def no_attribute(x: Tensor, k: int) -> Any:
    return getattr(OUTSIDE, "nothing", x * k), hasattr(Held(k), "other"), OUTSIDE.missing  # type: ignore[attr-defined]


def of_the_class(x: Tensor, k: int) -> Any:
    Held.latest = k  # type: ignore[attr-defined]
    return Held.latest, Held.made_up, x  # type: ignore[attr-defined]


def described(x: Tensor, k: int) -> Any:
    owner = Owner()
    return x * owner.described, owner.plain.value, Owner().plain is owner.plain


def written(x: Tensor, k: int) -> Any:
    OUTSIDE.value = k
    owner = Owner()
    owner.held = [Held(k)]  # type: ignore[attr-defined]
    return x, vars(OUTSIDE), owner.held[0].value  # type: ignore[attr-defined]


def unpacked(x: Tensor, k: int) -> Any:
    return dict(**OUTSIDE)  # type: ignore[arg-type]


def added(x: Tensor, k: int) -> Any:
    return x, Held(k) + k  # type: ignore[operator]


@pytest.mark.parametrize(
    "program",
    [in_front_of_a_hop, on_the_stack, truth, not_iterable, no_length, no_item, no_context, no_attribute, of_the_class,
     described, written, unpacked, added],
)  # fmt: skip
def test_a_class_of_classes_that_answers_is_asked_what_python_asks(program: Callable) -> None:
    compiled = ms.jit(program)
    for k in (1, 2, 3, 1, 1):
        told = []
        for function in (program, compiled):
            LOG.clear()
            told.append((outcome(function, Tensor([1.0]), k), [*LOG]))
        assert told[0] == told[1]


def abstract() -> Any:
    """An abstract class that says itself what counts, and two others of which one does."""

    class Quacking(abc.ABC):  # noqa: B024
        @classmethod
        def __subclasshook__(cls, kind: type) -> Any:
            LOG.append(kind.__name__)
            return True if any("quack" in base.__dict__ for base in kind.__mro__) else NotImplemented

    class Duck:
        quack = 1

    class Stone:
        pass

    return Quacking, Duck, Stone


def of_objects(x: Tensor, k: int, kinds: Any) -> Any:
    quacking, duck, stone = kinds
    return x * isinstance(duck(), quacking), isinstance(stone(), quacking), isinstance(k, quacking)


def of_classes(x: Tensor, k: int, kinds: Any) -> Any:
    quacking, duck, stone = kinds
    return issubclass(duck, quacking), issubclass(stone, (int, quacking)), issubclass(type(k), quacking), x


def registered(x: Tensor, k: int, kinds: Any) -> Any:
    quacking, duck, stone = kinds
    before = isinstance(stone(), quacking)
    if k == 2:
        quacking.register(stone)
    return x, before, isinstance(stone(), quacking), isinstance(duck(), quacking)


@pytest.mark.parametrize("program", [of_objects, of_classes, registered])
def test_an_abstract_class_is_asked_as_often_as_by_python(program: Callable) -> None:
    told = []
    for function in (program, ms.jit(program)):  # one behind the other: to register a class makes all of them forget
        kinds = abstract()
        LOG.clear()
        told.append([(outcome(function, Tensor([1.0]), k, kinds), [*LOG]) for k in (1, 1, 1, 2, 3, 3)])
    assert told[0] == told[1]
