"""Guards as text: what must hold for a piece to be run again.

A guard is (kind, origin, what is wanted). `write_guards` adds to a function of the slots the lines that return None where
one does not hold; what is asked of several objects, or of one class, is asked at once where that takes fewer looks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from anfora.core.abstract import Layout
from anfora.eager.tape import Leaf, Output
from anfora.graph.facts.classes import Facts, class_attribute, defines, has_tag, never_changes
from anfora.graph.facts.known import is_attribute_of_ours, overrides
from anfora.graph.facts.makers import maker
from anfora.graph.facts.origins import Emitter, Origin
from anfora.graph.facts.values import exact, is_told_by_equality
from anfora.graph.machine.operations import has_own
from anfora.graph.polyfill.special import behind, called_to_set
from anfora.graph.polyfill.surroundings import hooks_on
from anfora.ops.bound import Bound

__all__ = ["told_apart_at_once", "write_guard", "write_guards"]


def write_guards(emit: Emitter, guards: Iterable[tuple]) -> None:
    """Add the lines that return None where one of some guards does not hold."""
    for guard in _of_classes(list(told_apart_at_once(list(guards)))):
        write_guard(emit, *guard)


def write_guard(emit: Emitter, kind: str, origin: Origin, wanted: Any) -> None:
    """The same for one of them."""
    failed = _FAILED[kind](emit, origin, wanted)
    emit.lines.append(f"if {failed}: return None")


def told_apart_at_once(guards: Sequence[tuple]) -> Iterator[tuple]:
    """The guards, but objects all of which are told apart from each other by one: where a loop reads and writes n objects
    there are n² / 2 pairs of them."""
    pairs = [{origin, other} for kind, origin, other in guards if kind == "not same"]
    if len(pairs) < _MOST_PAIRS:
        yield from guards
        return
    others: dict[Origin, set[Origin]] = {}
    for origin, other in pairs:
        others.setdefault(origin, set()).add(other)
        others.setdefault(other, set()).add(origin)
    groups: list[list[Origin]] = []
    group_of: dict[Origin, int] = {}
    for origin, different in others.items():
        fitting = (k for k, group in enumerate(groups) if all(other in different for other in group))
        group_of[origin] = k = next(fitting, len(groups))
        groups[k : k + 1] = [[*groups[k], origin] if k < len(groups) else [origin]]
    for kind, origin, payload in guards:
        if kind != "not same" or group_of[origin] != group_of[payload]:
            yield kind, origin, payload
    for group in groups:
        if len(group) > 1:
            yield "distinct", group[0], tuple(group)


def _of_classes(guards: list[tuple]) -> Iterator[tuple]:
    """The guards, but what is asked of one class is asked at once, where that takes fewer looks; and what is asked of a
    class that never changes is not asked again."""
    found = [_question_to_class(*guard) if guard[0] == "is" else None for guard in guards]
    questions: dict[type, list[tuple]] = {}
    for question in found:
        if question is not None:
            questions.setdefault(question[0], []).append(question[1])
    for guard, question in zip(guards, found):
        if question is not None and never_changes(question[0]):
            continue
        if question is None or (len(questions[question[0]]) == 1 and question[1][0] is getattr):
            yield guard
        elif questions[question[0]][0] is question[1]:
            yield "class", guard[1], Facts(question[0], questions[question[0]])


def _question_to_class(_: str, origin: Origin, answer: Any) -> tuple[type, tuple] | None:
    """The class that a guard asks, with function, arguments and answer; None if it asks something else, or more."""
    if origin.kind == "attr":
        function, base, more = getattr, origin.base, (origin.key,)
    elif origin.kind == "number" and any(origin.key is each for each in _OF_CLASSES):
        function, (base, *more) = origin.key, origin.base
    else:
        return None
    if base.kind != "known" or not (has_tag(base.key) or never_changes(base.key)):
        return None
    if any(isinstance(part, Origin) for part in more):
        return None
    return base.key, (function, (base.key, *more), answer)


def _failed_equal(emit: Emitter, origin: Origin, value: Any) -> str:
    name = emit.name(origin)
    if value is None or type(value) is bool or (type(value) in (float, complex) and value != value):
        return _failed_is(emit, origin, value)  # a nan is equal to itself alone
    is_other = f"(type({name}) is not {emit.constant(type(value))} or {_failed_value(emit, name, value)})"
    if not is_told_by_equality(value):
        return is_other
    # It is the very object, most often, and then nothing else is asked.
    return f"{name} is not {emit.constant(value)}" + (f" and {is_other}" if not _is_one(value) else "")


def _failed_is(emit: Emitter, origin: Origin, value: Any) -> str:
    text = repr(value) if value is None or type(value) is bool else emit.constant(value)
    return f"{emit.name(origin)} is not {text}"


def _is_one(value: Any) -> bool:
    """Whether CPython has a single object of a value."""
    return type(value) is int and -5 <= value <= 256


def _failed_value(emit: Emitter, name: str, value: Any) -> str:
    """A variable does not hold what cannot be told from a value, of whose type it is."""
    if is_told_by_equality(value):
        return f"{name} != {emit.constant(value)}"
    return f"{emit.constant(exact)}({name}) != {emit.constant(exact(value))}"


def _failed_operator(emit: Emitter, origin: Origin, value: Bound) -> str:
    name, own = emit.name(origin), emit.constant(value)
    return f"{name} is not {own} and not {emit.constant(_is_same_operator)}({name}, {own})"


def _is_same_operator(one: Any, other: Bound) -> bool:
    """Whether two are one operator with the same attributes."""
    return one.__class__ is Bound and one.op is other.op and repr(one.attributes) == repr(other.attributes)


def _failed_layout(emit: Emitter, origin: Origin, layout: Layout) -> str:
    name = emit.name(origin)
    emit.lines.append(f"if {name}._base is not None: current({name})")
    return f"{name}._layout is not {emit.constant(layout)}"


def _failed_leaf(emit: Emitter, origin: Origin, has: bool) -> str:
    node = f"{emit.name(origin)}._node"
    return f"{node}.__class__ is not {emit.constant(Leaf)}" if has else f"{node} is not None"


def _failed_no_hooks(emit: Emitter, origin: Origin, _: None) -> str:
    name = emit.name(origin)
    history = f"{name}._node.__class__ is {emit.constant(Output)} or {name}._node.hooks"
    tables = f"{name}.__dict__.get('_hooks') if {name}._node is None else {history}"
    return f"({tables}) and {emit.constant(hooks_on)}({name})"


def _failed_distinct(emit: Emitter, _: Origin, origins: tuple[Origin, ...]) -> str:
    names = ", ".join(map(emit.name, origins))
    return f"len({emit.constant(_identities)}(({names}))) != {len(origins)}"


def _identities(objects: tuple) -> set[int]:
    return set(map(id, objects))


def _failed_class(emit: Emitter, _: Origin, facts: Facts) -> str:
    held = emit.constant(facts)
    return f"{emit.constant(facts.tag)}.value != {held}.seen and not {held}.hold()"


def _failed_type(emit: Emitter, origin: Origin, kind: type) -> str:
    return f"type({emit.name(origin)}) is not {emit.constant(kind)}"


#: Questions of which the answers follow from what stands in a class and its bases.
_OF_CLASSES = (
    hasattr, defines, class_attribute, behind, has_own, overrides, is_attribute_of_ours, maker, called_to_set,
)  # fmt: skip
_MOST_PAIRS = 6  #: of objects, each with a guard of its own
#: By kind, what says that a guard does not hold.
_FAILED: dict[str, Callable[[Emitter, Origin, Any], str]] = {
    "type": _failed_type, "number": _failed_type, "is": _failed_is, "equal": _failed_equal, "layout": _failed_layout,
    "leaf": _failed_leaf, "no hooks": _failed_no_hooks, "operator": _failed_operator, "class": _failed_class,
    "distinct": _failed_distinct,
    "same": lambda emit, origin, other: f"{emit.name(origin)} is not {emit.name(other)}",
    "not same": lambda emit, origin, other: f"{emit.name(origin)} is {emit.name(other)}",
    "history": lambda emit, origin, has: f"{emit.name(origin)}._node is {'None' if has else 'not None'}",
    "no leaf": lambda emit, origin, _: f"{emit.name(origin)}.is_leaf",
    "length": lambda emit, origin, length: f"len({emit.name(origin)}) != {length}",
    "keys": lambda emit, origin, keys: _failed_value(emit, f"{emit.constant(tuple)}({emit.name(origin)})", keys),
    "no key": lambda emit, origin, key: f"{key!r} in {emit.name(origin)}",
    "not own": lambda emit, origin, name: f"{name!r} in {emit.name(origin)}.__dict__",
    "method": lambda emit, origin, function: f"{emit.name(origin)}.__func__ is not {emit.constant(function)}",
}  # fmt: skip
